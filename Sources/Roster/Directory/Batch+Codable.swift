/// The encoded form of a batch: an object for each change, whose first key says what to do.
///
/// ```json
/// [
///   { "createUser": "ada", "attributes": { "title": "Analyst" }, "manager": "grace", "isActive": true },
///   { "modifyUser": "ada", "changes": [{ "set": "title", "value": "Engineer" }], "ifVersion": 3 },
///   { "add": [{ "user": "ada" }], "to": "engineers", "as": "member" }
/// ]
/// ```
///
/// Batches that earlier versions have encoded are read as well.
extension Batch: Codable {
    /// Reads a batch.
    public init(from decoder: any Decoder) throws {
        if let old = try? decoder.container(keyedBy: OldKeys.self) {
            self.init(try old.decode([Operation].self, forKey: .operations))
        } else {
            self.init(try [Operation](from: decoder))
        }
    }

    /// Writes the batch.
    public func encode(to encoder: any Encoder) throws { try operations.encode(to: encoder) }

    private enum OldKeys: CodingKey { case operations }
}

extension Batch.Operation: Codable {
    private enum CodingKeys: String, CodingKey, CaseIterable {
        case createUser, modifyUser, deleteUser, createRole, modifyRole, deleteRole, add, remove
        case attributes, manager, isActive, changes, ifVersion, reportees, to, from, `as`
    }

    /// The keys that earlier versions wrote. Swift gives the keys `_0` and `_1` to values of a case that have no label.
    private enum OldKeys: String, CodingKey { case first = "_0", second = "_1", reportees, ifVersion, to, from, `as` }

    /// Reads a change.
    public init(from decoder: any Decoder) throws {
        let values = try decoder.container(keyedBy: CodingKeys.self)
        guard let key = CodingKeys.allCases.prefix(8).first(where: { values.contains($0) }) else {
            throw DecodingError.dataCorrupted(
                .init(codingPath: decoder.codingPath, debugDescription: "No change that a batch knows."))
        }
        if let old = try? values.nestedContainer(keyedBy: OldKeys.self, forKey: key), !old.allKeys.isEmpty {
            self = try Self.old(key, old)
            return
        }
        func version() throws -> Int64? { try values.decodeIfPresent(Int64.self, forKey: .ifVersion) }
        func changes() throws -> [AttributeChange] { try values.decode([AttributeChange].self, forKey: .changes) }
        func attributes() throws -> AttributeSet {
            try values.decodeIfPresent(AttributeSet.self, forKey: .attributes) ?? [:]
        }
        func relation() throws -> RoleRelation {
            try values.decodeIfPresent(RoleRelation.self, forKey: .as) ?? .member
        }
        switch key {
        case .createUser:
            self = .createUser(
                NewUser(
                    try values.decode(String.self, forKey: key), attributes: try attributes(),
                    manager: try values.decodeIfPresent(UserReference.self, forKey: .manager),
                    isActive: try values.decodeIfPresent(Bool.self, forKey: .isActive) ?? true))
        case .modifyUser:
            self = .modifyUser(
                try values.decode(UserReference.self, forKey: key), try changes(), ifVersion: try version())
        case .deleteUser:
            self = .deleteUser(
                try values.decode(UserReference.self, forKey: key),
                reportees: try values.decodeIfPresent(ReporteePolicy.self, forKey: .reportees) ?? .refuse,
                ifVersion: try version())
        case .createRole: self = .createRole(try values.decode(String.self, forKey: key), try attributes())
        case .modifyRole:
            self = .modifyRole(
                try values.decode(RoleReference.self, forKey: key), try changes(), ifVersion: try version())
        case .deleteRole:
            self = .deleteRole(try values.decode(RoleReference.self, forKey: key), ifVersion: try version())
        case .add:
            self = .add(
                try values.decode([RoleSubject].self, forKey: key),
                to: try values.decode(RoleReference.self, forKey: .to), as: try relation())
        default:
            self = .remove(
                try values.decode([RoleSubject].self, forKey: key),
                from: try values.decode(RoleReference.self, forKey: .from), as: try relation())
        }
    }

    private static func old(
        _ key: CodingKeys, _ values: KeyedDecodingContainer<OldKeys>
    ) throws -> Batch.Operation {
        func version() throws -> Int64? { try values.decodeIfPresent(Int64.self, forKey: .ifVersion) }
        return switch key {
        case .createUser: .createUser(try values.decode(NewUser.self, forKey: .first))
        case .modifyUser:
            .modifyUser(
                try values.decode(UserReference.self, forKey: .first),
                try values.decode([AttributeChange].self, forKey: .second), ifVersion: try version())
        case .deleteUser:
            .deleteUser(
                try values.decode(UserReference.self, forKey: .first),
                reportees: try values.decode(ReporteePolicy.self, forKey: .reportees), ifVersion: try version())
        case .createRole:
            .createRole(
                try values.decode(String.self, forKey: .first), try values.decode(AttributeSet.self, forKey: .second))
        case .modifyRole:
            .modifyRole(
                try values.decode(RoleReference.self, forKey: .first),
                try values.decode([AttributeChange].self, forKey: .second), ifVersion: try version())
        case .deleteRole:
            .deleteRole(try values.decode(RoleReference.self, forKey: .first), ifVersion: try version())
        case .add:
            .add(
                try values.decode([RoleSubject].self, forKey: .first),
                to: try values.decode(RoleReference.self, forKey: .to),
                as: try values.decode(RoleRelation.self, forKey: .as))
        default:
            .remove(
                try values.decode([RoleSubject].self, forKey: .first),
                from: try values.decode(RoleReference.self, forKey: .from),
                as: try values.decode(RoleRelation.self, forKey: .as))
        }
    }

    /// Writes the change.
    public func encode(to encoder: any Encoder) throws {
        var values = encoder.container(keyedBy: CodingKeys.self)
        switch self {
        case .createUser(let new):
            try values.encode(new.uid, forKey: .createUser)
            if !new.attributes.isEmpty { try values.encode(new.attributes, forKey: .attributes) }
            try values.encodeIfPresent(new.manager, forKey: .manager)
            if !new.isActive { try values.encode(false, forKey: .isActive) }
        case .modifyUser(let user, let changes, let version):
            try values.encode(user, forKey: .modifyUser)
            try values.encode(changes, forKey: .changes)
            try values.encodeIfPresent(version, forKey: .ifVersion)
        case .deleteUser(let user, let reportees, let version):
            try values.encode(user, forKey: .deleteUser)
            try values.encode(reportees, forKey: .reportees)
            try values.encodeIfPresent(version, forKey: .ifVersion)
        case .createRole(let name, let attributes):
            try values.encode(name, forKey: .createRole)
            if !attributes.isEmpty { try values.encode(attributes, forKey: .attributes) }
        case .modifyRole(let role, let changes, let version):
            try values.encode(role, forKey: .modifyRole)
            try values.encode(changes, forKey: .changes)
            try values.encodeIfPresent(version, forKey: .ifVersion)
        case .deleteRole(let role, let version):
            try values.encode(role, forKey: .deleteRole)
            try values.encodeIfPresent(version, forKey: .ifVersion)
        case .add(let subjects, let role, let relation):
            try values.encode(subjects, forKey: .add)
            try values.encode(role, forKey: .to)
            try values.encode(relation, forKey: .as)
        case .remove(let subjects, let role, let relation):
            try values.encode(subjects, forKey: .remove)
            try values.encode(role, forKey: .from)
            try values.encode(relation, forKey: .as)
        }
    }
}
