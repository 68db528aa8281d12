import Foundation
import Roster
import RosterOpenID
import RosterText
import Testing
import TestSupport

import RosterSignIn

/// A folder with a document of issuers, and tokens that they sign.
private struct Workplace {
    let clock = SettableClock()
    let folder: URL
    let trust: IssuerTrust
    var document: URL { folder.appendingPathComponent("issuers.json") }
    var certificates: URL { folder.appendingPathComponent("certificates") }

    init(_ json: JSONValue) throws {
        folder = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
        let certificates = folder.appendingPathComponent("certificates")
        try FileManager.default.createDirectory(at: certificates, withIntermediateDirectories: true)
        let document = folder.appendingPathComponent("issuers.json")
        try Data(json.bytes).write(to: document)
        trust = IssuerTrust(.init(document: document, certificates: certificates), clock: { [clock] in clock.now })
    }

    func write(_ json: JSONValue) throws { try Data(json.bytes).write(to: document) }
    func isTrusted(_ name: String) async -> Bool { await trust.issuer(named: name, format: .jwt) != nil }
    func remove() { try? FileManager.default.removeItem(at: folder) }

    /// Whether a token of a key is believed.
    func believes(_ key: SigningKey, _ issuer: String = "https://a.example.com") async throws -> Bool {
        let now = Int64(clock.now.timeIntervalSince1970)
        let token = try key.sign(
            [
                .init("iss", .string(issuer)), .init("sub", "zoe"), .init("iat", .integer(now)),
                .init("exp", .integer(now + 300)),
            ], type: "JWT")
        let checker = ExternalTokenChecker(trust, baseURL: "https://id.example.com", clock: { [clock] in clock.now })
        let backend = ExchangingBackend(name: "a", version: "1.0", clientID: "a")
        return await checker.check(jwt: token, for: backend).identity != nil
    }
}

@Suite("Issuers, certificates and keys are read again by their intervals", .timeLimit(.minutes(2)))
struct IssuerTrustTests {
    private func issuer(_ name: String, _ more: JSONValue = ["certificateSubjectNames": ["CN=a"]]) -> JSONValue {
        var issuer: JSONValue = ["issuerName": .string(name), "virtualUserEnabled": true]
        for member in more.members { issuer[member.name] = member.value }
        return issuer
    }

    private func published(_ keys: [SigningKey]) throws -> JSONValue {
        ["keys": .array(keys.map(\.publicKey))]
    }

    @Test(
        "An issuer that is added is known policyMinReloadInterval later; one that is taken out, policyMaxReloadInterval"
    )
    func document() async throws {
        let place = try Workplace(["issuers": [issuer("a")]])
        defer { place.remove() }
        #expect(await place.isTrusted("a"))
        try place.write(["issuers": [issuer("b")]])
        place.clock.advance(by: 9)
        #expect(await place.isTrusted("b") == false, "10 s where nothing is said")
        #expect(await place.isTrusted("a"))
        place.clock.advance(by: 1)
        #expect(await place.isTrusted("b"))
        #expect(await place.isTrusted("a") == false)
        try place.write(["issuers": [issuer("b")], "policyMinReloadInterval": 2, "policyMaxReloadInterval": 5])
        place.clock.advance(by: 119)
        try place.write(["issuers": [], "policyMinReloadInterval": 2, "policyMaxReloadInterval": 5])
        #expect(await place.isTrusted("b"), "120 s where nothing is said")
        place.clock.advance(by: 2)
        #expect(await place.isTrusted("b") == false)
        try place.write(["issuers": [issuer("c")], "policyMinReloadInterval": 2, "policyMaxReloadInterval": 5])
        place.clock.advance(by: 2)
        #expect(await place.isTrusted("c"), "what the document says holds from then on")
        try place.write(["issuers": [], "policyMinReloadInterval": 2, "policyMaxReloadInterval": 5])
        place.clock.advance(by: 6)
        #expect(await place.isTrusted("c") == false)
    }

    @Test("A document that is broken leaves the last good one in use, and what is wrong can be asked")
    func broken() async throws {
        let place = try Workplace(["issuers": [issuer("a")]])
        defer { place.remove() }
        #expect(await place.isTrusted("a"))
        try Data("{".utf8).write(to: place.document)
        place.clock.advance(by: 1_000)
        #expect(await place.isTrusted("a"))
        #expect(await place.trust.problem != nil)
        try place.write(["issuers": [issuer("b")]])
        place.clock.advance(by: 1_000)
        #expect(await place.isTrusted("b"))
        #expect(await place.trust.problem == nil)
    }

