import Foundation
import RosterOpenID
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
            if let pause = state.pause, (0...300).contains(pause.until.timeIntervalSince(now)) {
                if rejected == nil, session.isAlive(now) { return .ready(session) }
                if pause.error.retryAfter != nil { throw pause.error }
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

    private func renew(rejecting rejected: String?, into result: SharedResult<StoredSession>) async {
        let outcome: Result<StoredSession, any Error>
        do {
            outcome = .success(try await sessions.renewing(id) { try await renewedUnderLock(rejecting: rejected) })
        } catch {
            outcome = .failure(error)
        }
        let now = provider.clock()
        let answer = state.withLock { state -> Result<StoredSession, any Error> in
            state.renewal = nil
            // Somebody may have signed out meanwhile.
            guard let kept = state.session else { return .failure(Self.ended) }
            switch outcome {
            case .success(let session):
                state.session = session
                state.pause = nil
                return outcome
            case .failure(let error):
                if let error = error as? ClientError {
                    guard error.code != .notSignedIn else {
                        state.session = nil
                        return outcome
                    }
                    let seconds = error.retryAfter.map { Double($0.components.seconds) } ?? 5
                    state.pause = (now.addingTimeInterval(seconds), error)
                }
                return rejected == nil && kept.isAlive(now) ? .success(kept) : outcome
            }
        }
        result.finish(answer)
    }

    private func renewedUnderLock(rejecting rejected: String?) async throws -> StoredSession {
        if let unsaved = state.withLock({ $0.unsaved }) {
            _ = try await save(unsaved.session, replacing: unsaved.old)
        }
        // Another process may have renewed the tokens, signed out, or signed in somebody else.
        guard let session = try sessions.session(of: id), session.id == sessionID else { throw Self.ended }
        let now = provider.clock()
        if session.accessToken != rejected, session.isFresh(now) { return session }
        guard let refreshToken = session.refreshToken else {
            if session.accessToken != rejected, session.isAlive(now) { return session }
            throw ClientError.notSignedIn("The access token has ended, and the server gave no refresh token.")
        }
        let metadata = try await provider.metadata()
        let reply = try await answer(to: refreshToken) { deadline in
            try await provider.post(
                metadata.tokenEndpoint, [("grant_type", "refresh_token"), ("refresh_token", refreshToken)], metadata,
                deadline: deadline)
        }
        if let code = reply.refusal, ["invalid_grant", "invalid_client"].contains(code) {
            try await sessions.end(session, of: id)
            throw ClientError.notSignedIn("The server has ended the sign-in (\(code)).")
        }
        let answer = try reply.tokens()
        let idToken = try await provider.renewedIDToken(answer.idToken, of: session.subject, reply.date, metadata)
        let renewed = session.renewed(by: answer, idToken: idToken, at: provider.clock())
        return try await save(renewed, replacing: session)
    }

    /// Sends a refresh token. If the answer may have been lost, it is sent once more: a server that uses each refresh token once
    /// gives the same answer again for a short while, ours for ten seconds.
    private func answer(
        to refreshToken: String, _ send: (_ deadline: Duration) async throws -> ProviderConnection.Reply
    ) async throws -> ProviderConnection.Reply {
        do {
            let reply = try await send(.seconds(8))
            // Between us and the server, a gateway may have lost the answer.
            let isLost = reply.status == 200 && reply.json == nil || [500, 502, 503, 504].contains(reply.status)
            if !isLost { return reply }
        } catch let error as TransportError {
            guard error.mayHaveBeenSent else { throw ClientError(error) }
        }
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
            throw Self.ended
        }
        return stored
    }
}
