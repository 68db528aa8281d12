import Roster
import RosterWire

/// The members of a JSON object that people write, read one by one: a wrong type is told with its name, and so is a name
/// that nothing asked for.
struct StrictMembers {
    private let value: JSONValue
    private let path: String
    private var asked: Set<String> = []

    /// - Parameter path: Where the object stands, for messages.
    init(_ value: JSONValue, at path: String) throws {
        guard case .object = value else { throw Self.problem("'\(path)' takes an object.") }
        self.value = value
        self.path = path
    }

    static func problem(_ text: String) -> DirectoryError {
        DirectoryError(.invalidInput, text, advice: "Correct it and try again.")
    }

    private func place(_ name: String) -> String { path.isEmpty ? name : "\(path).\(name)" }

    /// A member as it is; nil where it is not given, or null.
    mutating func value(_ name: String) -> JSONValue? {
        asked.insert(name)
        guard let found = value[name], !found.isNull else { return nil }
        return found
    }

    mutating func text(_ name: String) throws -> String? {
        guard let found = value(name) else { return nil }
        guard let text = found.text else { throw Self.problem("'\(place(name))' takes text.") }
        return text
    }

    mutating func flag(_ name: String) throws -> Bool? {
        guard let found = value(name) else { return nil }
        guard case .boolean(let flag) = found else { throw Self.problem("'\(place(name))' takes true or false.") }
        return flag
    }

    mutating func integer(_ name: String, _ range: ClosedRange<Int64>) throws -> Int64? {
        guard let found = value(name) else { return nil }
        guard case .integer(let number) = found, range.contains(number) else {
            throw Self.problem("'\(place(name))' takes a whole number from \(range.lowerBound) to \(range.upperBound).")
        }
        return number
    }

    mutating func texts(_ name: String) throws -> [String]? {
        guard let found = value(name) else { return nil }
        guard case .array(let elements) = found else { throw Self.problem("'\(place(name))' takes a list of texts.") }
        return try elements.map { element in
            guard let text = element.text else { throw Self.problem("'\(place(name))' takes a list of texts.") }
            return text
        }
    }

    /// One of a few words.
    mutating func choice<Choice: RawRepresentable & CaseIterable>(
        _ name: String, _ type: Choice.Type
    ) throws -> Choice? where Choice.RawValue == String {
        guard let text = try text(name) else { return nil }
        guard let choice = Choice(rawValue: text) else {
            let words = Choice.allCases.map(\.rawValue).joined(separator: ", ")
            throw Self.problem("'\(place(name))' takes one of \(words).")
        }
        return choice
    }

    mutating func choices<Choice: RawRepresentable & CaseIterable & Hashable>(
        _ name: String, _ type: Choice.Type
    ) throws -> Set<Choice>? where Choice.RawValue == String {
        guard let texts = try texts(name) else { return nil }
        return Set(
            try texts.map { text in
                guard let choice = Choice(rawValue: text) else {
                    let words = Choice.allCases.map(\.rawValue).joined(separator: ", ")
                    throw Self.problem("'\(place(name))' takes a list of \(words).")
                }
                return choice
            })
    }

    /// Refuses names that nothing asked for: what is misspelt would be passed over otherwise.
    func finish() throws {
        if let unknown = value.members.first(where: { !asked.contains($0.name) }) {
            throw Self.problem("There is no setting '\(place(String(unknown.name.prefix(64))))'.")
        }
    }
}
