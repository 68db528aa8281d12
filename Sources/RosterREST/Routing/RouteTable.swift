import Roster
import RosterSignIn

/// The table of routes: one line for each, with the group that it belongs to.
extension RESTService {
    /// Every route that each service has, in the order in which the description lists them.
    static let routes: [Route] =
        profileRoutes(profile)
        + [profile("GET", "/me", ProfileAPI.readMe), changes("GET", "/changes", ChangesAPI.changes)] + resources
        + others
        + accountRoutes(RouteGroup(base: "/account", style: .problem, access: .ownAccount))

    /// Profiles of people and groups.
    private static let profile = RouteGroup(
        base: "/profile/v1", style: .problem, access: .api(.userProfile), isOfDirectory: true)
    /// The change feed.
    private static let changes = RouteGroup(style: .problem, access: .api(.directory), isOfDirectory: true)
    /// SCIM 2.0.
    private static let scim = RouteGroup(
        base: SCIMInterface.base, style: .scim, access: .api(.scim), isOfDirectory: true)
    /// The state and the description of the server, for operators and programmers.
    private static let server = RouteGroup(style: .problem, access: .everyone)
    /// The library's operations, for its client.
    private static let directory = RouteGroup(base: DirectoryAPI.base, style: .problem, access: .api(.directory))
    /// The administration of the server.
    private static let admin = RouteGroup(base: "/admin", style: .problem, access: .api(.directory))
    /// The forms with which pages show and edit users.
    private static let forms = RouteGroup(style: .problem, access: .api(.directory))
    /// OAuth and OpenID Connect. Clients prove who they are to the endpoints themselves.
    private static let oauth = RouteGroup(base: OAuthAPI.base, style: .oauth, access: .everyone)
    private static let wellKnown = RouteGroup(base: "/.well-known", style: .oauth, access: .everyone)

    /// The routes of profiles. The older profile service has them on a path of its own.
    package static func profileRoutes(_ profile: RouteGroup) -> [Route] {
        let entities = [
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
        ]
        // A relation has four routes, whichever it is.
        let relations = ProfileRelation.allCases.flatMap { (relation) -> [Route] in
            let path = (relation.owner == .user ? "/people/{uid}/" : "/groups/{name}/") + relation.name
            return [
                profile("GET", path, ProfileLists.list(relation)),
                profile("POST", path, ProfileLists.add(relation)),
                profile("GET", path + "/{other}", ProfileLists.read(relation)),
                profile("DELETE", path + "/{other}", ProfileLists.remove(relation)),
            ]
        }
        return entities + relations
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
        admin("GET", "/users/{user}/made", UserAccessAPI.remainingAccess),
        admin("DELETE", "/users/{user}/made", UserAccessAPI.endRemainingAccess),
        admin("DELETE", "/users/{user}/history", PrivacyAPI.eraseHistory),
        admin("GET", "/users/{user}/role-changes", UserAccessAPI.roleChanges),
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
        admin("GET", "/changes", LatestChangesAPI.list),
        admin("GET", "/attention", AttentionAPI.read),
        admin("POST", "/batches", BatchesAPI.begin),
        admin("POST", "/batches/{batch}/undo", BatchesAPI.undo),
        admin("GET", "/users/{user}/sessions", UserAccessAPI.sessions),
        admin("DELETE", "/users/{user}/sessions", UserAccessAPI.signOut),
        admin("DELETE", "/users/{user}/sessions/{id}", UserAccessAPI.endSession),
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

        forms("GET", "/forms", FormsAPI.empty),
        forms("POST", "/forms", FormsAPI.create),
        forms("GET", "/forms/{user}", FormsAPI.read),
        forms("PUT", "/forms/{user}", FormsAPI.change),
        forms("GET", "/photos/{user}", PhotoAPI.read),
        forms("GET", "/news", NewsAPI.news),
        forms("GET", "/views", ViewsAPI.list),
        forms("GET", "/attributes", AttributesAPI.texts),

        admin("DELETE", "/users/{user}/second-factor", UserAccessAPI.removeSecondFactors),
        admin("GET", "/users/{user}/second-factors", UserAccessAPI.secondFactors),
        admin("DELETE", "/users/{user}/second-factors/{kind}", UserAccessAPI.removeSecondFactor),
        admin("POST", "/users/{user}/password-link", UserAccessAPI.makePasswordLink),

        admin("GET", "/users/{user}/app-passwords", UserAccessAPI.appPasswords),
        admin("POST", "/users/{user}/app-passwords", UserAccessAPI.makeAppPassword),
        admin("DELETE", "/users/{user}/app-passwords/{id}", UserAccessAPI.endAppPassword),

        admin("GET", "/users/{user}/devices", UserAccessAPI.devices),
        admin("DELETE", "/users/{user}/devices/{id}", UserAccessAPI.endDevice),
    ]

    /// The routes of the caller's own account. The older mobile platform has them on paths of its own.
    ///
    /// - Parameter root: The path of the account itself, below that of the group.
    package static func accountRoutes(_ own: RouteGroup, root: String = "") -> [Route] {
        [
            own("GET", root, OwnAccountAPI.read),
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
            own("GET", "/consents", ConsentAPI.list),
            own("DELETE", "/consents/{client_id}", ConsentAPI.withdraw),
            own("GET", "/app-passwords", AppPasswordAPI.list),
            own("POST", "/app-passwords", AppPasswordAPI.make),
            own("DELETE", "/app-passwords/{name}", AppPasswordAPI.end),
            own("GET", "/devices", DeviceAPI.list),
            own("DELETE", "/devices/{id}", DeviceAPI.end),
        ]
    }
}
