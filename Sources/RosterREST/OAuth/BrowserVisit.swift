import Foundation
import Roster
import RosterCrypto
import RosterSignIn
import RosterText

/// One request of a browser that signs in, allows or signs out.
struct BrowserVisit: Sendable {
    /// The pages whose forms come back here.
    enum Page: String, Sendable {
        case authorize, device
        /// The page for people.
        case signIn = "sign-in"
    }

    let call: Call
    /// The languages that an app asks for, where they stand in no address.
    var locales: String?

    init(call: Call) { self.call = call }

    var oauth: OAuthService { call.oauth }

    /// The name of the page that asks whether to sign out.
    private static let signOutPage = "logout"
    private var sessionCookie: HostCookie { call.context.browserCookie }
    /// The cookie that ties a page to the browser that it was shown to.
    private var visitCookie: HostCookie { cookie("roster_visit") }
    /// The seconds for which a page can be answered.
    private static let patience: Int64 = 900

    func session() async throws -> Session? {
        guard let cookie = sessionCookie.value(in: call.request) else { return nil }
        return try await oauth.sessions.use(cookie)
    }

    /// A cookie that only the pages read.
    func cookie(_ name: String) -> HostCookie {
        let path = (URL(string: oauth.issuer)?.path(percentEncoded: true) ?? "") + OAuthAPI.base
        return HostCookie(name, path: path, isSecure: oauth.issuer.hasPrefix("https:"))
    }

    /// Makes a browser send an app's request again with GET; nil if that is not needed. A form that another site's page sends
    /// comes without cookies (`SameSite=Lax`), so a signed-in user would seem to be signed out.
    func askedByGet(_ form: Form) throws -> HTTPResponse? {
        guard sessionCookie.value(in: call.request) == nil,
            let site = call.request.headers["Sec-Fetch-Site"], site != "same-origin"
        else { return nil }
        let name = call.request.target.prefix { $0 != "?" }.split(separator: "/").last ?? ""
        let query = form.pairs.map { PercentEncoding.segment($0.name) + "=" + PercentEncoding.segment($0.value) }
        let address = "\(name)?\(query.joined(separator: "&"))"
        // A request that does not fit into an address is answered as it is.
        return address.utf8.count <= 8_000 ? BrowserAPI.redirect(to: address, []) : nil
    }

    // MARK: Apps

    /// Answers an app's request with a page, or with a code where the user has nothing to do.
    func authorize(_ form: Form) async throws -> HTTPResponse {
        if let uri = form["request_uri"], PushedAuthorization.isPushed(uri) {
            guard let pushed = try oauth.pushedAuthorization.pushed(uri, clientID: form["client_id"]) else {
                throw AuthorizationRequest.Problem.stay(
                    "The app's request is not known, or is too old. Go back to the app, and begin again.")
            }
            let query: JSONValue = [
                "pushed": .string(uri), "parameters": .array(pushed.parameters.map { .texts($0) }),
            ]
            let locales = pushed.parameters.first { $0.first == PageTexts.parameter }?.last
            return try await asking(locales).decide(try request(query), try await session(), query: query)
        }
        if let id = form["client_id"] { try await oauth.clientRegistration.adoptDocument(ofClient: id) }
        // The page keeps the parameters in this form.
        let query = JSONValue.array(form.pairs.map { [.string($0.name), .string($0.value)] })
        return try await decide(try request(query), try await session(), query: query)
    }

