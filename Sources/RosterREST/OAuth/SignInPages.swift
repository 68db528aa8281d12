import RosterCrypto
import RosterSignIn
import RosterText

/// The pages of signing in: plain HTML with one style sheet that the security policy names by its digest. The only page with a script
/// is the form that the browser posts to an app.
package struct SignInPages: Sendable {
    let texts: PageTexts
    /// What the pages show of the organization.
    var branding = Branding()

    /// The pages in English, with nothing of the organization.
    package static let english = SignInPages(texts: .english)

    private var style: HTML { HTML.style(branding.color.map { BrandShades(of: $0) }) }

    /// The response that shows a page.
    ///
    /// - Parameter script: The only script of the page.
    package func response(
        _ html: String, status: Int = 200, headers: HTTPHeaders = [:], script: StaticString? = nil
    ) throws -> HTTPResponse {
        var headers = headers
        headers.add("Content-Type", "text/html; charset=utf-8")
        func digest(_ text: String) throws -> String { Base64.text(try SHA256.digest(Array(text.utf8))) }
        // No 'form-action': browsers apply it to where the form's answer redirects, which is the app.
        headers.add(
            "Content-Security-Policy",
            "default-src 'none'; style-src 'sha256-\(try digest(style.text))'; "
                + (branding.logo == nil ? "" : "img-src 'self'; ")
                + (try script.map { "script-src 'sha256-\(try digest($0.description))'; " } ?? "")
                + "base-uri 'none'; frame-ancestors 'none'")
        headers.add("X-Frame-Options", "DENY")
        headers.add("Referrer-Policy", "no-referrer")
        headers.add("Cache-Control", "no-store")
        headers.add("Content-Language", texts.language.rawValue)
        headers.add("Vary", "Accept-Language")
        return HTTPResponse(status, headers: headers, body: .bytes(Array(html.utf8)))
    }

    /// The response that shows a page which only says something.
    ///
    /// - Parameters:
    ///   - title: The title in English.
    ///   - text: The text in English, or in the language already.
    func answer(
        _ title: String, _ text: String, status: Int = 200, headers: HTTPHeaders = [:]
    ) throws -> HTTPResponse {
        try response(message(title, text), status: status, headers: headers)
    }

    /// - Parameter title: The title in English, or in the language already.
    private func page(_ title: String, _ content: HTML) -> String {
        let organization = HTML(branding.title)
        let logo = branding.logo.map { logo in
            piece(.logo, ["address": HTML("../branding/logo?tag=" + logo.tag)])
        }
        let brand = piece(.brand, ["logo": logo ?? .nothing, "organization": HTML(branding.name ?? "")])
        let values = [
            "organization": organization, "brand": branding.name == nil && logo == nil ? .nothing : brand,
            "title": HTML(texts(title)), "style": style, "content": content, "language": HTML(texts.language.rawValue),
        ]
        return piece(.page, values).text
    }

    private func piece(_ piece: HTML.Piece, _ values: [String: HTML] = [:]) -> HTML {
        HTML(piece, values, in: texts.language)
    }

    private func problem(_ text: String?) -> HTML {
        text.map { piece(.problem, ["problem": HTML(texts($0))]) } ?? .nothing
    }

    private func address(_ page: String) -> HTML { HTML(texts.address(page)) }

    /// - Parameters:
    ///   - application: What the user goes on to, in the language of the page.
    ///   - action: The address that the form is sent to.
    ///   - sealed: What the browser must send back unaltered.
    ///   - problem: The reason why the form is shown again.
    ///   - sendsLinks: Whether users who forgot the password get a mail.
    ///   - providers: The names of the providers that users can sign in with instead.
    func signIn(
        to application: String, action: String, sealed: String, name: String, problem: String?,
        sendsLinks: Bool, providers: [String]
    ) -> String {
        let autofocus = HTML(literal: " autofocus")
        return page(
            "Sign in",
            piece(
                .signIn,
                [
                    "application": HTML(application), "action": address(action), "request": HTML(sealed),
                    "name": HTML(name), "problem": self.problem(problem),
                    "forgotten": sendsLinks ? piece(.forgottenLink, ["action": address("forgotten")]) : .nothing,
                    "focus-on-name": name.isEmpty ? autofocus : .nothing,
                    "focus-on-password": name.isEmpty ? .nothing : autofocus,
                    "providers": HTML(
                        lines: providers.map {
                            piece(.provider, ["provider": HTML($0), "action": address("provider")])
                        }),
                ]))
    }

    /// The page whose form the browser posts to an app at once (OAuth 2.0 Form Post Response Mode). The button is for a browser without
    /// scripts.
    func formPost(to uri: String, fields: [(name: String, value: String)]) throws -> HTTPResponse {
        let script: StaticString = "document.forms[0].submit()"
        let hidden = HTML(lines: fields.map { piece(.field, ["name": HTML($0.name), "value": HTML($0.value)]) })
        return try response(
            page(
                "One moment",
                piece(.formPost, ["action": HTML(uri), "fields": hidden, "script": HTML(literal: script)])),
            script: script)
    }

    /// The form of a user who forgot the password.
    func forgotten(action: String, sealed: String) -> String {
        page("Forgotten password", piece(.forgotten, ["action": address(action), "request": HTML(sealed)]))
    }

    /// The form for the second factor of a user whose password was right: answers to challenge questions, or a code where there are no
    /// questions.
    func secondStep(
        to application: String, action: String, sealed: String, problem: String?, questions: [String]
    ) -> String {
        let fields =
            questions.isEmpty
            ? piece(.code)
            : HTML(
                lines: questions.enumerated().map { index, question in
                    piece(.answer, ["index": HTML(String(index)), "question": HTML(question)])
                })
        return page(
            "One more step",
            piece(
                .secondStep,
                [
                    "application": HTML(application), "action": address(action), "request": HTML(sealed),
                    "problem": self.problem(problem), "fields": fields,
                ]))
    }

    /// The form in which a user who opened a password link sets a new password.
    func newPassword(action: String, sealed: String, name: String, problem: String?) -> String {
        page(
            "Set your password",
            piece(
                .newPassword,
                [
                    "name": HTML(name), "problem": self.problem(problem), "action": address(action),
                    "request": HTML(sealed),
                ]))
    }

    /// The question whether a backend may have the scopes that it asks for.
    func consent(
        to application: String, action: String, sealed: String, name: String, scopes: [Scope], userCode: String? = nil
    ) -> String {
        page(
            texts("Allow {{application}}?", ["application": application]),
            piece(
                .consent,
                [
                    "name": HTML(name), "application": HTML(application), "action": address(action),
                    "request": HTML(sealed),
                    "scopes": HTML(lines: scopes.map { piece(.scope, ["scope": HTML(texts(meaning(of: $0)))]) }),
                    "user-code": userCode.map { piece(.userCode, ["user-code": HTML($0)]) } ?? .nothing,
                ]))
    }

    /// The form for the code that a device shows.
    func device(action: String, userCode: String, problem: String?) -> String {
        page(
            "Sign in on a device",
            piece(
                .device,
                ["problem": self.problem(problem), "action": HTML(action), "user-code": HTML(userCode)]))
    }

    /// The question whether somebody wants to sign out.
    func signOut(action: String, sealed: String, name: String) -> String {
        page(
            "Sign out?",
            piece(.signOut, ["name": HTML(name), "action": address(action), "request": HTML(sealed)]))
    }

    /// The page of the provider for tests.
    ///
    /// - Parameter fields: The fields of the request, which the form sends along.
    package func testProvider(action: String, fields: [(name: String, value: String)]) -> String {
        let hidden = HTML(lines: fields.map { piece(.field, ["name": HTML($0.name), "value": HTML($0.value)]) })
        return page("Test provider", piece(.testProvider, ["action": address(action), "fields": hidden]))
    }

    /// A page that only says something.
    func message(_ title: String, _ text: String) -> String {
        page(title, piece(.message, ["message": HTML(texts(text))]))
    }

    private func meaning(of scope: Scope) -> String {
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
