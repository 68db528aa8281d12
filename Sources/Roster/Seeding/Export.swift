public import Foundation
import RosterStore
import RosterText

extension DirectoryView {
    /// Writes the whole directory, as it is at one moment, in pieces: memory does not grow with its size. A directory in
    /// memory is copied first.
    ///
    /// JSON is a seed with everything but identifiers, versions and times. CSV has the people with the roles that name
    /// them, LDIF people and roles. Lists and values with parts stand as JSON in a cell or line. Importing an export into
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
            try Transaction($0, shared).export(format, isForSpreadsheet, base, write)
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
                try Transaction(connection, shared).export(format, isForSpreadsheet, base) { piece in
                    if isCancelled() { throw CancellationError() }
                    try write(piece)
                }
            }
        }
    }
}

extension Transaction {
    fileprivate func export(
        _ format: ExchangeFormat, _ isForSpreadsheet: Bool, _ base: String?, _ write: (Data) throws -> Void
    ) throws {
        try rights.checkAdministrator(to: "export the directory")
        switch format {
        case .json: try exportSeed(write)
        case .csv: try exportCSV(isForSpreadsheet, write)
        case .ldif: try exportLDIF(base.map { try LDAPEntries(under: $0, vocabulary) }, write)
        }
    }

    /// Everyone in the order of creation, without secrets.
    private func forEachUser(_ body: (User) throws -> Void) throws {
        let vocabulary = vocabulary
        try connection.forEachInPages(UserStatements.afterID) { row in
            var user = try User(row, view: view)
            user.attributes = user.attributes.withoutSecrets(vocabulary, of: .user)
            try Task.checkCancellation()
            try body(user)
        }
    }

    private func forEachRole(_ body: (Role) throws -> Void) throws {
        let vocabulary = vocabulary
        try connection.forEachInPages(RoleStatements.afterID) { row in
            var role = try Role(row, view: view)
            role.attributes = role.attributes.withoutSecrets(vocabulary, of: .role)
            try body(role)
        }
    }

    func name(of user: Int64) throws -> String {
        try connection.first(UserStatements.nameByID, [.integer(user)]) { $0.text(0) } ?? ""
    }

    private func names(_ link: RoleLink, of role: Role) throws -> [String] {
        try connection.all(link.statements.subjects, [.integer(role.id.rawValue)]) { $0.integer(0) }.map { id in
            switch link {
            case .memberUser, .ownerUser: try name(of: id)
            case .memberRole, .ownerRole: try storedRole(.id(RoleID(rawValue: id))).name
            }
        }
    }

    // MARK: JSON

    private func exportSeed(_ write: (Data) throws -> Void) throws {
        try write(Data("{\n  \"attributes\": [".utf8))
        var separator = "\n    "
        func element(_ members: [(String, AttributeValue)]) throws {
            var bytes = Array(separator.utf8)
            JSONText.append(members, in: .curly, isSpaced: true, to: &bytes) { member, bytes in
                JSONText.append(name: member.0, isSpaced: true, to: &bytes)
                JSONText.append(ExchangeText.plain(member.1), to: &bytes)
            }
            separator = ",\n    "
            try write(Data(bytes))
        }
        for definition in vocabulary.declared { try element(definition.seedMembers) }
        for rights in vocabulary.rights {
            var members: [(String, AttributeValue)] = [("name", .string(rights.name.rawValue))]
            if rights.entity == .role { members.append(("of", "role")) }
            if let readers = rights.readers { members.append(("readers", .string("\(readers)"))) }
            if let writers = rights.writers { members.append(("writers", .string(writers.rawValue))) }
            try element(members)
        }
        for definition in vocabulary.builtInRules where definition.element == nil {
            let unique: [(String, AttributeValue)] = definition.isUnique ? [("unique", true)] : []
            try element([("name", .string(definition.name.rawValue))] + unique + definition.rules.members)
        }
        try write(Data("\n  ],\n  \"people\": [".utf8))
        separator = "\n    "
        try forEachUser { user in
            var members: [(String, AttributeValue)] = [("uid", .string(user.uid))]
            if let manager = user.managerID { members.append(("manager", .string(try name(of: manager.rawValue)))) }
            if !user.isActive { members.append(("active", .boolean(false))) }
            try element(members + user.attributes.map { ($0.name.rawValue, $0.value) })
        }
        try write(Data("\n  ],\n  \"roles\": [".utf8))
        separator = "\n    "
        try forEachRole { role in
            var members: [(String, AttributeValue)] = [("name", .string(role.name))]
            members += role.attributes.map { ($0.name.rawValue, $0.value) }
            for (key, link) in [
                (Seed.SubjectKey.members, RoleLink.memberUser), (.roles, .memberRole), (.owners, .ownerUser),
                (.ownerRoles, .ownerRole),
            ] {
                let names = try names(link, of: role)
                if !names.isEmpty { members.append((key.rawValue, .list(names.map { .string($0) }))) }
            }
            try element(members)
        }
        try write(Data("\n  ]\n}\n".utf8))
    }

