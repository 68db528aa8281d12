import Foundation
import RosterStore
import RosterText

extension Transaction {
    /// A query for roles: by the role they belong to, or by a member or owner they have.
    package enum RoleQuestion {
        case inside(RoleReference)
        case having(RoleSubject)
    }

    func resolve(_ subject: RoleSubject, _ relation: RoleRelation) throws -> (link: RoleLink, id: Int64) {
        switch (subject, relation) {
        case (.user(let user), .member): (.memberUser, try id(of: user).rawValue)
        case (.user(let user), .owner): (.ownerUser, try id(of: user).rawValue)
        case (.role(let role), .member): (.memberRole, try storedRole(role).id.rawValue)
        case (.role(let role), .owner): (.ownerRole, try storedRole(role).id.rawValue)
        }
    }

    // MARK: Changing

    package func add(
        _ subjects: [RoleSubject], to reference: RoleReference, as relation: RoleRelation, ifVersion version: Int64?
    )
        throws
    {
        let role = try roleToChange(
            reference, to: "change who belongs to a role", ifVersion: version, isOfOwners: relation == .member)
        var came: [RoleLink: [Int64]] = [:]
        for subject in subjects {
            let (link, id) = try resolve(subject, relation)
            if link == .memberRole || link == .ownerRole { try checkNesting(of: id, in: role, link) }
            try connection.run(link.statements.insert, [.integer(role.id.rawValue), .integer(id)])
            if connection.changedRows > 0 { came[link, default: []].append(id) }
        }
        for link in RoleLink.allCases {
            if let ids = came[link] { try recordLink(link, role: storedRole(.id(role.id)), left: [], came: ids) }
        }
    }

    /// Finds a role that the caller may change.
    ///
    /// - Parameter isOfOwners: Whether owners of the role may make the change.
    func roleToChange(
        _ reference: RoleReference, to action: String, ifVersion version: Int64?, isOfOwners: Bool = false
    ) throws -> Role {
        if !isOfOwners { try rights.checkProvisioning(to: action) }
        let role = try storedRole(reference)
        if isOfOwners { try rights.checkMembers(of: role.id, to: action, on: connection) }
        try rights.checkActing(on: role.id, in: self)
        try check(version, of: role.version, role.name)
        return role
    }

    /// Refuses a cycle of nested roles. Runs in the transaction that nests the role, so that concurrent changes cannot
    /// form one.
    private func checkNesting(of child: Int64, in role: Role, _ link: RoleLink) throws {
        let cycle = link == .memberRole ? RoleStatements.memberCycle : RoleStatements.ownerCycle
        let isCycle = try connection.first(cycle, [.integer(child), .integer(role.id.rawValue)]) { _ in true }
        guard isCycle == nil else {
            throw DirectoryError(
                .circle,
                "\(EntityName.shown(role.name)) cannot \(link == .memberRole ? "contain" : "be owned by") a role that it "
                    + "is, directly or through others, \(link == .memberRole ? "a member" : "an owner") of itself.",
                advice: "Remove it there first.")
        }
    }

    package func remove(
        _ subjects: [RoleSubject], from reference: RoleReference, as relation: RoleRelation, ifVersion version: Int64?
    ) throws {
        let role = try roleToChange(
            reference, to: "change who belongs to a role", ifVersion: version, isOfOwners: relation == .member)
        var left: [RoleLink: [Int64]] = [:]
        for subject in subjects {
            let (link, id) = try resolve(subject, relation)
            try connection.run(link.statements.delete, [.integer(role.id.rawValue), .integer(id)])
            guard connection.changedRows > 0 else {
                let name =
                    switch subject {
                    case .user(let user): user.description
                    case .role(let role): role.description
                    }
                throw DirectoryError(
                    .notFound, "\(name) is not a direct \(relation.rawValue) of \(EntityName.shown(role.name)).",
                    advice: "List the direct ones, or remove it from the nested role.")
            }
            left[link, default: []].append(id)
        }
        for link in RoleLink.allCases {
            if let ids = left[link] { try recordLink(link, role: storedRole(.id(role.id)), left: ids, came: []) }
        }
        if relation == .member { try checkAdministratorsRemain() }
    }

