import Foundation
import RosterText

/// The rows of a seed's people, or of its roles.
struct SeedSource: Sequence, IteratorProtocol, Sendable {
    /// The lists of a seed that consist of rows.
    enum Section {
        case people, roles
    }

    private let section: Section
    private let grants: Grants
    /// The position in the document; nil if it has no such list.
    private(set) var scanner: SeedScanner?
    private var hasBegun = false
    private var isFirst = true
    private var isOver = false
    /// The names of the roles so far.
    private var names: Set<String> = []
    private var unread = Unread()
    /// The hashes that replace passwords in plain text, by the numbers of the persons.
    private let hashes: [Int: String?]
    /// The number of the next person.
    private var number = 0

    init(_ scanner: SeedScanner?, _ section: Section, _ grants: Grants, _ hashes: [Int: String?] = [:]) {
        self.hashes = hashes
        self.scanner = scanner
        self.section = section
        self.grants = grants
    }

    mutating func next() -> ImportItem? {
        guard !isOver else { return nil }
        do {
            if let entry = try nextEntry() {
                // The next entry can be read even if this one is refused.
                do {
                    return .row(try section == .people ? person(entry) : role(entry))
                } catch let error as DirectoryError {
                    return .unreadable(error, isLast: false)
                }
            }
        } catch let error as DirectoryError {
            isOver = true
            return .unreadable(error, isLast: true)
        } catch {}
        isOver = true
        return .end(unread)
    }

    private mutating func nextEntry() throws -> SeedEntry? {
        guard var scanner else { return nil }
        defer { self.scanner = scanner }
        if !hasBegun {
            hasBegun = true
            guard try scanner.begin("[") else {
                let name = section == .people ? "people" : "roles"
                throw SeedEntry.failure(scanner.line, name, "not a list", "Write it in brackets.")
            }
        }
        guard try scanner.moveToNext(before: "]", isFirst: isFirst) else { return nil }
        isFirst = false
        return try scanner.entry()
    }

    private mutating func person(_ entry: SeedEntry) throws -> ImportRow {
        defer { number += 1 }
        var row = ImportRow(line: entry.line)
        var hasName = false
        let members = try entry.members(of: "a person")
        row.values.reserveCapacity(members.count)
        for member in members {
            switch member.name {
            case "uid":
                row.name = try member.text()
                hasName = true
            case "manager": row.manager = try member.text()
            case "active": row.active = .boolean(try member.boolean())
            default: row.values.append(try member.attributeValue())
            }
        }
        guard hasName else {
            throw SeedEntry.failure(entry.line, "uid", "a person without a name", "Give every person a 'uid'.")
        }
        if let hash = hashes[number] { row.replacePlainPassword(by: hash) }
        return row
    }

    private mutating func role(_ entry: SeedEntry) throws -> ImportRow {
        var row = ImportRow(line: entry.line, isRole: true)
        var hasName = false
        for member in try entry.members(of: "a role") {
            if member.name == "name" {
                row.name = try member.text()
                hasName = true
            } else if let key = Seed.SubjectKey(rawValue: member.name) {
                row.memberships += try memberships(member, key)
            } else {
                row.values.append(try member.attributeValue())
            }
        }
        guard hasName else {
            throw SeedEntry.failure(entry.line, "name", "a role without a name", "Give every role a 'name'.")
        }
        try refuseTwin(row.name.text, row.name.line, "name", &names)
        return row
    }

    private mutating func memberships(_ member: SeedEntry.Member, _ key: Seed.SubjectKey) throws -> [ImportRow
        .Membership]
    {
        guard case .list(let elements)? = member.value else {
            throw SeedEntry.failure(member.line, member.name, "not a list of text", "Write it in brackets.")
        }
        var seen: Set<String> = []
        let memberships = try zip(elements, member.elementLines).map { element, line in
            guard case .string(let name) = element else {
                throw SeedEntry.failure(line, member.name, "not text", "Write it in quotes.")
            }
            try refuseTwin(name, line, member.name, &seen)
            return ImportRow.Membership(
                name: name, isRole: key == .roles || key == .ownerRoles,
                relation: key == .members || key == .roles ? .member : .owner, line: line,
                field: AttributeName(member.name))
        }
        guard grants > .nothing else {
            for membership in memberships { unread.notGranted.note(member.name, line: membership.line) }
            return []
        }
        return memberships
    }

    private func refuseTwin(_ name: String, _ line: Int, _ field: String, _ seen: inout Set<String>) throws {
        guard !seen.insert(TextKey.of(name)).inserted else { return }
        throw SeedEntry.failure(
            line, field, "\(EntityName.shown(name)) is there already",
            "Names are compared without regard to case; take one of them out.")
    }
}

extension SeedEntry {
    /// The members of an object.
    func members(of what: String) throws -> [Member] {
        guard let members else { throw Self.failure(line, what, "not an object", "Write it in braces.") }
        return members
    }

    static func failure(_ line: Int, _ field: String, _ problem: String, _ advice: String) -> DirectoryError {
        DirectoryError(.invalidInput, "\(problem).", advice: advice, at: .init(line: line, field: field))
    }

    /// The error for a key that is unknown at its place.
    static func unknown(_ name: String, _ line: Int, _ known: String) -> DirectoryError {
        failure(
            line, String(EntityName.shown(name).dropFirst().dropLast()), "not a key that is known here",
            "There are \(known).")
    }
}

extension SeedEntry.Member {
    func text() throws -> ImportRow.Text {
        guard case .string(let text)? = value else {
            throw SeedEntry.failure(line, name, "not text", "Write it in quotes.")
        }
        return .init(text: text, line: line)
    }

    func boolean() throws -> Bool {
        guard case .boolean(let isTrue)? = value else {
            throw SeedEntry.failure(line, name, "not true or false", "Write true or false without quotes.")
        }
        return isTrue
    }

    func number() throws -> Double {
        switch value {
        case .integer(let number)?: return Double(number)
        case .decimal(let number)?: return number
        default: throw SeedEntry.failure(line, name, "not a number", "Write a number without quotes.")
        }
    }

    func length() throws -> Int {
        guard case .integer(let number)? = value, let length = Int(exactly: number) else {
            throw SeedEntry.failure(line, name, "not a whole number", "Write a whole number without quotes.")
        }
        return length
    }

    /// Reads an object whose members are texts, such as `{"de": "Ausweis"}`.
    func texts() throws -> [String: String] {
        guard case .complex(let parts)? = value else { throw noTexts }
        return try parts.mapValues { part in
            guard case .string(let text) = part else { throw noTexts }
            return text
        }
    }

    private var noTexts: DirectoryError {
        SeedEntry.failure(line, name, "no object with texts", "Write a text for each language in quotes.")
    }

    func attributeValue() throws -> ImportRow.Value {
        guard let value else { throw SeedEntry.failure(line, name, "null", "Leave out what has no value.") }
        return .init(name: AttributeName(name), value: value, line: line)
    }
}
