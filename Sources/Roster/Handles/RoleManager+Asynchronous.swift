public import Dispatch

/// Oracle Mobile and Social SDK's asynchronous operations on roles. `UserManager`'s documentation explains the delivery
/// of results.
extension RoleManager {
    /// `getAsynchronouslyRoleByName:`.
    @discardableResult
    public func roleAsynchronously(
        _ name: String, deliveringOn queue: DispatchQueue = .main, completion: Completion<Role>? = nil
    ) -> AsyncOperationHandle<Role> {
        AsyncOperationHandle(queue, completion ?? delegate?.receiving(from: .roles(self))) { try await role(name) }
    }

    /// `createAsynchronouslyRoleWithAttributes:`; `name` is among the attributes.
    @discardableResult
    public func createAsynchronously(
        attributes: AttributeSet, deliveringOn queue: DispatchQueue = .main, completion: Completion<Void>? = nil
    ) -> AsyncOperationHandle<Void> {
        AsyncOperationHandle(queue, completion ?? delegate?.finishing(by: .roles(self))) {
            _ = try await create(attributes: attributes)
        }
    }

    /// `createAsynchronouslyRoleWithAttributes:withValues:`: attributes and values as parallel lists.
    @discardableResult
    public func createAsynchronously(
        attributes: [AttributeName], values: [AttributeValue], deliveringOn queue: DispatchQueue = .main,
        completion: Completion<Void>? = nil
    ) -> AsyncOperationHandle<Void> {
        AsyncOperationHandle(queue, completion ?? delegate?.finishing(by: .roles(self))) {
            _ = try await create(attributes: AttributeSet(names: attributes, values: values))
        }
    }

    /// `modifyAsynchronouslyRole:attributes:`.
    @discardableResult
    public func modifyAsynchronously(
        _ role: RoleReference, attributes: AttributeSet, deliveringOn queue: DispatchQueue = .main,
        completion: Completion<Void>? = nil
    ) -> AsyncOperationHandle<Void> {
        AsyncOperationHandle(queue, completion ?? delegate?.finishing(by: .roles(self))) {
            _ = try await modify(role, attributes: attributes)
        }
    }

    /// `modifyAsynchronouslyRole:attributes:values:`: attributes and values as parallel lists.
    @discardableResult
    public func modifyAsynchronously(
        _ role: RoleReference, attributes: [AttributeName], values: [AttributeValue],
        deliveringOn queue: DispatchQueue = .main, completion: Completion<Void>? = nil
    ) -> AsyncOperationHandle<Void> {
        AsyncOperationHandle(queue, completion ?? delegate?.finishing(by: .roles(self))) {
            _ = try await modify(role, attributes: AttributeSet(names: attributes, values: values))
        }
    }

    /// `deleteAsynchronouslyRoleByName:`.
    @discardableResult
    public func deleteAsynchronously(
        _ role: RoleReference, deliveringOn queue: DispatchQueue = .main, completion: Completion<Void>? = nil
    ) -> AsyncOperationHandle<Void> {
        AsyncOperationHandle(queue, completion ?? delegate?.finishing(by: .roles(self))) { try await delete(role) }
    }

    /// `getAsynchronouslyUserInfo:fromRole:`.
    @discardableResult
    public func memberAsynchronously(
        _ user: UserReference, of role: RoleReference, attributes: AttributeSelection = .usual,
        deliveringOn queue: DispatchQueue = .main, completion: Completion<User>? = nil
    ) -> AsyncOperationHandle<User> {
        AsyncOperationHandle(queue, completion ?? delegate?.receiving(from: .roles(self))) {
            try await member(user, of: role, attributes: attributes)
        }
    }

    /// `addUserAsynchronouslyToRole:withAttributes:`, with the member in place of the attributes.
    @discardableResult
    public func addAsynchronously(
        _ user: UserReference, to role: RoleReference, deliveringOn queue: DispatchQueue = .main,
        completion: Completion<Void>? = nil
    ) -> AsyncOperationHandle<Void> {
        AsyncOperationHandle(queue, completion ?? delegate?.finishing(by: .roles(self))) {
            try await add([.user(user)], to: role, as: .member)
        }
    }

    /// `deleteAsynchronouslyMember:fromRole:`.
    @discardableResult
    public func removeAsynchronously(
        _ user: UserReference, from role: RoleReference, deliveringOn queue: DispatchQueue = .main,
        completion: Completion<Void>? = nil
    ) -> AsyncOperationHandle<Void> {
        AsyncOperationHandle(queue, completion ?? delegate?.finishing(by: .roles(self))) {
            try await remove([.user(user)], from: role, as: .member)
        }
    }
}

extension Role {
    /// `getRoleMembersAsynchronously`.
    @discardableResult
    public func membersAsynchronously(
        deliveringOn queue: DispatchQueue = .main, completion: @escaping Completion<[User]>
    ) -> AsyncOperationHandle<[User]> {
        AsyncOperationHandle(queue, completion) { try await members() }
    }
}

extension AttributeSet {
    /// Pairs names with values.
    init(names: [AttributeName], values: [AttributeValue]) throws {
        guard names.count == values.count else {
            throw DirectoryError(
                .invalidAttribute, "\(names.count) attributes were given \(values.count) values.",
                advice: "Give one value for each attribute.")
        }
        self.init()
        for (name, value) in zip(names, values) { self[name] = value }
    }
}
