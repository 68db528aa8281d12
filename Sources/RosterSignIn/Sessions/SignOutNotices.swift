import Foundation
import Roster
import RosterCrypto
import RosterStore
import RosterText

/// Tells apps that a session has ended (OpenID Connect Back-Channel Logout).
package struct SignOutNotices: Sendable {
    let directory: Directory
    let clients: ClientDirectory
    let registered: RegisteredAddresses
    let clock: @Sendable () -> Date
    let issuer: String
    let subjects: Subjects
    let tokenIssuer: TokenIssuer

    /// The seconds after which each further attempt follows.
    private static let pauses: [TimeInterval] = [10, 60, 300, 1_800, 7_200]
    /// The seconds after which another server takes an attempt over.
    private static let takeover: TimeInterval = 60
    private static let page: Int64 = 64
    /// The calls at a time, so that slow apps do not keep the others waiting.
    private static let width = 8

    /// Notes that somebody signed in to an app with a session, if the app wants to know of its end.
    func note(_ session: String?, _ person: Person, in backend: Backend) async throws {
        guard let session, backend.settings.backChannelLogoutURI != nil else { return }
        let subject = try subjects.subject(of: person.holder, for: backend)
        try await directory.store.awaitWrite { connection in
            try connection.run(
                SessionAppStatements.insert, [.text(session), .integer(backend.id.rawValue), .text(subject)])
            try connection.run(AppUseStatements.noteSession, [.text(session), .integer(backend.id.rawValue)])
        }
    }

    /// Looks for sessions that have ended without a sign-out, such as those of users who were disabled.
    package func noteEndedSessions() async throws {
        let now = Binding.integer(directory.now.milliseconds)
        let isNeeded = try await directory.unrestricted.awaitRead(isBrief: true, once: true) { transaction in
            try transaction.connection.first(SessionAppStatements.isSwept, [now]) { _ in true } == true
        }
        guard isNeeded else { return }
        try await directory.store.awaitWrite { try $0.run(SessionAppStatements.sweep, [now]) }
    }

    /// Tells apps of ended sessions. A notice that fails is sent again up to five times within some three hours.
    ///
    /// - Returns: The number of notices that were due.
    @discardableResult
    package func sendSignOutNotices() async throws -> Int {
        let now = directory.now
        let due = try await directory.unrestricted.awaitRead(isBrief: true, once: true) { transaction in
            try transaction.connection.all(
                SessionAppStatements.due, [.integer(now.milliseconds), .integer(Self.page)]
            ) { SignOutNotice($0) }
        }
        guard !due.isEmpty else { return 0 }
        await withTaskGroup(of: Void.self) { group in
            var waiting = due.makeIterator()
            for _ in 0..<Self.width {
                guard let notice = waiting.next() else { break }
                group.addTask { try? await self.send(notice, now) }
            }
            while await group.next() != nil {
                guard let notice = waiting.next() else { continue }
                group.addTask { try? await self.send(notice, now) }
            }
        }
        return due.count
    }

    private func send(_ notice: SignOutNotice, _ now: Date) async throws {
        let isMine = try await directory.store.awaitWrite { connection in
            try connection.run(
                SessionAppStatements.take,
                notice.key + [
                    .integer(now.milliseconds), .integer(now.addingTimeInterval(Self.takeover).milliseconds),
                ])
            return connection.engine.changedRows > 0
        }
        guard isMine else { return }
        guard let backend = try clients.backend(.id(notice.backend)),
            let address = backend.settings.backChannelLogoutURI
        else {
            try await directory.store.awaitWrite { try $0.run(SessionAppStatements.delete, notice.key) }
            return
        }
        do {
            let token = try logoutToken(for: notice, to: backend)
            try await registered.post([("logout_token", token)], to: address)
            try await directory.store.awaitWrite { try $0.run(SessionAppStatements.delete, notice.key) }
        } catch {
            let pause = Self.pauses.indices.contains(notice.attempts) ? Self.pauses[notice.attempts] : nil
            let next = pause.map { now.addingTimeInterval($0) }
            let problem = "\(error)".prefix(256).description
            try await directory.store.awaitWrite { connection in
                try connection.run(
                    SessionAppStatements.postpone, notice.key + [.integer(next?.milliseconds), .text(problem)])
            }
        }
    }

    /// The token that tells an app of the end of a session (section 2.4).
    private func logoutToken(for notice: SignOutNotice, to backend: Backend) throws -> String {
        let time = Int64(clock().timeIntervalSince1970)
        return try tokenIssuer.sign(
            [
                .init("iss", .string(issuer)), .init("aud", .string(backend.clientID)), .init("iat", .integer(time)),
                .init("exp", .integer(time &+ 120)), .init("jti", .string(try SecureRandom.token(bytes: 15))),
                .init("events", ["http://schemas.openid.net/event/backchannel-logout": [:]]),
                .init("sub", .string(notice.subject)), .init("sid", .string(try SignOutNotice.sid(notice.session))),
            ], type: "logout+jwt", for: backend)
    }
}
