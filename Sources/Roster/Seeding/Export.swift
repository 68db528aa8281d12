public import Foundation
import RosterStore
import RosterText

extension DirectoryView {
    /// Writes the whole directory, as it is at one moment, in pieces: memory does not grow with its size. A directory in
    /// memory is copied first.
    ///
    /// JSON is a seed with everything but identifiers, versions and times. CSV has the people with the roles that name
    /// them, and a column for each attribute that users can have; LDIF has people and roles. Lists and values with parts stand as JSON in a cell or line. Importing an export into
    /// an empty directory and exporting again gives the same bytes. Secrets are never exported.
    ///
    /// - Parameters:
    ///   - format: The format.
    ///   - isForSpreadsheet: Of CSV: whether values that a spreadsheet could take for a formula get an apostrophe before
    ///     them. Otherwise every value is written as it is.
    ///   - base: Of LDIF: the distinguished name of the entry of an LDAP server under which users and roles are written, such as
    ///     `dc=example,dc=com`. The document has that entry too, and only what the server's standard schemas and the auxiliary
    ///     object class `rosterEntry` allow.
    ///   - write: Receives the pieces in order. It may call the directory.
    /// - Throws: `notPermitted` for all but administrators, and the errors of `write`.
    public func export(
        _ format: ExchangeFormat, isForSpreadsheet: Bool = false, under base: String? = nil,
        to write: (Data) throws -> Void
    ) throws {
        let shared = try embedded()
        try shared.core.store.readAlone(mayUseReplica: true) {
            try Transaction($0, shared).exporting.export(format, isForSpreadsheet, base, write)
        }
    }

    /// Writes the whole directory, as the synchronous form does, on another thread than the caller's. Cancelling the task ends
    /// the export.
    public func export(
        _ format: ExchangeFormat, isForSpreadsheet: Bool = false, under base: String? = nil,
        to write: @escaping @Sendable (Data) throws -> Void
    ) async throws {
        let shared = try embedded()
        try await Directory.cancellable { isCancelled in
            try shared.core.store.readAlone(mayUseReplica: true) { connection in
                try Transaction(connection, shared).exporting.export(format, isForSpreadsheet, base) { piece in
                    if isCancelled() { throw CancellationError() }
                    try write(piece)
                }
            }
        }
    }
}

extension TransactionExport {
    fileprivate func export(
        _ format: ExchangeFormat, _ isForSpreadsheet: Bool, _ base: String?, _ write: (Data) throws -> Void
    ) throws {
        try transaction.rights.checkAdministrator(to: "export the directory")
        switch format {
        case .json: try exportSeed(write)
        case .csv: try exportCSV(isForSpreadsheet, write)
        case .ldif: try exportLDIF(base.map { try LDAPEntries(under: $0, transaction.vocabulary) }, write)
        }
        // The receiver of the last piece may have closed the directory.
        try transaction.connection.checkGoesOn()
    }

    func name(of user: Int64) throws -> String {
        try transaction.connection.first(UserStatements.nameByID, [.integer(user)]) { $0.text(0) } ?? ""
    }

    // MARK: JSON

