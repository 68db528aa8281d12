/// The values of a sign-in with an identity provider.
extension RelyingParty {
    /// The reason why a sign-in is refused.
    package enum Refusal: Error, Sendable, Hashable {
        /// The sign-in was not begun at this service by this browser, or was begun too long ago.
        case stale
        /// The provider does not answer, or its answer is wrong. The text is for the log.
        case provider(String)
        /// The provider sent no id token, or one with a wrong signature, issuer, audience, nonce or time.
        case badToken
        /// The provider does not confirm that the sign-in satisfies the app's conditions.
        case notAsAsked
        /// The provider's user has no usable account here.
        case notAdmitted
    }

    /// The seconds that a user may spend at a provider.
    package static let patience: Int64 = 300

    package struct Visit: Sendable {
        /// The address at the provider where the browser goes.
        package let url: String
        /// The state that the browser brings back, and keeps in a cookie meanwhile.
        package let state: String
    }

    /// The conditions of an app for a sign-in (OpenID Connect Core, section 3.1.2.1). The provider gets the same conditions, and
    /// its answer is checked.
    package struct Demands: Sendable {
        /// `prompt`: `login` and `select_account`.
        let prompts: [String]
        /// `max_age`: the seconds since the user proved who they are, at most, when the browser leaves for the provider.
        let maximumAge: Int64?
        let contexts: [String]

        /// The demands of an app's request.
        package init(_ request: AuthorizationRequest) {
            prompts = ["login", "select_account"].filter(request.prompts.contains)
            // A provider that is asked for an age must say when the user signed in. The age 0 means the same as the prompt 'login'.
            maximumAge = request.maximumAge ?? (prompts.contains("login") ? 0 : nil)
            contexts = request.contexts
        }

        /// The seconds since the user proved who they are, at most; nil for any.
        var allowedAge: Int64? { prompts.contains("login") ? 0 : maximumAge }
    }

    /// The tokens and the user for an app after a sign-in with a provider.
    package struct SignedIn: Sendable {
        /// The user's name here.
        package let name: String
        package let idToken: String
        /// The provider's refresh token; nil if it gave none, or the app has it already.
        package internal(set) var refreshToken: String?
        /// The provider's access token; nil if the provider's entry does not pass it on.
        package let accessToken: String?
        /// The lifetime of the access token, in seconds.
        package let lifetime: Int64?
        /// The value of the session's cookie; nil if the provider's entry turns sessions off.
        package let session: String?
    }

    /// The parameters that a browser brings back from a provider.
    package struct Return: Sendable {
        package let code: String
        /// `state`, which was compared with the browser's cookie.
        package let state: String
        /// `iss`, by which the provider names itself (RFC 9207).
        package let issuer: String?
        /// The address that the browser came back to.
        package let callback: String

        package init(code: String, state: String, issuer: String?, callback: String) {
            (self.code, self.state, self.issuer, self.callback) = (code, state, issuer, callback)
        }
    }
}
