import RosterStore

/// An action that a caller may or may not do: the question to `DirectoryView.may(_:)`.
public enum DirectoryAction: Sendable, Hashable, Codable {
    /// Reading an attribute of a user. Single elements of a list such as `phoneNumbers` can have fewer readers than the list.
    case read(AttributeName, of: UserReference)
    /// Changing an attribute of a user: `uid` renames, `manager` sets the reporting line, `active` disables the account. The
    /// answer does not depend on the new value, which can be refused for other reasons.
    case write(AttributeName, of: UserReference)
    /// Creating users.
    case createUsers
    /// Deleting a user.
    case delete(UserReference)
    /// Helping a user to sign in again: removing the second factor, and ending the sessions and the grants of apps.
    case resetSignIn(of: UserReference)
    /// Reading an attribute of a role.
    case readRole(AttributeName, of: RoleReference)
    /// Changing a role: its attributes, its members and its owners, and deleting it.
    case change(RoleReference)
    /// Adding members to a role and removing them, which the owners of the role may do.
    case changeMembers(of: RoleReference)
    /// Creating roles.
    case createRoles
    /// Administering the directory, which only administrators may do: setting the powers of roles, declaring attributes and
    /// setting their readers and writers, importing, exporting, erasing, and setting the retention of the change feed.
    case administer
}

/// The actions on a user or a role that is given by a name, by an identifier or as it was read before.
extension DirectoryAction {
    /// Reading an attribute of a user.
    @_disfavoredOverload
    public static func read(_ name: AttributeName, of user: some UserReferenceConvertible) -> DirectoryAction {
        .read(name, of: user.userReference)
    }
    /// Changing an attribute of a user.
    @_disfavoredOverload
    public static func write(_ name: AttributeName, of user: some UserReferenceConvertible) -> DirectoryAction {
        .write(name, of: user.userReference)
    }
    /// Deleting a user.
    @_disfavoredOverload
    public static func delete(_ user: some UserReferenceConvertible) -> DirectoryAction {
        .delete(user.userReference)
    }
    /// Helping a user to sign in again.
    @_disfavoredOverload
    public static func resetSignIn(of user: some UserReferenceConvertible) -> DirectoryAction {
        .resetSignIn(of: user.userReference)
    }
    /// Reading an attribute of a role.
    @_disfavoredOverload
    public static func readRole(_ name: AttributeName, of role: some RoleReferenceConvertible) -> DirectoryAction {
        .readRole(name, of: role.roleReference)
    }
    /// Changing a role.
    @_disfavoredOverload
    public static func change(_ role: some RoleReferenceConvertible) -> DirectoryAction {
        .change(role.roleReference)
    }
    /// Adding members to a role and removing them.
    @_disfavoredOverload
    public static func changeMembers(of role: some RoleReferenceConvertible) -> DirectoryAction {
        .changeMembers(of: role.roleReference)
    }
}

extension DirectoryView {
    /// Whether the caller may do an action now, for example to grey out a button. The action itself makes the same checks.
    ///
    /// ```swift
    /// if try view.may(.write(.title, of: "ada")) { … }
    /// ```
    ///
    /// A caller who may not use the directory, such as a disabled user, may do nothing.
    ///
    /// - Throws: `notFound` if there is no such user or role; `invalidAttribute` if there is no such attribute.
    /// - Complexity: Some microseconds.
    public func may(_ action: DirectoryAction) throws -> Bool {
        do {
            return try read(MayDo(action: action))
        } catch let error as DirectoryError where error.isRefusal {
            return false
        }
    }

    /// Whether the caller may do an action now, as the synchronous form does.
    public func may(_ action: DirectoryAction) async throws -> Bool {
        do {
            return try await read(MayDo(action: action))
        } catch let error as DirectoryError where error.isRefusal {
            return false
        }
    }
}

extension DirectoryError {
    /// Whether the error says that the caller may not do an action.
    fileprivate var isRefusal: Bool {
        switch code.kind {
        case .notPermitted, .recentSignInRequired, .appNotPermitted: true
        default: false
        }
    }
}

extension TransactionAccess {
    /// Whether the caller may do an action. A refusal of the caller is the answer false.
    package func isAllowed(_ action: DirectoryAction) throws -> Bool {
        do {
            return try may(action)
        } catch let error as DirectoryError where error.isRefusal {
            return false
        }
    }

    /// Whether the caller may read and write each attribute of a user. Asks the directory once for all attributes of a kind, so that a
    /// form costs the same statements however many attributes there are.
    package func rights(
        to definitions: [AttributeDefinition], of user: User
    ) throws -> [(isReadable: Bool, isWritable: Bool)] {
        let group = try transaction.rights.readers(of: user, in: transaction)
        var answers: [WritingKind: Bool] = [:]
        return try definitions.map { definition in
            let isReadable = transaction.vocabulary.shows(definition.name, to: group)
            guard !definition.isMaintained, transaction.rights.isWriter(definition, of: user.id) else {
                return (isReadable, false)
            }
            let kind = WritingKind(definition.name)
            if let answer = answers[kind] { return (isReadable, answer) }
            let answer = try isAllowed(.write(definition.name, of: .id(user.id)))
            answers[kind] = answer
            return (isReadable, answer)
        }
    }

    /// The attributes whose writing is checked alike, apart from their own writers.
    private enum WritingKind {
        case usual
        case active
        case signIn
        case password

        init(_ name: AttributeName) {
            self =
                switch name {
                case .password: .password
                case "active": .active
                default: Rights.isForSigningIn(name) ? .signIn : .usual
                }
        }
    }

    /// Whether the caller may do an action. Many checks throw a refusal instead of returning false.
    func may(_ action: DirectoryAction) throws -> Bool {
        switch action {
        case .read(let name, let user):
            let definition = try definition(of: name, for: .user)
            guard let user = try transaction.users.find(user, isListed: true) else {
                throw transaction.users.noSuch(user)
            }
            return transaction.vocabulary.shows(
                definition.name, to: try transaction.rights.readers(of: user, in: transaction))
        case .write(let name, let user):
            let definition = try definition(of: name, for: .user)
            try transaction.rights.checkWriting([definition], of: transaction.users.id(of: user), in: transaction)
            if definition.name == .password { try checkPresence(to: "set passwords") }
            return !definition.isMaintained
        case .createUsers: _ = try transaction.asEditor(to: "create users")
        case .delete(let user): _ = try transaction.asEditor(to: "delete users").users.userToDelete(user)
        case .resetSignIn(let user):
            try transaction.checkHelping(transaction.users.id(of: user), to: "help others to sign in")
            try checkPresence(to: "help others to sign in")
        case .readRole(let name, let role):
            let definition = try definition(of: name, for: .role)
            _ = try transaction.roles.stored(role)
            return transaction.vocabulary.shows(definition.name, for: .role, to: transaction.rights.readersOfRoles)
        case .change(let role):
            _ = try transaction.asProvisioning(to: "change the role").roles.roleToChange(role, ifVersion: nil)
        case .changeMembers(let role):
            _ = try transaction.asRoleOwner(of: role, changing: .member)
        case .createRoles: _ = try transaction.asProvisioning(to: "create roles")
        case .administer: _ = try transaction.asAdministrator(to: "administer the directory")
        }
        return true
    }

    private func definition(
        of name: AttributeName, for entity: AttributeDefinition.Entity
    ) throws -> AttributeDefinition {
        guard let definition = transaction.vocabulary.definition(of: name, for: entity) else {
            throw transaction.vocabulary.unknownAttribute(name, of: entity)
        }
        return definition
    }
}
