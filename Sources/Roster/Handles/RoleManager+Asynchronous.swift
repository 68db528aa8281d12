public import Dispatch

/// Oracle Mobile and Social SDK's asynchronous operations on roles. `UserManager`'s documentation explains the delivery
/// of results.
extension RoleManager {
    /// `getAsynchronouslyRoleByName:`.
    @discardableResult
    public func roleAsynchronously(
        _ role: some RoleReferenceConvertible, deliveringOn queue: DispatchQueue = .main,
        delegate: (any EntityDelegate)? = nil, completion: Completion<Role>? = nil
    ) -> AsyncOperationHandle<Role> {
        AsyncOperationHandle(queue, completion ?? (delegate ?? self.delegate)?.receiving(from: .roles(self))) {
            try await self.role(role)
        }
    }

    /// Whether a user is a member of a role; see `contains(_:_:reach:)`.
    @discardableResult
    public func containsAsynchronously(
        _ role: some RoleReferenceConvertible, _ user: some UserReferenceConvertible, reach: Reach = .effective,
        deliveringOn queue: DispatchQueue = .main, completion: @escaping Completion<Bool>
    ) -> AsyncOperationHandle<Bool> {
        AsyncOperationHandle(queue, completion) { try await contains(role, user, reach: reach) }
    }

    /// `createAsynchronouslyRoleWithAttributes:`; `name` is among the attributes.
    @discardableResult
    public func createAsynchronously(
        attributes: AttributeSet, deliveringOn queue: DispatchQueue = .main, delegate: (any EntityDelegate)? = nil,
        completion: Completion<Void>? = nil
    ) -> AsyncOperationHandle<Void> {
        AsyncOperationHandle(queue, completion ?? (delegate ?? self.delegate)?.finishing(by: .roles(self))) {
            _ = try await create(attributes: attributes)
        }
    }

    /// `createAsynchronouslyRoleWithAttributes:withValues:`: attributes and values as parallel lists.
    @discardableResult
    public func createAsynchronously(
        attributes: [AttributeName], values: [AttributeValue], deliveringOn queue: DispatchQueue = .main,
        delegate: (any EntityDelegate)? = nil, completion: Completion<Void>? = nil
    ) -> AsyncOperationHandle<Void> {
        AsyncOperationHandle(queue, completion ?? (delegate ?? self.delegate)?.finishing(by: .roles(self))) {
            _ = try await create(attributes: AttributeSet(names: attributes, values: values))
        }
    }

    /// `modifyAsynchronouslyRole:attributes:`.
    @discardableResult
    public func modifyAsynchronously(
        _ role: some RoleReferenceConvertible, attributes: AttributeSet, deliveringOn queue: DispatchQueue = .main,
        delegate: (any EntityDelegate)? = nil, completion: Completion<Void>? = nil
    ) -> AsyncOperationHandle<Void> {
        AsyncOperationHandle(queue, completion ?? (delegate ?? self.delegate)?.finishing(by: .roles(self))) {
            _ = try await modify(role, attributes: attributes)
        }
    }

    /// `modifyAsynchronouslyRole:attributes:values:`: attributes and values as parallel lists.
    @discardableResult
    public func modifyAsynchronously(
        _ role: some RoleReferenceConvertible, attributes: [AttributeName], values: [AttributeValue],
        deliveringOn queue: DispatchQueue = .main, delegate: (any EntityDelegate)? = nil,
        completion: Completion<Void>? = nil
    ) -> AsyncOperationHandle<Void> {
        AsyncOperationHandle(queue, completion ?? (delegate ?? self.delegate)?.finishing(by: .roles(self))) {
            _ = try await modify(role, attributes: AttributeSet(names: attributes, values: values))
        }
    }

    /// `deleteAsynchronouslyRoleByName:`.
    @discardableResult
    public func deleteAsynchronously(
        _ role: some RoleReferenceConvertible, deliveringOn queue: DispatchQueue = .main,
        delegate: (any EntityDelegate)? = nil, completion: Completion<Void>? = nil
    ) -> AsyncOperationHandle<Void> {
        AsyncOperationHandle(queue, completion ?? (delegate ?? self.delegate)?.finishing(by: .roles(self))) {
            try await delete(role)
        }
    }

    /// `getAsynchronouslyUserInfo:fromRole:`.
    @discardableResult
    public func memberAsynchronously(
        _ user: some UserReferenceConvertible, of role: some RoleReferenceConvertible,
        attributes: AttributeSelection = .usual,
        deliveringOn queue: DispatchQueue = .main, delegate: (any EntityDelegate)? = nil,
        completion: Completion<User>? = nil
    ) -> AsyncOperationHandle<User> {
        AsyncOperationHandle(queue, completion ?? (delegate ?? self.delegate)?.receiving(from: .roles(self))) {
            try await member(user, of: role, attributes: attributes)
        }
    }

    /// `addUserAsynchronouslyToRole:withAttributes:`, with the member in place of the attributes.
    @discardableResult
    public func addAsynchronously(
        _ user: some UserReferenceConvertible, to role: some RoleReferenceConvertible,
        deliveringOn queue: DispatchQueue = .main,
        delegate: (any EntityDelegate)? = nil, completion: Completion<Void>? = nil
    ) -> AsyncOperationHandle<Void> {
        AsyncOperationHandle(queue, completion ?? (delegate ?? self.delegate)?.finishing(by: .roles(self))) {
            try await add([.user(user)], to: role, as: .member)
        }
    }

    /// `deleteAsynchronouslyMember:fromRole:`.
    @discardableResult
    public func removeAsynchronously(
        _ user: some UserReferenceConvertible, from role: some RoleReferenceConvertible,
        deliveringOn queue: DispatchQueue = .main,
        delegate: (any EntityDelegate)? = nil, completion: Completion<Void>? = nil
    ) -> AsyncOperationHandle<Void> {
        AsyncOperationHandle(queue, completion ?? (delegate ?? self.delegate)?.finishing(by: .roles(self))) {
            try await remove([.user(user)], from: role, as: .member)
        }
    }
}

extension Role {
    /// `getRoleMembersAsynchronously`.
    @discardableResult
    public func membersAsynchronously(
        deliveringOn queue: DispatchQueue = .main, delegate: (any EntityDelegate)? = nil,
        completion: Completion<[User]>? = nil
    ) -> AsyncOperationHandle<[User]> {
        AsyncOperationHandle(queue, completion ?? (delegate ?? self.delegate)?.receiving(from: .role(self))) {
            try await members()
        }
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
