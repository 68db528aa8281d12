public import Dispatch

/// Oracle Mobile and Social SDK's asynchronous operations on users. Each call returns its handle at once, and delivers
/// the result on the given queue: to the completion, or without one to the ``UserManager/delegate`` of the manager. Users and roles have a
/// delegate as well.
extension UserManager {
    /// `searchUsersAsynchronouslyWithFilter:isSimpleSearch:attributesToBeFetched:pageSize:pagePosition:`; see
    /// `search(_:isSimpleSearch:attributes:pageSize:pagePosition:prefetch:)`.
    @discardableResult
    public func searchAsynchronously(
        _ filter: [String: String], isSimpleSearch: Bool, attributes: AttributeSelection = .usual, pageSize: Int,
        pagePosition: Int, prefetch: Prefetch = [], deliveringOn queue: DispatchQueue = .main,
        delegate: (any EntityDelegate)? = nil, completion: Completion<[User]>? = nil
    ) -> AsyncOperationHandle<[User]> {
        AsyncOperationHandle(queue, completion ?? (delegate ?? self.delegate)?.receiving(from: .users(self))) {
            try await search(
                filter, isSimpleSearch: isSimpleSearch, attributes: attributes, pageSize: pageSize,
                pagePosition: pagePosition, prefetch: prefetch)
        }
    }

    /// Searches with the library's own filters; see `search(_:)`.
    @discardableResult
    public func searchAsynchronously(
        _ search: Search, deliveringOn queue: DispatchQueue = .main, delegate: (any EntityDelegate)? = nil,
        completion: Completion<Page<User>>? = nil
    ) -> AsyncOperationHandle<Page<User>> {
        AsyncOperationHandle(queue, completion ?? (delegate ?? self.delegate)?.receiving(from: .users(self))) {
            try await self.search(search)
        }
    }

    /// Finds people by words; see `matching(_:attributes:limit:)`.
    @discardableResult
    public func matchingAsynchronously(
        _ text: String, attributes: AttributeSelection = .usual, limit: Int = 20,
        deliveringOn queue: DispatchQueue = .main, completion: @escaping Completion<[UserMatch]>
    ) -> AsyncOperationHandle<[UserMatch]> {
        AsyncOperationHandle(queue, completion) { try await matching(text, attributes: attributes, limit: limit) }
    }

    /// `searchAsynchronouslyUser:attributes:shouldPreFetch:` and `searchUserAsynchronously:attributes:shouldPreFetch:error:`.
    @discardableResult
    public func userAsynchronously(
        _ user: some UserReferenceConvertible, attributes: AttributeSelection = .usual, prefetch: Prefetch = [],
        deliveringOn queue: DispatchQueue = .main, delegate: (any EntityDelegate)? = nil,
        completion: Completion<User>? = nil
    ) -> AsyncOperationHandle<User> {
        AsyncOperationHandle(queue, completion ?? (delegate ?? self.delegate)?.receiving(from: .users(self))) {
            try await self.user(user, attributes: attributes, prefetch: prefetch)
        }
    }

    /// Whether a user is below another one; see `isBelow(_:_:)`.
    @discardableResult
    public func isBelowAsynchronously(
        _ user: some UserReferenceConvertible, _ manager: some UserReferenceConvertible,
        deliveringOn queue: DispatchQueue = .main,
        completion: @escaping Completion<Bool>
    ) -> AsyncOperationHandle<Bool> {
        AsyncOperationHandle(queue, completion) { try await isBelow(user, manager) }
    }

    /// `createUserAsynchronouslyWithAttributes:`; `uid` is among the attributes.
    @discardableResult
    public func createAsynchronously(
        attributes: AttributeSet, deliveringOn queue: DispatchQueue = .main, delegate: (any EntityDelegate)? = nil,
        completion: Completion<Void>? = nil
    ) -> AsyncOperationHandle<Void> {
        AsyncOperationHandle(queue, completion ?? (delegate ?? self.delegate)?.finishing(by: .users(self))) {
            _ = try await create(attributes: attributes)
        }
    }

    /// `modifyAsynchronouslyUser:attributes:`.
    @discardableResult
    public func modifyAsynchronously(
        _ user: some UserReferenceConvertible, attributes: AttributeSet, deliveringOn queue: DispatchQueue = .main,
        delegate: (any EntityDelegate)? = nil, completion: Completion<Void>? = nil
    ) -> AsyncOperationHandle<Void> {
        AsyncOperationHandle(queue, completion ?? (delegate ?? self.delegate)?.finishing(by: .users(self))) {
            _ = try await modify(user, attributes: attributes)
        }
    }

    /// `deleteAsynchronouslyUser:`.
    @discardableResult
    public func deleteAsynchronously(
        _ user: some UserReferenceConvertible, reportees: ReporteePolicy = .refuse,
        deliveringOn queue: DispatchQueue = .main,
        delegate: (any EntityDelegate)? = nil, completion: Completion<Void>? = nil
    ) -> AsyncOperationHandle<Void> {
        AsyncOperationHandle(queue, completion ?? (delegate ?? self.delegate)?.finishing(by: .users(self))) {
            try await delete(user, reportees: reportees)
        }
    }
}

extension User {
    /// `getManagerAsynchronously`.
    @discardableResult
    public func managerAsynchronously(
        deliveringOn queue: DispatchQueue = .main, delegate: (any EntityDelegate)? = nil,
        completion: Completion<User?>? = nil
    ) -> AsyncOperationHandle<User?> {
        AsyncOperationHandle(queue, completion ?? (delegate ?? self.delegate)?.receiving(from: .user(self))) {
            try await manager()
        }
    }

    /// `getReporteesAsynchronouslyWithAttributes:`.
    @discardableResult
    public func reporteesAsynchronously(
        attributes: AttributeSelection = .usual, deliveringOn queue: DispatchQueue = .main,
        delegate: (any EntityDelegate)? = nil,
        completion: Completion<[User]>? = nil
    ) -> AsyncOperationHandle<[User]> {
        AsyncOperationHandle(queue, completion ?? (delegate ?? self.delegate)?.receiving(from: .user(self))) {
            try await reportees(attributes: attributes)
        }
    }

    /// `getAttributeAsynchronously:`.
    @discardableResult
    public func attributeAsynchronously(
        _ name: AttributeName, deliveringOn queue: DispatchQueue = .main,
        delegate: (any EntityDelegate)? = nil,
        completion: Completion<AttributeValue?>? = nil
    ) -> AsyncOperationHandle<AttributeValue?> {
        AsyncOperationHandle(queue, completion ?? (delegate ?? self.delegate)?.receiving(from: .user(self))) {
            try await attribute(name)
        }
    }
}
