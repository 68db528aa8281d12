import Foundation
public import Roster
import RosterText

/// The settings of a backend: its rights, and how its tokens are made.
///
/// ```swift
/// var settings = BackendSettings(isPublic: true)
/// settings.redirectURIs = ["com.example.shop:/signed-in"]
/// settings.scopes = [.openID, .profile, .offlineAccess]
/// settings.tokens.accessTokenLifetime = .seconds(600)
/// ```
///
/// ``SignIn/createBackend(named:version:settings:in:)`` and ``SignIn/changeBackend(_:settings:in:)`` check the settings. Their errors
/// name a setting by its name in JSON, which the documentation of each member gives. The JSON form is the one of seeds and of the
/// REST interface, with the names of OpenID Connect Dynamic Client Registration and of Cloud Access Manager.
public struct BackendSettings: Sendable, Hashable {
    /// The ways in which a backend gets tokens.
    public enum Grant: String, Sendable, Hashable, CaseIterable {
        /// A browser brings a code (RFC 6749, section 4.1), with a proof key (RFC 7636).
        case authorizationCode = "authorization_code"
        /// A refresh token is exchanged for new tokens (RFC 6749, section 6).
        case refreshToken = "refresh_token"
        /// The backend gets tokens for itself, without a user (RFC 6749, section 4.4). Confidential backends only.
        case clientCredentials = "client_credentials"
        /// The backend sends the user's name and password (RFC 6749, section 4.3). OAuth 2.1 has no such grant any more.
        case password
        /// The user approves a device without a keyboard on another one (RFC 8628).
        case deviceCode = "urn:ietf:params:oauth:grant-type:device_code"
        /// The backend presents a token of a trusted issuer (RFC 7523). It also needs ``BackendSettings/allowsExchange``.
        case assertion = "urn:ietf:params:oauth:grant-type:jwt-bearer"
        /// The backend exchanges a token for another one (RFC 8693).
        case tokenExchange = "urn:ietf:params:oauth:grant-type:token-exchange"
    }

    /// The kind of the names of users in tokens (OpenID Connect Core, section 8).
    public enum SubjectType: String, Sendable, Hashable, CaseIterable {
        /// A user has the same name for all backends.
        case `public`
        /// A user has another name for each sector, so that apps cannot find out together whom they know.
        case pairwise
    }

    /// The form of the roles in the claim `groups`.
    public enum GroupsForm: String, Sendable, Hashable, CaseIterable {
        /// The names, as texts.
        case names
        /// The permanent identifiers, as texts.
        case identifiers
        /// Objects with the members `id` and `name`.
        case objects
    }

    /// The proof that a code belongs to the request of the client that redeems the code (RFC 7636).
    public enum ProofKey: String, Sendable, Hashable, CaseIterable {
        /// A confidential backend sends a challenge, or a `nonce` with the scope `openid` (OAuth 2.1, section 7.5.1). A public one
        /// sends a challenge.
        case orNonce = "or_nonce"
        /// The backend sends a challenge.
        case required
    }

