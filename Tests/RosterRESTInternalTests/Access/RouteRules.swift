import RosterDialects
import RosterText

@testable import RosterREST

extension RESTService {
    /// The routes of a service with all dialects.
    static let servedRoutes = routes + [ServiceInterface].dialects.flatMap(\.routes)
}

/// Who sends a request, besides the administrators.
enum Asker: String, Sendable, CaseIterable {
    case nobody, disabled, user, owner, helpDesk, editor, provisioning, monitoring, reading
    /// An app that an administrator signed in to, without the scope `directory`.
    case app
}

/// Who may send the request of a route.
enum RouteRule: Sendable {
    /// Everyone: the endpoint checks a proof of its own, or has nothing to hide.
    case open
    /// Everyone who is signed in, about themselves, or about what each of them may see or do.
    case signedIn
    /// Administrators and these; everyone else is refused with 401 or 403.
    case only(Set<Asker>, Request)

    /// A request that succeeds for an administrator. `{user}` and `{role}` stand for identifiers.
    struct Request: Sendable {
        let path: String
        var body: JSONValue?
        let status: Int
    }
}

/// Who may call each route. A new route has to be entered here.
enum RouteRules {
    private static let readers: Set<Asker> = [.user, .owner, .helpDesk, .editor, .provisioning]
    private static let readersByScim = readers.union([.reading])
    private static let people: Set<Asker> = [.editor, .provisioning]
    private static let members: Set<Asker> = [.owner, .provisioning]
    private static let profile = "/oic_rest/rest/userprofile"
    private static let scim = "/scim/v2"

    static let all: [String: RouteRule] = {
        var rules: [String: RouteRule] = [:]
        for route in open { rules[route] = .open }
        for route in signedIn { rules[route] = .signedIn }
        // One's own account has two paths.
        for route in signedIn where route.contains("/~/") {
            let path = route.replacing("/~/account", with: "/~").replacing("/mobile/platform/users/~", with: "/account")
            rules[path] = .signedIn
        }
        for entry in profileRules + relationRules {
            rules[entry.route] = rule(entry, below: profile)
            let route = entry.route.replacing(profile, with: "/profile/v1")
            rules[route] = rule(entry, below: "/profile/v1")
        }
        rules["GET /profile/v1/changes"] = nil
        for entry in scimRules { rules[entry.route] = rule(entry, below: scim) }
        for entry in otherRules { rules[entry.route] = rule(entry, below: "") }
        return rules
    }()

    private static func rule(_ entry: Entry, below base: String) -> RouteRule {
        .only(entry.permitted, .init(path: base + entry.path, body: entry.body, status: entry.status))
    }

    private struct Entry {
        let route: String
        let path: String
        let body: JSONValue?
        let status: Int
        let permitted: Set<Asker>

        init(
            _ method: String, _ template: String, _ path: String, _ status: Int, _ permitted: Set<Asker> = [],
            _ body: JSONValue? = nil, below base: String = ""
        ) {
            route = "\(method) \(base)\(template)"
            (self.path, self.body, self.status, self.permitted) = (path, body, status, permitted)
        }
    }

    private static func ofProfile(
        _ method: String, _ template: String, _ path: String, _ status: Int, _ permitted: Set<Asker>,
        _ body: JSONValue? = nil
    ) -> Entry { Entry(method, template, path, status, permitted, body, below: profile) }

    private static func ofSCIM(
        _ method: String, _ template: String, _ path: String, _ status: Int, _ permitted: Set<Asker>,
        _ body: JSONValue? = nil
    ) -> Entry { Entry(method, template, path, status, permitted, body, below: scim) }

    // MARK: The directory

    private static let profileRules = [
        ofProfile("GET", "/people", "/people", 200, readers),
        ofProfile("POST", "/people", "/people", 201, people, ["uid": "new"]),
        ofProfile("GET", "/people/{uid}", "/people/tom.evans", 200, readers),
        ofProfile("PUT", "/people/{uid}", "/people/tom.evans", 200, people, ["title": "x"]),
        ofProfile("DELETE", "/people/{uid}", "/people/tom.evans?reportees=leave", 204, people),
        ofProfile("GET", "/groups", "/groups", 200, readers),
        ofProfile("POST", "/groups", "/groups", 201, [.provisioning], ["commonname": "new"]),
        ofProfile("GET", "/groups/{name}", "/groups/crew", 200, readers),
        ofProfile("PUT", "/groups/{name}", "/groups/crew", 200, [.provisioning], ["description": "x"]),
        ofProfile("DELETE", "/groups/{name}", "/groups/crew", 204, [.provisioning]),
        ofProfile("GET", "/changes", "/changes", 200, []),
    ]

