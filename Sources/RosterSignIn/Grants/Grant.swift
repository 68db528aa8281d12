package import Foundation
package import Roster
import RosterStore
import RosterText

/// Whom a backend's tokens stand for, and which refresh token is alive. Where a grant ends, its tokens do.
package struct Grant: Sendable, Hashable {
    /// Its number, which may be given again after it has ended: only together with ``salt`` it is one grant.
    package let number: Int64
    package let salt: String
    /// Who holds the tokens.
    package let backend: BackendID
    /// Whom they stand for.
    package let holder: Holder
    /// The digest of the session that it ends with; nil where it outlives them.
    package let session: String?
    /// Which refresh token is alive: the first is 1.
    package let generation: Int64
    /// When that one came.
    package let rotated: Date
    /// The scopes, and how the holder signed in.
    package let detail: GrantDetail
    /// When it began.
    package let created: Date
    /// When it ends, whatever is refreshed.
    package let expires: Date
    /// The sign-in in which it began, for what begins with it.
    package let version: CredentialVersion

    init?(_ row: borrowing Row) throws {
        guard let holder = Holder(row, 3, 4) else { return nil }
        number = row.integer(0)
        salt = row.text(1)
        backend = BackendID(rawValue: row.integer(2))
        self.holder = holder
        session = row.optionalText(5)
        generation = row.integer(6)
        rotated = Date(milliseconds: row.integer(7))
        detail = try GrantDetail(row.text(8))
        created = Date(milliseconds: row.integer(9))
        expires = Date(milliseconds: row.integer(10))
        version = CredentialVersion(holder.user, epoch: row.integer(12))
    }
}

/// What came of a refresh.
package enum Rotation: Sendable {
    /// There is a new refresh token, of the generation that the grant has now.
    case rotated(Grant)
    /// The token was used a moment ago, and the answer may have been lost: the child that it got then is still the one.
    case repeated(Grant)
    /// The token had been used before: somebody has a copy. The grant has ended.
    case reused
    case gone
}

extension Directory {
    /// Begins a grant.
    ///
    /// - Parameters:
    ///   - version: What the holder signed in with; nil where it was no password.
    ///   - session: The digest of the session that it is to end with.
    ///   - expires: When it ends.
    /// - Throws: `notFound` where meanwhile the backend or the user has been deleted, the user disabled, or another
    ///   password or a second factor set.
    package func beginGrant(
        salt: String, backend: BackendID, holder: Holder, version: CredentialVersion?, session: String?,
        detail: GrantDetail, expires: Date
    ) async throws -> Grant {
        let now = now
        return try await store.awaitWrite { connection in
            try version?.check(on: connection)
            let number = try connection.first(
                GrantStatements.insert,
                [.text(salt), .integer(backend.rawValue)] + holder.columns + [
                    .text(session), .text(detail.text), .integer(now.milliseconds), .integer(expires.milliseconds),
                    .integer(version?.epoch),
                ]
            ) { $0.integer(0) }
            guard let number, let grant = try Self.alive(number, now, on: connection) else {
                throw DirectoryError(.notFound, "The account cannot be used any more.", advice: "Sign in again.")
            }
            return grant
        }
    }

    /// A grant that is alive; nil where it has ended or its user is disabled. Cost: some microseconds.
    package func grant(_ number: Int64) throws -> Grant? {
        let now = now
        return try store.read { try Self.alive(number, now, on: $0) }
    }

    private static func alive(_ number: Int64, _ now: Date, on connection: Connection) throws -> Grant? {
        let grant = try connection.first(GrantStatements.byNumber, [.integer(number)]) { row in
            row.boolean(11) ? try Grant(row) : nil
        }
        guard let grant = grant ?? nil, now < grant.expires, grant.created <= now + clockTolerance else { return nil }
        return grant
    }

    /// The name of whom a grant stands for, where it is alive; what each request with an access token asks. A virtual user is
    /// shown by issuer and subject.
    ///
    /// - Parameter token: What is spent where the token itself was ended.
    package func standing(ofGrant number: Int64, salt: String, token: String) throws -> String? {
        let now = now.milliseconds
        return try store.read { connection in
            try connection.first(GrantStatements.standing, [.integer(number), .text(token)]) { row in
                row.text(0).hasPrefix(salt) && now < row.integer(1) && row.boolean(2) && !row.boolean(4)
                    ? row.optionalText(3) ?? Caller.shownName(issuer: row.text(5), subject: row.text(6)) : nil
            }
        } ?? nil
    }

    /// Uses a refresh token: at any time one of a grant is alive, however many callers use it at once.
    ///
    /// - Parameters:
    ///   - generation: The one that was presented.
    ///   - grace: How long after its use a token gets the same child again, for an answer that was lost.
    package func rotateGrant(
        _ number: Int64, salt: String, generation: Int64, grace: TimeInterval
    ) async throws -> Rotation {
        let now = now
        return try await store.awaitWrite { connection in
            guard let grant = try Self.alive(number, now, on: connection), grant.salt == salt else { return .gone }
            if generation == grant.generation {
                try connection.run(GrantStatements.rotate, [.integer(number), .integer(now.milliseconds)])
                return try Self.alive(number, now, on: connection).map { .rotated($0) } ?? .gone
            }
            // Of two at once the one that came first may be the second to be written.
            let age = now.timeIntervalSince(grant.rotated)
            if generation == grant.generation - 1, (-grace...grace).contains(age) { return .repeated(grant) }
            try connection.run(GrantStatements.delete, [.integer(number)])
            return .reused
        }
    }

    /// Ends a grant.
    /// - Returns: Whether there was one.
    @discardableResult
    package func endGrant(_ grant: Grant) async throws -> Bool {
        try await store.awaitWrite { connection in
            try connection.run(GrantStatements.delete, [.integer(grant.number)])
            return connection.changedRows > 0
        }
    }
}
