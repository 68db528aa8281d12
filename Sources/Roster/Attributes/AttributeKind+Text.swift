import Foundation
import RosterText

extension AttributeDefinition.Kind {
    /// Converts text to a value of this kind; returns nil if the text has no such meaning.
    ///
    /// All readers of text use this function: filters, seeds, CSV, LDIF, REST and the command line. Times can have any
    /// form of ISO 8601, binary data is base64, and `true` and `false` can have any case.
    package func value(of text: String) -> AttributeValue? {
        switch self {
        case .string, .complex: .string(text)
        case .integer: Int64(text).map { .integer($0) }
        case .decimal: Double(text).flatMap { $0.isFinite ? .decimal($0) : nil }
        case .boolean: Bool(text.lowercased()).map { .boolean($0) }
        case .time: Timestamp.date(text).map { .time($0) }
        case .binary: Base64.bytes(text).map { .binary(Data($0)) }
        }
    }

    /// The accepted text, worded to follow "needs" in an error message.
    package var needed: String {
        switch self {
        case .string, .complex: "text"
        case .integer: "a whole number"
        case .decimal: "a number"
        case .boolean: "true or false"
        case .time: "a time such as 2026-01-31T09:00:00Z"
        case .binary: "base64"
        }
    }
}
