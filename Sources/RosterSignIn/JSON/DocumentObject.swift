import Foundation
import Roster
import RosterText

/// An object of a configuration document. Its fields are taken out one by one, and none may be left.
///
/// Each error names the path of the field (`issuers[2].jwks.connectTimeout`), and never shows a text of the document, which may be a
/// secret.
struct DocumentObject {
    /// The path of the object; empty for the document itself.
    let path: String
    private var members: [JSONValue.Member]
    private var known: [String] = []

    init(_ value: JSONValue, at path: String) throws {
        guard case .object(let members) = value else { throw Self.mismatch(path, "an object", value) }
        self.path = path
        self.members = members
    }

    /// The bytes of a document's file.
    ///
    /// - Parameter name: The name of the document, for the error.
    /// - Throws: `DirectoryError` `fileNotFound`.
    static func bytes(_ url: URL, _ name: String) throws -> [UInt8] {
        guard let data = try? Data(contentsOf: url) else {
            throw DirectoryError(.fileNotFound, "The \(name) '\(url.path)' cannot be read.", advice: "Check the path.")
        }
        return Array(data)
    }

    func path(of name: String) -> String { path.isEmpty ? name : path + "." + name }

    /// Takes a field of any type out of the object; nil if it is missing.
    mutating func value(_ name: String) -> JSONValue? {
        known.append(name)
        guard let index = members.firstIndex(where: { $0.name.hasSameBytes(as: name) }) else { return nil }
        return members.remove(at: index).value
    }

    mutating func boolean(_ name: String) throws -> Bool? {
        guard let value = value(name) else { return nil }
        guard case .boolean(let isTrue) = value else { throw Self.mismatch(path(of: name), "true or false", value) }
        return isTrue
    }

    mutating func text(_ name: String) throws -> String? {
        try value(name).map { try Self.text($0, at: path(of: name)) }
    }

    /// A whole number, however it is written: some programs write 60 as `60.0` or `6e1`, which is the same number (RFC
    /// 8259, section 6).
    mutating func integer(_ name: String, in range: ClosedRange<Int>) throws -> Int? {
        guard let value = value(name) else { return nil }
        let expected = "a whole number from \(range.lowerBound) to \(range.upperBound)"
        let number: Int64? =
            switch value {
            case .integer(let number): number
            case .decimal(let number): Int64(exactly: number)
            default: nil
            }
        guard let number else { throw Self.mismatch(path(of: name), expected, value) }
        guard let number = Int(exactly: number), range.contains(number) else {
            throw Self.problem(path(of: name), "must be \(expected), not \(number).", "Correct the number.")
        }
        return number
    }

    /// The elements of an array, each with its path.
    mutating func array(_ name: String) throws -> [(path: String, value: JSONValue)]? {
        guard let value = value(name) else { return nil }
        guard case .array(let elements) = value else { throw Self.mismatch(path(of: name), "an array", value) }
        return elements.enumerated().map { (path(of: name) + "[\($0.offset)]", $0.element) }
    }

    mutating func texts(_ name: String) throws -> [String]? {
        try array(name)?.map { try Self.text($0.value, at: $0.path) }
    }

    /// Names in an array, or in one text with a comma between any two.
    mutating func names(_ name: String) throws -> [String]? {
        switch value(name) {
        case nil: return nil
        case .array(let elements)?:
            return try elements.enumerated().map { try Self.text($0.element, at: path(of: name) + "[\($0.offset)]") }
        case .string(let text)?:
            let names = try Self.text(.string(text), at: path(of: name)).split(
                separator: ",", omittingEmptySubsequences: false
            ).map { $0.trimmingSpaces }
            guard names.allSatisfy({ !$0.isEmpty }) else {
                throw Self.problem(
                    path(of: name), "has a comma with no name beside it.", "Give names with a comma between any two.")
            }
            return names
        case let value?: throw Self.mismatch(path(of: name), "a text or an array of texts", value)
        }
    }

    mutating func choice<Choice: RawRepresentable & CaseIterable>(
        _ name: String, _ type: Choice.Type
    ) throws -> Choice? where Choice.RawValue == String {
        try choice(name, among: Array(type.allCases))
    }

    /// One of these texts.
    mutating func choice<Choice: RawRepresentable>(
        _ name: String, among choices: [Choice]
    ) throws -> Choice? where Choice.RawValue == String {
        guard let text = try text(name) else { return nil }
        guard let choice = choices.first(where: { $0.rawValue.hasSameBytes(as: text) }) else {
            let names = choices.map(\.rawValue).joined(separator: ", ")
            throw Self.problem(path(of: name), "is none of the values it can have.", "Give one of \(names).")
        }
        return choice
    }

    mutating func choices<Choice: RawRepresentable & CaseIterable & Hashable>(
        _ name: String, _ type: Choice.Type
    ) throws -> Set<Choice>? where Choice.RawValue == String {
        guard let texts = try texts(name) else { return nil }
        let choices = texts.compactMap { Choice(rawValue: $0) }
        guard choices.count == texts.count else {
            let names = type.allCases.map(\.rawValue).joined(separator: ", ")
            throw Self.problem(path(of: name), "has one that is not known.", "Give some of \(names).")
        }
        return Set(choices)
    }

    /// A field that must be there.
    func required<Value>(_ value: Value?, _ name: String) throws -> Value {
        guard let value else { throw Self.problem(path(of: name), "is missing.", "Add it.") }
        return value
    }

    /// Refuses fields that were not taken, because a mistyped name must not quietly leave a rule out.
    func finish() throws {
        guard let name = members.first?.name else { return }
        throw Self.problem(
            path(of: String(ShownText.plain(name))), "is not a field that is known there.",
            "Remove it, or correct its name: known are \(known.joined(separator: ", ")).")
    }

    /// The paths of the fields that are left, for documents in which some of another program's change nothing here.
    var remaining: [String] { members.map { path(of: ShownText.plain($0.name)) } }

    static func problem(_ path: String, _ problem: String, _ advice: String) -> DirectoryError {
        DirectoryError(.invalidInput, "\(path.isEmpty ? "The document" : path) \(problem)", advice: advice)
    }

    private static func text(_ value: JSONValue, at path: String) throws -> String {
        guard case .string(let text) = value else { throw mismatch(path, "a text", value) }
        guard !text.isEmpty else { throw problem(path, "must not be empty.", "Give a text, or leave the field out.") }
        return text
    }

    static func mismatch(_ path: String, _ expected: String, _ found: JSONValue) -> DirectoryError {
        problem(path, "must be \(expected), not \(ShownText.kind(found)).", "Correct the type, or leave the field out.")
    }
}
