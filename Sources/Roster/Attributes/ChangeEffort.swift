/// Counts the comparisons with elements of multi-valued attributes, and tells when a change takes too many.
///
/// Work that grows with the elements of a record and with the values of a request is free. Work that grows with their product
/// is counted: each change of an attribute looks at all elements that the attribute has.
package struct ChangeEffort {
    /// The most comparisons while the writer waits, which is some hundredths of a second.
    package static let maximumInWriter = 40_000

    private var left: Int
    /// The attributes that were changed before.
    private var touched: Set<AttributeName> = []

    /// - Parameter maximum: The most comparisons. An element counts once for each kilobyte of its text.
    package init(maximum: Int) { left = maximum }

    /// Counts comparisons.
    ///
    /// - Returns: Whether there are no more than the maximum.
    package mutating func spend(_ comparisons: Int) -> Bool {
        left -= min(comparisons, left + 1)
        return left >= 0
    }

    /// Counts the elements that a change compares, unless it is the first change of their attribute.
    ///
    /// - Throws: ``DirectoryError`` `limitExceeded`.
    mutating func spend(on definition: AttributeDefinition, of attributes: AttributeSet) throws {
        let stored = definition.element?.attribute ?? definition.name
        guard !touched.insert(stored).inserted, let elements = attributes[stored]?.elements else { return }
        for element in elements where !spend(Self.weight(ofBytes: element.bytes)) {
            throw DirectoryError(
                .limitExceeded, "The changes of '\(stored)' would compare more than \(Self.maximumInWriter) elements.",
                advice: "Give all its values in one change, or send several requests.", attribute: definition.name)
        }
    }

    /// The number of comparisons for which one comparison of an element counts.
    package static func weight(ofBytes bytes: Int) -> Int { 1 + bytes / 1_024 }
}

extension AttributeValue {
    /// The bytes that comparing the value looks at.
    fileprivate var bytes: Int {
        switch self {
        case .string(let text): text.utf8.count
        case .binary(let data): data.count
        case .complex(let parts): parts.values.reduce(0) { $0 + $1.bytes }
        case .list(let elements): elements.reduce(0) { $0 + $1.bytes }
        case .integer, .decimal, .boolean, .time: 8
        }
    }
}