    /// Increments the role's version, and records who joined and who left.
    func recordLink(_ link: RoleLink, role: Role, left: [Int64], came: [Int64]) throws {
        let time = now(notBefore: role.modified)
        try connection.run(RoleStatements.touch, [.integer(role.id.rawValue), .integer(time.milliseconds)])
        func identifiers(_ ids: [Int64]) -> AttributeSet {
            guard !ids.isEmpty else { return [:] }
            return [link.historyName: .list(ids.map { .string(RoleID(rawValue: $0).description) })]
        }
        try record(
            .modified, .role, id: role.id.rawValue, name: role.name, before: identifiers(left),
            after: identifiers(came), at: time)
    }

    // MARK: Reading

    func member(_ user: UserReference, of role: RoleReference, _ attributes: AttributeSelection) throws -> User {
        let role = try storedRole(role)
        let user = try self.user(user, attributes)
        var isMember = false
        try connection.forEach(
            dynamic: RoleStatements.contains(RoleStatements.users(.member, .effective)),
            [.integer(role.id.rawValue), .integer(user.id.rawValue)]
        ) { _ in
            isMember = true
            return false
        }
        guard isMember else {
            throw DirectoryError(
                .notFound, "\(EntityName.shown(user.uid)) is not a member of \(EntityName.shown(role.name)).")
        }
        return user
    }

    /// The users who are members or owners of a role.
    package func users(
        of role: RoleReference, _ relation: RoleRelation, _ reach: Reach, _ attributes: AttributeSelection, limit: Int?,
        after last: UserID?
    ) throws -> [User] {
        try checkPage(limit)
        let selection = try Selection(attributes, of: .user, vocabulary)
        let page: [Binding] = [
            .integer(try storedRole(role).id.rawValue), .integer(last?.rawValue ?? 0), .integer(Int64(limit ?? .max)),
        ]
        var users: [User] = []
        func add(_ row: borrowing Row) throws {
            var user = try User(row, view: view, isListed: true)
            try present(&user, selection)
            users.append(user)
        }
        // This statement can be expected, because its text is known.
        if relation == .member, reach == .direct {
            try connection.forEach(RoleStatements.directUsers, page, add)
        } else {
            try connection.forEach(dynamic: RoleStatements.userPage(RoleStatements.users(relation, reach)), page) {
                row in
                try add(row)
                return true
            }
        }
        return users
    }

    /// How many users are members or owners of a role.
    package func userCount(of role: RoleReference, _ relation: RoleRelation, _ reach: Reach) throws -> Int {
        var count = 0
        try connection.forEach(
            dynamic: RoleStatements.count(RoleStatements.users(relation, reach)),
            [.integer(storedRole(role).id.rawValue)]
        ) { row in
            count = Int(row.integer(0))
            return false
        }
        return count
    }

    /// The roles that a user is a member of, and whether directly.
    package func memberships(of user: UserID) throws -> [(role: Role, isDirect: Bool)] {
        let selection = try Selection(.usual, of: .role, vocabulary)
        let isNested = try connection.first(RoleStatements.isAnyNested, [], { _ in true }) == true
        core.noteNestedRoles(isNested)
        return try connection.all(RoleStatements.memberships(nested: isNested), [.integer(user.rawValue)]) { row in
            var role = try Role(row, view: view)
            try present(&role, selection)
            return (role, row.integer(6) == 1)
        }
    }

    /// The roles of a user or a role, or the roles in a role.
    package func roles(
        _ question: RoleQuestion, _ relation: RoleRelation, _ reach: Reach, limit: Int?, after last: RoleID?
    )
        throws
        -> [Role]
    {
        try checkPage(limit)
        let ids: String
        let id: Int64
        switch question {
        case .inside(let role):
            id = try storedRole(role).id.rawValue
            ids = RoleStatements.subroles(relation, reach)
        case .having(.user(let user)):
            id = try self.id(of: user).rawValue
            ids = RoleStatements.rolesOfUser(relation, reach)
        case .having(.role(let role)):
            id = try storedRole(role).id.rawValue
            ids = RoleStatements.rolesOfRole(relation, reach)
        }
        let selection = try Selection(.usual, of: .role, vocabulary)
        let page: [Binding] = [.integer(id), .integer(last?.rawValue ?? 0), .integer(Int64(limit ?? .max))]
        var roles: [Role] = []
        func add(_ row: borrowing Row) throws {
            var role = try Role(row, view: view)
            try present(&role, selection)
            roles.append(role)
        }
        if case .inside = question, relation == .member, reach == .direct {
            try connection.forEach(RoleStatements.directRoles, page, add)
        } else {
            try connection.forEach(dynamic: RoleStatements.rolePage(ids), page) { row in
                try add(row)
                return true
            }
        }
        return roles
    }
}
