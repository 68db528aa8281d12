import Foundation
import Roster
import RosterCrypto
import RosterSignIn
import RosterText

/// Signing in to apps behind nginx (`auth_request`). These requests come from the app's host, whose paths below `/oauth2/` nginx passes on.
/// The cookies are that host's own.
extension BrowserVisit {
    private static let startPurpose = "guarded start"
    private static let visitPurpose = "guarded visit"
    /// The seconds for which a sign-in may take, and those for which a host's cookie counts. The session ends sooner.
    private static let lifetimes: (start: Int64, visit: Int64) = (900, 2_592_000)

    private func cookie(_ name: String, of origin: String) -> HostCookie {
        HostCookie(name, path: "/", isSecure: origin.hasPrefix("https:"))
    }

    private func seal(_ content: JSONValue, for purpose: String) throws -> String {
        try call.context.seal.seal(Base64URL.text(content.bytes), for: purpose)
    }

    /// The content of a sealed text that has not ended; nil for other texts.
    private func opened(_ text: String, for purpose: String) -> JSONValue? {
        guard text.utf8.count <= 4_096, let inner = try? call.context.seal.open(text, for: purpose),
            let bytes = Base64URL.bytes(inner), let content = try? JSONValue(strictly: bytes),
            case .integer(let until)? = content["until"], Int64(oauth.clock().timeIntervalSince1970) < until
        else { return nil }
        return content
    }

    /// Begins a sign-in for the address that the browser asked the app for. It leads to no host that is not registered.
    func startGuarded() throws -> HTTPResponse {
        // The address is the rest of the target, because nginx does not escape the ampersands in it.
        let target = call.request.target
        let text = target.range(of: "?rd=").map { String(target[$0.upperBound...]) } ?? ""
        let address = text.contains("://") ? text : text.removingPercentEncoding ?? ""
        guard let (backend, origin) = try oauth.guardedApps.guardedApp(at: address), address.utf8.count <= 1_500 else {
            throw OAuthError(.invalidRequest, "The address to go on to is of no app that is registered here.")
        }
        let secret = try SecureRandom.token()
        let state = try seal(
            [
                "rd": .string(address), "origin": .string(origin), "client": .string(backend.clientID),
                "visit": .string(try SHA256.hex(secret)),
                "until": .integer(Int64(oauth.clock().timeIntervalSince1970) + Self.lifetimes.start),
            ], for: Self.startPurpose)
        return BrowserAPI.redirect(
            to: oauth.issuer + OAuthAPI.base + "/authorize",
            [
                ("response_type", "code"), ("client_id", backend.clientID),
                ("redirect_uri", origin + RedirectURI.guardedCallback),
                ("scope", oauth.guardedApps.guardedScopes(backend).text), ("state", state),
                ("code_challenge", Base64URL.text(try SHA256.digest(Array(secret.utf8)))),
                ("code_challenge_method", "S256"),
            ], headers: ["Set-Cookie": cookie("roster_start", of: origin).field(secret, maximumAge: 900)])
    }

    /// Receives the code at the app's host; nil for a request that ``startGuarded()`` did not begin.
    func finishGuarded(_ query: Form) throws -> HTTPResponse? {
        guard let state = query["state"], let content = opened(state, for: Self.startPurpose) else { return nil }
        let stale = OAuthError(.invalidRequest, "This sign-in was not begun in this browser, or too long ago.")
        guard let address = content["rd"]?.text, let origin = content["origin"]?.text,
            let client = content["client"]?.text, let expected = content["visit"]?.text,
            let secret = cookie("roster_start", of: origin).value(in: call.request),
            constantTimeEqual(try SHA256.hex(secret), expected), query["iss"] ?? oauth.issuer == oauth.issuer
        else { throw stale }
        guard let code = query["code"] else {
            throw OAuthError(.accessDenied, "Nobody was signed in. Go back to the app, and begin again.")
        }
        guard
            let session = try oauth.guardedApps.guardedSession(
                code, verifier: secret, origin: origin, clientID: client, from: call.origin)
        else { throw stale }
        let visit = try seal(
            [
                "origin": .string(origin), "client": .string(client), "session": .string(session),
                "until": .integer(Int64(oauth.clock().timeIntervalSince1970) + Self.lifetimes.visit),
            ], for: Self.visitPurpose)
        var response = BrowserAPI.redirect(to: address, [])
        response.headers.add("Set-Cookie", cookie("roster_app", of: origin).field(visit))
        response.headers.add("Set-Cookie", cookie("roster_start", of: origin).field("", maximumAge: 0))
        return response
    }

    /// Tells nginx who sends a request to an app: 200 with the person's claims as header fields, or 401.
    func checkGuarded() throws -> HTTPResponse {
        guard let address = call.request.headers["X-Original-URL"], let origin = GuardedApps.origin(of: address),
            let value = cookie("roster_app", of: origin).value(in: call.request),
            let content = opened(value, for: Self.visitPurpose), content["origin"]?.text == origin,
            let client = content["client"]?.text, let session = content["session"]?.text,
            let person = try oauth.guardedApps.guardedPerson(session, clientID: client, origin: origin)
        else { return HTTPResponse(401, headers: ["Cache-Control": "no-store"]) }
        var headers: HTTPHeaders = ["Cache-Control": "no-store"]
        let claims = try oauth.guardedApps.guardedClaims(person, clientID: client)
        for (claim, field) in [
            ("sub", "X-Roster-Subject"), ("preferred_username", "X-Roster-User"), ("email", "X-Roster-Email"),
            ("groups", "X-Roster-Groups"),
        ] {
            guard let value = claims.first(where: { $0.name == claim })?.value else { continue }
            // A field has ASCII only, and a comma separates groups.
            let texts = value.elements.isEmpty ? [value] : value.elements
            headers.add(field, texts.compactMap(\.text).map(PercentEncoding.segment).joined(separator: ","))
        }
        return HTTPResponse(200, headers: headers)
    }
}
