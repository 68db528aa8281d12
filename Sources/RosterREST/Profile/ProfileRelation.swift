import Roster

/// The relations of the profile service (`PeopleClient`, `GroupsClient` of the Java SDK): five pairs of inverses, and
/// `groupMembers`, the groups among the members.
enum ProfileRelation: String, CaseIterable, Sendable {
    enum Owner: String, Sendable {
        case people, groups
    }

    case manager, reports, memberOf, ownerOf
    case members, groupMembers, personOwner, groupOwner, groupMemberOf, groupOwnerOf

    /// The name in paths and answers.
    var name: String { rawValue }

    /// Those of people, and those of groups.
    static let ofPeople = allCases.filter { $0.owner == .people }
    static let ofGroups = allCases.filter { $0.owner == .groups }
    static func all(of owner: Owner) -> [ProfileRelation] { owner == .people ? ofPeople : ofGroups }

    var owner: Owner {
        switch self {
        case .manager, .reports, .memberOf, .ownerOf: .people
        case .members, .groupMembers, .personOwner, .groupOwner, .groupMemberOf, .groupOwnerOf: .groups
        }
    }

    /// Whether the other side is a person, a group, or either.
    var takes: (people: Bool, groups: Bool) {
        switch self {
        case .manager, .reports, .personOwner: (true, false)
        case .members: (true, true)
        case .memberOf, .ownerOf, .groupMembers, .groupOwner, .groupMemberOf, .groupOwnerOf: (false, true)
        }
    }

    /// How a body names the entity itself and the other one: `{"manager-uri": …, "report-uri": …}`.
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
}

/// Who is on the other side of a relation.
enum Related: Sendable {
    case person(User)
    case group(Role)
}

/// Where a page of a relation begins.
struct RelationPlace: Sendable {
    /// After so many, where the relation has no other order.
    var offset = 0
    /// After the group with this number; groups come before people.
    var group: Int64 = 0
    /// After the person with this number; nil while there are groups.
    var person: Int64?

    var text: String { "\(offset)_\(group)_\(person.map { String($0) } ?? "g")" }

    init() {}
    init?(_ text: String) {
        let parts = text.split(separator: "_")
        guard parts.count == 3, let offset = Int(parts[0]), let group = Int64(parts[1]) else { return nil }
        self.offset = offset
        self.group = group
        person = Int64(parts[2])
    }
}

extension ProfileRelation {
    /// A page of those on the other side.
    ///
    /// - Parameter isDeep: Through everyone between: the chain to the top, everyone below, nested groups.
    func page(
        of id: String, isDeep: Bool, from start: RelationPlace, limit: Int, _ attributes: [AttributeName],
        _ transaction: Transaction
    ) throws -> (related: [Related], next: RelationPlace?) {
        let reach: Reach = isDeep ? .effective : .direct
        let user = UserReference.either(id)
        let role = RoleReference.either(id)
        switch self {
        case .manager:
            let chain = try transaction.chain(of: user, attributes, levels: isDeep ? nil : 1, upTo: nil)
            let page = chain.dropFirst(start.offset).prefix(limit)
            var next: RelationPlace?
            if start.offset + page.count < chain.count {
                next = start
                next?.offset += page.count
            }
            return (page.map { .person($0) }, next)
        case .reports where isDeep:
            let below = try transaction.below(user, attributes, levels: nil, limit: limit + 1, offset: start.offset)
            var next: RelationPlace?
            if below.count > limit {
                next = start
                next?.offset += limit
            }
            return (below.prefix(limit).map { .person($0.user) }, next)
        case .reports:
            return try people(from: start, limit: limit) {
                try transaction.reportees(of: user, attributes, limit: $0, after: $1)
            }
        case .memberOf:
            return try groups(from: start, limit: limit) {
                try transaction.roles(.having(.user(user)), .member, reach, limit: $0, after: $1)
            }
        case .ownerOf:
            return try groups(from: start, limit: limit) {
                try transaction.roles(.having(.user(user)), .owner, reach, limit: $0, after: $1)
            }
        case .groupMemberOf:
            return try groups(from: start, limit: limit) {
                try transaction.roles(.having(.role(role)), .member, reach, limit: $0, after: $1)
            }
        case .groupOwnerOf:
            return try groups(from: start, limit: limit) {
                try transaction.roles(.having(.role(role)), .owner, reach, limit: $0, after: $1)
            }
        case .groupMembers:
            return try groups(from: start, limit: limit) {
                try transaction.roles(.inside(role), .member, reach, limit: $0, after: $1)
            }
        case .groupOwner:
            return try groups(from: start, limit: limit) {
                try transaction.roles(.inside(role), .owner, reach, limit: $0, after: $1)
            }
        case .personOwner:
            return try people(from: start, limit: limit) {
                try transaction.users(of: role, .owner, reach, attributes, limit: $0, after: $1)
            }
        case .members:
            var groups: [Related] = []
            if start.person == nil {
                let found = try self.groups(from: start, limit: limit) {
                    try transaction.roles(.inside(role), .member, reach, limit: $0, after: $1)
                }
                if found.next != nil { return found }
                groups = found.related
            }
            var place = start
            place.person = start.person ?? 0
            guard groups.count < limit else { return (groups, place) }
            let people = try people(from: place, limit: limit - groups.count) {
                try transaction.users(of: role, .member, reach, attributes, limit: $0, after: $1)
            }
            return (groups + people.related, people.next)
        }
    }

