import Foundation
import Roster
import RosterSignIn
import RosterText

/// Finds out who a client is, and gives it the directory with its rights.
struct Authenticator: Sendable {
    let directory: Directory
    let signIn: SignIn
    let tree: DirectoryTree
    /// Whether passwords are taken without TLS from other machines.
    let allowsPlain: Bool
    /// Whether users with a second factor bind with the password and a code behind it.
    let takesCodeAfterPassword: Bool

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
        if let digest = bound.token {
            guard let token = try directory.signInRecords.apiToken(digest: digest) else {
                throw LDAPResult(.strongerAuthRequired, "The token has ended. Bind again.")
            }
            signIn.oauth.lastUses.note(token)
        }
        if let proved = bound.identity.appPassword {
            guard !isChange else {
                throw LDAPResult(.insufficientAccessRights, "An app password is for reading. Bind with the password.")
            }
            guard let password = try directory.signInRecords.appPassword(digest: proved.digest) else {
                throw LDAPResult(.strongerAuthRequired, "The app password has ended. Bind again.")
            }
            signIn.oauth.lastUses.note(password)
        }
        return directory.acting(as: bound.identity.caller, by: bound.identity.presence)
    }

    // MARK: Binding

    /// Finds out who the client is, by the same way as a sign-in over HTTP: with its delays, its limits and its entries in the change
    /// feed.
    ///
    /// - Returns: Nil for an anonymous client.
    /// - Throws: ``LDAPResult``; `AuthenticationFailure`; `DirectoryError`.
    func bind(_ bind: LDAPBind, in session: LDAPSession) async throws -> BoundIdentity? {
        guard bind.version == 3 else { throw LDAPResult(.protocolError, "Only version 3 of LDAP is served.") }
        switch bind.method {
        case .simple(let bytes):
            if bind.name.isEmpty && bytes.isEmpty { return nil }
            return try await self.bind(bind.name, bytes, in: session)
        case .sasl(let mechanism, let credentials):
            switch mechanism.uppercased() {
            case "PLAIN" where session.mechanisms.contains("PLAIN"):
                let (other, name, password) = try Self.plain(credentials ?? [])
                return try authorized(try await self.bind(name, password, in: session), as: other, own: name)
            case "EXTERNAL" where session.mechanisms.contains("EXTERNAL"):
                let bound = try session.certificate.map { try external($0, in: session) } ?? external(in: session)
                return try authorized(bound, as: String(decoding: credentials ?? [], as: UTF8.self))
            default:
                let served = session.mechanisms
                throw LDAPResult(
                    .authMethodNotSupported,
                    served.isEmpty
                        ? "SASL is served after TLS has begun, and over local sockets."
                        : "The mechanisms of SASL that are served here are \(served.joined(separator: " and ")).")
            }
        }
    }

    /// Binds by a name and a password.
    private func bind(_ text: String, _ bytes: [UInt8], in session: LDAPSession) async throws -> BoundIdentity {
        // RFC 4513, section 5.1.2: a client that forgot to ask for the password must not take this for a success.
        guard !bytes.isEmpty else { throw LDAPResult(.unwillingToPerform, "A bind with a name needs a password.") }
        guard session.isEncrypted || session.isLocal || allowsPlain else {
            throw LDAPResult(.confidentialityRequired, "Begin TLS first: others could read the password along.")
        }
        guard let password = String(validating: bytes, as: UTF8.self), !text.isEmpty else {
            throw LDAPResult(AuthenticationFailure.wrong)
        }
        if EntryName.isOne(text), let program = (try? EntryName(text)).flatMap({ tree.program($0) }) {
            return try await bind(program, text, password, in: session)
        }
        let (name, isUID) = try await signInName(text)
        let login = Login(name: name, password: password, proof: nil)
        // The text is the key under which a good password is remembered for a minute.
        var credential = Credential.app(.ldap, "ldap\u{0}\(name)\u{0}\(password)", { _ in login })
        if takesCodeAfterPassword, let parted = try signIn.oauth.signingIn.partingCode(login) {
            credential = .password(parted)
        }
        let place = SignInPlace.request(scheme: AuditTrail.ldap, name: { name })
        let identity = try await signIn.oauth.signingIn.signIn(credential, at: place, from: ClientOrigin(session.peer))
            .identity()
        // A distinguished name means the user with that name, never one with that mail address.
        guard !isUID || TextKey.of(identity.name) == TextKey.of(name) else {
            throw LDAPResult(AuthenticationFailure.wrong)
        }
        return BoundIdentity(identity: identity, dn: tree.name(of: identity.name))
    }

    /// The parts of the credentials of the mechanism PLAIN (RFC 4616): an identity to act as, a name and a password, with a zero byte
    /// between them.
    private static func plain(_ credentials: [UInt8]) throws -> (other: String, name: String, password: [UInt8]) {
        let pieces = credentials.split(separator: 0, omittingEmptySubsequences: false)
        guard pieces.count == 3, let name = String(validating: pieces[1], as: UTF8.self), !name.isEmpty else {
            throw LDAPResult(.invalidCredentials, "The credentials of PLAIN cannot be read.")
        }
        return (String(decoding: pieces[0], as: UTF8.self), name, Array(pieces[2]))
    }

    /// Binds by the mechanism EXTERNAL over a local socket: root and the user of the server, who can read the directory's file anyway, are
    /// administrators. The distinguished name is that of OpenLDAP.
    private func external(in session: LDAPSession) throws -> BoundIdentity {
        guard let owner = session.owner, owner.user == 0 || owner.user == geteuid() else {
            throw LDAPResult(
                .invalidCredentials,
                "Only root and the user who runs the server bind by EXTERNAL. Bind with a name and a password.")
        }
        let name = "user \(owner.user) of this machine"
        var identity = Identity(.administrator(name), name: name)
        identity.presence = .local
        return BoundIdentity(
            identity: identity, dn: "gidNumber=\(owner.group)+uidNumber=\(owner.user),cn=peercred,cn=external,cn=auth")
    }

    /// The name to sign in with, and whether it must be the user's own name: that of a distinguished name, that after the domain in
    /// `DOMAIN\name`, or the given name or mail address.
    ///
    /// A name of nobody is tried like one of somebody, so that the time does not tell which names are known.
    private func signInName(_ text: String) async throws -> (String, isUID: Bool) {
        guard EntryName.isOne(text) else {
            if let slash = text.lastIndex(of: "\\") { return (String(text[text.index(after: slash)...]), false) }
            return (text, false)
        }
        guard let name = try? EntryName(text), case .user(let part)? = try? tree.place(name) else {
            return (text, true)
        }
        if part.attribute == "uid" { return (part.value, true) }
        // Nobody can be asked on whose behalf this is looked up; the answer is not shown.
        guard let user = try await tree.user(part, ["uid"], in: directory.unrestricted) else { return (text, true) }
        return (user.uid, true)
    }
}
