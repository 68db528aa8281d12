import Roster
import RosterText

/// Counts the comparisons with elements of multi-valued attributes and refuses a request that takes too many.
struct SCIMEffort {
    /// The most comparisons for one resource: operations times elements times comparisons of the filter. They are more than
    /// the writer would wait for, because a large change is worked out before it is written.
    static let maximum = 2_000_000

    private var effort = ChangeEffort(maximum: Self.maximum)

    /// Counts comparisons.
    ///
    /// - Throws: ``SCIMError`` `tooMany` if there are too many.
    mutating func spend(_ comparisons: Int) throws {
        guard !effort.spend(comparisons) else { return }
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
    /// The number of comparisons for which one comparison of this element counts. It grows with the size of the element.
    fileprivate var weight: Int {
        let bytes =
            switch self {
            case .string(let text): text.utf8.count
            case .object(let members):
                members.reduce(0) { sum, member in sum + (member.value.text?.utf8.count ?? 0) }
            default: 0
            }
        return ChangeEffort.weight(ofBytes: bytes)
    }
}
