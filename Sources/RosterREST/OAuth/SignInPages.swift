import RosterCrypto
import RosterSignIn
import RosterText

/// The pages of signing in: plain HTML with one style sheet that the security policy names by its digest. The only page with a script
/// is the form that the browser posts to an app.
enum SignInPages {
    /// The response that shows a page.
    ///
    /// - Parameter script: The only script of the page.
    static func response(
        _ html: String, status: Int = 200, headers: HTTPHeaders = [:], script: StaticString? = nil
    ) throws -> HTTPResponse {
        var headers = headers
        headers.add("Content-Type", "text/html; charset=utf-8")
        func digest(_ text: String) throws -> String { Base64.text(try SHA256.digest(Array(text.utf8))) }
        // No 'form-action': browsers apply it to where the form's answer redirects, which is the app.
        headers.add(
            "Content-Security-Policy",
            "default-src 'none'; style-src 'sha256-\(try digest(HTML.style.text))'; "
                + (try script.map { "script-src 'sha256-\(try digest($0.description))'; " } ?? "")
                + "base-uri 'none'; frame-ancestors 'none'")
        headers.add("X-Frame-Options", "DENY")
        headers.add("Referrer-Policy", "no-referrer")
        headers.add("Cache-Control", "no-store")
        return HTTPResponse(status, headers: headers, body: .bytes(Array(html.utf8)))
    }

    /// The response that shows a page which only says something.
    static func answer(
        _ title: String, _ text: String, status: Int = 200, headers: HTTPHeaders = [:]
    ) throws -> HTTPResponse {
        try response(message(title, text), status: status, headers: headers)
    }

    private static func page(_ title: String, _ content: HTML) -> String {
        HTML(.page, ["title": HTML(title), "style": .style, "content": content]).text
    }

    private static func problem(_ text: String?) -> HTML {
        text.map { HTML(.problem, ["problem": HTML($0)]) } ?? .nothing
    }

    /// - Parameters:
    ///   - action: The address that the form is sent to.
    ///   - sealed: What the browser must send back unaltered.
    ///   - problem: The reason why the form is shown again.
    ///   - sendsLinks: Whether users who forgot the password get a mail.
    ///   - providers: The names of the providers that users can sign in with instead.
    static func signIn(
        to application: String, action: String, sealed: String, name: String, problem: String?,
        sendsLinks: Bool, providers: [String]
    ) -> String {
        let autofocus = HTML(literal: " autofocus")
        return page(
            "Sign in",
            HTML(
                .signIn,
                [
                    "application": HTML(application), "action": HTML(action), "request": HTML(sealed),
                    "name": HTML(name), "problem": Self.problem(problem),
                    "forgotten": sendsLinks ? HTML(.forgottenLink) : .nothing,
                    "focus-on-name": name.isEmpty ? autofocus : .nothing,
                    "focus-on-password": name.isEmpty ? .nothing : autofocus,
                    "providers": HTML(lines: providers.map { HTML(.provider, ["provider": HTML($0)]) }),
                ]))
    }

    /// The page whose form the browser posts to an app at once (OAuth 2.0 Form Post Response Mode). The button is for a browser without
    /// scripts.
    static func formPost(to uri: String, fields: [(name: String, value: String)]) throws -> HTTPResponse {
        let script: StaticString = "document.forms[0].submit()"
        let hidden = HTML(lines: fields.map { HTML(.field, ["name": HTML($0.name), "value": HTML($0.value)]) })
        return try response(
            page(
                "One moment",
                HTML(.formPost, ["action": HTML(uri), "fields": hidden, "script": HTML(literal: script)])),
            script: script)
    }

    /// The form of a user who forgot the password.
    static func forgotten(action: String, sealed: String) -> String {
        page("Forgotten password", HTML(.forgotten, ["action": HTML(action), "request": HTML(sealed)]))
    }

    /// The form for the second factor of a user whose password was right: answers to challenge questions, or a code where there are no
    /// questions.
    static func secondStep(
        to application: String, action: String, sealed: String, problem: String?, questions: [String]
    ) -> String {
        let fields =
            questions.isEmpty
            ? HTML(.code)
            : HTML(
                lines: questions.enumerated().map { index, question in
                    HTML(.answer, ["index": HTML(String(index)), "question": HTML(question)])
                })
        return page(
            "One more step",
            HTML(
                .secondStep,
                [
                    "application": HTML(application), "action": HTML(action), "request": HTML(sealed),
                    "problem": Self.problem(problem), "fields": fields,
                ]))
    }

    /// The form in which a user who opened a password link sets a new password.
    static func newPassword(action: String, sealed: String, name: String, problem: String?) -> String {
        page(
            "Set your password",
            HTML(
                .newPassword,
                [
                    "name": HTML(name), "problem": Self.problem(problem), "action": HTML(action),
                    "request": HTML(sealed),
                ]))
    }

    /// The question whether a backend may have the scopes that it asks for.
    static func consent(
        to application: String, action: String, sealed: String, name: String, scopes: [Scope], userCode: String? = nil
    ) -> String {
        page(
            "Allow \(application)?",
            HTML(
                .consent,
                [
                    "name": HTML(name), "application": HTML(application), "action": HTML(action),
                    "request": HTML(sealed),
                    "scopes": HTML(lines: scopes.map { HTML(.scope, ["scope": HTML(meaning(of: $0))]) }),
                    "user-code": userCode.map { HTML(.userCode, ["user-code": HTML($0)]) } ?? .nothing,
                ]))
    }

    /// The form for the code that a device shows.
    static func device(action: String, userCode: String, problem: String?) -> String {
        page(
            "Sign in on a device",
            HTML(
                .device,
                ["problem": Self.problem(problem), "action": HTML(action), "user-code": HTML(userCode)]))
    }

    /// The question whether somebody wants to sign out.
    static func signOut(action: String, sealed: String, name: String) -> String {
        page(
            "Sign out?",
            HTML(.signOut, ["name": HTML(name), "action": HTML(action), "request": HTML(sealed)]))
    }

    /// The page of the provider for tests.
    ///
    /// - Parameter fields: The fields of the request, which the form sends along.
    static func testProvider(action: String, fields: [(name: String, value: String)]) -> String {
        let hidden = HTML(lines: fields.map { HTML(.field, ["name": HTML($0.name), "value": HTML($0.value)]) })
        return page("Test provider", HTML(.testProvider, ["action": HTML(action), "fields": hidden]))
    }

    /// A page that only says something.
    static func message(_ title: String, _ text: String) -> String {
        page(title, HTML(.message, ["message": HTML(text)]))
    }

    private static func meaning(of scope: Scope) -> String {
        switch scope {
        case .openID: "know who you are"
        case .profile: "know your name, your picture and your language"
        case .email: "know your mail address"
        case .phone: "know your telephone number"
        case .address: "know your postal address"
        case .roles, .groups: "know your roles"
        case .offlineAccess: "stay signed in when you are away"
        case .directory: "use the directory as you"
        case .directoryManage: "change passwords, second factors, apps and administrators as you"
        default: scope.isConsumer ? "use the directory as you" : scope.rawValue
        }
    }
}