    /// The relations of `tom.evans` and of the role `crew`: with whom each exists, and a body that adds another.
    private static let relations: [(String, String, JSONValue, Set<Asker>)] = [
        ("/people/{uid}/manager", "ilse.brandt", ["manager-uri": "haruka.ito"], people),
        ("/people/{uid}/reports", "kid", ["report-uri": "ren.watanabe"], people),
        ("/people/{uid}/memberOf", "crew", ["group-uri": "team"], members),
        ("/people/{uid}/ownerOf", "owned", ["group-uri": "crew"], [.provisioning]),
        ("/groups/{name}/members", "tom.evans", ["person-uri": "people/ren.watanabe"], members),
        ("/groups/{name}/groupMembers", "inner", ["child-group-uri": "team"], members),
        ("/groups/{name}/personOwner", "owner", ["person-uri": "ren.watanabe"], [.provisioning]),
        ("/groups/{name}/groupOwner", "leads", ["owner-uri": "team"], [.provisioning]),
        ("/groups/{name}/groupMemberOf", "outer", ["parent-group-uri": "team"], members),
        ("/groups/{name}/groupOwnerOf", "owned", ["owned-group-uri": "team"], [.provisioning]),
    ]

    private static let relationRules = relations.flatMap { template, other, body, permitted in
        let path = template.replacing("{uid}", with: "tom.evans").replacing("{name}", with: "crew")
        return [
            ofProfile("GET", template, path, 200, readers), ofProfile("POST", template, path, 201, permitted, body),
            ofProfile("GET", template + "/{other}", "\(path)/\(other)", 200, readers),
            ofProfile("DELETE", template + "/{other}", "\(path)/\(other)", 204, permitted),
        ]
    }

    private static let search: JSONValue = ["schemas": ["urn:ietf:params:scim:api:messages:2.0:SearchRequest"]]
    private static func patch(_ path: String) -> JSONValue {
        [
            "schemas": ["urn:ietf:params:scim:api:messages:2.0:PatchOp"],
            "Operations": [["op": "replace", "path": .string(path), "value": "x"]],
        ]
    }
    private static let user: JSONValue = ["schemas": ["urn:ietf:params:scim:schemas:core:2.0:User"], "userName": "new"]
    private static let group: JSONValue = [
        "schemas": ["urn:ietf:params:scim:schemas:core:2.0:Group"], "displayName": "new",
    ]

    private static let scimRules = [
        ofSCIM("GET", "/Users", "/Users", 200, readersByScim), ofSCIM("POST", "/Users", "/Users", 201, people, user),
        ofSCIM("POST", "/Users/.search", "/Users/.search", 200, readersByScim, search),
        ofSCIM("GET", "/Users/{id}", "/Users/{user}", 200, readersByScim),
        ofSCIM("PUT", "/Users/{id}", "/Users/{user}", 200, people, user),
        ofSCIM("PATCH", "/Users/{id}", "/Users/{user}", 200, people, patch("title")),
        ofSCIM("DELETE", "/Users/{id}", "/Users/{user}", 204, people),
        ofSCIM("GET", "/Groups", "/Groups", 200, readersByScim),
        ofSCIM("POST", "/Groups", "/Groups", 201, [.provisioning], group),
        ofSCIM("POST", "/Groups/.search", "/Groups/.search", 200, readersByScim, search),
        ofSCIM("GET", "/Groups/{id}", "/Groups/{role}", 200, readersByScim),
        ofSCIM("PUT", "/Groups/{id}", "/Groups/{role}", 200, [.provisioning], group),
        ofSCIM("PATCH", "/Groups/{id}", "/Groups/{role}", 200, [.provisioning], patch("displayName")),
        ofSCIM("DELETE", "/Groups/{id}", "/Groups/{role}", 204, [.provisioning]),
        ofSCIM("GET", "", "", 200, readersByScim), ofSCIM("POST", "/.search", "/.search", 200, readersByScim, search),
    ]

    // MARK: Administration

