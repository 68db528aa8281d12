package import Roster
import RosterText

/// Ways to sign in that only the LDAP server has.
extension SigningIn {
    /// The password and the code that follow each other in the place of the password, for a user who has a second factor; nil for others.
    package func partingCode(_ login: Login) throws -> Login? {
        let name = EntityName.entered(login.name)
        let (password, code) = (login.password.dropLast(6), login.password.suffix(6))
        guard !password.isEmpty, code.utf8.count == 6, code.utf8.allSatisfy({ (0x30...0x39).contains($0) }),
            !AppPassword.hasForm(login.password), name.utf8.count <= 1_024,
            try directory.accounts.account(enteredAs: name)?.hasSecondFactor == true
        else { return nil }
        return Login(name: login.name, password: String(password), proof: SecondFactorProof(code: String(code)))
    }

    /// Signs in a user for whom a certificate vouches that was verified, and records the sign-in in the change feed once an hour.
    package func signIn(certified account: Directory.Account, from origin: ClientOrigin) -> Identity {
        let identity = identity(actedFor: account)
        recordSuccess(
            identity, at: .request(scheme: AuditTrail.ldap, name: { nil }), from: origin, isRemembered: true)
        return identity
    }

    /// The identity of a user for whom a program acts, with the user's rights as an app has them: it cannot set passwords, for example.
    package func identity(actedFor account: Directory.Account) -> Identity {
        var identity = Identity(.user(account.id), name: account.uid)
        identity.version = account.version
        identity.presence = .app
        return identity
    }

    /// Records that a certificate is nobody's, or that of an account that cannot be used.
    package func refuseCertificate(of subject: String, from origin: ClientOrigin) {
        recordRefusal(
            .wrong, .unreadable, at: .request(scheme: AuditTrail.ldap, name: { subject }), from: origin)
    }
}