    private func exportSeed(_ write: (Data) throws -> Void) throws {
        var text = ExportText()
        text.bytes += Array("{\n  \"attributes\": [".utf8)
        var isFirst = true
        func element(_ members: [(String, AttributeValue)], further: () throws -> Void = {}) throws {
            text.bytes += Array((isFirst ? "\n    " : ",\n    ").utf8)
            isFirst = false
            JSONText.append(members, in: .curly, isSpaced: true, to: &text.bytes) { member, bytes in
                JSONText.append(name: member.0, isSpaced: true, to: &bytes)
                JSONText.append(ExchangeText.plain(member.1), to: &bytes)
            }
            // Further members come before the brace.
            text.bytes.removeLast()
            try further()
            text.bytes.append(UInt8(ascii: "}"))
            try text.writeIfLarge(write)
        }
        for definition in transaction.vocabulary.declared { try element(Self.seedMembers(of: definition)) }
        for rights in transaction.vocabulary.rights {
            var members: [(String, AttributeValue)] = [("name", .string(rights.name.rawValue))]
            if rights.entity == .role { members.append(("of", "role")) }
            if let readers = rights.readers { members.append(("readers", .string("\(readers)"))) }
            if let writers = rights.writers { members.append(("writers", .string(writers.rawValue))) }
            try element(members)
        }
        for definition in transaction.vocabulary.builtInRules where definition.element == nil {
            let rules = definition.fields.filter {
                AttributeField.rules.contains($0.field) && $0.value != .boolean(false)
            }
            try element([("name", .string(definition.name.rawValue))] + rules.map { ($0.field.rawValue, $0.value) })
        }
        text.bytes += Array("\n  ],\n  \"people\": [".utf8)
        isFirst = true
        try forEachExportedUser { exported in
            let user = exported.user
            var members: [(String, AttributeValue)] = [("uid", .string(user.uid))]
            if let manager = exported.manager { members.append(("manager", .string(manager))) }
            if !user.isActive { members.append(("active", .boolean(false))) }
            try element(members + user.attributes.map { ($0.name.rawValue, $0.value) })
        }
        text.bytes += Array("\n  ],\n  \"roles\": [".utf8)
        isFirst = true
        try forEachExportedRole { role, subjects in
            var members: [(String, AttributeValue)] = [("name", .string(role.name))]
            members += role.attributes.map { ($0.name.rawValue, $0.value) }
            try element(members) {
                for (key, link) in [
                    (Seed.SubjectKey.members, RoleLink.memberUser), (.roles, .memberRole), (.owners, .ownerUser),
                    (.ownerRoles, .ownerRole),
                ] {
                    var isFirst = true
                    while let name = try subjects.next(link, of: role.id) {
                        text.bytes += Array((isFirst ? ", \"\(key.rawValue)\": [" : ",").utf8)
                        isFirst = false
                        JSONText.append(string: name, to: &text.bytes)
                        try text.writeIfLarge(write)
                    }
                    if !isFirst { text.bytes.append(UInt8(ascii: "]")) }
                }
            }
        }
        text.bytes += Array("\n  ]\n}\n".utf8)
        try text.write(write)
    }

    /// The declaration of an attribute as a seed has it: without the fields that have the usual value.
    private static func seedMembers(of definition: AttributeDefinition) -> [(String, AttributeValue)] {
        let usual = AttributeDefinition(
            definition.name, kind: definition.kind, isIndexed: definition.kind != .binary
        ).fields
        return definition.fields.filter { own in
            own.field == .type || own.field == .name || !usual.contains { $0 == own }
        }.map { ($0.field.rawValue, $0.value) }
    }

    // MARK: CSV

    private func exportCSV(_ isForSpreadsheet: Bool, _ write: (Data) throws -> Void) throws {
        // The columns do not depend on who has a value, so that the first row is written before the last user is read, and programs
        // find the same columns every night.
        let columns = transaction.vocabulary.exportedColumns
        var writer = try CSVWriter(
            header: ["uid", "manager", "active", "memberOf"] + columns.map(\.rawValue),
            isForSpreadsheet: isForSpreadsheet)
        try forEachExportedUser(withRoles: true) { exported in
            let user = exported.user
            let roles = exported.roles.map { AttributeValue.string($0) }
            var fields = [
                user.uid, exported.manager ?? "", user.isActive ? "true" : "false",
                roles.isEmpty ? "" : ExchangeText.text(.list(roles)),
            ]
            fields.reserveCapacity(columns.count + 4)
            // Both are sorted by name.
            var entries = user.attributes.makeIterator()
            var entry = entries.next()
            for column in columns {
                while let name = entry?.name, name < column { entry = entries.next() }
                fields.append(entry.flatMap { $0.name == column ? ExchangeText.text($0.value) : nil } ?? "")
            }
            try writer.append(fields)
            if writer.count >= ExportText.pieceSize { try write(writer.take()) }
        }
        try write(writer.take())
    }

    // MARK: LDIF