    private static let otherRules = [
        // An operation has the rights of its caller, as the calls of the library have.
        Entry(
            "POST", "/directory/v1/{operation}", "/directory/v1/setPower", 200, [],
            ["power": "help-desk", "role": ["named": ["_0": "crew"]]]),
        Entry("GET", "/metrics", "/metrics", 200, [.monitoring]), Entry("GET", "/changes", "/changes", 200),
        Entry("GET", "/admin/backends", "/admin/backends", 200),
        Entry("POST", "/admin/backends", "/admin/backends", 201, [], ["name": "new"]),
        Entry("GET", "/admin/backends/{id}", "/admin/backends/{backend}", 200),
        Entry("PUT", "/admin/backends/{id}", "/admin/backends/{backend}", 200, [], ["name": "other"]),
        Entry("DELETE", "/admin/backends/{id}", "/admin/backends/{backend}", 204),
        Entry("POST", "/admin/backends/{id}/secret", "/admin/backends/{backend}/secret", 200),
        Entry("GET", "/admin/backends/{id}/secrets", "/admin/backends/{backend}/secrets", 200),
        Entry("DELETE", "/admin/backends/{id}/secrets", "/admin/backends/{backend}/secrets", 204),
        Entry("GET", "/admin/backends/{id}/sign-outs", "/admin/backends/{backend}/sign-outs", 200),
        Entry("GET", "/admin/backends/{id}/users", "/admin/backends/{backend}/users", 200),
        Entry("GET", "/admin/keys", "/admin/keys", 200), Entry("POST", "/admin/keys", "/admin/keys", 201),
        Entry("DELETE", "/admin/keys/{id}", "/admin/keys/{key}", 204),
        Entry("GET", "/admin/tokens", "/admin/tokens", 200),
        Entry("POST", "/admin/tokens", "/admin/tokens", 201, [], ["name": "new", "role": "monitoring"]),
        Entry("PUT", "/admin/tokens/{name}", "/admin/tokens/ops", 200, [], ["source": "entra"]),
        Entry("DELETE", "/admin/tokens/{name}", "/admin/tokens/ops", 204),
        Entry("GET", "/admin/users/{user}/made", "/admin/users/tom.evans/made", 200),
        Entry("DELETE", "/admin/users/{user}/made", "/admin/users/tom.evans/made", 200),
        Entry("DELETE", "/admin/users/{user}/history", "/admin/users/{gone}/history", 200),
        Entry("GET", "/admin/users/{user}/role-changes", "/admin/users/tom.evans/role-changes", 200),
        Entry("GET", "/admin/attributes", "/admin/attributes", 200),
        Entry("POST", "/admin/attributes", "/admin/attributes", 201, [], ["name": "own"]),
        Entry("PUT", "/admin/attributes/{name}", "/admin/attributes/mobile", 200, [], ["readers": "signedIn"]),
        Entry("DELETE", "/admin/attributes/{name}", "/admin/attributes/mobile", 204),
        Entry("GET", "/admin/roles/{name}/power", "/admin/roles/crew/power", 200),
        Entry("PUT", "/admin/roles/{name}/power", "/admin/roles/crew/power", 200, [], ["power": "help-desk"]),
        Entry("GET", "/admin/export", "/admin/export", 200),
        Entry("POST", "/admin/import", "/admin/import?format=json", 200, [], ["people": [["uid": "new"]]]),
        Entry("POST", "/admin/uploads", "/admin/uploads", 201),
        // There is no such upload, which only administrators learn.
        Entry("PUT", "/admin/uploads/{id}", "/admin/uploads/none?at=0", 404, [], ["part": 1]),
        Entry("DELETE", "/admin/uploads/{id}", "/admin/uploads/none", 404),
        Entry("POST", "/admin/seed", "/admin/seed", 200, [], ["people": [["uid": "new"]]]),
        Entry("GET", "/admin/retention", "/admin/retention", 200),
        Entry("PUT", "/admin/retention", "/admin/retention", 200, [], ["change_days": 100]),
        Entry(
            "DELETE", "/admin/users/{user}/second-factor", "/admin/users/tom.evans/second-factor", 204, [.helpDesk]),
        Entry("GET", "/admin/users/{user}/second-factors", "/admin/users/tom.evans/second-factors", 200, [.helpDesk]),
        Entry(
            "DELETE", "/admin/users/{user}/second-factors/{kind}", "/admin/users/tom.evans/second-factors/questions",
            204, [.helpDesk]),
        Entry("GET", "/admin/users/{user}/app-passwords", "/admin/users/tom.evans/app-passwords", 200, [.helpDesk]),
        Entry(
            "POST", "/admin/users/{user}/app-passwords", "/admin/users/tom.evans/app-passwords", 201, [],
            ["name": "mail", "for": "ldap"]),
        Entry(
            "DELETE", "/admin/users/{user}/app-passwords/{id}", "/admin/users/tom.evans/app-passwords/1", 404,
            [.helpDesk]),
        Entry("GET", "/admin/users/{user}/devices", "/admin/users/tom.evans/devices", 200, [.helpDesk]),
        // There is no such device, which only those who may end one learn.
        Entry("DELETE", "/admin/users/{user}/devices/{id}", "/admin/users/tom.evans/devices/1", 404, [.helpDesk]),
        Entry(
            "POST", "/admin/users/{user}/password-link", "/admin/users/tom.evans/password-link", 201,
            [.helpDesk, .provisioning]),
        Entry("GET", "/admin/issuers", "/admin/issuers", 200),
        Entry(
            "PUT", "/admin/issuers/{type}/{name}", "/admin/issuers/jwt/idp", 201, [],
            ["issuerName": "idp", "jwks": ["jwksUri": "https://idp.example.com/keys"]]),
        Entry("DELETE", "/admin/issuers/{type}/{name}", "/admin/issuers/jwt/none", 404),
        Entry(
            "POST", "/admin/test/issuers/{type}", "/admin/test/issuers/saml", 200, [],
            ["issuerName": "idp", "certificateSubjectNames": ["CN=idp"]]),
        Entry(
            "POST", "/admin/test/providers/{type}", "/admin/test/providers/social", 200, [],
            ["app_id": "1", "app_secret": "x"]),
        Entry("GET", "/admin/certificates", "/admin/certificates", 200),
        Entry(
            "PUT", "/admin/certificates/{name}", "/admin/certificates/idp", 400, [], ["certificate": "none"]),
        Entry("DELETE", "/admin/certificates/{name}", "/admin/certificates/none", 404),
        Entry("GET", "/admin/providers", "/admin/providers", 200),
        Entry(
            "PUT", "/admin/providers/{type}/{name}", "/admin/providers/oidc/new", 201, [],
            ["issuer": "https://idp.example.com", "client_id": "roster"]),
        Entry("DELETE", "/admin/providers/{type}/{name}", "/admin/providers/oidc/none", 404),
        Entry("GET", "/admin/policies", "/admin/policies", 200),
        Entry("PUT", "/admin/policies", "/admin/policies", 204, [], ["allow_private_addresses": .null]),
        Entry("PUT", "/admin/policies/{name}", "/admin/policies/allow_bare_basic", 201, [], ["value": true]),
        Entry("DELETE", "/admin/policies/{name}", "/admin/policies/token_settings", 404),
        Entry("PUT", "/admin/branding", "/admin/branding", 200, [], ["name": "Example"]),
        Entry("PUT", "/admin/views/{name}", "/admin/views/Leads", 201, [], ["state": "q=lead"]),
        Entry("DELETE", "/admin/views/{name}", "/admin/views/none", 404),
        Entry("GET", "/views", "/views", 200, readers), Entry("GET", "/attributes", "/attributes", 200, readers),
        Entry("GET", "/admin/changes", "/admin/changes", 200),
        Entry("GET", "/admin/attention", "/admin/attention", 200),
        Entry("GET", "/news", "/news", 200, readers),
        Entry("GET", "/admin/users/{user}/sessions", "/admin/users/tom.evans/sessions", 200, [.helpDesk]),
        Entry("DELETE", "/admin/users/{user}/sessions", "/admin/users/tom.evans/sessions", 204, [.helpDesk]),
        Entry("DELETE", "/admin/users/{user}/sessions/{id}", "/admin/users/tom.evans/sessions/1", 404, [.helpDesk]),
        Entry("GET", "/forms", "/forms", 200, people), Entry("POST", "/forms", "/forms", 201, people, ["uid": "new"]),
        Entry("GET", "/forms/{user}", "/forms/tom.evans", 200, readers),
        Entry("PUT", "/forms/{user}", "/forms/tom.evans", 200, people, ["title": "x"]),
        Entry("GET", "/photos/{user}", "/photos/tom.evans", 204, readers),
        Entry("GET", "/{db}/_session/{session}", "/db/_session/{session}", 200, [.helpDesk]),
        Entry("DELETE", "/{db}/_session/{session}", "/db/_session/{session}", 200, [.helpDesk]),
        Entry(
            "DELETE", "/{db}/_user/{name}/_session/{session}", "/db/_user/tom.evans/_session/{session}", 200,
            [.helpDesk]),
        Entry("DELETE", "/{db}/_user/{name}/_session", "/db/_user/tom.evans/_session", 200, [.helpDesk]),
    ]

