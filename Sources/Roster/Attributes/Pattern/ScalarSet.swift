/// A set of Unicode scalars, such as a character class of a pattern accepts.
struct ScalarSet: Sendable, Hashable {
    enum Part: Sendable, Hashable {
        case range(ClosedRange<UInt32>)
        case categories(Set<Unicode.GeneralCategory>, isNegated: Bool)
    }
    var parts: [Part]
    var isNegated = false

    init(_ parts: [Part], isNegated: Bool = false) {
        self.parts = parts
        self.isNegated = isNegated
    }

    /// All scalars except the line feed and the carriage return.
    static let withoutLineEnds = ScalarSet([.range(10...10), .range(13...13)], isNegated: true)

    static func only(_ scalar: Unicode.Scalar) -> ScalarSet { ScalarSet([.range(scalar.value...scalar.value)]) }

    /// The scalar of a set that lists one scalar; nil for any other set.
    var only: Unicode.Scalar? {
        guard !isNegated, parts.count == 1, case .range(let range) = parts[0], range.count == 1 else { return nil }
        return Unicode.Scalar(range.lowerBound)
    }

    func contains(_ scalar: Unicode.Scalar) -> Bool {
        let isListed = parts.contains { part in
            switch part {
            case .range(let range): range.contains(scalar.value)
            case .categories(let categories, let isNegated):
                categories.contains(scalar.properties.generalCategory) != isNegated
            }
        }
        return isListed != isNegated
    }
}
