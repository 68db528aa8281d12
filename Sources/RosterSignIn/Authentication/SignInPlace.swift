/// The place where somebody signs in. It decides what the change feed says about the attempt.
package enum SignInPlace: Sendable {
    /// A request that carries its credential. Of good credentials only passwords are recorded, once an hour; tokens and sessions
    /// were recorded when they were made. Every refusal is recorded.
    ///
    /// - scheme: The scheme of the `Authorization` field, or `session`.
    /// - name: Reads the name that the sender claims to have.
    case request(scheme: String, name: @Sendable () -> String?)
    case page
    /// The interface that begins sessions.
    case session
    /// An app that is linked with this module.
    case app
    /// The token endpoint. Success is recorded when the tokens are given.
    case grant(TokenRequest, Backend)
    /// The registration of a device. Success is recorded when the handle is given.
    case registration(Backend)

    /// The method in the change feed.
    var method: String {
        switch self {
        case .request(let scheme, _): scheme
        case .page: "sign-in page"
        case .session: "session"
        case .app: "pwd"
        case .grant(let request, _): request.grantType
        case .registration: ""
        }
    }
}
