import Foundation
import Roster
import RosterText

/// An object of an answer. Each member is read by its kind, and throws `DirectoryError` `badAnswer` if it is missing or of another kind.
struct AnswerObject {
    let value: JSONValue

    init(_ value: JSONValue) { self.value = value }

    subscript(name: String) -> JSONValue? { value[name] }

    func string(_ name: String) throws -> String {
        guard let text = value[name]?.text else { throw DirectoryError.unread(name) }
        return text
    }

    func date(_ name: String) throws -> Date {
        let text = try string(name)
        if let date = Timestamp.date(text) { return date }
        // Older versions took ends after the year 9999, and before the year 0.
        guard let year = Int(text.prefix { $0 != "T" }.split(separator: "-").first ?? "") else {
            throw DirectoryError.unread(name)
        }
        return text.hasPrefix("-") || year < 10_000 ? .distantPast : .distantFuture
    }

    /// Returns nil for a member that is missing or null.
    func optionalDate(_ name: String) throws -> Date? {
        guard let member = value[name], !member.isNull else { return nil }
        return try date(name)
    }

    func bool(_ name: String) throws -> Bool {
        guard case .boolean(let isTrue)? = value[name] else { throw DirectoryError.unread(name) }
        return isTrue
    }

    /// A text of which the library knows the values.
    func choice<Choice: RawRepresentable<String>>(_ name: String) throws -> Choice {
        guard let choice = Choice(rawValue: try string(name)) else { throw DirectoryError.unread(name) }
        return choice
    }

    func list<Element>(_ name: String, _ read: (AnswerObject) throws -> Element) throws -> [Element] {
        guard case .array(let elements)? = value[name] else { throw DirectoryError.unread(name) }
        return try elements.map { try read(AnswerObject($0)) }
    }
}

extension DirectoryError {
    static func unread(_ name: String) -> DirectoryError {
        DirectoryError(
            .badAnswer, "The answer has no '\(name)' that can be read.",
            advice: "Use an app and a server of the same version.")
    }
}
