import Roster
import RosterSignIn

/// Answers the operations of clients. The service knows the directory by its public views, and sign-in. A class, because each operation
/// would copy its many parts.
final class LDAPService: Sendable {
    let directory: Directory
    let signIn: SignIn
    let tree: DirectoryTree
    let authenticator: Authenticator
    let fixedEntries: FixedEntries
    let searchTime: Duration
    let log: LDAPLog?

    init(
        _ authenticator: Authenticator, searchTime: Duration, supportsTLS: Bool, log: LDAPLog?
    ) {
        (self.authenticator, self.searchTime, self.log) = (authenticator, searchTime, log)
        (directory, signIn, tree) = (authenticator.directory, authenticator.signIn, authenticator.tree)
        fixedEntries = FixedEntries(tree: tree, supportsTLS: supportsTLS) { [directory] in
            directory.unrestricted.attributes.vocabulary()
        }
    }

    /// The known attributes.
    var vocabulary: Vocabulary { directory.unrestricted.attributes.vocabulary() }

    /// Answers a request. The entries of a search are in the outbox when this returns.
    func answer(_ message: LDAPMessage, in session: LDAPSession, _ outbox: Outbox) async -> LDAPReply {
        let begin = ContinuousClock.now
        var outcome = Outcome()
        var session = session
        do {
            try SupportedControl.check(message)
            session = try authenticator.authorized(message, in: session)
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
            outcome.effect = .bound(try await authenticator.bind(bind, in: session))
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
            let view = try authenticator.view(of: session, isChange: true)
            outcome.value = try await PasswordModification(signIn: signIn, tree: tree, session: session, view: view)
                .run(value)
        case .extended: throw LDAPResult(.protocolError, "The extended operation is not known.")
        case .add(let dn, let attributes):
            outcome.controls = try await change(message, in: session).add(dn, attributes)
        case .delete(let dn): outcome.controls = try await change(message, in: session).delete(dn)
        case .modify(let dn, let modifications):
            outcome.controls = try await change(message, in: session).modify(dn, modifications)
        case .modifyDN(let dn, let newRDN, let deletesOld, let newSuperior):
            outcome.controls = try await change(message, in: session).rename(dn, newRDN, deletesOld, newSuperior)
        case .unbind, .abandon: break
        }
    }

    private func change(_ message: LDAPMessage, in session: LDAPSession) throws -> EntryChange {
        EntryChange(
            tree: tree, vocabulary: vocabulary, signIn: signIn, message: message, session: session,
            view: try authenticator.view(of: session, isChange: true))
    }
}
