import Foundation
import Roster
import RosterCrypto
import RosterText

/// The codes that browsers bring to apps (RFC 6749, section 4.1).
package struct AuthorizationCodes: Sendable {
    /// The authorizations that clients have not redeemed yet, by their codes.
    let codes: PendingCodes<Authorization>
    let clock: @Sendable () -> Date

    /// Makes a code that the browser brings to the client. The client can redeem it once.
    package func code(
        for request: AuthorizationRequest, _ session: Session, from origin: ClientOrigin
    ) throws -> String {
        let code = try SecureRandom.token()
        var detail = GrantDetail(
            scopes: request.scopes, authenticationTime: session.authenticationTime, amr: session.amr,
            audiences: request.audiences,
            isRefreshable: Self.isRefreshable(request.scopes, request.backend))
        detail.claims = request.claims
        try codes.insert(
            Authorization(
                backend: request.backend.id, redirectURI: request.place.uri, challenge: request.challenge,
                key: request.key, holder: session.holder, detail: detail, nonce: request.nonce, session: session.digest,
                expires: clock().addingTimeInterval(TimeInterval(request.backend.settings.codeLifetime))),
            for: code, lifetime: 600, of: CodeOwner(session.holder, at: origin.address))
        return code
    }

    /// Whether a grant has a refresh token. The backend's setting decides. Without one, an OpenID Connect client gets a refresh
    /// token if it asks for `offline_access`, and any other client always.
    static func isRefreshable(_ scopes: [Scope], _ backend: Backend) -> Bool {
        guard backend.settings.grants.contains(.refreshToken) else { return false }
        return backend.settings.usesRefreshTokens
            ?? (scopes.contains(.offlineAccess) || !scopes.contains(.openID))
    }
}
