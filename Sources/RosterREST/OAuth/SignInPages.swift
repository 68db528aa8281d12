import RosterCrypto
import RosterSignIn
import RosterText

/// The pages of signing in: plain HTML without scripts, with one style sheet that the security policy names by its digest.
struct SignInPages {
    /// Where they stand.
    let issuer: String

    /// What a page is answered with.
    static func response(_ html: String, status: Int = 200, headers: HTTPHeaders = [:]) throws -> HTTPResponse {
        var headers = headers
        headers.add("Content-Type", "text/html; charset=utf-8")
        let digest = try SHA256.digest(Array(style.utf8))
        // No 'form-action': browsers apply it to where the form's answer redirects, which is the app.
        headers.add(
            "Content-Security-Policy",
            "default-src 'none'; style-src 'sha256-\(Base64.text(digest))'; base-uri 'none'; frame-ancestors 'none'"
        )
        headers.add("X-Frame-Options", "DENY")
        headers.add("Referrer-Policy", "no-referrer")
        headers.add("Cache-Control", "no-store")
        return HTTPResponse(status, headers: headers, body: .bytes(Array(html.utf8)))
    }

    private static func page(_ title: String, _ content: String) -> String {
        """
        <!DOCTYPE html>
        <html lang="en"><head><meta charset="utf-8"><title>\(escaped(title)) · Roster</title>
        <meta name="viewport" content="width=device-width, initial-scale=1"><meta name="robots" content="noindex">
        <style>\(style)</style></head>
        <body><main><h1>\(escaped(title))</h1>
        \(content)
        </main></body></html>

        """
    }

    /// What is asked for beside the password.
    enum More {
        case nothing
        /// A code of an authenticator app.
        case code
        /// The answers to challenge questions.
        case answers([String])

        fileprivate var html: String {
            switch self {
            case .nothing: ""
            case .code:
                """
                <label for="otp">Code from your authenticator app, or a recovery code</label>
                <input id="otp" name="otp" autocomplete="one-time-code" inputmode="text">
                """
            case .answers(let questions):
                questions.enumerated().map { index, question in
                    """
                    <label for="answer\(index)">\(escaped(question))</label>
                    <input type="hidden" name="question\(index)" value="\(escaped(question))">
                    <input id="answer\(index)" name="answer\(index)" autocomplete="off" spellcheck="false">
                    """
                }.joined(separator: "\n")
            }
        }
    }

    /// The form for a name and a password.
    ///
    /// - Parameters:
    ///   - action: Where it is sent.
    ///   - sealed: What the browser is to bring back unaltered.
    ///   - problem: Why it is shown again.
    ///   - providers: With whom one can sign in instead.
    func signIn(
        to application: String, action: String, sealed: String, name: String, problem: String?, more: More,
        providers: [String]
    ) -> String {
        let focusOnName = name.isEmpty ? " autofocus" : ""
        let focusOnPassword = name.isEmpty ? "" : " autofocus"
        let others = providers.map { provider in
            """
            <button type="submit" name="provider" value="\(Self.escaped(provider))" formaction="provider" formnovalidate class="other">Sign in with \(Self.escaped(provider))</button>
            """
        }.joined(separator: "\n")
        return Self.page(
            "Sign in",
            """
            <p>to go on to <strong>\(Self.escaped(application))</strong></p>
            \(problem.map { "<p class=\"problem\" role=\"alert\">\(Self.escaped($0))</p>" } ?? "")
            <form method="post" action="\(Self.escaped(action))">
            <input type="hidden" name="request" value="\(Self.escaped(sealed))">
            <label for="username">Name</label>
            <input id="username" name="username" value="\(Self.escaped(name))" autocomplete="username" autocapitalize="none" spellcheck="false" required\(focusOnName)>
            <label for="password">Password</label>
            <input id="password" name="password" type="password" autocomplete="current-password" required\(focusOnPassword)>
            \(more.html)
            <button type="submit">Sign in</button>
            \(others)
            </form>
            """)
    }

    /// The question whether a backend may have what it asks for.
    func consent(
        to application: String, action: String, sealed: String, name: String, scopes: [String], userCode: String? = nil
    ) -> String {
        let items = scopes.map { "<li>\(Self.escaped(Self.meaning(of: $0)))</li>" }.joined(separator: "\n")
        return Self.page(
            "Allow \(application)?",
            """
            <p>You are signed in as <strong>\(Self.escaped(name))</strong>. <strong>\(Self.escaped(application))</strong> asks to</p>
            <ul>\(items)</ul>
            \(userCode.map { "<p>Allow it only if the device in your hands shows the code <strong>\(Self.escaped($0))</strong>.</p>" } ?? "")
            <form method="post" action="\(Self.escaped(action))">
            <input type="hidden" name="request" value="\(Self.escaped(sealed))">
            <button type="submit" name="decision" value="allow">Allow</button>
            <button type="submit" name="decision" value="deny" class="other">Do not allow</button>
            </form>
            """)
    }

