public import Foundation

/// People, roles, memberships, reporting lines and attributes of an app's own, as people write them in JSON.
///
/// The format is described by `Seeds/seed.schema.json`; `Seeds/empty.json` shows it. Loading is done by
/// `load(_:grants:)` of ``DirectoryView``.
public struct Seed: Sendable {
    /// The name of the file, for messages.
    package let name: String
    /// The document.
    package let document: Data
    /// The attributes that the seed declares.
    let attributes: [Placed<AttributeDefinition>]
    /// The readers and writers of built-in attributes.
    let builtIn: [Placed<SeedAttribute.BuiltIn>]
    /// The position of the list of people; nil if there is none.
    let people: SeedScanner?
    /// The position of the list of roles; nil if there is none.
    let roles: SeedScanner?
    /// The backends, the clients of OAuth. The module that knows them reads them.
    package let backends: [Entry]
    /// The name, colour, logo and saved views of the organization; nil if the seed has no `organization`. `RosterSignIn` reads the entry.
    package let organization: Entry?
    /// The passwords in plain text. The module that can hash them reads them.
    package let plainPasswords: [PlainPassword]
    /// The hashes for ``plainPasswords`` by the numbers of the persons; nil for a person whose password stays as it is.
    var hashes: [Int: String?] = [:]

    /// A value and the line on which it stands.
    struct Placed<Value: Sendable>: Sendable {
        let value: Value
        let line: Int
    }

    /// The keys of a role under which the names of users or roles stand.
    enum SubjectKey: String, CaseIterable {
        case members, roles, owners, ownerRoles
    }

    /// An entry that another module reads.
    package struct Entry: Sendable {
        /// The JSON of the entry.
        package let json: Data
        /// The place of the entry.
        package let place: DirectoryError.Place
    }

    /// Reads a seed from a file. The file must stay as it is until the seed is loaded.
    ///
    /// - Throws: `invalidInput`, which names file, line and field of a mistake; `fileNotFound`.
    public init(contentsOf url: URL) throws {
        guard let data = try? Data(contentsOf: url, options: .alwaysMapped) else {
            throw DirectoryError(.fileNotFound, "The seed '\(url.path)' cannot be read.", advice: "Check the path.")
        }
        try self.init(json: data, name: url.lastPathComponent)
    }

    /// Reads a seed from JSON.
    ///
    /// - Parameters:
    ///   - json: The document.
    ///   - name: What the document is called in messages.
    public init(json: Data, name: String) throws {
        try self.init(json: json, name: name, checksRows: true)
    }

    /// Reads a seed from JSON.
    ///
    /// - Parameter checksRows: Whether people and roles are read now, so that a mistake in one of them is found before
    ///   anything is loaded. They are not kept, and are read again when they are loaded.
    init(json: Data, name: String, checksRows: Bool) throws {
        do {
            var outline = try SeedOutline(json, name: name, checksRows: checksRows)
            try outline.read()
            self.name = name
            document = json
            attributes = outline.attributes
            builtIn = outline.builtIn
            people = outline.people
            roles = outline.roles
            plainPasswords = outline.plainPasswords
            backends = outline.backends.map { json, line in
                Entry(json: json, place: .init(file: name, line: line))
            }
            organization = outline.organization.map { json, line in
                Entry(json: json, place: .init(file: name, line: line))
            }
        } catch let error as DirectoryError {
            var place = error.place ?? .init()
            place.file = name
            throw error.at(place)
        }
    }

    /// The sections of the seed that an import leaves out. `RosterSignIn` loads these sections when it loads the seed.
    var sectionsOfSignIn: [ImportReport.Field] {
        let entries = ["backends": backends, "organization": organization.map { [$0] } ?? []]
        return entries.compactMap { name, entries in
            entries.first.map { .init(name: name, count: entries.count, line: $0.place.line ?? 0) }
        }.sorted { $0.line < $1.line }
    }

    /// The rows of the people.
    func people(_ grants: Grants) -> SeedSource { SeedSource(people, .people, grants, hashes) }
    /// The rows of the roles.
    func roles(_ grants: Grants) -> SeedSource { SeedSource(roles, .roles, grants) }
}

/// Reads the sections of a seed, and remembers where the people and the roles begin.
private struct SeedOutline {
    private var scanner: SeedScanner
    private let checksRows: Bool
    private(set) var attributes: [Seed.Placed<AttributeDefinition>] = []
    private(set) var builtIn: [Seed.Placed<SeedAttribute.BuiltIn>] = []
    private(set) var people: SeedScanner?
    private(set) var roles: SeedScanner?
    private(set) var backends: [(json: Data, line: Int)] = []
    private(set) var organization: (json: Data, line: Int)?
    private(set) var plainPasswords: [Seed.PlainPassword] = []
    private let name: String

    init(_ data: Data, name: String, checksRows: Bool) throws {
        scanner = try SeedScanner(data)
        self.name = name
        self.checksRows = checksRows
    }

    mutating func read() throws {
        guard try scanner.begin("{") else {
            // A mistake in the text is told first.
            _ = try scanner.value()
            throw SeedEntry.failure(scanner.line, "the seed", "not an object", "Write it in braces.")
        }
        var names: Set<String> = []
        var isFirst = true
        while try scanner.moveToNext(before: "}", isFirst: isFirst) {
            isFirst = false
            let line = scanner.line
            let name = try scanner.name()
            guard names.insert(name).inserted else {
                throw DirectoryError.malformed(
                    line: line, "'\(name)' is in the seed already.", advice: "Correct the JSON there.")
            }
            try read(name, line)
        }
        try scanner.finish()
    }

    private mutating func read(_ name: String, _ line: Int) throws {
        switch name {
        case "$schema", "$comment":
            guard case .string? = try scanner.value() else {
                throw SeedEntry.failure(line, name, "not text", "Write it in quotes.")
            }
        case "attributes":
            try forEachElement(name) { outline in
                let entry = try outline.scanner.entry()
                switch try SeedAttribute(entry) {
                case .declared(let definition): outline.attributes.append(.init(value: definition, line: entry.line))
                case .builtIn(let builtIn): outline.builtIn.append(.init(value: builtIn, line: entry.line))
                }
            }
        case "people":
            people = scanner
            try read(.people, name)
        case "roles":
            roles = scanner
            try read(.roles, name)
        case "backends":
            try forEachElement(name) { outline in
                let line = outline.scanner.line
                outline.backends.append((try outline.scanner.text(), line))
            }
        case "organization": organization = (try scanner.text(), line)
        default: throw SeedEntry.unknown(name, line, "attributes, people, roles, backends and organization")
        }
    }

    private mutating func read(_ section: SeedSource.Section, _ name: String) throws {
        guard checksRows else { return try scanner.skip() }
        var source = SeedSource(scanner, section, .roles)
        var number = 0
        while let item = source.next() {
            switch item {
            case .unreadable(let error, _): throw error
            case .row(let row) where section == .people:
                if let password = row.plainPassword(ofPerson: number, in: self.name) { plainPasswords.append(password) }
                number += 1
            case .row, .end: break
            }
        }
        scanner = source.scanner ?? scanner
    }

    private mutating func forEachElement(_ name: String, _ body: (inout SeedOutline) throws -> Void) throws {
        guard try scanner.begin("[") else {
            throw SeedEntry.failure(scanner.line, name, "not a list", "Write it in brackets.")
        }
        var isFirst = true
        while try scanner.moveToNext(before: "]", isFirst: isFirst) {
            isFirst = false
            try body(&self)
        }
    }
}
