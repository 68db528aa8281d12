import Roster
import RosterSignIn
import RosterText

/// The endpoints of OAuth and OpenID Connect for browsers: to sign in, to approve an app, to sign out.
///
/// The server stores nothing while a user types. The request is signed and is in the page; it comes back with the form,
/// together with a cookie that ties the page to the browser that it was shown to.
package enum BrowserAPI {
    static let authorize = page("Sign in for an app (RFC 6749, section 4.1).") { visit in
        try await visit.authorize(try visit.call.query())
    }

    static let authorizeByForm = page("The answer to the sign-in page, or an app's request in a form.") { visit in
        let form = try visit.call.form()
        guard let sealed = form["request"] else {
            if let again = try visit.askedByGet(form) { return again }
            return try await visit.asking(form[PageTexts.parameter]).authorize(form)
        }
        return try await visit.submitted(form, sealed, .authorize)
    }

    static let enterPage = page("Sign in for the page for people.") { try await $0.enterPage(try $0.call.query()) }

    static let signInForPage = page("The answer to the sign-in page of the page for people.") { visit in
        let form = try visit.call.form()
        return try await visit.submitted(form, try form.required("request"), .signIn)
    }

    static let forgotten = page("The form of a user who forgot the password, where the server sends mails.") {
        try $0.askForLink()
    }

    static let sendForgotten = page("The answer to that form, which sends a mail with a password link.") {
        try $0.sendLink(try $0.call.form())
    }

    static let password = page("Where a password link leads: the form for a new password.") {
        try await $0.openLink(try $0.call.query())
    }

    static let setPassword = page("The answer to the form for a new password, which uses the link up.") {
        try await $0.useLink(try $0.call.form())
    }

    static let device = page("Allow a device to sign in (RFC 8628, section 3.3).") { visit in
        try await visit.device(userCode: try visit.call.query()["user_code"])
    }

    static let decideDevice = page("The answer to the page of a device.") { visit in
        let form = try visit.call.form()
        return try await visit.submitted(form, try form.required("request"), .device)
    }

    static let leave = page("Sign in with another provider.", asksProvider: true) {
        try await $0.leave(try $0.call.form())
    }

    static let comeBack = page(
        "Where providers send browsers back to, and where codes come for apps behind nginx.", asksProvider: true
    ) {
        let query = try $0.call.query()
        if let answer = try $0.finishGuarded(query) { return answer }
        return try await $0.comeBack(query)
    }

    static let startGuarded = page("Sign in for an app behind nginx: 'rd' is the address that the browser asked for.") {
        try $0.startGuarded()
    }

    static let checkGuarded = page("Who sends a request to an app behind nginx (auth_request); 401 for nobody.") {
        try $0.checkGuarded()
    }

    static let signOut = page("Sign out (OpenID Connect RP-Initiated Logout).") {
        try await $0.signOut(try $0.call.query())
    }

    static let signOutByForm = page("The answer to the sign-out page, or an app's request in a form.") { visit in
        let form = try visit.call.form()
        guard let sealed = form["request"] else {
            if let again = try visit.askedByGet(form) { return again }
            return try await visit.signOut(form)
        }
        return try await visit.signedOut(sealed)
    }

    private static func page(
        _ summary: String, asksProvider: Bool = false,
        _ handler: @escaping @Sendable (BrowserVisit) async throws -> HTTPResponse
    ) -> Endpoint {
        Endpoint(summary, answer: .page, asksProvider: asksProvider) { call in
            .later {
                let visit = BrowserVisit(call: call)
                do {
                    return try await handler(visit)
                } catch let error as AuthorizationRequest.Problem {
                    return try refusal(error, call.oauth.issuer, visit.pages)
                } catch let failure as AuthenticationFailure {
                    return try refusal(failure, visit.pages)
                } catch let error as OAuthError {
                    return try visit.pages.answer("That did not work", error.text, status: 400)
                }
            }
        }
    }

    /// The page for a refused sign-in.
    private static func refusal(_ failure: AuthenticationFailure, _ pages: SignInPages) throws -> HTTPResponse {
        switch failure {
        case .tooManyAttempts(let seconds):
            try pages.answer(
                "Too many attempts", pages.texts("Try again in {{n}} seconds.", ["n": String(seconds)]), status: 429,
                headers: ["Retry-After": String(seconds)])
        case .overloaded:
            try pages.answer("That did not work", failure.description, status: 429, headers: ["Retry-After": "1"])
        case .wrong, .secondFactorRequired, .secondFactorWrong, .secondFactorLost:
            try pages.answer(
                "That did not work", pages.texts(failure.description) + " " + pages.texts("Begin again."), status: 401)
        }
    }

    /// The answer to a refused request: a redirect to the app if it can be trusted, else a page for the user.
    private static func refusal(
        _ problem: AuthorizationRequest.Problem, _ issuer: String, _ pages: SignInPages
    ) throws -> HTTPResponse {
        switch problem {
        case .stay(let text):
            try pages.answer("That did not work", text, status: 400)
        case .redirect(let error, let place):
            try answer(to: place, [("error", error.code.rawValue), ("error_description", error.text)], issuer, pages)
        }
    }

    /// Sends a browser to an app with the answer to the app's request, which names the issuer (RFC 9207).
    static func answer(
        to place: AnswerPlace, _ parameters: [(name: String, value: String)], _ issuer: String, _ pages: SignInPages
    ) throws -> HTTPResponse {
        var parameters = parameters
        if let state = place.state { parameters.append(("state", state)) }
        parameters.append(("iss", issuer))
        switch place.mode {
        case .query: return redirect(to: place.uri, parameters.map { ($0.name, $0.value) })
        // A registered address has no fragment.
        case .fragment: return redirect(to: place.uri + "#" + query(parameters), [])
        case .formPost: return try pages.formPost(to: place.uri, fields: parameters)
        }
    }

    private static func query(_ parameters: [(name: String, value: String)]) -> String {
        parameters.map { "\($0.name)=\(PercentEncoding.segment($0.value))" }.joined(separator: "&")
    }

    /// Sends a browser to another address. The status 303 makes it ask with GET and without the form.
    package static func redirect(
        to uri: String, _ parameters: [(name: String, value: String?)], status: Int = 303, headers: HTTPHeaders = [:]
    ) -> HTTPResponse {
        let query = query(parameters.compactMap { parameter in parameter.value.map { (parameter.name, $0) } })
        var headers = headers
        let separator = query.isEmpty ? "" : uri.contains("?") ? "&" : "?"
        headers.add("Location", uri + separator + query)
        headers.add("Cache-Control", "no-store")
        headers.add("Referrer-Policy", "no-referrer")
        return HTTPResponse(status, headers: headers)
    }
}
