public import Dispatch

/// Oracle Mobile and Social SDK's asynchronous operations on users. Each call returns its handle at once, and delivers
/// the result on the given queue. ``EntityDelegate/receiving(_:)`` and ``EntityDelegate/finishing()`` make completions
/// for a delegate.
extension UserManager {
    /// `searchUsersAsynchronouslyWithFilter:isSimpleSearch:attributesToBeFetched:pageSize:pagePosition:`; see
    /// ``search(_:isSimpleSearch:attributes:pageSize:pagePosition:prefetch:)``.
    @discardableResult
    public func searchAsynchronously(
        _ filter: [String: String], isSimpleSearch: Bool, attributes: [AttributeName] = [], pageSize: Int,
        pagePosition: Int, deliveringOn queue: DispatchQueue = .main, completion: @escaping Completion<[User]>
    ) -> AsyncOperationHandle<[User]> {
        AsyncOperationHandle(
            deliveringOn: queue,
            operation: {
                try await search(
                    filter, isSimpleSearch: isSimpleSearch, attributes: attributes, pageSize: pageSize,
                    pagePosition: pagePosition)
            }, completion: completion)
    }

    /// Searches with the library's own filters; see ``search(_:)``.
    @discardableResult
    public func searchAsynchronously(
        _ search: Search, deliveringOn queue: DispatchQueue = .main, completion: @escaping Completion<Page<User>>
    ) -> AsyncOperationHandle<Page<User>> {
        AsyncOperationHandle(deliveringOn: queue, operation: { try await self.search(search) }, completion: completion)
    }

    /// `searchAsynchronouslyUser:attributes:shouldPreFetch:` and `searchUserAsynchronously:attributes:shouldPreFetch:error:`.
    @discardableResult
    public func userAsynchronously(
        _ user: UserReference, attributes: [AttributeName] = [], prefetch: Prefetch = [],
        deliveringOn queue: DispatchQueue = .main, completion: @escaping Completion<User>
    ) -> AsyncOperationHandle<User> {
        AsyncOperationHandle(
            deliveringOn: queue,
            operation: { try await self.user(user, attributes: attributes, prefetch: prefetch) },
            completion: completion)
    }

    /// `createUserAsynchronouslyWithAttributes:`; `uid` is among the attributes.
    @discardableResult
    public func createAsynchronously(
        attributes: AttributeSet, deliveringOn queue: DispatchQueue = .main, completion: @escaping Completion<Void>
    ) -> AsyncOperationHandle<Void> {
        AsyncOperationHandle(
            deliveringOn: queue, operation: { _ = try await create(attributes: attributes) }, completion: completion)
    }

    /// `modifyAsynchronouslyUser:attributes:`.
    @discardableResult
    public func modifyAsynchronously(
        _ user: UserReference, attributes: AttributeSet, deliveringOn queue: DispatchQueue = .main,
        completion: @escaping Completion<Void>
    ) -> AsyncOperationHandle<Void> {
        AsyncOperationHandle(
            deliveringOn: queue, operation: { _ = try await modify(user, attributes: attributes) },
            completion: completion)
    }

    /// `deleteAsynchronouslyUser:`.
    @discardableResult
    public func deleteAsynchronously(
        _ user: UserReference, reportees: ReporteePolicy = .refuse, deliveringOn queue: DispatchQueue = .main,
        completion: @escaping Completion<Void>
    ) -> AsyncOperationHandle<Void> {
        AsyncOperationHandle(
            deliveringOn: queue, operation: { try await delete(user, reportees: reportees) }, completion: completion)
    }
}

extension User {
    /// `getManagerAsynchronously`.
    @discardableResult
    public func managerAsynchronously(
        deliveringOn queue: DispatchQueue = .main, completion: @escaping Completion<User?>
    ) -> AsyncOperationHandle<User?> {
        AsyncOperationHandle(deliveringOn: queue, operation: { try await manager() }, completion: completion)
    }

    /// `getReporteesAsynchronouslyWithAttributes:`.
    @discardableResult
    public func reporteesAsynchronously(
        attributes: [AttributeName] = [], deliveringOn queue: DispatchQueue = .main,
        completion: @escaping Completion<[User]>
    ) -> AsyncOperationHandle<[User]> {
        AsyncOperationHandle(
            deliveringOn: queue, operation: { try await reportees(attributes: attributes) }, completion: completion)
    }

    /// `getAttributeAsynchronously:`.
    @discardableResult
    public func attributeAsynchronously(
        _ name: AttributeName, deliveringOn queue: DispatchQueue = .main,
        completion: @escaping Completion<AttributeValue?>
    ) -> AsyncOperationHandle<AttributeValue?> {
        AsyncOperationHandle(deliveringOn: queue, operation: { try await attribute(name) }, completion: completion)
    }
}
