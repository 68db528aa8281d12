import Foundation
import RosterStore
import RosterText

/// The users of a transaction.
package struct TransactionUsers {
    package let transaction: Transaction

    /// Resolves a reference to an identifier.
    package func id(of user: UserReference) throws -> UserID {
        if let id = try findID(of: user) { return id }
        throw noSuch(user)
    }

    func noSuch(_ user: UserReference) -> DirectoryError {
        DirectoryError(.notFound, "There is no user \(user).", advice: "Check the spelling, or search.")
    }

    /// The identifier that a reference represents; nil if there is no such user, or the caller does not see the user.
    func findID(of user: UserReference) throws -> UserID? {
        guard let id = try storedID(of: user), try transaction.access.sees(id) else { return nil }
        return id
    }

    private func storedID(of user: UserReference) throws -> UserID? {
        switch user {
        case .id(let id):
            return try transaction.connection.first(UserStatements.isActive, [.integer(id.rawValue)]) { _ in id }
        case .named(let name):
            return try transaction.connection.first(UserStatements.idByName, text: TextKey.of(name)) {
                UserID(rawValue: $0.integer(0))
            }
        case .either(let text):
            return try UserID(text).flatMap { try storedID(of: .id($0)) } ?? storedID(of: .named(text))
        }
    }

    /// Reads a user with all stored attributes. Returns nil for a user who does not exist, or whom the caller does not see.
    ///
    /// - Parameter isListed: Whether the user is an element of a list, whose attributes are decoded on first access.
    @inline(__always)
    func find(_ user: UserReference, isListed: Bool = false) throws -> User? {
        guard let found = try findStored(user, isListed), try transaction.access.sees(found.id) else { return nil }
        return found
    }

    @inline(__always)
    private func findStored(_ user: UserReference, _ isListed: Bool) throws -> User? {
        switch user {
        case .id(let id): try findByID(id, isListed)
        case .named(let name): try findByName(name, isListed)
        case .either(let text): try UserID(text).flatMap { try findByID($0, isListed) } ?? findByName(text, isListed)
        }
    }

    @inline(__always)
    private func findByID(_ id: UserID, _ isListed: Bool) throws -> User? {
        try transaction.connection.first(UserStatements.byID, [.integer(id.rawValue)]) { try decoded($0, isListed) }
    }

    @inline(__always)
    private func findByName(_ name: String, _ isListed: Bool) throws -> User? {
        try transaction.connection.first(UserStatements.byName, text: TextKey.of(name)) { try decoded($0, isListed) }
    }

    @inline(__always)
    private func decoded(_ row: borrowing Row, _ isListed: Bool) throws -> User {
        if transaction.largestRecord < .max, row.bytes(7, \.count) > transaction.largestRecord { throw LargeRecord() }
        try transaction.clientLimits?.count(recordBytes: row.bytes(7, \.count))
        return try User(row, view: transaction.view, isListed: isListed)
    }

    /// Reads the user with all stored attributes, for internal use.
    func stored(_ user: UserReference) throws -> User {
        if let user = try find(user) { return user }
        throw noSuch(user)
    }

    package func version(of user: UserReference) throws -> Int64 {
        let id: UserID = if case .id(let id) = user { id } else { try id(of: user) }
        let version = try transaction.connection.first(UserStatements.byID, [.integer(id.rawValue)]) { $0.integer(4) }
        if let version { return version }
        throw noSuch(user)
    }

    /// Whether a user's record is small enough to be decoded within a look-up; false if there is no such user.
    package func isSmall(_ user: UserReference) throws -> Bool {
        let size = try transaction.connection.first(UserStatements.size, [.integer(id(of: user).rawValue)]) {
            $0.integer(0)
        }
        return size.map { $0 <= Transaction.smallRecord } ?? false
    }

    /// The name to display for a user, made of attributes that every signed-in caller may read.
    package func label(of user: UserID) throws -> String? {
        // A reading program may not read all attributes of which a label is made.
        guard transaction.narrowView == nil else { return nil }
        return try transaction.connection.first(UserStatements.byID, [.integer(user.rawValue)]) {
            try User($0, view: transaction.view, isListed: true).label
        }
    }

    /// Reads a user with the attributes that the caller may see.
    package func user(_ reference: UserReference, _ attributes: AttributeSelection = .usual, _ prefetch: Prefetch = [])
        throws
        -> User
    {
        var user = try stored(reference)
        let selection = try Selection(attributes, of: .user, transaction.vocabulary)
        try present(&user, selection)
        if !prefetch.isEmpty { try self.prefetch(prefetch, for: &user, selection) }
        return user
    }

    /// Reads a user as ``user(_:_:_:)`` does; returns nil if there is none.
    func found(
        _ reference: UserReference, _ attributes: AttributeSelection, _ prefetch: Prefetch
    ) throws -> User? {
        let selection = try Selection(attributes, of: .user, transaction.vocabulary)
        guard var user = try find(reference) else { return nil }
        try present(&user, selection)
        if !prefetch.isEmpty { try self.prefetch(prefetch, for: &user, selection) }
        return user
    }

    /// Reads a user with everything that the caller may see, including attributes that are returned on request only.
    package func whole(_ reference: UserReference) throws -> User {
        var user = try stored(reference)
        try present(&user, .everything)
        return user
    }

    /// Reads a boolean, also from its text form.
    static func boolean(_ value: AttributeValue) throws -> Bool {
        switch value {
        case .boolean(let isTrue): return isTrue
        case .string(let text) where text.lowercased() == "true": return true
        case .string(let text) where text.lowercased() == "false": return false
        default:
            throw DirectoryError(
                .invalidAttribute, "'active' was given something else than true or false.", attribute: "active")
        }
    }

    /// A user's attributes in the form that the change feed stores.
    func history(_ attributes: AttributeSet, uid: String, isActive: Bool, manager: UserID?) -> AttributeSet {
        var history = attributes
        history["uid"] = .string(uid)
        history["active"] = .boolean(isActive)
        history["manager"] = manager.map { .string($0.description) }
        return history
    }
}
