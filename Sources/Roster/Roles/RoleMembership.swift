import Foundation
import RosterStore
import RosterText

extension TransactionRoles {
    /// A query for roles: by the role they belong to, or by a member or owner they have.
    package enum RoleQuestion {
        case inside(RoleReference)
        case having(RoleSubject)
    }

    /// Finds the users and roles that become or are members or owners, in the order of the subjects.
    ///
    /// - Throws: `notFound`.
    func resolve(
        _ subjects: [RoleSubject], _ relation: RoleRelation
    ) throws -> [(link: RoleLink, ids: [Int64])] {
        var (users, roles): ([UserReference], [RoleReference]) = ([], [])
        for subject in subjects {
            switch subject {
            case .user(let user): users.append(user)
            case .role(let role): roles.append(role)
            }
        }
        let (userIDs, roleIDs) = (try transaction.references.ids(of: users), try transaction.references.ids(of: roles))
        let foundUsers = try users.map { user in
            guard let id = userIDs[user] else { throw transaction.users.noSuch(user) }
            return id.rawValue
        }
        let foundRoles = try roles.map { role in
            guard let id = roleIDs[role] else { throw noSuch(role) }
            return id.rawValue
        }
        let found: [(link: RoleLink, ids: [Int64])] =
            relation == .member
            ? [(.memberUser, foundUsers), (.memberRole, foundRoles)]
            : [(.ownerUser, foundUsers), (.ownerRole, foundRoles)]
        return found.filter { !$0.ids.isEmpty }
    }

    /// Increments the role's version, and records who joined and who left.
    func recordLink(_ link: RoleLink, of role: RoleID, left: [Int64], came: [Int64]) throws {
        let role = try stored(.id(role))
        let time = transaction.now(notBefore: role.modified)
        try transaction.connection.run(RoleStatements.touch, [.integer(role.id.rawValue), .integer(time.milliseconds)])
        func identifiers(_ ids: [Int64]) -> AttributeSet {
            guard !ids.isEmpty else { return [:] }
            return [link.historyName: .list(ids.map { .string(RoleID(rawValue: $0).description) })]
        }
        try transaction.feed.record(
            .modified, .role, id: role.id.rawValue, name: role.name, before: identifiers(left),
            after: identifiers(came), at: time)
        try transaction.feed.noteMembers(left, link, came: false)
        try transaction.feed.noteMembers(came, link, came: true)
    }

    // MARK: Reading

