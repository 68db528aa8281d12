import Roster
import RosterSignIn

/// Acting for a user: for one request by the control (RFC 4370), or for a connection by SASL's authorization identity.
extension Authenticator {
    private static let denied = LDAPResult(
        .authorizationDenied,
        "Only a program with the token of an administrator acts for users, and for active ones only.")

    /// The session for a request: that of the user for whom the client acts by the request's control, or the client's own.
    func authorized(_ message: LDAPMessage, in session: LDAPSession) throws -> LDAPSession {
        guard let control = message.control(SupportedControl.proxiedAuthorization) else { return session }
        guard control.isCritical, let name = String(validating: control.value ?? [], as: UTF8.self) else {
            throw LDAPResult(.protocolError, "The control for proxied authorization is critical, and has an identity.")
        }
        guard let bound = session.identity, bound.identity.actsForUsers else { throw Self.denied }
        // The token may have ended since the bind.
        _ = try view(of: session)
        return session.acting(as: name.isEmpty ? nil : try identity(name, for: bound))
    }

    /// The identity of a client after a bind by SASL: its own, or that of the user whom the client names.
    ///
    /// - Parameters:
    ///   - name: The authorization identity, such as `u:jane` or `dn:uid=jane,ou=people,…`; empty for the client's own.
    ///   - own: The client's own name as it stands in the request.
    func authorized(_ bound: BoundIdentity, as name: String, own: String = "") throws -> BoundIdentity {
        if name.isEmpty || [own, "u:" + own, "dn:" + own, "dn:" + bound.dn].contains(name) { return bound }
        guard bound.identity.actsForUsers, let identity = try? identity(name, for: bound) else {
            throw LDAPResult(.invalidCredentials, Self.denied.message)
        }
        return identity
    }

    private func identity(_ text: String, for bound: BoundIdentity) throws -> BoundIdentity {
        let name: String
        if text.hasPrefix("u:") {
            name = String(text.dropFirst(2))
        } else if text.hasPrefix("dn:"), case .user(let part)? = try? tree.place(String(text.dropFirst(3))),
            part.attribute == "uid"
        {
            name = part.value
        } else {
            throw Self.denied
        }
        guard let account = try directory.accounts.account(named: name), account.isActive else { throw Self.denied }
        return BoundIdentity(
            identity: signIn.oauth.signingIn.identity(actedFor: account), dn: tree.name(of: account.uid),
            token: bound.token, program: bound.identity.name)
    }
}

extension Identity {
    /// Whether the client may act for users: a program with the token of an administrator, or whoever can read the directory's file.
    /// Administrators who are users act for themselves, so that the change feed names them.
    fileprivate var actsForUsers: Bool { if case .administrator = caller { true } else { false } }
}
