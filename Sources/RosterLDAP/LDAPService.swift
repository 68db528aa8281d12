import Foundation
import Roster
import RosterSignIn

/// Answers the operations of clients. It knows the directory by its public views, and sign-in.
struct LDAPService: Sendable {
    let directory: Directory
    let signIn: SignIn
    let tree: DirectoryTree
    let searchTime: Duration
    /// Whether passwords are taken without TLS from other machines.
    let allowsPlain: Bool
    let supportsTLS: Bool
    /// Whether users with a second factor bind with the password and a code behind it.
    let takesCodeAfterPassword: Bool
    let log: LDAPLog?

    /// Answers a request. The entries of a search are in the outbox when this returns.
    func answer(_ message: LDAPMessage, in session: LDAPSession, _ outbox: Outbox) async -> LDAPReply {
        let begin = ContinuousClock.now
        var outcome = Outcome()
        var session = session
        do {
            try SupportedControl.check(message)
            session = try authorized(message, in: session)
            try await perform(message, in: session, outbox, &outcome)
        } catch let result as LDAPResult {
            outcome.result = result
            outcome.refusal = PasswordPolicyAnswer(result, message.request)
        } catch is CancellationError {
            outcome.effect = .abandoned
        } catch is Outbox.Closed {
            outcome.effect = .abandoned
        } catch let error as DirectoryError {
            outcome.result = LDAPResult(error)
            outcome.refusal = PasswordPolicyAnswer(error, message.request)
        } catch let failure as AuthenticationFailure {
            outcome.result = LDAPResult(failure)
            outcome.refusal = PasswordPolicyAnswer(failure, message.request)
        } catch {
            outcome.result = LDAPResult(.other, "The operation failed.")
        }
        if message.control(SupportedControl.passwordPolicy) != nil,
            SupportedControl.fits(SupportedControl.passwordPolicy, message.request)
        {
            outcome.controls.append(PasswordPolicyAnswer.control(outcome.refusal))
        }
        // The line is written first, so that the log tells of every answer that a client has.
        log?.write(message, session, outcome, ContinuousClock.now - begin)
        guard let tag = message.request.answerTag else { return LDAPReply(effect: .abandoned, bytes: nil) }
        let bytes = LDAPAnswer.result(outcome.result, to: message.id, tag: tag, controls: outcome.controls) { writer in
            if let value = outcome.value { writer.octets(value, 0x8B) }
        }
        return LDAPReply(effect: outcome.effect, bytes: bytes)
    }

    /// What an operation leads to.
    struct Outcome {
        var result = LDAPResult.success
        var controls: [LDAPControl] = []
        /// The reason why a password was refused.
        var refusal: PasswordPolicyAnswer?
        /// The value of an extended answer.
        var value: [UInt8]?
        var effect = LDAPEffect.none
        /// The number of entries that were sent, for the log.
        var entries = 0
        /// The name that the client gave at a bind, for the log.
        var name: String?
    }

    private func perform(
        _ message: LDAPMessage, in session: LDAPSession, _ outbox: Outbox, _ outcome: inout Outcome
    ) async throws {
        switch message.request {
        case .bind(let bind):
            // A bind that fails leaves an anonymous client (RFC 4511, section 4.2.1).
            outcome.effect = .bound(nil)
            outcome.name = bind.name
            outcome.effect = .bound(try await self.bind(bind, in: session))
        case .search(let search):
            var run = try SearchRun(self, message, search, session, outbox)
            defer { (outcome.entries, outcome.controls) = (run.sent, run.controls) }
            outcome.result = try await run.run()
        case .compare(let dn, let attribute, let value):
            try await checkAssertion(message, at: dn, in: session)
            outcome.result = try await compare(dn, attribute, value, in: session)
        case .extended(ExtendedOperation.whoAmI, _):
            outcome.value = Array((session.identity.map { "dn:" + $0.dn } ?? "").utf8)
        case .extended(ExtendedOperation.passwordModify, let value):
            outcome.value = try await modifyPassword(value, in: session)
        case .extended: throw LDAPResult(.protocolError, "The extended operation is not known.")
        case .add(let dn, let attributes): outcome.controls = try await add(dn, attributes, message, in: session)
        case .delete(let dn):
            outcome.controls = try await delete(dn, message, in: try view(of: session, isChange: true))
        case .modify(let dn, let modifications):
            outcome.controls = try await modify(dn, modifications, message, in: session)
        case .modifyDN(let dn, let newRDN, let deletesOld, let newSuperior):
            let view = try view(of: session, isChange: true)
            outcome.controls = try await rename(dn, newRDN, deletesOld, newSuperior, message, in: view)
        case .unbind, .abandon: break
        }
    }

    /// The directory with the rights of a client.
    ///
    /// - Parameter isChange: Whether the client wants to change something, which no app password allows.
    /// - Throws: ``LDAPResult`` for an anonymous client, and for one whose password has changed or has ended, or whose account has ended,
    ///   since the bind.
    func view(of session: LDAPSession, isChange: Bool = false) throws -> DirectoryView {
        guard let bound = session.identity else {
            throw LDAPResult(
                .insufficientAccessRights, "Bind first. Anonymous clients read the root DSE and the schema.")
        }
        if let version = bound.identity.version {
            let account = try directory.accounts.account(named: bound.identity.name)
            guard let account, account.isActive, account.version == version else {
                throw LDAPResult(.strongerAuthRequired, "The password or the account has changed. Bind again.")
            }
        }
        if let token = bound.token, try directory.signInRecords.apiToken(digest: token) == nil {
            throw LDAPResult(.strongerAuthRequired, "The token has ended. Bind again.")
        }
        if let proved = bound.identity.appPassword {
            guard !isChange else {
                throw LDAPResult(.insufficientAccessRights, "An app password is for reading. Bind with the password.")
            }
            guard try directory.signInRecords.appPassword(digest: proved.digest) != nil else {
                throw LDAPResult(.strongerAuthRequired, "The app password has ended. Bind again.")
            }
        }
        return directory.acting(as: bound.identity.caller, by: bound.identity.presence)
    }
}
