import RosterText

extension AttributeValue: CustomStringConvertible, CustomDebugStringConvertible {
    /// The value as text for people. A time has the form of RFC 3339, and binary data is shown by the number of its bytes.
    public var description: String {
        switch self {
        case .string(let text): text
        case .integer(let number): number.description
        case .decimal(let number): number.description
        case .boolean(let isTrue): isTrue.description
        case .time(let date): Timestamp.text(date)
        case .binary(let data): "\(data.count) bytes"
        case .complex(let parts):
            "["
                + parts.sorted { $0.key < $1.key }.map { "\($0.key): \($0.value.debugDescription)" }
                .joined(separator: ", ") + "]"
        case .list(let elements): "[" + elements.map(\.debugDescription).joined(separator: ", ") + "]"
        }
    }

    /// The value as ``description`` shows it, with quotation marks around text.
    public var debugDescription: String {
        if case .string(let text) = self { return text.debugDescription }
        return description
    }
}

extension AttributeSet: CustomStringConvertible, CustomDebugStringConvertible {
    /// The names and values in the order of the names, such as `[givenName: "Ada", title: "Analyst"]`.
    ///
    /// The text has personal data. Printing a ``User`` or a ``Role`` shows none.
    public var description: String {
        isEmpty ? "[:]" : "[" + map { "\($0.name): \($0.value.debugDescription)" }.joined(separator: ", ") + "]"
    }
    /// The same as ``description``.
    public var debugDescription: String { description }
}
