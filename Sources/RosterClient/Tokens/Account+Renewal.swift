import Foundation
import RosterOpenID
import RosterSecrets
import RosterText
import RosterTransport

/// Renewing tokens (RFC 6749, section 6).
extension Account {
    /// The session with a valid access token. All callers wait for one renewal.
    ///
    /// - Parameter rejected: A token that a server has refused, and that is not returned; nil for none.
    func renewed(rejecting rejected: String?) async throws -> StoredSession {
        let session = try await sharedRenewal(rejecting: rejected)
        // A renewal that began for another caller may have found that very token.
        guard session.accessToken == rejected else { return session }
        return try await sharedRenewal(rejecting: rejected)
    }

    /// How a caller gets the session.
    enum Course {
        case ready(StoredSession)
        case wait(SharedResult<StoredSession>)
    }

    private func sharedRenewal(rejecting rejected: String?) async throws -> StoredSession {
        switch try course(rejecting: rejected) {
        case .ready(let session): return session
        case .wait(let result): return try await result.value()
        }
    }

    /// Begins a renewal, unless one is under way or is not due.
    func course(rejecting rejected: String?) throws -> Course {
        let now = provider.clock()
        return try state.withLock { state throws -> Course in
            guard let session = state.session else { throw Self.ended }
            if let running = state.renewal { return .wait(running) }
            if let pause = session.pause, !pause.isOver(now) {
                if session.accessToken != rejected, session.isAlive(now) { return .ready(session) }
                throw pause.told(now)
            }
            let result = SharedResult<StoredSession>()
            state.renewal = result
            // The renewal belongs to no caller, so that no caller's cancellation ends it.
            Task.detached(executorPreference: sessions.executor) { [self] in
                await renew(rejecting: rejected, into: result)
            }
            return .wait(result)
        }
    }

    /// The session has ended, at the server or by a sign-out.
    private struct SessionEnd: Error {
        let error: ClientError
    }

    private func renew(rejecting rejected: String?, into result: SharedResult<StoredSession>) async {
        let outcome: Result<StoredSession, any Error>
        do {
            outcome = .success(try await sessions.renewing(id) { try await renewedUnderLock(rejecting: rejected) })
        } catch {
            outcome = .failure(error)
        }
        let now = provider.clock()
        var event: SignInEvent?
        let answer = state.withLock { state -> Result<StoredSession, any Error> in
            state.renewal = nil
            // Somebody may have signed out meanwhile.
            guard var kept = state.session else { return .failure(Self.ended) }
            switch outcome {
            case .success(let session):
                if session.accessToken != kept.accessToken { event = .renewed(account: id) }
                state.session = session
                return outcome
            case .failure(let end as SessionEnd):
                state.session = nil
                event = .signedOut(account: id, userName: userName, reason: .ended(end.error))
                return .failure(end.error)
            case .failure(let error):
                if let pause = error as? RenewalPause { kept.pause = pause }
                state.session = kept
                if rejected == nil, kept.isAlive(now) { return .success(kept) }
                return .failure((error as? RenewalPause)?.told(now) ?? error)
            }
        }
        if let event { provider.events.tell(event) }
        result.finish(answer)
    }

    /// - Throws: `SessionEnd`; ``RenewalPause`` if the server has failed, now or a moment ago; ``ClientError``.
    private func renewedUnderLock(rejecting rejected: String?) async throws -> StoredSession {
        if let unsaved = state.withLock({ $0.unsaved }) {
            _ = try await save(unsaved.session, replacing: unsaved.old)
        }
        // Another process may have renewed the tokens, signed out, or signed in somebody else.
        guard let session = try sessions.session(of: id), session.id == sessionID else {
            throw SessionEnd(error: Self.ended)
        }
        let now = provider.clock()
        if session.accessToken != rejected, session.isFresh(now) { return session }
        guard let refreshToken = session.refreshToken else {
            if session.accessToken != rejected, session.isAlive(now) { return session }
            // The store keeps the session: a clock that is wrong now may be right later.
            throw ClientError.notSignedIn("The access token has ended, and the server gave no refresh token.")
        }
        if let pause = session.pause, !pause.isOver(now) { throw pause }
        var wasAsked = false
        do {
            return try await renewed(session, refreshToken, &wasAsked)
        } catch let error as ClientError where error.isOfServer {
            let pause = RenewalPause(
                after: session.pause, error, wasAsked: wasAsked || ![.unreachable, .tls].contains(error.code),
                now: provider.clock())
            // A store that cannot be written now must not hide the failure. This process waits all the same.
            try? await sessions.keep(pause, in: session, of: id)
            throw pause
        }
    }

