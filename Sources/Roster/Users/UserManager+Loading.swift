import Foundation
import RosterStore

extension UserManager {
    /// Creates many users in one transaction: all of them or, on an error, none.
    ///
    /// Whoever manages others in `people` must come before them. Into an empty directory this is many times faster
    /// than one by one, since the indexes are made at the end.
    ///
    /// - Parameters:
    ///   - people: The users to create. It is gone through once, or again where another change of the same commit was
    ///     interrupted; memory does not grow with its length. The sequence cannot call the directory that it is loaded
    ///     into: a change, and in memory any call, throws `reentrantCall`.
    ///   - progress: Called now and then with the number of users that are done. It cannot call the directory either.
    /// - Returns: How many were created.
    /// - Throws: What ``create(_:attributes:manager:isActive:)-(String,_,_,_)`` throws.
    @discardableResult
    public func load(
        _ people: some Sequence<NewUser> & Sendable, progress: (@Sendable (Int) -> Void)? = nil
    ) throws -> Int {
        try view.write { try $0.load(people, progress) }
    }

    /// Creates many users in one transaction, as the synchronous form does.
    @discardableResult
    public func load(
        _ people: some Sequence<NewUser> & Sendable, progress: (@Sendable (Int) -> Void)? = nil
    ) async throws -> Int {
        try await view.awaitWrite { try $0.load(people, progress) }
    }
}

extension Transaction {
    func load(_ people: some Sequence<NewUser> & Sendable, _ progress: (@Sendable (Int) -> Void)?) throws -> Int {
        try rights.checkProvisioning(to: "create users")
        let vocabulary = vocabulary
        let preparation = Preparation(people) { try PreparedUser($0, vocabulary) }
        defer { preparation.stop() }
        var loading = try UserLoading(self)
        defer { loading.end() }
        var count = 0
        while let chunk = try preparation.next(on: connection) {
            if chunk.count >= Preparation<PreparedUser>.chunkSize { try loading.prepareForMany() }
            for user in chunk {
                let manager = try user.manager.map { try loading.managerID($0, of: user.name.text) }
                _ = try loading.insert(user, manager: manager)
            }
            try loading.flush()
            count += chunk.count
            progress?(count)
        }
        try loading.finish()
        return count
    }
}
