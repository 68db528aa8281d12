import Roster
import RosterSignIn

/// The table of routes: one line for each, with the interface that it belongs to.
extension RESTService {
    /// The profile service of Mobile and Social, and the change feed.
    private static let profile = Interface(base: ProfileWriter.base, style: .profile, access: .api(.userProfile))
    /// The profile service for tokens of OAuth.
    private static let oauthProfile = Interface(
        base: "/ms_oauth/resources/userprofile", style: .profile, access: .api(.userProfile))
    /// SCIM 2.0.
    private static let scim = Interface(base: SCIMInterface.base, style: .scim, access: .api(.scim))
    /// The users of the mobile platform.
    private static let mobile = Interface(base: MobileAPI.base, style: .mobile, access: .api(.mobile))
    private static let extended = Interface(
        base: "/mobile/platform/extended/users", style: .mobile, access: .api(.mobile))
    /// The users' own accounts.
    private static let own = Interface(base: MobileAPI.base + "/~", style: .oauth, access: .ownAccount)
    /// The state and the description of the server, for operators and programmers.
    private static let server = Interface(style: .problem, access: .everyone)
    /// The library's operations, for its client.
    private static let directory = Interface(
        base: DirectoryAPI.base, style: .problem, access: .api(.directory))
    /// The administration of the server.
    private static let admin = Interface(base: "/admin", style: .problem, access: .api(.directory))
    /// The forms with which pages show and edit users.
    private static let forms = Interface(style: .problem, access: .api(.directory))
    /// OAuth and OpenID Connect. Clients prove who they are to the endpoints themselves.
    private static let oauth = Interface(base: OAuthAPI.base, style: .oauth, access: .everyone)
    private static let wellKnown = Interface(base: "/.well-known", style: .oauth, access: .everyone)
    /// The exchange of a trusted issuer's token, as the mobile platform does it.
    private static let platform = Interface(base: "/mobile/platform", style: .oauth, access: .everyone)
    /// The sessions of Sync Gateway.
    private static let sessions = Interface(base: "/{db}", style: .syncGateway, access: .signedIn)
    /// The token services of Mobile and Social.
    private static let tokens = Interface(base: "/oic_rest/rest/{service}", style: .profile, access: .everyone)
    /// The documents that apps of Mobile and Social read before anybody has signed in.
    private static let apps = Interface(base: "/oic_rest", style: .profile, access: .everyone)
    /// Signing in with a provider, as Sync Gateway's clients do it.
    private static let provider = Interface(base: "/{db}", style: .syncGateway, access: .everyone)
    /// The provider for tests.
    private static let testing = Interface(base: "/db/_oidc_testing", style: .oauth, access: .everyone)

    /// Every route, in the order in which the description lists them.
    static let routes: [Route] = entities + relations + resources + others

    private static let entities: [Route] = [
        profile("GET", "/people", ProfileLists.search(.user)),
        profile("POST", "/people", ProfileAPI.createPerson),
        profile("GET", "/people/{uid}", ProfileAPI.read(.user)),
        profile("PUT", "/people/{uid}", ProfileAPI.modifyPerson),
        profile("DELETE", "/people/{uid}", ProfileAPI.delete(.user)),
        profile("GET", "/groups", ProfileLists.search(.role)),
        profile("POST", "/groups", ProfileAPI.createGroup),
        profile("GET", "/groups/{name}", ProfileAPI.read(.role)),
        profile("PUT", "/groups/{name}", ProfileAPI.modifyGroup),
        profile("DELETE", "/groups/{name}", ProfileAPI.delete(.role)),
        oauthProfile("GET", "/me", ProfileAPI.readMe),
        profile("GET", "/changes", ChangesAPI.changes),
    ]

    /// A relation has four routes, whichever it is.
    private static let relations = ProfileRelation.allCases.flatMap { (relation) -> [Route] in
        let path = (relation.owner == .user ? "/people/{uid}/" : "/groups/{name}/") + relation.name
        return [
            profile("GET", path, ProfileLists.list(relation)),
            profile("POST", path, ProfileLists.add(relation)),
            profile("GET", path + "/{other}", ProfileLists.read(relation)),
            profile("DELETE", path + "/{other}", ProfileLists.remove(relation)),
        ]
    }

    private static let resources = [("/Users", AttributeDefinition.Entity.user), ("/Groups", .role)].flatMap {
        (path, kind) -> [Route] in
        [
            scim("GET", path, SCIMAPI.list(kind)),
            scim("POST", path + "/.search", SCIMAPI.search(kind)),
            scim("POST", path, SCIMAPI.create(kind)),
            scim("GET", path + "/{id}", SCIMAPI.read(kind)),
            scim("PUT", path + "/{id}", SCIMAPI.replace(kind)),
            scim("PATCH", path + "/{id}", SCIMAPI.patch(kind)),
            scim("DELETE", path + "/{id}", SCIMAPI.delete(kind)),
        ]
    }

