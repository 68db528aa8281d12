import Roster
import RosterSignIn
import RosterTLS
import RosterText

/// Binding without a user's password: programs by their API tokens, and users by their certificates.
extension Authenticator {
    /// Binds a program by its API token, with the rights of the token.
    ///
    /// Whether there is a token with the name does not show, because a wrong token is refused in the same time.
    func bind(
        _ program: DirectoryTree.Program, _ text: String, _ password: String, in session: LDAPSession
    ) async throws -> BoundIdentity {
        let digest = APIToken.digest(of: password)
        let token = try digest.flatMap { try directory.signInRecords.apiToken(digest: $0) }
        let isIts =
            switch program {
            case .administrator: token?.role == .administrator
            case .service(let name): token.map { TextKey.of($0.name) == TextKey.of(name) } ?? false
            }
        let place = SignInPlace.request(scheme: AuditTrail.ldap, name: { text })
        let identity = try await signIn.oauth.signingIn.signIn(
            isIts ? .bearer(password) : .unreadable, at: place, from: ClientOrigin(session.peer)
        ).identity()
        return BoundIdentity(identity: identity, dn: tree.name(of: program), token: digest)
    }

    /// Binds the user of a certificate: the one whose distinguished name is the subject, the one with the `uid` in the subject, or the one
    /// who alone has a mail address of the certificate.
    func external(_ certificate: ClientCertificate, in session: LDAPSession) throws -> BoundIdentity {
        let origin = ClientOrigin(session.peer)
        guard let account = try account(of: certificate), account.isActive else {
            signIn.oauth.signingIn.refuseCertificate(of: certificate.subject, from: origin)
            throw LDAPResult(AuthenticationFailure.wrong)
        }
        let identity = signIn.oauth.signingIn.signIn(certified: account, from: origin)
        return BoundIdentity(identity: identity, dn: tree.name(of: account.uid))
    }

    private func account(of certificate: ClientCertificate) throws -> Directory.Account? {
        if let name = try? EntryName(certificate.subject), case .user(let part)? = try? tree.place(name),
            part.attribute == "uid"
        {
            return try directory.accounts.account(named: part.value)
        }
        if let uid = certificate.uid { return try directory.accounts.account(named: uid) }
        for mail in certificate.mails where mail.utf8.contains(UInt8(ascii: "@")) {
            if let account = try directory.accounts.account(enteredAs: mail) { return account }
        }
        return nil
    }
}
