import Roster
import RosterSignIn
import RosterText
import ServiceTestSupport
import Testing
import TestSupport

@testable import RosterREST

@Suite("Who may call each route", .timeLimit(.minutes(10)))
struct RouteCallerTests {
    /// A company with one of each kind of caller, and with what the requests of the table are about.
    struct Stage {
        let service: ServiceUnderTest
        fileprivate let credentials: [Asker: String]
        fileprivate let places: [String: String]

        init() async throws {
            service = try await ServiceUnderTest()
            let app = try await App(service)
            let view = service.directory.unrestricted
            let hash = try PasswordHash.make(ServiceUnderTest.password, .forTests).text
            for name in ["desk", "editor", "owner"] {
                try await view.users.create(name, attributes: ["password": .string(hash)])
            }
            let tom = try await view.users.setManager("ilse.brandt", of: "tom.evans").id
            try await view.users.create("kid", manager: "tom.evans")
            let gone = try await view.users.create("gone").id
            try await view.users.delete("gone")
            for name in ["crew", "team", "inner", "outer", "owned", "leads", "service desk", "personnel"] {
                try await view.roles.create(name)
            }
            try await view.perform([
                .add([.user("desk")], to: "service desk"), .add([.user("editor")], to: "personnel"),
                .add([.user("tom.evans"), .role("inner")], to: "crew"), .add([.role("crew")], to: "outer"),
                .add([.user("owner"), .role("leads")], to: "crew", as: .owner),
                .add([.user("owner")], to: "team", as: .owner), .add([.user("owner")], to: "outer", as: .owner),
                .add([.user("tom.evans"), .role("crew")], to: "owned", as: .owner),
            ])
            try await view.roles.setPower(.helpDesk, of: "service desk")
            try await view.roles.setPower(.peopleEditor, of: "personnel")
            try await service.signIn.oauth.secondFactors.setQuestions(
                [("Which was your first street?", "Lindenallee 7"), ("Who taught you to swim?", "Uncle Bertram")],
                for: tom)
            let session = await service.request("POST", "/db/_session", ["name": "tom.evans"])
            let keys = await service.request("GET", "/admin/keys")
            let token = await app.token(
                ("grant_type", "password"), ("username", "root"), ("password", ServiceUnderTest.password),
                ("scope", "openid profile"))
            credentials = [
                .user: ServiceUnderTest.basic(ServiceUnderTest.engineer), .owner: ServiceUnderTest.basic("owner"),
                .helpDesk: ServiceUnderTest.basic("desk"), .editor: ServiceUnderTest.basic("editor"),
                .disabled: ServiceUnderTest.basic(ServiceUnderTest.disabled),
                .provisioning: try #require(service.authorization(.provisioning)),
                .monitoring: try #require(service.authorization(.monitoring)),
                .reading: try #require(service.authorization(.reading)),
                .app: "Bearer " + (try #require(token["access_token"]?.text, "\(token.text)")),
            ]
            places = [
                "{user}": tom.description, "{role}": try await view.roles.role("crew").id.description,
                "{backend}": app.record.id.description, "{gone}": gone.description,
                "{key}": try #require(keys["keys"]?.elements.first?["id"]?.text, "\(keys.text)"),
                "{session}": try #require(session["session_id"]?.text, "\(session.text)"),
            ]
        }

        func send(_ route: Route, _ request: RouteRule.Request, _ authorization: String?) async -> Answer {
            var (path, body) = (request.path, request.body?.written)
            for (name, value) in places {
                path = path.replacing(name, with: value)
                body = body?.replacing(name, with: value)
            }
            return await service.send(route.method, path, authorization, body.map { Array($0.utf8) })
        }

        func send(_ route: Route, _ request: RouteRule.Request, as asker: Asker) async -> Answer {
            await send(route, request, credentials[asker])
        }
    }

    private static func name(_ route: Route) -> String { "\(route.method) \(route.template)" }

    @Test("The table says of each route who may call it, and of no other")
    func everyRouteHasItsRule() {
        #expect(RouteRules.all.keys.sorted() == RESTService.servedRoutes.map(Self.name).sorted())
        for route in RESTService.servedRoutes {
            let isOpen = if case .open? = RouteRules.all[Self.name(route)] { true } else { false }
            #expect(isOpen == (route.access == .everyone), "\(Self.name(route))")
        }
    }

    @Test("Each call is refused to everyone whom the table does not name, and changes nothing then", arguments: 0..<8)
    func refused(part: Int) async throws {
        for (index, route) in RESTService.servedRoutes.enumerated() where index % 8 == part {
            guard case .only(let permitted, let request)? = RouteRules.all[Self.name(route)] else { continue }
            let stage = try await Stage()
            let before = try await stage.service.lastChange()
            for asker in Asker.allCases where !permitted.contains(asker) {
                let answer = await stage.send(route, request, as: asker)
                let expected = [.nobody, .disabled].contains(asker) ? 401 : 403
                #expect(answer.status == expected, "\(Self.name(route)) by \(asker): \(answer.text)")
                #expect(try await stage.service.lastChange() == before, "\(Self.name(route)) by \(asker)")
            }
            // What the others were refused is still there to be done.
            let answer = await stage.send(route, request, stage.service.authorization(.administrator))
            #expect(answer.status == request.status, "\(Self.name(route)): \(answer.text)")
        }
    }

    @Test("Each call is granted to everyone whom the table names", arguments: 0..<8)
    func granted(part: Int) async throws {
        for (index, route) in RESTService.servedRoutes.enumerated() where index % 8 == part {
            guard case .only(let permitted, let request)? = RouteRules.all[Self.name(route)] else { continue }
            var stage = try await Stage()
            for asker in permitted {
                let answer = await stage.send(route, request, as: asker)
                #expect(answer.status == request.status, "\(Self.name(route)) by \(asker): \(answer.text)")
                if route.method != "GET" { stage = try await Stage() }
            }
        }
    }