    @Test("That a document is broken is told once, with what is wrong, and once that it is whole again")
    func notices() async throws {
        let place = try Workplace(["issuers": [issuer("a")]])
        defer { place.remove() }
        let told = Locked<[String]>([])
        var source = IssuerTrust.Source(document: place.document)
        source.notice = { text in told.withLock { $0.append(text) } }
        let trust = IssuerTrust(source, clock: { [clock = place.clock] in clock.now })
        func ask(after seconds: Double) async -> [String] {
            place.clock.advance(by: seconds)
            for name in ["a", "b", "a"] { _ = await trust.issuer(named: name, format: .jwt) }
            return told.withLock { $0 }
        }
        #expect(await ask(after: 0).isEmpty)
        try place.write(["issuers": 5])
        let broken = await ask(after: 1_000)
        #expect(broken.count == 1)
        #expect(broken.first?.contains("issuers must be an array") == true, "\(broken)")
        #expect(broken.first?.contains("The last good one stays in use.") == true)
        #expect(await ask(after: 1).count == 1)
        #expect(await trust.problem != nil, "it is as broken as it was until it is read again")
        #expect(await ask(after: 1_000).count == 1)
        try FileManager.default.removeItem(at: place.document)
        #expect(await ask(after: 1_000).count == 1, "broken in another way is still broken")
        try place.write(["issuers": [issuer("b")]])
        let whole = await ask(after: 1_000)
        #expect(whole.count == 2 && whole.last == "The issuers document can be used again.")
        #expect(await ask(after: 1_000).count == 2)
        try place.write(["issuers": 5])
        #expect(await ask(after: 1_000).count == 3)
        let first = Locked<[String]>([])
        source.notice = { text in first.withLock { $0.append(text) } }
        let never = IssuerTrust(source)
        #expect(await never.issuer(named: "a", format: .jwt) == nil)
        let texts = first.withLock { $0 }
        #expect(texts.count == 1 && texts.first?.hasSuffix("Nobody is trusted until then.") == true)
    }