    /// - Parameter server: Makes the entries for an LDAP server; nil for entries with the directory's own attributes.
    private func exportLDIF(_ server: LDAPEntries?, _ write: (Data) throws -> Void) throws {
        let (people, roles) = (server?.people ?? "ou=people", server?.groups ?? "ou=roles")
        let names = LDIFNames(transaction.vocabulary)
        var writer = LDIFWriter(isVersioned: server == nil)
        try server?.writeContainers(&writer)
        func writeIfLarge() throws {
            if writer.count >= ExportText.pieceSize { try write(writer.take()) }
        }
        try forEachExportedUser { exported in
            let user = exported.user
            writer.begin(DistinguishedName.text("uid", user.uid, under: people))
            if let server {
                for attribute in server.attributes(of: user, manager: exported.manager) { try writer.append(attribute) }
                return try writeIfLarge()
            }
            try writer.append(LDIFAttribute("objectClass", "inetOrgPerson"))
            try writer.append(LDIFAttribute("uid", user.uid))
            if let manager = exported.manager {
                try writer.append(LDIFAttribute("manager", DistinguishedName.text("uid", manager, under: people)))
            }
            if !user.isActive { try writer.append(LDIFAttribute("active", "false")) }
            for entry in user.attributes {
                try names.forEachLine(of: entry, .user) { try writer.append($0) }
            }
            try writeIfLarge()
        }
        try forEachExportedRole { role, subjects in
            func next(_ link: RoleLink) throws -> LDIFAttribute? {
                let isRole = link == .memberRole || link == .ownerRole
                guard let name = try subjects.next(link, of: role.id) else { return nil }
                let dn = DistinguishedName.text(isRole ? "cn" : "uid", name, under: isRole ? roles : people)
                return LDIFAttribute(link == .memberUser || link == .memberRole ? "member" : "owner", dn)
            }
            writer.begin(DistinguishedName.text("cn", role.name, under: roles))
            // What is written first depends on whether there is a member.
            let memberUser = try next(.memberUser)
            let memberRole = memberUser == nil ? try next(.memberRole) : nil
            if let server {
                let hasMembers = memberUser != nil || memberRole != nil
                for attribute in server.attributes(of: role, hasMembers: hasMembers) { try writer.append(attribute) }
            } else {
                try writer.append(LDIFAttribute("objectClass", "groupOfNames"))
                try writer.append(LDIFAttribute("cn", role.name))
                for entry in role.attributes { try names.forEachLine(of: entry, .role) { try writer.append($0) } }
            }
            for first in [memberUser, memberRole].compactMap({ $0 }) { try writer.append(first) }
            for link in RoleLink.allCases {
                while let attribute = try next(link) {
                    try writer.append(attribute)
                    try writeIfLarge()
                }
            }
            try writeIfLarge()
        }
        try write(writer.take())
    }
}

/// The text of an export that is not written yet.
private struct ExportText {
    /// The number of bytes that are written at once.
    static let pieceSize = 1 << 16
    var bytes: [UInt8] = []

    mutating func writeIfLarge(_ write: (Data) throws -> Void) throws {
        if bytes.count >= Self.pieceSize { try self.write(write) }
    }

    mutating func write(_ write: (Data) throws -> Void) throws {
        let piece = Data(bytes)
        bytes.removeAll(keepingCapacity: true)
        try write(piece)
    }
}

/// The names that attributes have in LDIF.
private struct LDIFNames {
    private let users: [AttributeName: String]
    private let roles: [AttributeName: String]

    init(_ vocabulary: Vocabulary) {
        func names(_ entity: AttributeDefinition.Entity) -> [AttributeName: String] {
            Dictionary(vocabulary.definitions(for: entity).map { ($0.name, $0.names[.ldap] ?? $0.name.rawValue) }) {
                $1
            }
        }
        (users, roles) = (names(.user), names(.role))
    }

    /// Passes the lines of an attribute's values to `body`.
    func forEachLine(
        of entry: AttributeSet.Entry, _ entity: AttributeDefinition.Entity, _ body: (LDIFAttribute) throws -> Void
    ) throws {
        let name = (entity == .user ? users : roles)[entry.name] ?? entry.name.rawValue
        if case .string(let text) = entry.value { return try body(LDIFAttribute(name, text)) }
        let bytes = entry.value.elements.compactMap { if case .binary(let data) = $0 { data } else { nil } }
        guard bytes.isEmpty else {
            for data in bytes { try body(LDIFAttribute(name, data)) }
            return
        }
        // Plain addresses are written as LDAP clients expect; others as JSON, so that no part is lost.
        let plain = entry.value.elements.compactMap { if case .string(let text) = $0 { text } else { nil } }
        guard entry.name == "emails", case .list(let elements) = entry.value, plain.count == elements.count else {
            return try body(LDIFAttribute(name, ExchangeText.text(entry.value)))
        }
        for address in plain { try body(LDIFAttribute("mail", address)) }
    }
}

extension Vocabulary {
    /// The attributes of users that are columns of an exported CSV document, sorted by name: all but secrets, views such as `mail`, and
    /// what is stored outside the attribute set.
    fileprivate var exportedColumns: [AttributeName] {
        definitions().filter {
            $0.element == nil && $0.readers != .nobody && !Self.system.contains($0.name)
        }.map(\.name)
    }
}