    // MARK: CSV

    private func exportCSV(_ isForSpreadsheet: Bool, _ write: (Data) throws -> Void) throws {
        // Read twice, so that only attributes that somebody has become columns.
        var present: Set<AttributeName> = []
        try forEachUser { user in for entry in user.attributes { present.insert(entry.name) } }
        let columns = present.sorted()
        var writer = try CSVWriter(
            header: ["uid", "manager", "active", "memberOf"] + columns.map(\.rawValue),
            isForSpreadsheet: isForSpreadsheet)
        var pending = 0
        try forEachUser { user in
            let roles = try roleNames(of: user.id).map { AttributeValue.string($0) }
            try writer.append(
                [
                    user.uid, try user.managerID.map { try name(of: $0.rawValue) } ?? "",
                    user.isActive ? "true" : "false",
                    roles.isEmpty ? "" : ExchangeText.text(.list(roles)),
                ] + columns.map { user.attributes[$0].map(ExchangeText.text) ?? "" })
            pending += 1
            if pending % 200 == 0 { try write(writer.take()) }
        }
        try write(writer.take())
    }

    // MARK: LDIF

    /// - Parameter server: Makes the entries for an LDAP server; nil for entries with the directory's own attributes.
    private func exportLDIF(_ server: LDAPEntries?, _ write: (Data) throws -> Void) throws {
        let (people, roles) = (server?.people ?? "ou=people", server?.groups ?? "ou=roles")
        var writer = LDIFWriter(isVersioned: server == nil)
        try server?.writeContainers(&writer)
        try write(writer.take())
        try forEachUser { user in
            let manager = try user.managerID.map { try name(of: $0.rawValue) }
            var attributes = [LDIFAttribute("objectClass", "inetOrgPerson"), LDIFAttribute("uid", user.uid)]
            if let manager {
                attributes.append(LDIFAttribute("manager", DistinguishedName.text("uid", manager, under: people)))
            }
            if !user.isActive { attributes.append(LDIFAttribute("active", "false")) }
            for entry in user.attributes { attributes += ldif(entry, of: .user) }
            try writer.append(
                dn: DistinguishedName.text("uid", user.uid, under: people),
                server?.attributes(of: user, manager: manager) ?? attributes)
            try write(writer.take())
        }
        try forEachRole { role in
            var links: [LDIFAttribute] = []
            for link in RoleLink.allCases {
                let isRole = link == .memberRole || link == .ownerRole
                for name in try names(link, of: role) {
                    let dn = DistinguishedName.text(isRole ? "cn" : "uid", name, under: isRole ? roles : people)
                    links.append(LDIFAttribute(link == .memberUser || link == .memberRole ? "member" : "owner", dn))
                }
            }
            var attributes = [LDIFAttribute("objectClass", "groupOfNames"), LDIFAttribute("cn", role.name)]
            for entry in role.attributes { attributes += ldif(entry, of: .role) }
            try writer.append(
                dn: DistinguishedName.text("cn", role.name, under: roles),
                server?.attributes(of: role, links) ?? attributes + links)
            try write(writer.take())
        }
    }

    private func ldif(_ entry: AttributeSet.Entry, of entity: AttributeDefinition.Entity) -> [LDIFAttribute] {
        let definition = vocabulary.definition(of: entry.name, for: entity)
        let name = definition?.names[.ldap] ?? entry.name.rawValue
        let bytes = entry.value.elements.compactMap { if case .binary(let data) = $0 { data } else { nil } }
        if !bytes.isEmpty { return bytes.map { LDIFAttribute(name, $0) } }
        guard case .list(let elements) = entry.value else {
            return [LDIFAttribute(name, ExchangeText.text(entry.value))]
        }
        // Plain addresses are written as LDAP clients expect; others as JSON, so that no part is lost.
        let plain = elements.compactMap { if case .string(let text) = $0 { text } else { nil } }
        if entry.name == "emails", plain.count == elements.count { return plain.map { LDIFAttribute("mail", $0) } }
        return [LDIFAttribute(name, ExchangeText.text(entry.value))]
    }
}

extension AttributeDefinition {
    /// The declaration as a seed has it.
    fileprivate var seedMembers: [(String, AttributeValue)] {
        var members: [(String, AttributeValue)] = [("name", .string(name.rawValue)), ("type", .string(kind.rawValue))]
        if entity == .role { members.append(("of", "role")) }
        if isMultiValued { members.append(("multiValued", true)) }
        if isCaseExact { members.append(("caseExact", true)) }
        if isUnique { members.append(("unique", true)) }
        members += rules.members.map { ($0.name, $0.value) }
        if isSearchable != (kind != .binary) { members.append(("searchable", .boolean(isSearchable))) }
        if readers != .signedIn { members.append(("readers", .string("\(readers)"))) }
        if writers != .administrators { members.append(("writers", .string(writers.rawValue))) }
        return members
    }
}
