import Roster
import RosterText

/// The table of routes: one line for each, and who gets through to it.
extension RESTService {
    /// Every route, in the order in which the description lists them.
    static let routes: [Route] =
        profile + scim + MobileAPI.routes + operations + administration + OAuthAPI.routes + BrowserAPI.routes
        + ExchangeAPI.routes + SessionAPI.routes + SessionAdministration.routes + SecondFactorAPI.routes
        + ConsentAPI.routes + TokenServicesAPI.routes + RelyingPartyAPI.routes + TestProviderAPI.routes

    /// The profile service of Mobile and Social, and the change feed.
    private static let profile: [Route] = {
        let route = Interface(base: ProfileWriter.base, style: .profile, access: .api("userprofile"))
        let entities: [Route] = [
            route("GET", "/people", ProfileAPI.searchPeople),
            route("POST", "/people", ProfileAPI.createPerson),
            route("GET", "/people/{uid}", ProfileAPI.readPerson),
            route("PUT", "/people/{uid}", ProfileAPI.modifyPerson),
            route("DELETE", "/people/{uid}", ProfileAPI.deletePerson),
            route("GET", "/groups", ProfileAPI.searchGroups),
            route("POST", "/groups", ProfileAPI.createGroup),
            route("GET", "/groups/{name}", ProfileAPI.readGroup),
            route("PUT", "/groups/{name}", ProfileAPI.modifyGroup),
            route("DELETE", "/groups/{name}", ProfileAPI.deleteGroup),
            route("GET", "/changes", ChangesAPI.changes),
        ]
        // A relation has four routes, whichever it is.
        let relations = ProfileRelation.allCases.flatMap { (relation) -> [Route] in
            let path = (relation.owner == .people ? "/people/{uid}/" : "/groups/{name}/") + relation.name
            return [
                route("GET", path, ProfileAPI.list(relation)),
                route("POST", path, ProfileAPI.add(relation)),
                route("GET", path + "/{other}", ProfileAPI.read(relation)),
                route("DELETE", path + "/{other}", ProfileAPI.remove(relation)),
            ]
        }
        return entities + relations
    }()

    /// SCIM 2.0.
    private static let scim: [Route] = {
        let route = Interface(base: SCIMAPI.base, style: .scim, access: .api("scim"))
        let entities: [(String, AttributeDefinition.Entity)] = [("/Users", .user), ("/Groups", .role)]
        let resources = entities.flatMap { (path, entity) -> [Route] in
            [
                route("GET", path, SCIMAPI.list(entity)),
                route("POST", path + "/.search", SCIMAPI.search(entity)),
                route("POST", path, SCIMAPI.create(entity)),
                route("GET", path + "/{id}", SCIMAPI.read(entity)),
                route("PUT", path + "/{id}", SCIMAPI.replace(entity)),
                route("PATCH", path + "/{id}", SCIMAPI.patch(entity)),
                route("DELETE", path + "/{id}", SCIMAPI.delete(entity)),
            ]
        }
        let others: [Route] = [
            route("GET", "/Me", SCIMAPI.readMe),
            route("PUT", "/Me", SCIMAPI.replaceMe),
            route("PATCH", "/Me", SCIMAPI.patchMe),
            route("DELETE", "/Me", SCIMAPI.deleteMe),
            route("GET", "", SCIMAPI.listAll),
            route("POST", "/.search", SCIMAPI.searchAll),
            route("POST", "/Bulk", SCIMAPI.bulk),
            route("GET", "/ServiceProviderConfig", SCIMAPI.serviceProviderConfig),
            route("GET", "/ResourceTypes", SCIMAPI.resourceTypes),
            route("GET", "/ResourceTypes/{name}", SCIMAPI.resourceType),
            route("GET", "/Schemas", SCIMAPI.schemas),
            route("GET", "/Schemas/{urn}", SCIMAPI.schema),
        ]
        return resources + others
    }()

    /// What operators and programmers ask of the server.
    private static let operations: [Route] = {
        let route = Interface(style: .problem, access: .everyone)
        return [
            route("GET", "/healthz", MonitoringAPI.health),
            route("GET", "/readyz", MonitoringAPI.readiness),
            route("GET", "/metrics", MonitoringAPI.metrics, for: .api("directory")),
            route("GET", "/openapi.json", OpenAPI.description),
        ]
    }()

    /// What administrators do.
    private static let administration: [Route] = {
        let route = Interface(base: "/admin", style: .problem, access: .api("directory"))
        return [
            route("GET", "/backends", BackendsAPI.list),
            route("POST", "/backends", BackendsAPI.create),
            route("GET", "/backends/{id}", BackendsAPI.read),
            route("PUT", "/backends/{id}", BackendsAPI.change),
            route("DELETE", "/backends/{id}", BackendsAPI.delete),
            route("POST", "/backends/{id}/secret", BackendsAPI.renewSecrets),
            route("GET", "/keys", KeysAPI.list),
            route("POST", "/keys", KeysAPI.make),
            route("DELETE", "/keys/{id}", KeysAPI.remove),
            route("GET", "/tokens", TokensAPI.list),
            route("POST", "/tokens", TokensAPI.make),
            route("DELETE", "/tokens/{name}", TokensAPI.end),
            route("GET", "/users/{name}/made", MadeAPI.read),
            route("DELETE", "/users/{name}/made", MadeAPI.end),
            route("DELETE", "/users/{id}/history", PrivacyAPI.eraseHistory),
            route("GET", "/attributes", PrivacyAPI.attributes),
            route("PUT", "/attributes/{name}", PrivacyAPI.setRights),
            route("DELETE", "/attributes/{name}", PrivacyAPI.resetRights),
            route("GET", "/retention", PrivacyAPI.retention),
            route("PUT", "/retention", PrivacyAPI.setRetention),
        ]
    }()
}

// MARK: Rows that are not one line yet

extension Route {
    typealias Parameter = Endpoint.Parameter
    typealias Answer = Endpoint.Answer

    /// A route with its endpoint.
    convenience init(
        _ method: String, _ template: String, _ summary: String, style: ErrorStyle, access: Access? = nil,
        takesHead: Bool = true, parameters: [Parameter] = [], body: JSONValue? = nil, answer: Answer = Answer(),
        handler: @escaping @Sendable (Exchange) throws -> Reply
    ) {
        // To read one's own profile is for whoever may know it; to write it, as all else, takes the directory's scope.
        let isOwnProfile = style == .mobile && method == "GET"
        let usual = style.api.map { Access.api($0, orScope: isOwnProfile ? "profile" : nil) } ?? .signedIn
        self.init(
            method, template,
            Endpoint(
                summary, parameters: parameters, body: body.map { .init($0) }, answer: answer, takesHead: takesHead,
                handler: handler), style: style, access: access ?? usual)
    }
}
