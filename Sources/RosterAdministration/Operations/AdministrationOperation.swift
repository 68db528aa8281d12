import Foundation
package import Roster
package import RosterText

/// An operation of sign-in's administration as a value. A server runs the operation for `/admin`, for the command line and for
/// ``Administration``, and a program runs it on a file. The answer is JSON.
package protocol AdministrationOperation: ServedOperation where Answer == JSONAnswer {
    /// The callers who may run the operation. The operation's handler checks it; the tests compare both.
    static var right: AdministrationRight { get }
    /// Whether the operation changes something.
    static var isChange: Bool { get }
}

extension AdministrationOperation {
    package static var repetition: Repetition { isChange ? .never : .free }
}

/// The answer of an operation: the JSON that `/admin` gives.
package struct JSONAnswer: WireValue {
    package let value: JSONValue

    package init(_ value: JSONValue) { self.value = value }

    package func write(to json: inout [UInt8]) throws { value.write(to: &json) }

    package static func read(_ json: inout JSONScanner, for view: DirectoryView) throws -> JSONAnswer {
        JSONAnswer(try json.withValue { try JSONValue(parsing: Array($0)) })
    }
}

/// The callers who may run an operation of the administration.
package enum AdministrationRight: Sendable {
    /// Administrators.
    case administrators
    /// Administrators, the help desk for users without a power, and users for their own sessions, factors and app passwords.
    case helpers
    /// Those who may set the user's password: administrators, provisioning programs, and the help desk for users without a power.
    case passwordSetters
    /// Everyone who may read the directory.
    case readers
}

/// A JSON object within an operation, which can have secrets.
package struct JSONDocument: Codable, Sendable, Hashable, CustomStringConvertible, CustomReflectable {
    package let value: JSONValue

    package init(_ value: JSONValue) { self.value = value }

    /// - Throws: `DirectoryError` `invalidInput` for bytes that are not a JSON object.
    init(_ data: Data) throws {
        do {
            value = try JSONValue(parsing: Array(data))
        } catch {
            throw DirectoryError(
                .invalidInput, "The document is not JSON: \(error.problem).", advice: "Check its quotes and commas.")
        }
        guard case .object = value else {
            throw DirectoryError(.invalidInput, "The document is not a JSON object.", advice: "Put it in braces.")
        }
    }

    package init(from decoder: any Decoder) throws {
        try self.init(Data(decoder.singleValueContainer().decode(String.self).utf8))
    }

    package func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(value.written)
    }

    package var description: String { "a JSON object" }
    package var customMirror: Mirror { Mirror(self, children: []) }
}
