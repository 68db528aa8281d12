import Roster
import RosterText
import ServiceTestSupport
import Testing
import TestSupport

@testable import RosterREST

/// Paths and methods: what there is, what there is not, and how that is said.
@Suite struct MethodTests {
    private let service: ServiceUnderTest
    private let routes: [Route]

    init() async throws {
        service = try await ServiceUnderTest()
        routes = RESTService.servedRoutes
    }

    private func path(_ route: Route) -> String {
        let segments = route.path.map { segment -> String in
            switch segment {
            case .fixed(let text): text
            case .parameter: "nobody"
            }
        }
        return "/" + segments.joined(separator: "/")
    }

    @Test func otherMethodsAreRefusedWithThoseThatThereAre() async {
        let all = ["GET", "HEAD", "PUT", "POST", "PATCH", "DELETE", "OPTIONS", "TRACE", "BREW"]
        for (template, routes) in Dictionary(grouping: routes, by: \.template) {
            guard let first = routes.first else { continue }
            let known = Set(routes.flatMap { [$0.method] + ($0.takesHead ? ["HEAD"] : []) })
            let allowed = known.sorted().joined(separator: ", ")
            for method in all where !known.contains(method) {
                let answer = await service.request(method, path(first))
                #expect(answer.status == 405, "\(method) \(template)")
                #expect(answer.header("Allow") == allowed, "\(method) \(template)")
                #expect(answer.text.contains("This takes \(allowed) only."), "\(method) \(template)")
            }
        }
    }

    /// An exchange uses an assertion up, so nobody may only look at it, and no answer says so.
    @Test(arguments: ["HEAD", "OPTIONS", "POST"])
    func anExchangeTakesGetOnly(_ method: String) async {
        let answer = await service.request(method, "/mobile/platform/sso/exchange-token")
        #expect(answer.status == 405 && answer.header("Allow") == "GET")
    }

    /// RFC 9110, section 9.3.7.
    @Test func optionsOfTheServerNameTheMethodsThatItHas() async {
        let answer = await service.respond(to: HTTPRequest("OPTIONS", "*"))
        #expect(answer.status == 204)
        #expect(answer.headers["Allow"] == "DELETE, GET, HEAD, OPTIONS, PATCH, POST, PUT")
        #expect(await service.respond(to: HTTPRequest("GET", "*")).status == 400)
    }

    @Test func headAnswersAsGetDoes() async {
        for route in routes where route.takesHead && !route.template.hasSuffix("/metrics") {
            let get = await service.request("GET", path(route))
            let head = await service.request("HEAD", path(route))
            #expect(head.status == get.status, "\(route.template)")
            #expect(head.header("Content-Type") == get.header("Content-Type"), "\(route.template)")
            #expect(head.header("ETag") == get.header("ETag"), "\(route.template)")
        }
    }

    /// A path that is in the table as it stands is not the name of something in it.
    @Test(arguments: [
        ("GET", "/scim/v2/Users/.search"), ("DELETE", "/scim/v2/Groups/.search"), ("PUT", "/mobile/platform/users/me"),
    ])
    func fixedPathsComeFirst(_ method: String, _ path: String) async {
        #expect(await service.request(method, path).status == 405)
    }

    @Test(arguments: [
        ("/nothing", "application/problem+json", "title"), ("/", "application/problem+json", "title"),
        ("/scim/v2/Nothing", "application/scim+json", "schemas"), ("/scim", "application/scim+json", "schemas"),
        ("/oic_rest/rest/userprofile/nothing", "application/json", "oicErrorCode"),
        ("/mobile/platform/nothing", "application/problem+json", "o:errorCode"),
        ("/scim/v2/Users/..", "application/scim+json", "schemas"), ("//", "application/problem+json", "title"),
    ])
    func unknownPathsAreToldInTheStyleOfTheInterface(_ path: String, _ mediaType: String, _ member: String) async {
        for client in [Client.administrator, .nobody] {
            let answer = await service.request("GET", path, as: client)
            #expect(answer.status == 404, "\(path)")
            #expect(answer.header("Content-Type") == mediaType)
            #expect(answer[member] != nil, "\(answer.text)")
        }
    }

    /// A mark that follows a separator makes one character of both; the separator counts all the same.
    @Test func separatorsCountWhateverFollows() {
        #expect(ProfileReader.name(inURI: "/groups/a?\u{1F3FB}b", of: .role) == "a")
        #expect(ProfileReader.name(inURI: "/people/\u{301}a", of: .user) == "\u{301}a")
        #expect(ProfileReader.name(inURI: "/people/a#\u{301}", of: .user) == "a")
    }
}