    @Test("What is for everyone who is signed in is refused to everyone else")
    func signedInOnly() async throws {
        let stage = try await Stage()
        let before = try await stage.service.lastChange()
        for route in RESTService.servedRoutes {
            guard case .signedIn? = RouteRules.all[Self.name(route)] else { continue }
            let request = RouteRule.Request(
                path: route.template, body: route.endpoint.body.map { _ in [:] }, status: 200)
            for asker in [Asker.nobody, .disabled] {
                let answer = await stage.send(route, request, as: asker)
                // A password that is refused again and again is not looked at for a while.
                let expected = asker == .disabled ? [401, 429] : [401]
                #expect(expected.contains(answer.status), "\(Self.name(route)) by \(asker): \(answer.text)")
            }
        }
        #expect(try await stage.service.lastChange() == before)
    }

    @Test("The help desk helps users without a power, a people editor edits them, and neither acts on anybody else")
    func delegates() async throws {
        let stage = try await Stage()
        let people = "/oic_rest/rest/userprofile/people/"
        let password: JSONValue = ["password": "a long new password"]
        for name in ["root", "editor", "desk"] {
            for path in ["second-factor", "second-factors/app", "devices/1"] {
                let answer = await stage.send("DELETE", "/admin/users/\(name)/\(path)", nil, as: .helpDesk)
                #expect(answer.status == 403, "\(path) of \(name): \(answer.text)")
            }
            for path in name == "desk" ? ["devices"] : ["devices", "second-factors"] {
                #expect(await stage.send("GET", "/admin/users/\(name)/\(path)", nil, as: .helpDesk).status == 403)
            }
            // The last one, since the old password is no good afterwards.
            let isOwn = name == "desk"
            let signOut = await stage.send("DELETE", "/db/_user/\(name)/_session", nil, as: .helpDesk)
            #expect(signOut.status == (isOwn ? 200 : 403), "\(name): \(signOut.text)")
            let reset = await stage.send("PUT", people + name, password, as: .helpDesk)
            #expect(reset.status == (isOwn ? 200 : 403), "\(name): \(reset.text)")
            for body: JSONValue in [["title": "x"], ["mail": "x@example.com"], ["manager": "tom.evans"], password] {
                guard name != "editor" || body != password else { continue }
                let answer = await stage.send("PUT", people + name, body, as: .editor)
                #expect(answer.status == 403, "\(body) of \(name): \(answer.text)")
            }
            #expect(await stage.send("DELETE", people + name, nil, as: .editor).status == 403)
        }
        let fresh = try await Stage()
        #expect(await fresh.send("PUT", people + "tom.evans", password, as: .editor).status == 403)
        #expect(await fresh.send("PUT", people + "tom.evans", ["title": "x"], as: .helpDesk).status == 403)
        let new: JSONValue = ["uid": "new", "password": "a long new password"]
        #expect(await fresh.send("POST", String(people.dropLast()), new, as: .editor).status == 403)
        #expect(await fresh.send("PUT", people + "tom.evans", password, as: .helpDesk).status == 200)
        let tom = ServiceUnderTest.basic("tom.evans", "a long new password")
        #expect(await fresh.service.send("DELETE", "/admin/users/tom.evans/second-factor", tom).status == 401)
        let reset = await fresh.send("DELETE", "/admin/users/tom.evans/second-factor", nil, as: .helpDesk)
        #expect(reset.status == 204, "\(reset.text)")
        #expect(await fresh.service.send("GET", people + "tom.evans", tom).status == 200)
    }

    @Test("A bulk request does for nobody what its single operations would not")
    func bulk() async throws {
        let operations: [(JSONValue, Set<Asker>)] = [
            (
                ["method": "POST", "path": "/Users", "bulkId": "a", "data": ["userName": "new"]],
                [.editor, .provisioning]
            ),
            (["method": "DELETE", "path": "/Users/{user}"], [.editor, .provisioning]),
            (["method": "POST", "path": "/Groups", "bulkId": "a", "data": ["displayName": "new"]], [.provisioning]),
            (["method": "DELETE", "path": "/Groups/{role}"], [.provisioning]),
        ]
        for (operation, permitted) in operations {
            var stage = try await Stage()
            for asker in [Asker.user, .owner, .helpDesk, .editor, .provisioning] {
                let text = try stage.filled(operation)
                let body: JSONValue = [
                    "schemas": ["urn:ietf:params:scim:api:messages:2.0:BulkRequest"], "Operations": [text],
                ]
                let answer = await stage.send("POST", "/scim/v2/Bulk", body, as: asker)
                let status = answer["Operations"]?.elements.first?["status"]?.text
                #expect((status == "403") == !permitted.contains(asker), "\(operation) by \(asker): \(answer.text)")
                if permitted.contains(asker) { stage = try await Stage() }
            }
        }
    }
}

extension RouteCallerTests.Stage {
    fileprivate func send(_ method: String, _ path: String, _ body: JSONValue?, as asker: Asker) async -> Answer {
        await service.send(method, path, credentials[asker], body?.bytes)
    }

    /// A body with identifiers in the places of their names.
    fileprivate func filled(_ body: JSONValue) throws -> JSONValue {
        var text = String(decoding: body.bytes, as: UTF8.self)
        for (name, value) in places { text = text.replacing(name, with: value) }
        return try JSONValue(parsing: Array(text.utf8))
    }
}