    private func decide(
        _ request: AuthorizationRequest, _ session: Session?, query: JSONValue,
        hasJustSignedIn: Bool = false, hasJustConsented: Bool = false
    ) async throws -> HTTPResponse {
        func refuse(_ code: OAuthError.Code, _ text: String) -> AuthorizationRequest.Problem {
            .redirect(OAuthError(code, text), request.place)
        }
        let now = Int64(oauth.clock().timeIntervalSince1970)
        var current = session
        if !hasJustSignedIn {
            if request.prompts.contains("login") || request.prompts.contains("select_account") { current = nil }
            if let age = request.maximumAge, let found = current, age == 0 || now - found.authenticationTime > age {
                current = nil
            }
        }
        if let text = request.idTokenHint {
            guard let hint = try oauth.introspection.idTokenHint(text), hint.subject != nil else {
                throw refuse(.invalidRequest, "The 'id_token_hint' is not an id token of this service.")
            }
            // The app expects this user and nobody else (OpenID Connect Core, section 3.1.2.2).
            if let found = current, try !oauth.subjects.means(hint, found.holder) {
                guard !hasJustSignedIn else { throw refuse(.loginRequired, "Another user has signed in.") }
                current = nil
            }
        }
        if let found = current, try !request.accepts(oauth.subjects.subject(of: found.holder, for: request.backend)) {
            guard !hasJustSignedIn else { throw refuse(.loginRequired, "Another user has signed in.") }
            current = nil
        }
        guard let current else {
            guard !request.prompts.contains("none") else { throw refuse(.loginRequired, "Nobody is signed in.") }
            return try signInPage(
                .authorize, application: request.backend.name, query, name: request.loginHint ?? "")
        }
        if !hasJustConsented, try needsConsent(request, current) {
            guard !request.prompts.contains("none") else {
                throw refuse(.consentRequired, "The user has not allowed that yet.")
            }
            let (sealed, cookie) = try seal(Page.authorize.rawValue, query, session: current.digest)
            return try pages.response(
                pages.consent(
                    to: request.backend.name, action: "authorize", sealed: sealed, name: current.name,
                    scopes: request.scopesToAllow), headers: ["Set-Cookie": cookie])
        }
        let code = try oauth.authorizationCodes.code(for: request, current, from: call.origin)
        if let uri = query["pushed"]?.text { try oauth.pushedAuthorization.forgetPushed(uri) }
        return try BrowserAPI.answer(to: request.place, [("code", code)], oauth.issuer, pages)
    }

    private func needsConsent(_ request: AuthorizationRequest, _ session: Session) throws -> Bool {
        if request.prompts.contains("consent") { return true }
        guard request.backend.settings.asksForConsent else { return false }
        guard case .user(let user) = session.holder,
            let given = try oauth.directory.consents.consent(of: user, to: request.backend.id)
        else { return true }
        return !Set(request.scopesToAllow).isSubset(of: given)
    }

    // MARK: Forms

    func signInPage(
        _ page: Page, application: String, _ query: JSONValue, name: String, problem: String? = nil,
        status: Int = 200, headers: HTTPHeaders = [:]
    ) throws -> HTTPResponse {
        let (sealed, cookie) = try seal(page.rawValue, query, session: nil)
        var headers = headers
        headers.add("Set-Cookie", cookie)
        return try pages.response(
            pages.signIn(
                to: application, action: page.rawValue, sealed: sealed, name: name, problem: problem,
                sendsLinks: call.context.mailer != nil,
                providers: call.context.relyingParty.providers.providers.keys.sorted()), status: status,
            headers: headers)
    }

    /// Seals the content of a page, and makes the cookie that ties it to this browser.
    ///
    /// - Parameter page: The name of the page. The content is accepted only with the answer to this page.
    /// - Parameter begun: The code of a sign-in that waits for the second factor.
    func seal(
        _ page: String, _ query: JSONValue, session: String?, begun: String? = nil
    ) throws -> (sealed: String, cookie: String) {
        let visit =
            try visitCookie.value(in: call.request).flatMap { $0.utf8.count == 43 ? $0 : nil }
            ?? SecureRandom.token()
        let content: JSONValue = [
            "page": .string(page), "query": query, "visit": .string(try SHA256.hex(visit)), "session": .text(session),
            "begun": .text(begun),
            "until": .integer(Int64(oauth.clock().timeIntervalSince1970) + Self.patience),
        ]
        let sealed = try call.context.seal.seal(Base64URL.text(content.bytes), for: "sign-in page")
        return (sealed, visitCookie.field(visit))
    }

    /// Opens the content of a page. Its form must come in time, and from the browser that the page was shown to.
    private func open(_ sealed: String, _ page: String) throws -> (query: JSONValue, session: String?, begun: String?) {
        let kept = try kept(sealed)
        guard kept.page == page else { throw Self.stale }
        return (kept.query, kept.session, kept.begun)
    }

    static let stale = OAuthError(
        .invalidRequest, "This page is too old, or was not meant for this browser. Begin again.")

    /// Opens the content of any page.
    func kept(_ sealed: String) throws -> (page: String, query: JSONValue, session: String?, begun: String?) {
        guard let text = try? call.context.seal.open(sealed, for: "sign-in page"),
            let bytes = Base64URL.bytes(text),
            let content = try? JSONValue(strictly: bytes), let page = content["page"]?.text,
            let visit = visitCookie.value(in: call.request), let expected = content["visit"]?.text,
            constantTimeEqual(try SHA256.hex(visit), expected), case .integer(let until)? = content["until"],
            Int64(oauth.clock().timeIntervalSince1970) < until, let query = content["query"]
        else { throw Self.stale }
        return (page, query, content["session"]?.text, content["begun"]?.text)
    }