    func member(_ user: UserReference, of role: RoleReference, _ attributes: AttributeSelection) throws -> User {
        let role = try stored(role)
        let user = try transaction.users.user(user, attributes)
        var isMember = false
        try transaction.connection.forEach(
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

    /// Whether a user is a member of a role.
    func contains(_ role: RoleReference, _ user: UserReference, _ reach: Reach) throws -> Bool {
        let role = try id(of: role)
        let bindings: [Binding] = [.integer(role.rawValue), .integer(try transaction.users.id(of: user).rawValue)]
        if try transaction.connection.first(RoleStatements.isDirectMember, bindings, { _ in true }) == true {
            return true
        }
        guard reach == .effective,
            try transaction.connection.first(RoleStatements.hasNestedRoles, [.integer(role.rawValue)], { _ in true })
                == true
        else { return false }
        // Few roles are nested in most roles. If there are many, the roles of the user are followed upward.
        let nested = try transaction.connection.first(RoleStatements.isMemberOfNested, bindings) {
            ($0.integer(0), $0.integer(1))
        }
        guard let (count, isMember) = nested, isMember == 0, count > RoleStatements.maximumNested else {
            return nested?.1 == 1
        }
        return try transaction.connection.first(RoleStatements.isMemberUpward, bindings) { _ in true } ?? false
    }

    /// The users who are members or owners of a role.
    package func users(
        of role: RoleReference, _ relation: RoleRelation, _ reach: Reach, _ attributes: AttributeSelection, limit: Int?,
        after last: UserID?
    ) throws -> [User] {
        try transaction.lines.checkPage(limit)
        let selection = try Selection(attributes, of: .user, transaction.vocabulary)
        let page: [Binding] = [
            .integer(try stored(role).id.rawValue), .integer(last?.rawValue ?? 0), .integer(Int64(limit ?? .max)),
        ]
        // The owners can be users whom a reading program does not see.
        if relation == .owner, transaction.narrowView != nil { return [] }
        var users: [User] = []
        // On a server, the roles of the users are read for all of them at once.
        let presentsLater =
            selection.hasRoles && transaction.connection.kind == .postgreSQL && transaction.narrowView == nil
        func add(_ row: borrowing Row) throws {
            var user = try User(row, view: transaction.view, isListed: true)
            if !presentsLater { try transaction.users.present(&user, selection) }
            users.append(user)
        }
        // This statement can be expected, because its text is known.
        if relation == .member, reach == .direct {
            try transaction.connection.forEach(RoleStatements.directUsers, page, add)
        } else {
            try transaction.connection.forEach(
                dynamic: RoleStatements.userPage(RoleStatements.users(relation, reach)), page
            ) {
                row in
                try add(row)
                return true
            }
        }
        if presentsLater { try transaction.users.present(&users, selection) }
        return users
    }

    /// How many users are members or owners of a role.
    package func userCount(of role: RoleReference, _ relation: RoleRelation, _ reach: Reach) throws -> Int {
        if relation == .owner, transaction.narrowView != nil { return 0 }
        var count = 0
        try transaction.connection.forEach(
            dynamic: RoleStatements.count(RoleStatements.users(relation, reach)),
            [.integer(stored(role).id.rawValue)]
        ) { row in
            count = Int(row.integer(0))
            return false
        }
        return count
    }

    /// The roles that a user is a member of, and whether directly.
    package func memberships(of user: UserID) throws -> [(role: Role, isDirect: Bool)] {
        let selection = try Selection(.usual, of: .role, transaction.vocabulary)
        let isNested = try transaction.connection.first(RoleStatements.isAnyNested, [], { _ in true }) == true
        transaction.core.noteNestedRoles(isNested)
        let visible = try transaction.access.visibleRoles()
        return try transaction.connection.all(RoleStatements.memberships(nested: isNested), [.integer(user.rawValue)]) {
            row in
            var role = try Role(row, view: transaction.view)
            try present(&role, selection)
            return (role, row.integer(6) == 1)
        }.filter { visible?.contains($0.role.id) ?? true }
    }

    /// The roles of a user or a role, or the roles in a role.
    package func roles(
        _ question: RoleQuestion, _ relation: RoleRelation, _ reach: Reach, limit: Int?, after last: RoleID?
    )
        throws
        -> [Role]
    {
        try transaction.lines.checkPage(limit)
        var ids: String
        let id: Int64
        switch question {
        case .inside(let role):
            id = try stored(role).id.rawValue
            ids = RoleStatements.subroles(relation, reach)
        case .having(.user(let user)):
            id = try transaction.users.id(of: user).rawValue
            ids = RoleStatements.rolesOfUser(relation, reach)
        case .having(.role(let role)):
            id = try stored(role).id.rawValue
            ids = RoleStatements.rolesOfRole(relation, reach)
        }
        if let narrowView = transaction.narrowView {
            guard relation == .member, narrowView.showsRoles else { return [] }
            if let role = narrowView.role { ids = RoleStatements.both(ids, RoleStatements.inside(role)) }
        }
        let selection = try Selection(.usual, of: .role, transaction.vocabulary)
        let page: [Binding] = [.integer(id), .integer(last?.rawValue ?? 0), .integer(Int64(limit ?? .max))]
        var roles: [Role] = []
        func add(_ row: borrowing Row) throws {
            var role = try Role(row, view: transaction.view)
            try present(&role, selection)
            roles.append(role)
        }
        if case .inside = question, relation == .member, reach == .direct {
            try transaction.connection.forEach(RoleStatements.directRoles, page, add)
        } else {
            try transaction.connection.forEach(dynamic: RoleStatements.rolePage(ids), page) { row in
                try add(row)
                return true
            }
        }
        return roles
    }
}