    private static let signedIn = [
        "GET /scim/v2/Me", "PUT /scim/v2/Me", "PATCH /scim/v2/Me", "DELETE /scim/v2/Me", "POST /scim/v2/Bulk",
        "GET /scim/v2/ServiceProviderConfig", "GET /scim/v2/ResourceTypes", "GET /scim/v2/ResourceTypes/{name}",
        "GET /scim/v2/Schemas", "GET /scim/v2/Schemas/{urn}", "GET /mobile/platform/users/me",
        "GET /ms_oauth/resources/userprofile/me", "GET /profile/v1/me",
        "GET /mobile/platform/users/login", "GET /mobile/platform/extended/users/{username}",
        "GET /mobile/platform/users/{username}", "PUT /mobile/platform/users/{username}",
        "PATCH /mobile/platform/users/{username}", "GET /{db}/_session", "POST /mobile/platform/users/~/totp",
        "POST /mobile/platform/users/~/totp/confirm", "POST /mobile/platform/users/~/totp/remove",
        "GET /mobile/platform/users/~/challenge-questions", "PUT /mobile/platform/users/~/challenge-questions",
        "POST /mobile/platform/users/~/challenge-questions/remove", "GET /mobile/platform/users/~/consents",
        "DELETE /mobile/platform/users/~/consents/{client_id}", "GET /mobile/platform/users/~/devices",
        "DELETE /mobile/platform/users/~/devices/{id}", "GET /mobile/platform/users/~/app-passwords",
        "POST /mobile/platform/users/~/app-passwords", "DELETE /mobile/platform/users/~/app-passwords/{name}",
        "GET /mobile/platform/users/~/account", "POST /admin/batches", "POST /admin/batches/{batch}/undo",
        "GET /mobile/platform/users/~/sessions", "DELETE /mobile/platform/users/~/sessions",
        "DELETE /mobile/platform/users/~/sessions/{id}", "GET /mobile/platform/users/~/apps",
        "DELETE /mobile/platform/users/~/apps/{client_id}", "GET /mobile/platform/users/~/export",
    ]

