import RosterText

/// What a request may cost before it is refused: so many comparisons with elements of multi-valued attributes.
struct SCIMEffort {
    /// The most that one resource may cost: operations times elements times comparisons. An element counts once for each
    /// kilobyte of its text.
    static let maximum = 2_000_000

    private var left = Self.maximum

    /// Counts comparisons.
    ///
    /// - Throws: ``SCIMError`` `tooMany` where the request costs too much.
    mutating func spend(_ comparisons: Int) throws {
        left -= min(comparisons, left + 1)
        guard left < 0 else { return }
        throw SCIMError(
            .tooMany,
            "The operations would compare more than \(Self.maximum) elements. Send fewer operations, or several requests."
        )
    }

    /// Counts a comparison of each element with so many values.
    mutating func spend(on elements: [JSONValue], times: Int = 1) throws {
        for element in elements { try spend(element.weight * times) }
    }
}

extension JSONValue {
    /// How much an element counts.
    fileprivate var weight: Int {
        let bytes =
            switch self {
            case .string(let text): text.utf8.count
            case .object(let members):
                members.reduce(0) { sum, member in sum + (member.value.text?.utf8.count ?? 0) }
            default: 0
            }
        return 1 + bytes / 1_024
    }
}