    @Test("A folder of certificates that is not there is told by its path when somebody asks")
    func folder() throws {
        let place = try Workplace(["issuers": []])
        defer { place.remove() }
        try IssuerTrust.Source(document: place.document).check()
        try IssuerTrust.Source(document: place.document, certificates: place.certificates).check()
        for wrong in [place.folder.appendingPathComponent("nosuch"), place.document] {
            let error = #expect(throws: DirectoryError.self) {
                try IssuerTrust.Source(document: place.document, certificates: wrong).check()
            }
            #expect(error?.code == .fileNotFound && error?.message.contains(wrong.path) == true)
        }
    }

    @Test("A certificate that is added or taken out is noticed by certificatesMinReloadInterval and …Max…")
    func certificates() async throws {
        let place = try Workplace(["issuers": [issuer("a")]])
        defer { place.remove() }
        let file = place.certificates.appendingPathComponent("a.pem")
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/openssl")
        process.arguments = [
            "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-subj", "/CN=a", "-days",
            "3650", "-keyout", "/dev/null", "-out", file.path, "-batch",
        ]
        process.standardError = FileHandle.nullDevice
        #expect(await place.isTrusted("a"))
        #expect(await place.trust.certificates(of: ["CN=a"]).isEmpty)
        try process.run()
        process.waitUntilExit()
        try #require(process.terminationStatus == 0)
        place.clock.advance(by: 10)
        #expect(await place.trust.certificates(of: ["CN=a"]).count == 1)
        try FileManager.default.removeItem(at: file)
        place.clock.advance(by: 299)
        #expect(await place.trust.certificates(of: ["CN=a"]).count == 1, "300 s where nothing is said")
        place.clock.advance(by: 2)
        #expect(await place.trust.certificates(of: ["CN=a"]).isEmpty)
    }

    @Test("Keys are fetched once, again for a new 'kid' after minReloadInterval, and always after maxReloadInterval")
    func keys() async throws {
        let server = try CannedServer()
        let (old, new) = (try SigningKey(generating: .es256), try SigningKey(generating: .es256))
        server.answer("/keys", try published([old]))
        let place = try Workplace([
            "issuers": [
                issuer(
                    "https://a.example.com",
                    [
                        "jwks": [
                            "jwksUri": .string("http://127.0.0.1:\(server.port)/keys"), "allowHttp": true,
                            "authorizationHeader": "Bearer for-the-issuer",
                        ]
                    ])
            ]
        ])
        defer { place.remove() }
        for _ in 0..<3 { #expect(try await place.believes(old)) }
        #expect(server.requests.count == 1)
        #expect(server.requests[0].contains("Authorization: Bearer for-the-issuer\r\n"))
        for _ in 0..<20 { #expect(try await !place.believes(new)) }
        #expect(server.requests.count == 1, "60 s where nothing is said, however many unknown keys come")
        server.answer("/keys", try published([new]))
        place.clock.advance(by: 60)
        #expect(try await place.believes(new))
        #expect(try await !place.believes(old))
        #expect(server.requests.count == 2)
        server.answer("/keys", try published([old]))
        place.clock.advance(by: 28_801)
        #expect(try await place.believes(old), "28,800 s where nothing is said")
    }

    @Test(
        "What a discovery document names is fetched without the issuer's credentials, and never from a network of ours")
    func discovery() async throws {
        let server = try CannedServer()
        let key = try SigningKey(generating: .es256)
        let base = "http://127.0.0.1:\(server.port)"
        server.answer("/keys", try published([key]))
        func believes(_ jwks: String, issuerName: String = "https://a.example.com") async throws -> Bool {
            server.answer("/discovery", ["issuer": .string(issuerName), "jwks_uri": .string(jwks)])
            let place = try Workplace([
                "issuers": [
                    issuer(
                        "https://a.example.com",
                        [
                            "jwks": [
                                "discoveryUri": .string(base + "/discovery"), "allowHttp": true,
                                "authorizationHeader": "Bearer for-the-issuer", "readTimeout": 1, "connectTimeout": 1,
                            ]
                        ])
                ]
            ])
            defer { place.remove() }
            return try await place.believes(key)
        }
        #expect(try await believes(base + "/keys"))
        #expect(server.requests.last?.contains("GET /keys") == true)
        #expect(try await !believes(base + "/keys", issuerName: "https://b.example.com"), "it is another issuer's")
        let before = server.requests.count
        #expect(try await !believes("http://localhost:\(server.port)/keys"), "another host must be a public one")
        #expect(server.requests.count == before + 1, "only the document was asked for")
        #expect(try await !believes("http://169.254.169.254/keys"))
        #expect(try await !believes("file:///etc/passwd"))
    }

    @Test("An issuer that never answers costs readTimeout, and one that nobody reaches connectTimeout and readTimeout")
    func timeouts() async throws {
        let server = try CannedServer("HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n{", hangs: true)
        let key = try SigningKey(generating: .es256)
        for url in ["http://127.0.0.1:\(server.port)/keys", "http://192.0.2.1/keys"] {
            let place = try Workplace([
                "issuers": [
                    issuer(
                        "https://a.example.com",
                        [
                            "jwks": [
                                "jwksUri": .string(url), "allowHttp": true, "connectTimeout": 1, "readTimeout": 1,
                            ]
                        ])
                ]
            ])
            defer { place.remove() }
            let start = ContinuousClock.now
            #expect(try await !place.believes(key))
            let elapsed = ContinuousClock.now - start
            #expect(elapsed < .seconds(30), "\(url)")
        }
    }
}

@Suite("Roles that tokens gave")
struct TokenRoleTests {
    @Test(
        "A provider's role counts while the directory has it, with those it is nested in, and never leads to administrators"
    )
    func providedRoles() async throws {
        let directory = try emptyDirectory()
        let view = directory.unrestricted
        let user = try await view.users.create("ada").id
        try await view.users.create("root")
        _ = try await view.awaitWrite { try $0.asPresentAdministrator(to: "test").powers.administratorsRole() }
        try await view.roles.add([.user("root")], to: "administrators")
        for name in ["north", "sales", "operators"] { try await view.roles.create(name) }
        try await view.roles.add([.role("north")], to: "sales")
        try await view.roles.add([.role("operators")], to: "administrators")
        let given = ["administrators", "finance", "North", "north", "operators"]
        try await directory.holders.setTokenRoles(given, of: user, from: "https://p.example.com")
        #expect(try Person(.user(user), in: directory)?.roles == ["north", "sales"])
        try await view.roles.delete("north")
        #expect(try Person(.user(user), in: directory)?.roles == [])
    }

    @Test("Roles of a provider that is not configured any more are taken back")
    func untrusted() async throws {
        let directory = try emptyDirectory()
        let user = try await directory.unrestricted.users.create("ada").id
        let provider: JSONValue = ["issuer": "https://p.example.com", "client_id": "us"]
        let document: JSONValue = ["oidc": ["providers": ["p": provider]]]
        let signIn = try SignIn(
            directory, issuer: "https://id.example.com",
            passwordCost: .forTests, trust: .init(),
            providers: IdentityProviders(document: document.bytes))
        let credentials = directory
        for (name, role) in [("p", "two"), ("x", "three")] {
            try await credentials.holders.setTokenRoles([role], of: user, from: "https://\(name).example.com")
        }
        try await signIn.tidyUp()
        #expect(try credentials.holders.tokenRoles(of: user) == ["two"])
    }
}
