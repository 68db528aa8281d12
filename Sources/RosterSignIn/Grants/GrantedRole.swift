import Roster
import RosterStore
import RosterText

/// A role that another issuer's token gives somebody.
package struct GrantedRole: Sendable, Hashable {
    package let name: String
    /// Whether the issuer's entry names the role (`roleMappings`, `defaultRoles`, `issuerRoles`). A role that only the token names
    /// counts if the directory has a role with exactly this name.
    package let isMapped: Bool

    package init(_ name: String, isMapped: Bool) {
        self.name = name
        self.isMapped = isMapped
    }
}

extension DirectoryGrants {
    /// The names of the granted roles that count: mapped roles, and roles that the directory has with exactly this name. A role
    /// that leads to a role with a power never counts, whatever the case or width of its name.
    package func accepted(_ roles: [GrantedRole]) throws -> [String] {
        guard !roles.isEmpty else { return [] }
        return try directory.store.read { connection in
            try roles.filter { role in
                switch try Self.standing(of: role.name, on: connection) {
                case .power: false
                case .unknown: role.isMapped
                case .role: true
                }
            }.map(\.name)
        }
    }

    /// Accepted roles and the roles that they are nested in. A role that leads to a role with a power is left out, even if it was
    /// nested there later.
    package func effective(_ names: [String]) throws -> [String] {
        guard !names.isEmpty else { return [] }
        return try directory.store.read { connection in
            var seen: Set<String> = []
            return try names.flatMap { name in
                switch try Self.standing(of: name, on: connection) {
                case .power: [String]()
                case .unknown: [name]
                case .role(let outer): [name] + outer
                }
            }.filter { seen.insert($0).inserted }
        }
    }

    private enum GrantedStanding {
        /// The role has a power, or is nested in a role that has one.
        case power
        /// No role has exactly this name.
        case unknown
        /// The role is nested in these.
        case role(outer: [String])
    }

    private static func standing(of name: String, on connection: Connection) throws -> GrantedStanding {
        // No name of a role is longer, and folding takes long for very long texts.
        guard name.utf8.count <= 1_024 else { return .unknown }
        var isThere = false
        var hasPower = false
        var outer: [String] = []
        try connection.forEach(GrantStatements.rolesAround, [.text(TextKey.of(name))]) { row in
            if row.boolean(2) { hasPower = true }
            if row.boolean(1) { isThere = row.text(0).hasSameBytes(as: name) } else { outer.append(row.text(0)) }
        }
        if hasPower { return .power }
        return isThere ? .role(outer: outer) : .unknown
    }
}
