import Roster

/// The relations of the profile service (`PeopleClient`, `GroupsClient` of the Java SDK): five pairs of inverses, and
/// `groupMembers`, the groups among the members.
enum ProfileRelation: String, CaseIterable, Sendable {
    case manager, reports, memberOf, ownerOf
    case members, groupMembers, personOwner, groupOwner, groupMemberOf, groupOwnerOf

    /// The name in paths and answers.
    var name: String { rawValue }

    /// Those of people, and those of groups.
    private static let ofPeople = allCases.filter { $0.owner == .user }
    private static let ofGroups = allCases.filter { $0.owner == .role }
    static func all(of owner: AttributeDefinition.Entity) -> [ProfileRelation] {
        owner == .user ? ofPeople : ofGroups
    }

    var owner: AttributeDefinition.Entity {
        switch self {
        case .manager, .reports, .memberOf, .ownerOf: .user
        case .members, .groupMembers, .personOwner, .groupOwner, .groupMemberOf, .groupOwnerOf: .role
        }
    }

    /// In which form a list has the entities on the other side.
    var listed: AttributeDefinition.Entity { takes.people ? .user : .role }

    /// Whether the other side is a person, a group, or either.
    var takes: (people: Bool, groups: Bool) {
        switch self {
        case .manager, .reports, .personOwner: (true, false)
        case .members: (true, true)
        case .memberOf, .ownerOf, .groupMembers, .groupOwner, .groupMemberOf, .groupOwnerOf: (false, true)
        }
    }

    /// The fields of a body for the entity itself and for the related one: `{"manager-uri": …, "report-uri": …}`.
    var keys: (own: [String], other: [String]) {
        switch self {
        case .manager: (["report-uri", "reports-uri", "person-uri"], ["manager-uri"])
        case .reports: (["manager-uri", "person-uri"], ["report-uri", "reports-uri"])
        case .memberOf: (["person-uri", "member-uri"], ["group-uri", "memberOf-uri"])
        case .ownerOf: (["person-uri", "owner-uri"], ["group-uri", "ownerOf-uri"])
        case .members: (["group-uri"], ["person-uri", "member-uri", "members-uri", "child-group-uri"])
        case .groupMembers: (["group-uri"], ["child-group-uri", "member-uri", "members-uri", "groupMembers-uri"])
        case .personOwner: (["group-uri"], ["person-uri", "owner-uri", "personOwner-uri"])
        case .groupOwner: (["group-uri"], ["owner-uri", "groupOwner-uri", "owner-group-uri"])
        case .groupMemberOf: (["group-uri", "member-uri"], ["parent-group-uri", "groupMemberOf-uri", "parent-uri"])
        case .groupOwnerOf: (["group-uri", "owner-uri"], ["owned-group-uri", "groupOwnerOf-uri", "owned-uri"])
        }
    }

    /// All keys by which a body can name the other entity.
    var keysOfOther: [String] { keys.other + (self == .members ? ["group-member-uri"] : []) + ["uri"] }
    /// The keys by which a body names the entity itself. Between two groups, both ends may go by the key 'group-uri'.
    var keysOfOwn: [String] { keys.own.filter { !keys.other.contains($0) } }

    /// How members or owners of groups are related, and whether the other side is the group; nil for reporting lines.
    private var membership: (relation: RoleRelation, isOfOther: Bool)? {
        switch self {
        case .manager, .reports: nil
        case .memberOf, .groupMemberOf: (.member, true)
        case .ownerOf, .groupOwnerOf: (.owner, true)
        case .members, .groupMembers: (.member, false)
        case .personOwner, .groupOwner: (.owner, false)
        }
    }
}

extension ProfileRelation {
    /// A page of those on the other side.
    ///
    /// - Parameter isDeep: Through everyone between: the chain to the top, everyone below, nested groups.
    func page(
        of id: String, isDeep: Bool, from start: RelationPlace, limit: Int, _ attributes: AttributeSelection,
        _ transaction: Transaction
    ) throws -> (related: [DirectoryEntity], next: RelationPlace?) {
        guard let (relation, isOfOther) = membership else {
            let user = UserReference.either(id)
            if self == .manager {
                let chain = try transaction.lines.chain(of: user, attributes, levels: isDeep ? nil : 1, upTo: nil)
                return page(Array(chain.dropFirst(start.offset)), from: start, limit: limit)
            }
            guard !isDeep else {
                let below = try transaction.lines.below(
                    user, attributes, levels: nil, limit: limit + 1, offset: start.offset)
                return page(below.map(\.user), from: start, limit: limit)
            }
            return try people(from: start, limit: limit) {
                try transaction.lines.reportees(of: user, attributes, limit: $0, after: $1)
            }
        }
        let reach: Reach = isDeep ? .effective : .direct
        var groups: [DirectoryEntity] = []
        if takes.groups, start.person == nil {
            let question: TransactionRoles.RoleQuestion = isOfOther ? .having(subject(id)) : .inside(.either(id))
            let found = try self.groups(from: start, limit: limit) {
                try transaction.roles.roles(question, relation, reach, limit: $0, after: $1)
            }
            if !takes.people || found.next != nil { return found }
            groups = found.related
        }
        var place = start
        place.person = start.person ?? 0
        guard groups.count < limit else { return (groups, place) }
        let people = try people(from: place, limit: limit - groups.count) {
            try transaction.roles.users(of: .either(id), relation, reach, attributes, limit: $0, after: $1)
        }
        return (groups + people.related, people.next)
    }