    private func people(
        from start: RelationPlace, limit: Int, _ read: (Int, UserID?) throws -> [User]
    ) throws -> (related: [Related], next: RelationPlace?) {
        let found = try read(limit + 1, start.person.flatMap { $0 > 0 ? UserID(rawValue: $0) : nil })
        var next: RelationPlace?
        if found.count > limit {
            next = start
            next?.person = found[limit - 1].id.rawValue
        }
        return (found.prefix(limit).map { .person($0) }, next)
    }

    private func groups(
        from start: RelationPlace, limit: Int, _ read: (Int, RoleID?) throws -> [Role]
    ) throws -> (related: [Related], next: RelationPlace?) {
        let found = try read(limit + 1, start.group > 0 ? RoleID(rawValue: start.group) : nil)
        var next: RelationPlace?
        if found.count > limit {
            next = start
            next?.group = found[limit - 1].id.rawValue
        }
        return (found.prefix(limit).map { .group($0) }, next)
    }

    // MARK: Changing

    /// Relates two entities. Who has another manager gets this one.
    func add(_ other: RoleSubject, to id: String, _ transaction: Transaction) throws {
        let user = UserReference.either(id)
        let role = RoleReference.either(id)
        switch (self, other) {
        case (.manager, .user(let manager)): _ = try transaction.setManager(manager, of: user, ifVersion: nil)
        case (.reports, .user(let report)): _ = try transaction.setManager(user, of: report, ifVersion: nil)
        case (.memberOf, .role(let group)): try transaction.add([.user(user)], to: group, as: .member, ifVersion: nil)
        case (.ownerOf, .role(let group)): try transaction.add([.user(user)], to: group, as: .owner, ifVersion: nil)
        case (.members, _), (.groupMembers, .role): try transaction.add([other], to: role, as: .member, ifVersion: nil)
        case (.personOwner, .user), (.groupOwner, .role):
            try transaction.add([other], to: role, as: .owner, ifVersion: nil)
        case (.groupMemberOf, .role(let group)):
            try transaction.add([.role(role)], to: group, as: .member, ifVersion: nil)
        case (.groupOwnerOf, .role(let group)):
            try transaction.add([.role(role)], to: group, as: .owner, ifVersion: nil)
        default: throw RequestError(.badRequest, "'\(name)' does not relate entities of these kinds.")
        }
    }

    /// Ends the relation of two entities.
    ///
    /// - Throws: `notFound` where they are not related directly.
    func remove(_ other: RoleSubject, from id: String, _ transaction: Transaction) throws {
        let user = UserReference.either(id)
        let role = RoleReference.either(id)
        switch (self, other) {
        case (.manager, .user(let manager)): try removeLine(from: user, to: manager, transaction)
        case (.reports, .user(let report)): try removeLine(from: report, to: user, transaction)
        case (.memberOf, .role(let group)):
            try transaction.remove([.user(user)], from: group, as: .member, ifVersion: nil)
        case (.ownerOf, .role(let group)):
            try transaction.remove([.user(user)], from: group, as: .owner, ifVersion: nil)
        case (.members, _), (.groupMembers, .role):
            try transaction.remove([other], from: role, as: .member, ifVersion: nil)
        case (.personOwner, .user), (.groupOwner, .role):
            try transaction.remove([other], from: role, as: .owner, ifVersion: nil)
        case (.groupMemberOf, .role(let group)):
            try transaction.remove([.role(role)], from: group, as: .member, ifVersion: nil)
        case (.groupOwnerOf, .role(let group)):
            try transaction.remove([.role(role)], from: group, as: .owner, ifVersion: nil)
        default: throw RequestError(.badRequest, "'\(name)' does not relate entities of these kinds.")
        }
    }

    private func removeLine(from report: UserReference, to manager: UserReference, _ transaction: Transaction) throws {
        let report = try transaction.user(report, ["version"])
        guard let managerID = report.managerID, managerID == (try transaction.id(of: manager)) else {
            throw DirectoryError(.notFound, "'\(report.uid)' does not report to \(manager) directly.")
        }
        _ = try transaction.setManager(nil, of: .id(report.id), ifVersion: nil)
    }
}