    /// Answers the form of a user who signs in, or who approves or denies a request.
    func submitted(_ form: Form, _ sealed: String, _ page: Page) async throws -> HTTPResponse {
        let (query, consenting, begun) = try open(sealed, page.rawValue)
        if let begun { return try await proved(form, begun, query, page) }
        if let consenting {
            guard let session = try await session(), session.digest == consenting else {
                throw OAuthError(.invalidRequest, "You have signed out meanwhile. Begin again.")
            }
            return try await decided(form["decision"] == "allow", query, session, page)
        }
        let name = form["username"] ?? ""
        let login = Login(name: name, password: form["password"] ?? "", proof: Self.proof(form))
        do {
            switch try await oauth.signingIn.begin(login, at: .page, from: call.origin) {
            case .person(let person):
                return try await continueRequest(as: person, person.amr, at: oauth.clock(), query, page)
            case .needsSecondFactor(let begun, let questions, let failure):
                return try secondStep(page, query, begun, questions, problem: failure)
            }
        } catch let failure as AuthenticationFailure {
            return try signInPage(
                page, application: application(query, page), query, name: String(name.prefix(256)),
                problem: problem(failure), status: Self.status(failure), headers: Self.retryAfter(failure))
        }
    }

    /// Continues with the request of a page after a user signed in. The user's session is renewed, or a new one begins; the cookie
    /// that the browser had before is never used again.
    func continueRequest(
        as person: Person, _ amr: [String], at time: Date, _ query: JSONValue, _ page: Page
    ) async throws -> HTTPResponse {
        let (old, agent) = (sessionCookie.value(in: call.request) ?? "", call.request.headers["User-Agent"])
        let session: Session
        let cookie: String
        if let renewed = try await oauth.sessions.renew(
            old, for: person.holder, version: person.version, at: time, amr: amr, agent: agent)
        {
            (session, cookie) = renewed
        } else {
            cookie = try await oauth.sessions.begin(
                person.holder, version: person.version, at: time, amr: amr, agent: agent)
            guard let begun = try await oauth.sessions.use(cookie) else {
                throw OAuthError(.serverError, "The session was ended at once. Begin again.")
            }
            session = begun
        }
        var response =
            switch page {
            case .authorize:
                try await decide(
                    try request(query), session, query: query,
                    hasJustSignedIn: true)
            case .device: try await device(userCode: query["user_code"]?.text, session)
            case .signIn: toPage(query["view"]?.text)
            }
        response.headers.add("Set-Cookie", sessionCookie.field(cookie))
        if let known = try noteBrowser(of: person) { response.headers.add("Set-Cookie", known) }
        return response
    }

    /// The proof of the second factor in a form. The questions come back with their answers.
    static func proof(_ form: Form) -> SecondFactorProof {
        var proof = SecondFactorProof(code: form["otp"])
        for index in 0..<10 {
            guard let question = form["question\(index)"] else { break }
            proof.answers[question] = form["answer\(index)"] ?? ""
        }
        return proof
    }

    /// The app's request in the content of a page.
    func request(_ query: JSONValue) throws -> AuthorizationRequest {
        let pairs = (query["parameters"] ?? query).elements
        let form = try Form(pairs.map { ($0.elements.first?.text ?? "", $0.elements.last?.text ?? "") })
        return try AuthorizationRequest(
            AuthorizationParameters(form, isPushed: query["pushed"] != nil), oauth.clients, issuer: oauth.issuer)
    }

    func application(_ query: JSONValue, _ page: Page) throws -> String {
        switch page {
        case .authorize: try request(query).backend.name
        case .device: pages.texts("your device")
        case .signIn: pageForPeople
        }
    }

    private func decided(
        _ isAllowed: Bool, _ query: JSONValue, _ session: Session, _ page: Page
    ) async throws -> HTTPResponse {
        switch page {
        case .authorize:
            let request = try request(query)
            guard isAllowed else {
                throw AuthorizationRequest.Problem.redirect(
                    OAuthError(.accessDenied, "The user did not allow it."), request.place)
            }
            if case .user(let user) = session.holder {
                try await oauth.directory.consents.add(request.scopesToAllow, of: user, to: request.backend.id)
            }
            return try await decide(request, session, query: query, hasJustSignedIn: true, hasJustConsented: true)
        case .signIn: throw Self.stale  // This page asks for no consent.
        case .device:
            guard
                let found = try oauth.deviceFlow.device(
                    userCode: query["user_code"]?.text ?? "", for: session.holder, from: call.origin)
            else { throw Self.noDevice }
            try oauth.deviceFlow.decide(device: found.code, session, isAllowed: isAllowed)
            return try pages.answer(
                isAllowed ? "Done" : "Not allowed",
                isAllowed ? "Your device is signed in now. You can close this page." : "The device was told so.")
        }
    }