    /// The entity of the path as a member or an owner.
    private func subject(_ id: String) -> RoleSubject { owner == .user ? .user(.either(id)) : .role(.either(id)) }

    /// The first of the users who have no other order than their offset.
    private func page(
        _ users: [User], from start: RelationPlace, limit: Int
    ) -> (related: [DirectoryEntity], next: RelationPlace?) {
        var next: RelationPlace?
        if users.count > limit {
            next = start
            next?.offset += limit
        }
        return (users.prefix(limit).map { .user($0) }, next)
    }

    private func people(
        from start: RelationPlace, limit: Int, _ read: (Int, UserID?) throws -> [User]
    ) throws -> (related: [DirectoryEntity], next: RelationPlace?) {
        let found = try read(limit + 1, start.person.flatMap { $0 > 0 ? UserID(rawValue: $0) : nil })
        var next: RelationPlace?
        if found.count > limit {
            next = start
            next?.person = found[limit - 1].id.rawValue
        }
        return (found.prefix(limit).map { .user($0) }, next)
    }

    private func groups(
        from start: RelationPlace, limit: Int, _ read: (Int, RoleID?) throws -> [Role]
    ) throws -> (related: [DirectoryEntity], next: RelationPlace?) {
        let found = try read(limit + 1, start.group > 0 ? RoleID(rawValue: start.group) : nil)
        var next: RelationPlace?
        if found.count > limit {
            next = start
            next?.group = found[limit - 1].id.rawValue
        }
        return (found.prefix(limit).map { .role($0) }, next)
    }

    // MARK: Changing

    /// The relation of the two entities in the directory.
    private enum Tie {
        case line(of: UserReference, to: UserReference)
        case membership(RoleSubject, of: RoleReference, RoleRelation)
    }

    private func tie(_ id: String, _ other: RoleSubject) throws -> Tie {
        switch (self, other, membership) {
        case (.manager, .user(let manager), _): return .line(of: .either(id), to: manager)
        case (.reports, .user(let report), _): return .line(of: report, to: .either(id))
        case (_, .role(let group), (let relation, isOfOther: true)?):
            return .membership(subject(id), of: group, relation)
        case (_, .user, (let relation, isOfOther: false)?) where takes.people,
            (_, .role, (let relation, isOfOther: false)?) where takes.groups:
            return .membership(other, of: .either(id), relation)
        default: throw RequestError(.badRequest, "'\(name)' does not relate entities of these kinds.")
        }
    }

    /// Relates two entities. A new manager replaces the present one.
    func add(_ other: RoleSubject, to id: String, _ transaction: Transaction) throws {
        switch try tie(id, other) {
        case .line(let report, let manager): _ = try transaction.lines.setManager(manager, of: report, ifVersion: nil)
        case .membership(let subject, let group, let relation):
            try transaction.asRoleOwner(of: group, changing: relation).add([subject])
        }
    }

    /// Ends the relation of two entities.
    ///
    /// - Throws: `notFound` if they are not related directly.
    func remove(_ other: RoleSubject, from id: String, _ transaction: Transaction) throws {
        switch try tie(id, other) {
        case .line(let report, let manager): try removeLine(from: report, to: manager, transaction)
        case .membership(let subject, let group, let relation):
            try transaction.asRoleOwner(of: group, changing: relation).remove([subject])
        }
    }

    private func removeLine(from report: UserReference, to manager: UserReference, _ transaction: Transaction) throws {
        let report = try transaction.users.user(report, ["version"])
        guard let managerID = report.managerID, managerID == (try transaction.users.id(of: manager)) else {
            throw DirectoryError(.notFound, "'\(report.uid)' does not report to \(manager) directly.")
        }
        _ = try transaction.lines.setManager(nil, of: .id(report.id), ifVersion: nil)
    }
}