    /// Whether the backend may be used; true by default. The JSON name is `enabled`.
    public var isEnabled = true
    /// Whether the backend is a public client, which cannot keep a secret, such as an app on a phone; false by default. It cannot be
    /// changed later. The JSON name is `public`.
    public var isPublic = false
    /// The ways in which the backend gets tokens. By default these are the authorization code, the refresh token and, for a
    /// confidential backend, the client credentials. The JSON name is `grant_types`.
    public var grants: Set<Grant> = [.authorizationCode, .refreshToken, .clientCredentials]
    /// The addresses to which a browser may bring codes; none by default. They are compared character by character, except for the
    /// port of a loopback address. Each is an https address, an http address of this machine, or a scheme of the app's own, of at
    /// most 2,048 bytes. The JSON name is `redirect_uris`.
    public var redirectURIs: [String] = []
    /// The addresses to which a browser may be sent after a sign-out; none by default. The rules are those of ``redirectURIs``. The
    /// JSON name is `post_logout_redirect_uris`.
    public var postLogoutRedirectURIs: [String] = []
    /// The scopes that the backend may ask for; by default `openid`, `profile`, `email`, `roles`, `groups` and `offline_access`. The
    /// JSON name is `scope`, a text with a space between any two.
    public var scopes: [Scope] = [.openID, .profile, .email, .roles, .groups, .offlineAccess]
    /// The audiences of the backend's access tokens. An empty list, the default, represents the service itself. The JSON name is
    /// `audience`.
    public var audiences: [String] = []
    /// Whether the backend may exchange the tokens of trusted issuers; false by default. The JSON name is `sso`.
    public var allowsExchange = false
    /// Whether users may sign in through the backend with HTTP Basic, and apps with the anonymous key; true by default. The JSON name
    /// is `http_basic`.
    public var allowsBasic = true
    /// Whether users sign in with tokens of a social provider beside the anonymous key, and in no other way; false by default. It
    /// excludes grants, ``allowsExchange`` and roles in ``apis``. The JSON name is `social_login`.
    public var allowsSocialLogin = false
    /// The entries of social providers whose tokens are accepted, such as an app of Facebook's that only this backend has; nil, the
    /// default, for the entry with the provider's name. At most 20, and only with ``allowsSocialLogin``. The JSON name is `social_apps`.
    public var socialApps: [String]?
    /// The rules of the APIs that may be called through the backend. With nil, the default, all APIs may be called without rules. An
    /// API that is not named here may not be called. Introspection tells other services which of their APIs a token may call. The
    /// JSON name is `apis`.
    public var apis: [APIName: APIRule]?
    /// Whether requests for codes need a challenge; ``ProofKey/orNonce`` by default. The JSON name is `pkce`.
    public var proofKey = ProofKey.orNonce
    /// The origins of apps behind a proxy that asks this service for each request who sends it, such as nginx with `auth_request`; none by
    /// default. Each is an https origin, or an http origin of this machine, without a path. The JSON name is `auth_request_origins`.
    public var guardedOrigins: [String] = []
    /// The address that is told when a session of its users ends (OpenID Connect Back-Channel Logout), an https address; nil, the
    /// default, for none. The JSON name is `backchannel_logout_uri`.
    public var backChannelLogoutURI: String?
    /// The kind of the names of users in the backend's tokens (`sub`); ``SubjectType/public`` by default. The JSON name is
    /// `subject_type`.
    public var subjectType = SubjectType.public
    /// The sector, whose backends know a user by the same pairwise name; nil, the default, for the host of ``redirectURIs``. The JSON
    /// name is `sector`.
    public var sectorName: String?
    /// Whether the backend must push its authorization requests (RFC 9126); false by default. The JSON name is
    /// `require_pushed_authorization_requests`.
    public var requiresPushedRequests = false
    /// Whether the backend's access tokens must be bound to a key (DPoP, RFC 9449); false by default. The JSON name is
    /// `dpop_bound_access_tokens`.
    public var requiresPossession = false
    /// A set of stricter rules; none by default. The JSON name is `security_profile`.
    public var profile = SecurityProfile.standard
    /// Whether a user is asked before the backend gets tokens; false by default. A public client of a native app always asks. The
    /// JSON name is `consent`.
    public var requiresConsent = false
    /// The rights of the backend's own tokens, without a user, in the directory; nil, the default, for none. Confidential backends
    /// only. The JSON name is `directory_role`.
    public var directoryRole: ProgramRole?
    /// Whether ``Scope/directoryManage`` may be among the scopes; false by default. Confidential backends only, and no program may set
    /// it. The JSON name is `trusted`.
    public var isTrusted = false
    /// The signature of the backend's tokens; ES256 with a key of the service by default. The JSON name is
    /// `id_token_signed_response_alg`.
    public var signing = TokenSignature.key(.es256)
    /// The public keys that verify assertions by which the backend proves itself (`private_key_jwt`); nil, the default, for none. The
    /// JSON name is `jwks`.
    public var assertionKeys: PublicKeySet?
    /// The lifetimes and the content of the tokens. A setting that is nil has the value that the service has for all backends.
    public var tokens = TokenSettings()
    /// The service's token settings, for those that the backend does not set. They are not stored with the backend.
    var serverTokens = TokenSettings()
    /// Cloud Access Manager's mapping of roles and attributes to claims, beside the claims of the scopes; nil, the default, for none.
    /// The JSON name is `claims`.
    public var claims: ClaimMapping?
    /// The form of the roles in the claim `groups`; their names by default. The JSON name is `groups_claim`.
    public var groupsForm = GroupsForm.names

    /// The rules that apps of the backend read in their application profile. The JSON name is `app`.
    public var app = AppPolicy()
    /// The challenge to callers who name the backend and bring no token; nil, the default, for the usual one, which names Bearer. With a
    /// challenge the backend may use ``Grant/tokenExchange``, by which apps get tokens for the Webgate. The JSON name is `webgate`.
    public var webgate: WebgateChallenge?

    /// The time when the backend was disabled last, in seconds since 1970. Its own tokens of before stay invalid after it is enabled
    /// again. The directory sets the value.
    var disabled: Int64?

    /// Makes the default settings of a confidential or a public backend. A public one has no client credentials.
    public init(isPublic: Bool = false) {
        self.isPublic = isPublic
        if isPublic { grants.remove(.clientCredentials) }
    }

    /// Whether requests for codes must have a challenge.
    var requiresProofKey: Bool { isPublic || isFAPI || proofKey == .required }

    /// The sector of pairwise names; nil if there are several hosts and no name.
    var sector: String? {
        if let sectorName { return sectorName }
        let hosts = Set(redirectURIs.map { URLComponents(string: $0)?.host?.lowercased() ?? "" })
        return hosts.count == 1 ? hosts.first.flatMap { $0.isEmpty ? nil : $0 } : nil
    }

    /// Whether a user is asked. A public client with the addresses of a native app cannot prove which app it is, and always asks, so
    /// that another app does not get tokens in its name unseen (RFC 8252, section 8.6).
    package var asksForConsent: Bool {
        requiresConsent || isPublic && redirectURIs.contains(where: RedirectURI.isOfNativeApp)
    }
}
