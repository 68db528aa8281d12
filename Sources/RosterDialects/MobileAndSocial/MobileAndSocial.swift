public import RosterREST
import RosterSignIn
import RosterText

extension ServiceInterface {
    /// The interface of Oracle Mobile and Social. Its clients use the profile service, the token services, the profiles of apps, single
    /// sign-on between apps, and the challenge of a Webgate.
    public static let mobileAndSocial = ServiceInterface(
        "Mobile and Social",
        routes: RESTService.profileRoutes(profile) + [
            oauthProfile("GET", "/me", ProfileAPI.readMe),
            profile("GET", "/changes", ChangesAPI.changes),

            tokens("POST", "/authenticate", TokenServicesAPI.authenticate),
            tokens("POST", "/register", TokenServicesAPI.register),
            tokens("POST", "/access", TokenServicesAPI.access),
            tokens("DELETE", "/tokens", TokenServicesAPI.end),
            tokens("DELETE", "/tokens/info", TokenServicesAPI.endInfo),
            tokens("GET", "/tokens/info", TokenServicesAPI.info),

            apps("GET", "/rest/AppProfiles/{app}", AppProfileAPI.read),
            apps("GET", "/mobilesso", AppProfileAPI.signOn),
        ],
        errorStyles: ["oic_rest": .mobileAndSocial], credentials: credentials,
        fields: [
            "X-IDAAS-REST-AUTHORIZATION", "X-IDAAS-SERVICEDOMAIN", "X-IDAAS-REST-VERSION", MobileHub.backendField,
        ],
        takesQuestions: true, schemas: { _ in [.init("AppProfile", AppProfileAPI.schema)] })

    private static let profilePath = "/oic_rest/rest/userprofile"
    private static let profile = RouteGroup(
        base: profilePath, style: .mobileAndSocial, access: .api(.userProfile), isOfDirectory: true)
    /// The routes of the profile service that accept tokens of Oracle's OAuth service.
    private static let oauthProfile = RouteGroup(
        base: "/ms_oauth/resources/userprofile", linkBase: profilePath, style: .mobileAndSocial,
        access: .api(.userProfile), isOfDirectory: true)
    private static let tokens = RouteGroup(
        base: "/oic_rest/rest/{service}", style: .mobileAndSocial, access: .everyone)
    /// The routes of the documents that apps read before anybody has signed in.
    private static let apps = RouteGroup(base: "/oic_rest", style: .mobileAndSocial, access: .everyone)

    private static let credentials = CredentialReader(
        authorizationField: "X-IDAAS-REST-AUTHORIZATION",
        standard: { scheme, text in
            switch scheme {
            case "uidpassword":
                // The SDK writes UIDPASSWORD cred="base64 of name:password".
                ("basic", (text.hasPrefix("cred=") ? text.dropFirst(5) : text[...]).filter { $0 != "\"" })
            case "token", "oam-auth": ("bearer", text)
            default: nil
            }
        },
        challenge: { request, context in try context.webgateChallenge(to: request) })
}

extension ErrorStyle {
    /// Writes an error as an object with `message` and `oicErrorCode`. Oracle documents only the code of a failed authentication. The
    /// other codes are this server's own.
    fileprivate static let mobileAndSocial = ErrorStyle(
        "ProfileError", required: ["message", "oicErrorCode"],
        members: ["message": ["type": "string"], "oicErrorCode": ["type": "string"]]
    ) { answer, _, _ in
        let code = answer.status == 401 ? "IDAAS-62001" : "IDAAS-\(62_000 + answer.status)"
        return ["message": .string(answer.message), "oicErrorCode": .string(code)]
    }
}
