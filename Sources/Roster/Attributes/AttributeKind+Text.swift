import Foundation
import RosterText

extension AttributeDefinition.Kind {
    /// The value that a text means for an attribute of this kind; nil if it means none.
    ///
    /// All readers of text use this function: filters, seeds, CSV, LDIF, REST and the command line. Times are read in any
    /// form of ISO 8601, binary data in base64, and `true` and `false` in any case.
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

    /// The text that ``value(of:)`` reads, as errors name it after "needs".
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
