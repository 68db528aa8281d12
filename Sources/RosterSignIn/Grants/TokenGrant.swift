package import Foundation
package import Roster
import RosterStore
import RosterText

/// The rights that a backend was granted for a user: a row of the table `token_grant`. The tokens of a grant end with it.
package struct TokenGrant: Sendable, Hashable, Codable {
    /// The number. A later grant may get the same number, but not the same ``salt``.
    package let number: Int64
    package let salt: String
    /// The backend that holds the tokens.
    package let backend: BackendID
    /// The person whom the tokens represent.
    package let holder: Holder
    /// The digest of the session that the grant ends with; nil for a grant that outlives sessions.
    package let session: String?
    /// The generation of the refresh token that is valid; the first is 1.
    package let generation: Int64
    /// The time when that refresh token was issued.
    package let rotated: Date
    /// The scopes, and how the holder signed in.
    package let detail: GrantDetail
    package let created: Date
    /// The time when the grant ends, however often its tokens are refreshed.
    package let expires: Date
    /// The holder's password and sign-in epoch when the grant began.
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

/// The result of using a refresh token.
package enum Rotation: Sendable {
    /// The grant has a new refresh token.
    case rotated(TokenGrant)
    /// The token was used a moment ago, and the answer may have been lost. Its successor is still valid.
    case repeated(TokenGrant)
    /// The token had been used before, so somebody has a copy. The grant has ended.
    case reused
    case gone
}

extension DirectoryGrants {
    /// Begins a grant.
    ///
    /// - Parameters:
    ///   - version: The password that the holder signed in with; nil for another way to sign in.
    ///   - session: The digest of the session that the grant ends with.
    /// - Throws: `notFound` if the backend or the user was deleted, the user disabled, or another password or a second factor
    ///   set meanwhile.
    package func begin(
        salt: String, backend: BackendID, holder: Holder, version: CredentialVersion?, session: String?,
        detail: GrantDetail, expires: Date
    ) async throws -> TokenGrant {
        let now = directory.now
        return try await directory.store.awaitWrite { connection in
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
            if let user = holder.user {
                try connection.run(
                    AppUseStatements.begin,
                    [
                        .integer(user.rawValue), .integer(backend.rawValue), .integer(now.milliseconds),
                        .integer(expires.milliseconds),
                    ])
            }
            return grant
        }
    }

    /// A grant that is alive; nil if it has ended or its user is disabled. Cost: some microseconds.
    package func grant(_ number: Int64) throws -> TokenGrant? {
        let now = directory.now
        return try directory.store.read { try Self.alive(number, now, on: $0) }
    }

    private static func alive(_ number: Int64, _ now: Date, on connection: Connection) throws -> TokenGrant? {
        let grant = try connection.first(GrantStatements.byNumber, [.integer(number), .integer(now.milliseconds)]) {
            row in
            row.boolean(11) ? try TokenGrant(row) : nil
        }
        guard let grant = grant ?? nil, now < grant.expires, grant.created <= now + SpentTokens.clockTolerance
        else { return nil }
        return grant
    }

    /// The name of the holder of a living grant, which each request with an access token asks for; nil for a grant that has
    /// ended. A virtual user is shown by issuer and subject.
    ///
    /// - Parameter token: The ``UseOnce/id`` that is spent if the token itself was revoked.
    package func standing(ofGrant number: Int64, salt: String, token: String) throws -> String? {
        let now = directory.now.milliseconds
        return try directory.store.read { connection in
            try connection.first(GrantStatements.standing, [.integer(number), .text(token), .integer(now)]) { row in
                row.text(0).hasPrefix(salt) && now < row.integer(1) && row.boolean(2) && !row.boolean(4)
                    ? row.optionalText(3) ?? Caller.shownName(issuer: row.text(5), subject: row.text(6)) : nil
            }
        } ?? nil
    }

    /// Uses a refresh token. A grant has one valid refresh token at any time, however many callers use it at once.
    ///
    /// - Parameters:
    ///   - generation: The generation of the presented token.
    ///   - grace: The seconds after its use for which a token gets the same successor again, because an answer may be lost.
    package func rotate(
        _ number: Int64, salt: String, generation: Int64, grace: TimeInterval
    ) async throws -> Rotation {
        let now = directory.now
        return try await directory.store.awaitWrite { connection in
            guard let grant = try Self.alive(number, now, on: connection), grant.salt == salt else { return .gone }
            if generation == grant.generation {
                try connection.run(GrantStatements.rotate, [.integer(number), .integer(now.milliseconds)])
                if let user = grant.holder.user {
                    try connection.run(
                        AppUseStatements.goOn,
                        [
                            .integer(user.rawValue), .integer(grant.backend.rawValue), .integer(now.milliseconds),
                            .integer(now.milliseconds - AppUser.exactness),
                        ])
                }
                return try Self.alive(number, now, on: connection).map { .rotated($0) } ?? .gone
            }
            // Two refreshes at once may be committed in the other order than they arrived.
            let age = now.timeIntervalSince(grant.rotated)
            if generation == grant.generation - 1, (-grace...grace).contains(age) { return .repeated(grant) }
            try connection.run(GrantStatements.delete, [.integer(number)])
            return .reused
        }
    }

    /// - Returns: Whether the grant still existed.
    @discardableResult
    package func end(_ grant: TokenGrant) async throws -> Bool {
        try await directory.store.awaitWrite { connection in
            try connection.run(GrantStatements.delete, [.integer(grant.number)])
            return connection.engine.changedRows > 0
        }
    }
}