    /// Asks the server for new tokens.
    ///
    /// - Parameter wasAsked: Becomes true when the server may have got the refresh token.
    private func renewed(
        _ session: StoredSession, _ refreshToken: String, _ wasAsked: inout Bool
    ) async throws -> StoredSession {
        let metadata = try await provider.metadata()
        let reply = try await answer(to: refreshToken, &wasAsked) { deadline in
            try await provider.post(
                metadata.tokenEndpoint, [("grant_type", "refresh_token"), ("refresh_token", refreshToken)], metadata,
                deadline: deadline)
        }
        if reply.refusal == "invalid_grant" {
            try await sessions.end(session, of: id)
            throw SessionEnd(error: .notSignedIn("The server has ended the sign-in (invalid_grant)."))
        }
        // The next refresh token is stored before anything else is judged. Without it, the next renewal would be the reuse of a refresh
        // token, for which servers end a sign-in.
        var stored = session
        if let next = reply.refreshToken, next != refreshToken {
            var successor = session
            successor.refreshToken = next
            do {
                stored = try await save(successor, replacing: session)
                guard stored.hasTokens(of: successor) else { return stored }
            } catch is SecureStoreError {
                // The store may be writable again when the rest is stored. Until then this process has the token.
                stored = session
            }
        }
        let answer = try reply.tokens()
        let identity = try await provider.identity(in: answer, of: session.subject, reply.date, metadata)
        return try await save(stored.renewed(by: answer, identity, at: provider.clock()), replacing: stored)
    }

    /// Sends a refresh token. If the answer may have been lost, it is sent once more, a second after the first time: a server that uses
    /// each refresh token once gives the same answer again for a short while, ours for ten seconds.
    private func answer(
        to refreshToken: String, _ wasAsked: inout Bool,
        _ send: (_ deadline: Duration) async throws -> ProviderConnection.Reply
    ) async throws -> ProviderConnection.Reply {
        let begun = ContinuousClock.now
        do {
            let reply = try await send(.seconds(8))
            wasAsked = true
            // Between us and the server, a gateway may have lost the answer. A server that is busy (503) has given none.
            let isLost = reply.status == 200 && reply.json == nil || [500, 502, 504].contains(reply.status)
            if !isLost || reply.retryAfter != nil { return reply }
        } catch let error as TransportError {
            guard error.mayHaveBeenSent else { throw ClientError(error) }
            wasAsked = true
        }
        await QueueTimer.sleep(until: begun + .seconds(1))
        do { return try await send(.seconds(8)) } catch let error as TransportError { throw ClientError(error) }
    }

    /// Stores new tokens, unless the session has ended meanwhile. The server is told to end such tokens.
    ///
    /// - Parameter old: The session with the tokens that were renewed.
    /// - Returns: The session that is stored now. Tokens that another process has renewed since are not overwritten.
    private func save(_ session: StoredSession, replacing old: StoredSession) async throws -> StoredSession {
        let stored: StoredSession?
        do {
            stored = try await sessions.update(session, replacing: old, of: id)
        } catch {
            state.withLock { state in
                if state.session != nil { state.unsaved = UnsavedSession(session: session, old: old) }
            }
            throw error
        }
        state.withLock { $0.unsaved = nil }
        guard let stored else {
            _ = try? await provider.revoke(session.lastToken, in: sessions)
            throw SessionEnd(error: Self.ended)
        }
        return stored
    }
}

extension ClientError {
    /// Whether the server, or the way to it, is the reason, and not the store.
    fileprivate var isOfServer: Bool {
        switch code {
        case .unreachable, .tls, .serverBusy, .serverFailed, .refused, .badConfiguration, .badAnswer, .badToken,
            .clockWrong:
            true
        default: false
        }
    }
}
