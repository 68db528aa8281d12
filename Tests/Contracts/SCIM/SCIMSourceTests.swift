import Roster
import RosterREST
import RosterSignIn
import RosterText
import ServiceTestSupport
import Testing
import TestSupport

@Suite("External identifiers belong to the source that a token names", .inBothForms)
struct SCIMSourceTests {
    private func token(_ server: SCIMServer, _ name: String, _ source: GivenSource?) async throws -> SCIMServer {
        let made = try await APIToken.create(
            named: name, role: .provisioning, expires: nil, source: source, in: server.directory.unrestricted)
        return server.called(by: "Bearer " + made.text)
    }

    private func set(_ source: String, of token: String, _ server: SCIMServer) async throws {
        try await server.directory.unrestricted.awaitWrite {
            _ = try $0.asPresentAdministrator(to: "test").apiTokens.setSource(GivenSource(source), ofToken: token)
        }
    }

    @Test("Tokens of one source share them, whatever the case of its name; others see nothing")
    func shared() async throws {
        let server = try await SCIMServer()
        let (old, new) = (
            try await token(server, "a", GivenSource("Okta")), try await token(server, "b", GivenSource("okta"))
        )
        let ann = try await old.create("ann", ("externalId", "E-1"))
        #expect(try await new.get("/Users/\(ann)").body["externalId"] == "E-1")
        #expect(try await new.find(#"externalId eq "E-1""#).names == ["ann"])
        #expect(try await server.find(#"externalId eq "E-1""#).names == [])
        let change: JSONValue = ["op": "replace", "path": "externalId", "value": "E-2"]
        #expect(try await new.patch("/Users/\(ann)", change).status == 200)
        #expect(try await old.get("/Users/\(ann)").body["externalId"] == "E-2")
    }

    @Test("What a client without a source has written belongs to a source of its name")
    func formerClient() async throws {
        let server = try await SCIMServer()
        let ann = try await server.create("ann", ("externalId", "E-1"))
        let next = try await token(server, "next", GivenSource("HR"))
        #expect(try await next.get("/Users/\(ann)").body["externalId"] == "E-1")
        try await server.directory.unrestricted.awaitWrite {
            try $0.asPresentAdministrator(to: "test").apiTokens.revoke(named: "hr")
        }
        #expect(try await next.get("/Users/\(ann)").body["externalId"] == "E-1")
    }

    @Test("A token takes its identifiers along to another source")
    func joining() async throws {
        let server = try await SCIMServer()
        let entra = try await token(server, "entra", GivenSource("entra"))
        let (ann, ben) = (try await server.create("ann", ("externalId", "A")), try await server.create("ben"))
        let operation: JSONValue = ["op": "add", "path": "externalId", "value": "B"]
        #expect(try await entra.patch("/Users/\(ben)", operation).status == 200)
        try await set("entra", of: "hr", server)
        for one in [server, entra] {
            #expect(try await one.get("/Users/\(ann)").body["externalId"] == "A")
            #expect(try await one.get("/Users/\(ben)").body["externalId"] == "B")
        }
    }

    @Test("Two clients that call somebody differently are not joined, and both are named")
    func conflict() async throws {
        let server = try await SCIMServer()
        let other = try await token(server, "other", nil)
        let ann = try await server.create("ann", ("externalId", "A"))
        let operation: JSONValue = ["op": "add", "path": "externalId", "value": "B"]
        #expect(try await other.patch("/Users/\(ann)", operation).status == 200)
        let error = await #expect(throws: DirectoryError.self) { try await set("other", of: "hr", server) }
        #expect(error?.code == .alreadyExists)
        for word in ["'hr'", "'other'", ann] {
            #expect(error?.message.contains(word) == true, "\(String(describing: error))")
        }
        #expect(try await server.get("/Users/\(ann)").body["externalId"] == "A")
        #expect(try await other.get("/Users/\(ann)").body["externalId"] == "B")
    }

    @Test("A replace makes what it does not find for Entra ID, or where the source says so, and for nobody else")
    func creatingOnReplace() async throws {
        let server = try await SCIMServer()
        let sources: [(GivenSource?, Bool)] = [
            (GivenSource("Entra"), true), (GivenSource("entra-test", createsOnReplace: false), false),
            (GivenSource("okta"), false), (GivenSource("other", createsOnReplace: true), true), (nil, false),
        ]
        for (index, (source, makes)) in sources.enumerated() {
            let client = try await token(server, "t\(index)", source)
            let path = "/Users/\(try await client.create("u\(index)"))"
            let operation: JSONValue = [
                "op": "Replace", "path": #"emails[type eq "work"].value"#, "value": "a@b.example",
            ]
            let answer = try await client.patch(path, operation)
            #expect(answer.status == (makes ? 200 : 400), "\(index): \(answer.body)")
            let remove: JSONValue = ["op": "Remove", "path": #"phoneNumbers[type eq "fax"]"#]
            #expect(try await client.patch(path, remove).status == (makes ? 200 : 400))
        }
    }

    @Test("A token that reads no users has no source")
    func monitoring() async throws {
        let server = try await SCIMServer()
        await #expect(throws: DirectoryError.self) {
            try await APIToken.create(
                named: "watch", role: .monitoring, expires: nil, source: GivenSource("x"),
                in: server.directory.unrestricted)
        }
    }
}
