import Foundation
import Roster
package import RosterText

/// Apps behind a proxy that asks for each request who sends it, such as nginx with `auth_request`. The proxy's hosts are registered with
/// a backend; the browser signs in by the code flow, and a cookie of each host names the session.
package struct GuardedApps: Sendable {
    let clients: ClientDirectory
    /// The authorizations that clients have not redeemed yet, by their codes.
    let codes: PendingCodes<Authorization>
    let clock: @Sendable () -> Date
    let audit: AuditTrail
    let sessions: CookieSessions
    let directory: Directory
    let subjects: Subjects
    let userClaims: UserClaims

    /// The origin of an address in its usual spelling; nil for a text that is not an address of http or https.
    package static func origin(of address: String) -> String? {
        guard address.utf8.count <= 4_096, address.utf8.allSatisfy({ (0x21...0x7E).contains($0) }),
            !address.contains("\\"), let parts = URLComponents(string: address),
            let scheme = parts.scheme?.lowercased(), let usual = ["https": 443, "http": 80][scheme],
            let host = parts.host?.lowercased(), !host.isEmpty, parts.user == nil, parts.password == nil
        else { return nil }
        let port = parts.port.flatMap { $0 == usual ? nil : ":\($0)" } ?? ""
        return "\(scheme)://\(host)\(port)"
    }

    /// The backend of the app at an address; nil if the address is of no host that is registered.
    package func guardedApp(at address: String) throws -> (backend: Backend, origin: String)? {
        guard let origin = Self.origin(of: address) else { return nil }
        let all = try clients.all(BackendStatements.select, Backend.Key.all.bindings)
        let found = all.first { $0.settings.isEnabled && $0.settings.guardedOrigins.contains(origin) }
        return found.map { ($0, origin) }
    }

    /// The scopes whose claims the proxy is told.
    package func guardedScopes(_ backend: Backend) -> [Scope] {
        [.openID, .profile, .email, .groups].filter { backend.settings.scopes.contains($0) }
    }

    /// Redeems the code that a browser brought to a host, and returns the digest of its session; nil for a code that is not good.
    package func guardedSession(
        _ code: String, verifier: String, origin: String, clientID: String, from client: ClientOrigin
    ) throws -> String? {
        guard let backend = try clients.backend(.clientID(clientID)) else { return nil }
        let found = try codes.change(code) { authorization -> Authorization? in
            guard authorization.backend == backend.id, !authorization.isUsed else { return nil }
            authorization.isUsed = true
            guard clock() < authorization.expires, authorization.redirectURI == origin + RedirectURI.guardedCallback,
                try TokenEndpoint.proves(verifier, authorization.challenge)
            else { return nil }
            return authorization
        }
        guard let authorization = found ?? nil, let session = authorization.session,
            let person = try guardedPerson(session, clientID: clientID, origin: origin)
        else { return nil }
        audit.record(.granted, person, backend, from: client, method: "auth_request")
        return session
    }

    /// The person of a session, as long as the session lives, the host is registered, and a consent that was asked for stands.
    package func guardedPerson(_ session: String, clientID: String, origin: String) throws -> Person? {
        guard let backend = try clients.backend(.clientID(clientID)),
            backend.settings.guardedOrigins.contains(origin), let session = try sessions.session(session)
        else { return nil }
        if backend.settings.asksForConsent {
            guard case .user(let user) = session.holder, try directory.consents.consent(of: user, to: backend.id) != nil
            else {
                return nil
            }
        }
        return try Person(session.holder, in: directory)
    }

    /// The claims about a person that the proxy is told.
    package func guardedClaims(_ person: Person, clientID: String) throws -> [JSONValue.Member] {
        guard let backend = try clients.backend(.clientID(clientID)) else { return [] }
        return [.init("sub", .string(try subjects.subject(of: person.holder, for: backend)))]
            + (try userClaims.userClaims(backend, person, Set(guardedScopes(backend))))
    }
}