    private static let noDevice = OAuthError(
        .invalidRequest, "There is no device that waits with this code. Look at it again, or begin again there.")

    // MARK: Devices

    /// The page where a user approves a device.
    func device(userCode: String?) async throws -> HTTPResponse {
        try await device(userCode: userCode, try await session())
    }

    private func device(userCode: String?, _ session: Session?) async throws -> HTTPResponse {
        guard let userCode else {
            return try pages.response(pages.device(action: "device", userCode: "", problem: nil))
        }
        let query: JSONValue = ["user_code": .string(String(userCode.prefix(64)))]
        // A user must sign in before trying codes.
        guard let session else {
            return try signInPage(.device, application: pages.texts("your device"), query, name: "")
        }
        guard let found = try oauth.deviceFlow.device(userCode: userCode, for: session.holder, from: call.origin)
        else {
            return try pages.response(
                pages.device(action: "device", userCode: userCode, problem: Self.noDevice.text), status: 400)
        }
        let (sealed, cookie) = try seal(Page.device.rawValue, query, session: session.digest)
        return try pages.response(
            pages.consent(
                to: found.backend.name, action: "device", sealed: sealed, name: session.name,
                scopes: found.scopes, userCode: found.userCode), headers: ["Set-Cookie": cookie])
    }

    // MARK: Signing out

    /// Answers a request to sign out. An app that proves by an id token whose session it means signs the user out at once;
    /// otherwise the user is asked.
    func signOut(_ form: Form) async throws -> HTTPResponse {
        let hint = try form["id_token_hint"].map { text in
            guard let hint = try oauth.introspection.idTokenHint(text) else {
                throw OAuthError(.invalidRequest, "The 'id_token_hint' is not an id token of this service.")
            }
            return hint
        }
        let clientID = form["client_id"] ?? hint?.clientID
        if let hint, let clientID, hint.clientID != clientID {
            throw OAuthError(.invalidRequest, "The 'id_token_hint' is another client's.")
        }
        // Without an app nobody knows whether the address is registered, so the address is not used.
        let uri = clientID == nil ? nil : form["post_logout_redirect_uri"]
        if let uri {
            guard let clientID, let backend = try oauth.clients.backend(.clientID(clientID)),
                RedirectURI.matches(uri, backend.settings.postLogoutRedirectURIs)
            else { throw OAuthError(.invalidRequest, "The app wants to go on at an address that is not registered.") }
        }
        guard let session = try await session() else { return try afterSignOut(uri, form["state"]) }
        if let hint, try oauth.subjects.means(hint, session.holder) {
            return try await end(uri, form["state"])
        }
        let query: JSONValue = ["uri": .text(uri), "state": .text(form["state"])]
        let (sealed, cookie) = try seal(Self.signOutPage, query, session: session.digest)
        return try pages.response(
            pages.signOut(action: "logout", sealed: sealed, name: session.name), headers: ["Set-Cookie": cookie])
    }

    /// Signs out a user who confirmed it.
    func signedOut(_ sealed: String) async throws -> HTTPResponse {
        let (query, asked, _) = try open(sealed, Self.signOutPage)
        if let session = try await session(), session.digest != asked {
            throw OAuthError(.invalidRequest, "Somebody else has signed in meanwhile. Begin again.")
        }
        return try await end(query["uri"]?.text, query["state"]?.text)
    }

    private func end(_ uri: String?, _ state: String?) async throws -> HTTPResponse {
        if let session = try await session(), let cookie = sessionCookie.value(in: call.request) {
            _ = try await oauth.sessions.end(cookie)
            let person = try Person(session.holder, in: oauth.directory)
            oauth.audit.record(.revoked, person, nil, from: call.origin, method: "sign-out")
        }
        return try afterSignOut(uri, state)
    }

    private func afterSignOut(_ uri: String?, _ state: String?) throws -> HTTPResponse {
        let removal = sessionCookie.field("", maximumAge: 0)
        guard let uri else {
            return try pages.answer("Signed out", "You are signed out.", headers: ["Set-Cookie": removal])
        }
        return BrowserAPI.redirect(to: uri, [("state", state)], headers: ["Set-Cookie": removal])
    }
}