    private static let open = [
        "GET /healthz", "GET /readyz", "GET /openapi.json", "GET /branding",
        "GET /branding/style.css", "GET /branding/logo", "POST /oauth2/token", "POST /oauth2/introspect",
        "POST /oauth2/revoke", "POST /oauth2/par", "GET /oauth2/auth",
        "GET /oauth2/start", "POST /oauth2/register",
        "GET /oauth2/picture/{id}", "GET /.well-known/oauth-protected-resource", "GET /.well-known/change-password",
        "POST /oauth2/device_authorization", "GET /oauth2/jwks", "GET /oauth2/userinfo",
        "POST /oauth2/userinfo", "GET /.well-known/openid-configuration", "GET /.well-known/oauth-authorization-server",
        "GET /oauth2/authorize", "POST /oauth2/authorize", "GET /oauth2/forgotten", "POST /oauth2/forgotten",
        "GET /oauth2/password", "POST /oauth2/password",
        "GET /oauth2/sign-in", "POST /oauth2/sign-in",
        "GET /oauth2/device", "POST /oauth2/device",
        "POST /oauth2/provider", "GET /oauth2/callback", "GET /oauth2/logout", "POST /oauth2/logout",
        "GET /mobile/platform/sso/exchange-token", "POST /mobile/platform/auth/token", "POST /{db}/_session",
        "DELETE /{db}/_session", "POST /oic_rest/rest/{service}/authenticate", "POST /oic_rest/rest/{service}/register",
        "POST /oic_rest/rest/{service}/access", "DELETE /oic_rest/rest/{service}/tokens",
        "DELETE /oic_rest/rest/{service}/tokens/info", "GET /oic_rest/rest/{service}/tokens/info",
        "GET /oic_rest/rest/AppProfiles/{app}", "GET /oic_rest/mobilesso", "GET /{db}/_oidc",
        "GET /{db}/_oidc_challenge", "GET /{db}/_oidc_callback", "GET /{db}/_oidc_refresh", "POST /{db}/_oidc_refresh",
        "GET /db/_oidc_testing/.well-known/openid-configuration", "GET /db/_oidc_testing/certs",
        "GET /db/_oidc_testing/authorize", "POST /db/_oidc_testing/authenticate", "POST /db/_oidc_testing/token",
    ]
}
