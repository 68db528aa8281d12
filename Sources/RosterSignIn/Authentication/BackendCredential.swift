/// The credential of a mobile app that names its backend: a user's name and password, the backend's anonymous key alone, or
/// that key with a user's token of a social provider.
package struct BackendCredential: Sendable {
    /// The backend that the app names; nil if it names none or several.
    package let backendID: String?
    /// The text in the place of the anonymous key.
    package let key: String
    /// Reads the text as a name and a password.
    package let login: @Sendable (String) -> Login?
    package let providers: [String]
    package let tokens: [String]

    package init(
        backendID: String?, key: String, login: @escaping @Sendable (String) -> Login?, providers: [String],
        tokens: [String]
    ) {
        (self.backendID, self.key, self.login, self.providers, self.tokens) = (backendID, key, login, providers, tokens)
    }
}
