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

extension Transaction {
    /// Whether the caller may do an action. A refusal of the caller is the answer false.
    package func isAllowed(_ action: DirectoryAction) throws -> Bool {
        do {
            return try may(action)
        } catch let error as DirectoryError where error.isRefusal {
            return false
        }
    }

    /// Whether the caller may do an action. Many checks throw a refusal instead of returning false.
    func may(_ action: DirectoryAction) throws -> Bool {
        switch action {
        case .read(let name, let user):
            let definition = try definition(of: name, for: .user)
            guard let user = try find(user, isListed: true) else { throw noSuch(user) }
            return vocabulary.shows(definition.name, to: try rights.readers(of: user, in: self))
        case .write(let name, let user):
            let definition = try definition(of: name, for: .user)
            try rights.checkWriting([definition], of: id(of: user), in: self)
            if definition.name == .password { try checkPresence(to: "set passwords") }
            return !definition.isMaintained
        case .createUsers: try checkCreating()
        case .delete(let user): _ = try userToDelete(user)
        case .resetSignIn(let user):
            try checkHelping(id(of: user), to: "help others to sign in")
            try checkPresence(to: "help others to sign in")
        case .readRole(let name, let role):
            let definition = try definition(of: name, for: .role)
            _ = try storedRole(role)
            return vocabulary.shows(definition.name, for: .role, to: rights.readersOfRoles)
        case .change(let role): _ = try roleToChange(role, to: "change the role", ifVersion: nil)
        case .changeMembers(let role):
            _ = try roleToChange(role, to: "change who belongs to a role", ifVersion: nil, isOfOwners: true)
        case .createRoles: try checkCreatingRoles()
        case .administer: try rights.checkAdministrator(to: "administer the directory")
        }
        return true
    }

    private func definition(
        of name: AttributeName, for entity: AttributeDefinition.Entity
    ) throws -> AttributeDefinition {
        guard let definition = vocabulary.definition(of: name, for: entity) else {
            throw DirectoryError.unknownAttribute(name, of: entity)
        }
        return definition
    }
}
