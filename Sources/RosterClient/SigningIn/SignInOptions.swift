import RosterText

/// What an app asks of the sign-in page (OpenID Connect Core, section 3.1.2.1).
///
/// ```swift
/// let options = SignInOptions(loginHint: "ada", prompts: [.login], parameters: ["ui_locales": "de"])
/// let account = try await authenticator.signIn(options: options) { loginURL in … }
/// ```
public struct SignInOptions: Sendable, Hashable {
    /// What the page asks of the user (`prompt`).
    public struct Prompt: RawRepresentable, Sendable, Hashable {
        /// The value of the parameter.
        public let rawValue: String
        /// A value that the server knows.
        public init(rawValue: String) { self.rawValue = rawValue }
        /// The page asks the user to sign in again, even if the user is signed in.
        public static let login = Prompt(rawValue: "login")
        /// The page asks the user to consent to the app's scopes. Some servers give refresh tokens only after this prompt.
        public static let consent = Prompt(rawValue: "consent")
        /// The page asks the user to choose an account.
        public static let selectAccount = Prompt(rawValue: "select_account")
        /// The page asks nothing, and the server refuses the sign-in if the page would have to ask.
        public static let none = Prompt(rawValue: "none")
    }

    /// The name of the user who will probably sign in; nil for the name of the last user of the account.
    public var loginHint: String?
    /// What the page asks of the user; empty for what the server needs.
    public var prompts: [Prompt]
    /// The ways of signing in that the app accepts, the preferred one first (`acr_values`).
    public var acrValues: [String]
    /// Further parameters of the request, by name. They cannot be those that the library sets.
    public var parameters: [String: String]

    /// Makes options. Without arguments the server decides.
    public init(
        loginHint: String? = nil, prompts: [Prompt] = [], acrValues: [String] = [], parameters: [String: String] = [:]
    ) {
        (self.loginHint, self.prompts, self.acrValues, self.parameters) = (loginHint, prompts, acrValues, parameters)
    }

    private static let reserved: Set<String> = [
        "response_type", "response_mode", "client_id", "client_secret", "redirect_uri", "scope", "state", "nonce",
        "code_challenge", "code_challenge_method", "max_age", "login_hint", "prompt", "acr_values", "request",
        "request_uri",
    ]

    /// The parameters of the request.
    ///
    /// - Parameter lastUser: The name of the last user of the account; nil if it is not known.
    /// - Throws: ``ClientError`` `invalidInput` for a value that cannot be sent, and for a parameter that the library sets.
    func form(lastUser: String?) throws(ClientError) -> [(name: String, value: String)] {
        var form: [(name: String, value: String)] = []
        if let hint = loginHint ?? lastUser { form.append(("login_hint", hint)) }
        for (name, words) in [("prompt", prompts.map(\.rawValue)), ("acr_values", acrValues)] where !words.isEmpty {
            guard words.allSatisfy({ !$0.isEmpty && !$0.contains(where: \.isWhitespace) }) else {
                throw .invalidInput("A value of '\(name)' is empty or has a space.", "Give one word for each value.")
            }
            form.append((name, words.joined(separator: " ")))
        }
        for (name, value) in parameters.sorted(by: { $0.key < $1.key }) {
            guard !name.isEmpty, !Self.reserved.contains(name) else {
                throw .invalidInput(
                    "The library sets the parameter '\(ShownText.plain(name))' itself.",
                    "Leave the parameter out, or use the option for it.")
            }
            form.append((name, value))
        }
        guard form.reduce(0, { $0 + $1.name.utf8.count + $1.value.utf8.count }) <= 8_192 else {
            throw .invalidInput("The parameters of the sign-in page are too long.", "Give 8 KB at most.")
        }
        return form
    }
}