    /// The form for the code that a device shows.
    func device(action: String, userCode: String, problem: String?) -> String {
        Self.page(
            "Sign in on a device",
            """
            \(problem.map { "<p class=\"problem\" role=\"alert\">\(Self.escaped($0))</p>" } ?? "")
            <form method="get" action="\(Self.escaped(action))">
            <label for="user_code">The code that the device shows</label>
            <input id="user_code" name="user_code" value="\(Self.escaped(userCode))" autocomplete="off" autocapitalize="characters" spellcheck="false" required autofocus>
            <button type="submit">Go on</button>
            </form>
            """)
    }

    /// The question whether somebody wants to sign out.
    func signOut(action: String, sealed: String, name: String) -> String {
        Self.page(
            "Sign out?",
            """
            <p>You are signed in as <strong>\(Self.escaped(name))</strong>.</p>
            <form method="post" action="\(Self.escaped(action))">
            <input type="hidden" name="request" value="\(Self.escaped(sealed))">
            <button type="submit">Sign out</button>
            </form>
            """)
    }

    /// The page of the provider for tests.
    ///
    /// - Parameter fields: The request, which the form brings along.
    static func testProvider(action: String, fields: [(name: String, value: String)]) -> String {
        let hidden = fields.map { field in
            "<input type=\"hidden\" name=\"\(escaped(field.name))\" value=\"\(escaped(field.value))\">"
        }.joined(separator: "\n")
        return page(
            "Test provider",
            """
            <p class="problem">For tests only: you can be whoever you say.</p>
            <form method="post" action="\(escaped(action))">
            \(hidden)
            <label for="username">Subject</label>
            <input id="username" name="username" autocapitalize="none" spellcheck="false" required autofocus>
            <label for="tokenttl">Lifetime of the id token, in seconds</label>
            <input id="tokenttl" name="tokenttl" value="3600" inputmode="numeric">
            <button type="submit" name="decision" value="allow">Sign in</button>
            <button type="submit" name="decision" value="deny" class="other" formnovalidate>Refuse</button>
            </form>
            """)
    }

    /// A page that only says something.
    static func message(_ title: String, _ text: String) -> String { page(title, "<p>\(escaped(text))</p>") }

    private static func meaning(of scope: String) -> String {
        switch scope {
        case "openid": "know who you are"
        case "profile": "know your name and your language"
        case "email": "know your mail address"
        case "phone": "know your telephone number"
        case "address": "know your postal address"
        case "roles": "know your roles"
        case "offline_access": "stay signed in when you are away"
        case "directory": "use the directory as you"
        case AuthorizationRequest.managing: "change passwords, second factors, apps and administrators as you"
        default: AuthorizationRequest.isConsumer(scope) ? "use the directory as you" : scope
        }
    }

    /// Text as it stands in HTML, also within quotes.
    static func escaped(_ text: String) -> String {
        var safe = ""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "&": safe += "&amp;"
            case "<": safe += "&lt;"
            case ">": safe += "&gt;"
            case "\"": safe += "&quot;"
            case "'": safe += "&#39;"
            default: safe.unicodeScalars.append(scalar)
            }
        }
        return safe
    }

    private static let style = """
        :root{color-scheme:light dark;font:16px/1.5 system-ui,sans-serif}body{margin:0;display:grid;min-height:100vh;\
        place-items:center;background:light-dark(#f2f4f7,#15181c);color:light-dark(#1a1f26,#e8ebef)}\
        main{box-sizing:border-box;width:min(24rem,100%);padding:2rem;background:light-dark(#fff,#1f2329);\
        border-radius:.75rem;box-shadow:0 1px 4px #0003}h1{margin:0 0 .5rem;font-size:1.5rem}p{margin:.25rem 0 1rem}\
        label{display:block;margin:1rem 0 .25rem;font-weight:600}input{box-sizing:border-box;width:100%;padding:.6rem;\
        font:inherit;border:1px solid light-dark(#767d86,#8b939d);border-radius:.4rem;background:transparent;color:inherit}\
        button{width:100%;margin-top:1.25rem;padding:.7rem;font:inherit;font-weight:600;border:0;border-radius:.4rem;\
        background:#1f5fbf;color:#fff;cursor:pointer}button.other{margin-top:.5rem;background:transparent;\
        color:inherit;border:1px solid light-dark(#767d86,#8b939d)}:focus-visible{outline:3px solid #5b9bff;\
        outline-offset:2px}.problem{padding:.6rem;border-radius:.4rem;background:light-dark(#fdecea,#4a1f1c);\
        color:light-dark(#8c1d18,#ffd9d5)}
        """
}