    private static let others: [Route] = [
        scim("GET", "/Me", SCIMAPI.readMe),
        scim("PUT", "/Me", SCIMAPI.replaceMe),
        scim("PATCH", "/Me", SCIMAPI.patchMe),
        scim("DELETE", "/Me", SCIMAPI.deleteMe),
        scim("GET", "", SCIMAPI.listAll),
        scim("POST", "/.search", SCIMAPI.searchAll),
        scim("POST", "/Bulk", SCIMAPI.bulk),
        scim("GET", "/ServiceProviderConfig", SCIMAPI.serviceProviderConfig),
        scim("GET", "/ResourceTypes", SCIMAPI.resourceTypes),
        scim("GET", "/ResourceTypes/{name}", SCIMAPI.resourceType),
        scim("GET", "/Schemas", SCIMAPI.schemas),
        scim("GET", "/Schemas/{urn}", SCIMAPI.schema),

        // To read one's own profile is for whoever may know it; to write it, as all else, takes the directory's scope.
        mobile("GET", "/me", MobileAPI.readMe, for: .api(.mobile, orScope: .profile)),
        mobile("GET", "/login", MobileAPI.readMe, for: .api(.mobile, orScope: .profile)),
        extended("GET", "/{username}", MobileAPI.readExtended, for: .api(.mobile, orScope: .profile)),
        mobile("GET", "/{username}", MobileAPI.read, for: .api(.mobile, orScope: .profile)),
        mobile("PUT", "/{username}", MobileAPI.change),
        mobile("PATCH", "/{username}", MobileAPI.change),

        directory("POST", "/{operation}", DirectoryAPI.operation),

        server("GET", "/healthz", MonitoringAPI.health),
        server("GET", "/readyz", MonitoringAPI.readiness),
        server("GET", "/metrics", MonitoringAPI.metrics, for: .api(.directory)),
        server("GET", "/openapi.json", OpenAPI.description),
        server("GET", "/branding", BrandingAPI.read),
        server("GET", "/branding/style.css", BrandingAPI.style),
        server("GET", "/branding/logo", BrandingAPI.logo),

        admin("GET", "/backends", BackendsAPI.list),
        admin("POST", "/backends", BackendsAPI.create),
        admin("GET", "/backends/{id}", BackendsAPI.read),
        admin("PUT", "/backends/{id}", BackendsAPI.change),
        admin("DELETE", "/backends/{id}", BackendsAPI.delete),
        admin("POST", "/backends/{id}/secret", BackendsAPI.renewSecrets),
        admin("GET", "/backends/{id}/sign-outs", BackendsAPI.signOuts),
        admin("GET", "/backends/{id}/users", BackendsAPI.users),
        admin("GET", "/backends/{id}/secrets", BackendsAPI.formerSecrets),
        admin("DELETE", "/backends/{id}/secrets", BackendsAPI.endFormerSecrets),
        admin("GET", "/keys", KeysAPI.list),
        admin("POST", "/keys", KeysAPI.make),
        admin("DELETE", "/keys/{id}", KeysAPI.remove),
        admin("GET", "/tokens", TokensAPI.list),
        admin("POST", "/tokens", TokensAPI.make),
        admin("PUT", "/tokens/{name}", TokensAPI.change),
        admin("DELETE", "/tokens/{name}", TokensAPI.end),
        admin("GET", "/users/{user}/made", RemainingAccessAPI.read),
        admin("DELETE", "/users/{user}/made", RemainingAccessAPI.end),
        admin("DELETE", "/users/{user}/history", PrivacyAPI.eraseHistory),
        admin("GET", "/users/{user}/role-changes", RoleChangesAPI.list),
        admin("GET", "/attributes", AttributesAPI.list),
        admin("POST", "/attributes", AttributesAPI.declare),
        admin("PUT", "/attributes/{name}", AttributesAPI.change),
        admin("DELETE", "/attributes/{name}", AttributesAPI.remove),
        admin("GET", "/roles/{name}/power", RolePowerAPI.read),
        admin("PUT", "/roles/{name}/power", RolePowerAPI.set),
        admin("GET", "/issuers", SettingsAPI.list(.issuers)),
        admin("PUT", "/issuers/{type}/{name}", SettingsAPI.set(.issuers)),
        admin("DELETE", "/issuers/{type}/{name}", SettingsAPI.delete(.issuers)),
        admin("POST", "/test/issuers/{type}", SettingsAPI.test(.issuers)),
        admin("GET", "/certificates", SettingsAPI.list(.certificates)),
        admin("PUT", "/certificates/{name}", SettingsAPI.set(.certificates)),
        admin("DELETE", "/certificates/{name}", SettingsAPI.delete(.certificates)),
        admin("GET", "/providers", SettingsAPI.list(.providers)),
        admin("PUT", "/providers/{type}/{name}", SettingsAPI.set(.providers)),
        admin("DELETE", "/providers/{type}/{name}", SettingsAPI.delete(.providers)),
        admin("POST", "/test/providers/{type}", SettingsAPI.test(.providers)),
        admin("GET", "/policies", SettingsAPI.list(.policies)),
        admin("PUT", "/policies", SettingsAPI.setPolicies),
        admin("PUT", "/policies/{name}", SettingsAPI.set(.policies)),
        admin("DELETE", "/policies/{name}", SettingsAPI.delete(.policies)),
        admin("PUT", "/branding", BrandingAPI.set),
        admin("PUT", "/views/{name}", ViewsAPI.set),
        admin("DELETE", "/views/{name}", ViewsAPI.delete),
        admin("GET", "/changes", ChangesAPI.latest),
        admin("GET", "/attention", HomeAPI.attention),
        admin("POST", "/batches", BatchesAPI.begin),
        admin("POST", "/batches/{batch}/undo", BatchesAPI.undo),
        admin("GET", "/users/{user}/sessions", OwnAccountAPI.sessionsOfUser),
        admin("DELETE", "/users/{user}/sessions/{id}", OwnAccountAPI.endSessionOfUser),
        admin("GET", "/export", SeedingAPI.export),
        admin("POST", "/seed", SeedingAPI.seed),
        admin("POST", "/import", SeedingAPI.import),
        admin("POST", "/uploads", UploadAPI.begin),
        admin("PUT", "/uploads/{id}", UploadAPI.write),
        admin("DELETE", "/uploads/{id}", UploadAPI.end),
        admin("GET", "/retention", PrivacyAPI.retention),
        admin("PUT", "/retention", PrivacyAPI.setRetention),

        oauth("POST", "/token", OAuthAPI.token),
        oauth("POST", "/introspect", OAuthAPI.introspect),
        oauth("POST", "/revoke", OAuthAPI.revoke),
        oauth("POST", "/device_authorization", OAuthAPI.deviceAuthorization),
        oauth("POST", "/par", OAuthAPI.pushed),
        oauth("POST", "/register", OAuthAPI.register),
        oauth("GET", "/jwks", OAuthAPI.keys),
        oauth("GET", "/userinfo", OAuthAPI.userInfo()),
        oauth("GET", "/picture/{id}", OAuthAPI.picture),
        oauth("POST", "/userinfo", OAuthAPI.userInfo(isForm: true)),
        wellKnown("GET", "/openid-configuration", OAuthAPI.discovery),
        wellKnown("GET", "/oauth-authorization-server", OAuthAPI.discovery),
        wellKnown("GET", "/oauth-protected-resource", OAuthAPI.protectedResource),
        wellKnown("GET", "/change-password", OAuthAPI.changePassword),

        oauth("GET", "/authorize", BrowserAPI.authorize),
        oauth("POST", "/authorize", BrowserAPI.authorizeByForm),
        oauth("GET", "/sign-in", BrowserAPI.enterPage),
        oauth("POST", "/sign-in", BrowserAPI.signInForPage),
        oauth("GET", "/forgotten", BrowserAPI.forgotten),
        oauth("POST", "/forgotten", BrowserAPI.sendForgotten),
        oauth("GET", "/password", BrowserAPI.password),
        oauth("POST", "/password", BrowserAPI.setPassword),
        oauth("GET", "/device", BrowserAPI.device),
        oauth("POST", "/device", BrowserAPI.decideDevice),
        oauth("POST", "/provider", BrowserAPI.leave),
        oauth("GET", "/callback", BrowserAPI.comeBack),
        oauth("GET", "/auth", BrowserAPI.checkGuarded),
        oauth("GET", "/start", BrowserAPI.startGuarded),
        oauth("GET", "/logout", BrowserAPI.signOut),
        oauth("POST", "/logout", BrowserAPI.signOutByForm),

        platform("GET", "/sso/exchange-token", ExchangeAPI.exchange),
        platform("POST", "/auth/token", ExchangeAPI.token),

        sessions("GET", "/_session", SessionAPI.read),
        sessions("POST", "/_session", SessionAPI.begin, for: .everyone),
        sessions("DELETE", "/_session", SessionAPI.end, for: .everyone),
        sessions("GET", "/_session/{session}", SessionAdministration.read),
        sessions("DELETE", "/_session/{session}", SessionAdministration.end),
        sessions("DELETE", "/_user/{name}/_session/{session}", SessionAdministration.endOfUser),
        sessions("DELETE", "/_user/{name}/_session", SessionAdministration.signOut),

        forms("GET", "/forms", FormsAPI.empty),
        forms("POST", "/forms", FormsAPI.create),
        forms("GET", "/forms/{user}", FormsAPI.read),
        forms("PUT", "/forms/{user}", FormsAPI.change),
        forms("GET", "/photos/{user}", PhotoAPI.read),
        forms("GET", "/news", HomeAPI.news),
        forms("GET", "/views", ViewsAPI.list),
        forms("GET", "/attributes", AttributesAPI.texts),

        own("GET", "/account", OwnAccountAPI.read),
        own("GET", "/sessions", OwnAccountAPI.sessions),
        own("DELETE", "/sessions", OwnAccountAPI.endOtherSessions),
        own("DELETE", "/sessions/{id}", OwnAccountAPI.endSession),
        own("GET", "/apps", OwnAccountAPI.apps),
        own("DELETE", "/apps/{client_id}", ConsentAPI.withdraw),
        own("GET", "/export", OwnExportAPI.export),
        own("POST", "/totp", SecondFactorAPI.begin, for: .ownAccountInPerson),
        own("POST", "/totp/confirm", SecondFactorAPI.confirm, for: .ownAccountInPerson),
        own("POST", "/totp/remove", SecondFactorAPI.remove, for: .ownAccountInPerson),
        own("GET", "/challenge-questions", SecondFactorAPI.questions),
        own("PUT", "/challenge-questions", SecondFactorAPI.setQuestions, for: .ownAccountInPerson),
        own("POST", "/challenge-questions/remove", SecondFactorAPI.removeQuestions, for: .ownAccountInPerson),
        admin("DELETE", "/users/{user}/second-factor", SecondFactorAPI.reset),
        admin("GET", "/users/{user}/second-factors", SecondFactorAPI.listOfUser),
        admin("DELETE", "/users/{user}/second-factors/{kind}", SecondFactorAPI.removeOfUser),
        admin("POST", "/users/{user}/password-link", PasswordLinkAPI.make),
        own("GET", "/consents", ConsentAPI.list),
        own("DELETE", "/consents/{client_id}", ConsentAPI.withdraw),

        own("GET", "/app-passwords", AppPasswordAPI.list),
        own("POST", "/app-passwords", AppPasswordAPI.make),
        own("DELETE", "/app-passwords/{name}", AppPasswordAPI.end),
        admin("GET", "/users/{user}/app-passwords", AppPasswordAPI.listOfUser),
        admin("POST", "/users/{user}/app-passwords", AppPasswordAPI.makeForUser),
        admin("DELETE", "/users/{user}/app-passwords/{id}", AppPasswordAPI.endOfUser),

        own("GET", "/devices", DeviceAPI.list),
        own("DELETE", "/devices/{id}", DeviceAPI.end),
        admin("GET", "/users/{user}/devices", DeviceAPI.listOfUser),
        admin("DELETE", "/users/{user}/devices/{id}", DeviceAPI.endOfUser),

        tokens("POST", "/authenticate", TokenServicesAPI.authenticate),
        tokens("POST", "/register", TokenServicesAPI.register),
        tokens("POST", "/access", TokenServicesAPI.access),
        tokens("DELETE", "/tokens", TokenServicesAPI.end),
        tokens("DELETE", "/tokens/info", TokenServicesAPI.endInfo),
        tokens("GET", "/tokens/info", TokenServicesAPI.info),

        apps("GET", "/rest/AppProfiles/{app}", AppProfileAPI.read),
        apps("GET", "/mobilesso", AppProfileAPI.signOn),

        provider("GET", "/_oidc", RelyingPartyAPI.signIn),
        provider("GET", "/_oidc_challenge", RelyingPartyAPI.challenge),
        provider("GET", "/_oidc_callback", RelyingPartyAPI.callback),
        provider("GET", "/_oidc_refresh", RelyingPartyAPI.refreshByQuery),
        provider("POST", "/_oidc_refresh", RelyingPartyAPI.refresh),

        testing("GET", "/.well-known/openid-configuration", TestProviderAPI.discovery),
        testing("GET", "/certs", TestProviderAPI.keys),
        testing("GET", "/authorize", TestProviderAPI.page),
        testing("POST", "/authenticate", TestProviderAPI.authenticate),
        testing("POST", "/token", TestProviderAPI.token),
    ]
}
