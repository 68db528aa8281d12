package import Foundation
import RosterStore
import RosterText

/// Whom a backend's tokens stand for, and which refresh token is alive. Where a grant ends, its tokens do.
package struct GrantRecord: Sendable, Hashable {
    /// Its number, which may be given again after it has ended: only together with ``salt`` it is one grant.
    package let number: Int64
    /// Random text.
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
    /// JSON: scope, time and means of signing in.
    package let detail: String
    /// When it began.
    package let created: Date
    /// When it ends, whatever is refreshed.
    package let expires: Date
    /// The sign-in in which it began, for what begins with it.
    package let version: CredentialVersion

    init?(_ row: borrowing Row) {
        guard let holder = Holder(row, 3, 4) else { return nil }
        number = row.integer(0)
        salt = row.text(1)
        backend = BackendID(rawValue: row.integer(2))
        self.holder = holder
        session = row.optionalText(5)
        generation = row.integer(6)
        rotated = Date(milliseconds: row.integer(7))
        detail = row.text(8)
        created = Date(milliseconds: row.integer(9))
        expires = Date(milliseconds: row.integer(10))
        version = CredentialVersion(holder, epoch: row.integer(12))
    }
}

/// What came of a refresh.
package enum Rotation: Sendable {
    /// There is a new refresh token, of the generation that the grant has now.
    case rotated(GrantRecord)
    /// The token was used a moment ago, and the answer may have been lost: the child that it got then is still the one.
    case repeated(GrantRecord)
    /// The token had been used before: somebody has a copy. The grant has ended.
    case reused
    /// There is no such grant any more.
    case gone
}

extension Credentials {
    /// Begins a grant.
    ///
    /// - Parameters:
    ///   - version: What the holder signed in with; nil where it was no password.
    ///   - session: The digest of the session that it is to end with.
    ///   - expires: When it ends.
    /// - Throws: `notFound` where meanwhile the backend or the user has been deleted, the user disabled, or another
    ///   password or a second factor set.
    package func begin(
        salt: String, backend: BackendID, holder: Holder, version: CredentialVersion?, session: String?, detail: String,
        expires: Date
    ) async throws -> GrantRecord {
        let now = core.clock()
        return try await core.store.awaitWrite { connection in
            try version?.check(on: connection)
            let number = try connection.first(
                GrantStatements.insert,
                [.text(salt), .integer(backend.rawValue)] + holder.columns + [
                    .text(session), .text(detail), .integer(now.milliseconds), .integer(expires.milliseconds),
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
    package func grant(_ number: Int64) throws -> GrantRecord? {
        let now = core.clock()
        return try core.store.read { try Self.alive(number, now, on: $0) }
    }

    private static func alive(_ number: Int64, _ now: Date, on connection: Connection) throws -> GrantRecord? {
        let grant = try connection.first(GrantStatements.byNumber, [.integer(number)]) { row in
            row.boolean(11) ? GrantRecord(row) : nil
        }
        guard let grant = grant ?? nil, now < grant.expires, grant.created <= now + clockTolerance else { return nil }
        return grant
    }

    /// The name of whom a grant stands for, where it is alive; what each request with an access token asks. A virtual user is
    /// shown by issuer and subject.
    ///
    /// - Parameter token: What is spent where the token itself was ended.
    package func standing(of number: Int64, salt: String, token: String) throws -> String? {
        let now = core.clock().milliseconds
        return try core.store.read { connection in
            try connection.first(GrantStatements.standing, [.integer(number), .text(token)]) { row in
                row.text(0).hasPrefix(salt) && now < row.integer(1) && row.boolean(2) && !row.boolean(4)
                    ? row.optionalText(3) ?? VirtualUser.shownName(issuer: row.text(5), subject: row.text(6)) : nil
            }
        } ?? nil
    }

    /// Uses a refresh token: at any time one of a grant is alive, however many callers use it at once.
    ///
    /// - Parameters:
    ///   - generation: The one that was presented.
    ///   - grace: How long after its use a token gets the same child again, for an answer that was lost.
    package func rotate(_ number: Int64, salt: String, generation: Int64, grace: TimeInterval) async throws -> Rotation
    {
        let now = core.clock()
        return try await core.store.awaitWrite { connection in
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
    package func end(_ grant: GrantRecord) async throws -> Bool {
        try await core.store.awaitWrite { connection in
            try connection.run(GrantStatements.delete, [.integer(grant.number)])
            return connection.changedRows > 0
        }
    }

    /// Ends a user's sessions and grants, at once.
    package func endAll(of user: UserID) async throws {
        try await core.store.awaitWrite { try $0.run(AccessStatements.endSignIns, [.integer(user.rawValue)]) }
    }

    // MARK: What must not be used twice

    /// Something that must not be taken twice.
    package struct Use: Sendable {
        /// Its kind, a colon, and what tells it from others of its kind.
        package let id: String
        /// When it was made; nil where that is not known.
        package let issued: Date?
        /// When it ends by itself.
        package let until: Date
        /// The number of the grant without which it is worth nothing; nil where it needs none.
        package let grant: Int64?

        package init(_ id: String, issued: Date? = nil, until: Date, grant: Int64? = nil) {
            self.id = id
            self.issued = issued
            self.until = until
            self.grant = grant
        }

        fileprivate var key: [Binding] {
            [
                .text(id), .text(id.contains(":") ? String(id.prefix { $0 != ":" }) : ""),
                .integer(issued?.milliseconds ?? 0), .integer(until.milliseconds),
            ]
        }
    }

    /// Notes that something is used up. It stays so when the clock goes forward, and back again, meanwhile.
    ///
    /// - Returns: Whether it was unused until now.
    package func spend(_ use: Use) async throws -> Bool {
        try await core.store.awaitWrite { connection in
            guard try !Self.isSpent(use, on: connection) else { return false }
            try connection.run(
                GrantStatements.spend,
                [
                    .text(use.id), .integer(use.issued?.milliseconds), .integer(use.until.milliseconds),
                    .integer(use.grant),
                ])
            return connection.changedRows > 0
        }
    }

    /// Whether something is used up, or may have been before that was forgotten.
    package func isSpent(_ use: Use) throws -> Bool { try core.store.read { try Self.isSpent(use, on: $0) } }

    private static func isSpent(_ use: Use, on connection: Connection) throws -> Bool {
        try connection.first(GrantStatements.isSpent, use.key) { _ in true } == true
    }

    /// How far the clock may go back, in seconds, before what began ahead of it is refused.
    package static let clockTolerance: TimeInterval = 3_600

    /// Forgets grants, sessions and used-up things that have ended.
    package func forgetExpired() async throws {
        let now = Binding.integer(core.clock().milliseconds)
        try await core.store.awaitWrite { connection in
            try connection.run(GrantStatements.deleteExpired, [now])
            try connection.run(GrantStatements.deleteExpiredSessions, [now])
            // A clock that is ahead forgets too early. What may have been forgotten is refused when the clock is right again.
            try connection.run(GrantStatements.noteForgotten, [now])
            try connection.run(GrantStatements.deleteExpiredSpent, [now])
        }
    }
}
