import Foundation
import Roster
import RosterFixtures
import RosterDialects
import RosterREST
import RosterSignIn
import RosterText
import ServiceTestSupport
import Testing
import TestSupport

@Suite("Signing in over HTTP", .inBothForms)
struct HTTPSignInTests {
    static let engineer = ServiceUnderTest.engineer
    static let me = "people/\(engineer)"

    @Test(
        "A password with any characters signs in, as Basic and as Mobile and Social has it",
        arguments: [
            "a:b:c:d:e:f", ":::::::::", "pässwörd 渡辺 😀", "ends with colon:", "\"quoted\" cred=x", "  spaces  around  ",
        ])
    func passwords(password: String) async throws {
        let service = try await ServiceUnderTest()
        #expect(await service.request("PUT", Self.me, ["password": .string(password)]).status == 200)
        let basic = ServiceUnderTest.basic(Self.engineer, password)
        let credentials = String(basic.dropFirst("Basic ".count))
        for scheme in ["Basic ", "basic ", "BASIC   "] {
            #expect(await service.send("GET", Self.me, scheme + credentials).status == 200, "\(scheme)")
        }
        for value in [
            "UIDPASSWORD cred=\"\(credentials)\"", "UidPassword cred=\(credentials)", "UIDPASSWORD \(credentials)",
        ] {
            let headers = [("X-IDAAS-REST-AUTHORIZATION", value)]
            #expect(await service.send("GET", Self.me, nil, headers: headers).status == 200, "\(value)")
        }
        #expect(await service.send("GET", Self.me, ServiceUnderTest.basic(Self.engineer, password + " ")).status == 401)
        #expect(await service.send("GET", Self.me, ServiceUnderTest.basic(Self.engineer)).status == 401)
    }

    @Test("A token signs in as Bearer, and as TOKEN of Mobile and Social")
    func tokens() async throws {
        let service = try await ServiceUnderTest()
        let bearer = try #require(service.authorization(.provisioning))
        let token = String(bearer.dropFirst("Bearer ".count))
        for field in [bearer, "bearer \(token)", "TOKEN \(token)"] {
            #expect(await service.send("GET", "people", field).status == 200)
        }
        let headers = [("X-IDAAS-REST-AUTHORIZATION", "TOKEN \(token)"), ("X-IDAAS-SERVICEDOMAIN", "Default")]
        #expect(await service.send("GET", "people", nil, headers: headers).status == 200)
        for field in [
            "Bearer \(token)x", "Bearer \(token.dropLast())", "Bearer", "Bearer ", token, "Basic \(token)",
            "Bearer \(token.uppercased())", "Digest x", "", " ", "Basic", "Basic !!!",
            "Basic " + Data("no colon".utf8).base64EncodedString(),
            "Basic " + Data([0xFF, 0x3A, 0xFE]).base64EncodedString(), "Basic " + Data(":".utf8).base64EncodedString(),
            ServiceUnderTest.basic(Self.engineer, ""), ServiceUnderTest.basic("", ""),
            ServiceUnderTest.basic(Self.engineer, String(repeating: "x", count: 2_000)),
            ServiceUnderTest.basic(String(repeating: "x", count: 5_000)),
            "Basic " + String(repeating: "QUJD", count: 5_000),
        ] {
            let answer = await service.send("GET", "people", field)
            #expect(answer.status == 401 && answer.isProfileError, "\(field.prefix(40))")
            #expect(answer["oicErrorCode"] == "IDAAS-62001")
        }
    }

    @Test("A token that ends, or is revoked, ends at once")
    func endOfTokens() async throws {
        let service = try await ServiceUnderTest()
        let view = service.directory.unrestricted
        let token = try await APIToken.create(
            named: "brief", role: .provisioning, expires: service.clock.now + 60, in: view
        ).text
        #expect(await service.send("GET", "people", "Bearer \(token)").status == 200)
        service.clock.advance(by: 59)
        #expect(await service.send("GET", "people", "Bearer \(token)").status == 200)
        service.clock.advance(by: 1)
        #expect(await service.send("GET", "people", "Bearer \(token)").status == 401)
        #expect(await service.request("GET", "people", as: .provisioning).status == 200)
        try await view.awaitWrite { try $0.asPresentAdministrator(to: "test").apiTokens.revoke(named: "HR") }
        #expect(await service.request("GET", "people", as: .provisioning).status == 401)
    }

    @Test(
        "Several fields of credentials are refused, and none are taken where others can read along",
        .inProcess("The server refuses several fields of one name itself."))
    func fields() async throws {
        let service = try await ServiceUnderTest()
        let basic = ServiceUnderTest.basic(Self.engineer)
        let twice = [("Authorization", basic)]
        let answer = await service.send("GET", "people", ServiceUnderTest.basic("root"), headers: twice)
        #expect(answer.status == 400 && answer.isProfileError)
        let own = [("X-IDAAS-REST-AUTHORIZATION", basic), ("x-idaas-rest-authorization", basic)]
        #expect(await service.send("GET", "people", nil, headers: own).status == 400)
        let plain = await service.send("GET", "people", basic, isConfidential: false)
        #expect(plain.status == 403 && plain.isProfileError)
        let lax = try await ServiceUnderTest(allowsPlainCredentials: true)
        #expect(await lax.send("GET", "people", basic, isConfidential: false).status == 200)
    }

    @Test("A changed password, a cleared one, a disabled account and a deleted one are refused at once")
    func changedPassword() async throws {
        let service = try await ServiceUnderTest()
        let old = ServiceUnderTest.basic(Self.engineer),
            new = ServiceUnderTest.basic(Self.engineer, "another one entirely")
        for _ in 0..<3 { #expect(await service.send("GET", Self.me, old).status == 200) }
        let body: JSONValue = ["password": "another one entirely"]
        #expect(await service.request("PUT", Self.me, as: .person, body).status == 200)
        #expect(await service.send("GET", Self.me, old).status == 401)
        #expect(await service.send("GET", Self.me, new).status == 200)
        #expect(await service.request("PUT", Self.me, ["active": false]).status == 200)
        #expect(await service.send("GET", Self.me, new).status == 401)
        #expect(await service.request("PUT", Self.me, ["active": true]).status == 200)
        #expect(await service.send("GET", Self.me, new).status == 200)
        for empty in [.null, ""] as [JSONValue] {
            #expect(await service.request("PUT", Self.me, ["password": empty]).status == 200)
            #expect(await service.send("GET", Self.me, new).status == 401, "\(empty)")
            #expect(await service.request("PUT", Self.me, body).status == 200)
            #expect(await service.send("GET", Self.me, new).status == 200)
        }
        #expect(await service.request("DELETE", Self.me).status == 204)
        #expect(await service.send("GET", "people", new).status == 401)
    }

    @Test("A new password keeps to the policy, by whichever name the person is reached")
    func policy() async throws {
        let service = try await ServiceUnderTest()
        let guid = try #require(await service.request("GET", Self.me)["guid"]?.text)
        _ = await service.request("PUT", Self.me, ["mail": "long.address@example.com"])
        for path in [Self.me, "people/\(guid)", "people/REN.watanabe"] {
            for password in [
                "short", "password", Self.engineer, "REN.WATANABE", "long.address@example.com", "Long.Address",
                String(repeating: "x", count: 1_025),
            ] {
                let answer = await service.request("PUT", path, ["password": .string(password), "title": "x"])
                #expect(answer.status == 400 && answer.isProfileError, "\(path) \(password.prefix(30))")
                #expect(password.count < 9 || !answer.text.contains(password))
            }
            let both: JSONValue = ["password": "new.mail@example.com", "email": "new.mail@example.com"]
            #expect(await service.request("PUT", path, both).status == 400)
        }
        #expect(
            await service.request("POST", "people", ["uid": "somebody.new", "password": "Somebody.new"]).status == 400)
        #expect(await service.request("GET", Self.me)["title"] != "x")
        #expect(await service.request("GET", Self.me, as: .person).status == 200)
        #expect(await service.request("PUT", "people/gone", ["password": "a long new password"]).status == 404)
    }

    @Test("A hash from another directory signs in, and is a better one afterwards")
    func importedHash() async throws {
        let service = try await ServiceUnderTest()
        // Python: "{SSHA}" + b64encode(sha1(b"imported secret" + b"salt").digest() + b"salt")
        let imported = "{SSHA}HVpJGsHN1XXPS3j12fB6CPLA9+1zYWx0"
        try await service.directory.unrestricted.awaitWrite { session in
            _ = try session.users.modify(.named(Self.engineer), [.set("password", .string(imported))], ifVersion: nil)
        }
        let version = await service.request("GET", Self.me).header("ETag")
        let credentials = service.directory
        #expect(await service.send("GET", Self.me, ServiceUnderTest.basic(Self.engineer, "wrong secret")).status == 401)
        #expect(try credentials.accounts.account(named: Self.engineer)?.passwordHash == imported)
        for _ in 0..<2 {
            #expect(
                await service.send("GET", Self.me, ServiceUnderTest.basic(Self.engineer, "imported secret")).status
                    == 200)
            let stored = try credentials.accounts.account(named: Self.engineer)?.passwordHash
            #expect(stored?.hasPrefix("$scrypt$") == true)
        }
        #expect(await service.send("GET", Self.me, ServiceUnderTest.basic(Self.engineer, "wrong secret")).status == 401)
        #expect(await service.request("GET", Self.me).header("ETag") == version)
    }

    @Test("An unknown name, a wrong password, a disabled account and none get the same answer; so do all bad tokens")
    func sameRefusal() async throws {
        let service = try await ServiceUnderTest()
        let tokens: [Client] = [.revoked, .expired]
        var (answers, ofTokens): ([Answer], [Answer]) = ([], [])
        for client in tokens { ofTokens.append(await service.request("GET", "people", as: client)) }
        ofTokens.append(await service.send("GET", "people", "Bearer unknown"))
        for client in Client.notLetIn where !tokens.contains(client) {
            answers.append(await service.request("GET", "people", as: client))
        }
        let changing: Set = ["X-Request-ID", "Date"]
        // Somebody without a password.
        answers.append(await service.send("GET", "people", ServiceUnderTest.basic("tom.evans", "whatever it is")))
        for answers in [answers, ofTokens] {
            for answer in answers {
                #expect(answer.status == 401 && answer.bytes == answers[0].bytes)
                let (own, first) = (answer.response.headers.fields, answers[0].response.headers.fields)
                #expect(own.filter { !changing.contains($0.name) } == first.filter { !changing.contains($0.name) })
            }
        }
    }

    @Test("Guessing is slowed down whether the name is known or not, in whichever spelling; a good client is not")
    func throttling() async throws {
        for name in [Self.engineer, "nobody.of.that.name", ServiceUnderTest.disabled, "tom.evans"] {
            let service = try await ServiceUnderTest()
            let home = "198.51.100.7"
            if name == Self.engineer {
                #expect(await service.request("GET", Self.me, as: .person, clientAddress: home).status == 200)
            }
            var statuses: [Int] = []
            let spellings = [
                name, name.uppercased(), name.capitalized, "ｎ" + name.dropFirst(), name.replacing("e", with: "Ｅ"),
            ]
            let same = name.first == "n" ? spellings : spellings.filter { !$0.hasPrefix("ｎ") }
            for attempt in 0..<8 {
                let guess = ServiceUnderTest.basic(same[attempt % same.count], "guess number \(attempt)")
                let answer = await service.send("GET", "people", guess, clientAddress: "203.0.113.9")
                statuses.append(answer.status)
                guard answer.status == 429 else { continue }
                #expect(answer.isProfileError)
                #expect(answer.header("Retry-After").flatMap(Int.init).map((1...60).contains) == true)
            }
            #expect(statuses == [401, 401, 401, 401, 401, 429, 429, 429], "\(name)")
            #expect(
                await service.send("GET", "people", ServiceUnderTest.basic(name), clientAddress: "203.0.113.9").status
                    != 500)
            guard name == Self.engineer else { continue }
            #expect(await service.request("GET", Self.me, as: .person, clientAddress: home).status == 200)
            // Not out of the memory of the good password either.
            let changed: JSONValue = ["password": "another one entirely"]
            #expect(await service.request("PUT", Self.me, changed).status == 200)
            let known = ServiceUnderTest.basic(name, "another one entirely")
            #expect(await service.send("GET", Self.me, known, clientAddress: home).status == 200)
            #expect(
                await service.request("GET", "people/tom.evans", as: .manager, clientAddress: "203.0.113.9").status
                    == 200)
        }
    }

    @Test("More sign-ins at once than can be hashed are put off with 429, and none gets in wrongly")
    func overload() async throws {
        // Parameters that take long enough for the line to fill.
        let slow = try #require(PasswordParameters(logN: 11, r: 8, p: 1))
        let directory = try Fixtures.company()
        let service = RESTService(
            try ServiceContext(
                directory: directory, baseURL: "https://id.example.com",
                signIn: SignIn(directory, issuer: "https://id.example.com", passwordCost: slow), interfaces: .dialects))
        let answers = await withTaskGroup(of: Answer.self) { group in
            for number in 0..<400 {
                group.addTask {
                    let headers: HTTPHeaders = ["Authorization": ServiceUnderTest.basic("nobody\(number)")]
                    return Answer(
                        await service.respond(
                            to: HTTPRequest(
                                "GET", ServiceUnderTest.base + "/people", headers: headers,
                                clientAddress: "10.0.0.\(number)")))
                }
            }
            return await group.reduce(into: []) { $0.append($1) }
        }
        let refused = answers.filter { $0.status == 429 }
        #expect(!refused.isEmpty && refused.allSatisfy { $0.header("Retry-After") != nil && $0.isProfileError })
        #expect(answers.allSatisfy { [401, 429].contains($0.status) })
        #expect(answers.contains { $0.status == 401 })
    }

    @Test("Whoever sets passwords without end keeps nobody from signing in")
    func passwordsWithoutEnd() async throws {
        let slow = try #require(PasswordParameters(logN: 11, r: 8, p: 1))
        let service = try await ServiceUnderTest(parameters: slow)
        #expect(await service.request("GET", "people", as: .person).status == 200)
        let statuses = await withTaskGroup(of: (isSignIn: Bool, status: Int).self) { group in
            for number in 0..<160 {
                let body: JSONValue = ["uid": .string("x\(number)"), "password": "a long new password"]
                group.addTask { (false, await service.request("POST", "people", as: .administrator, body).status) }
            }
            for number in 0..<20 {
                group.addTask {
                    (
                        true,
                        await service.request("GET", "people", as: .manager, clientAddress: "10.0.0.\(number)").status
                    )
                }
            }
            return await group.reduce(into: []) { $0.append($1) }
        }
        #expect(statuses.filter(\.isSignIn).allSatisfy { $0.status == 200 })
        #expect(Set(statuses.filter { !$0.isSignIn }.map(\.status)) == [201, 429])
    }

    @Test("The first administrator is made once, under a name that is free, with a password of the policy's")
    func firstStart() async throws {
        let directory = try Fixtures.company()
        let view = directory.unrestricted
        await #expect(throws: DirectoryError.self) {
            _ = try await FirstStart.administrator(of: directory, password: "short")
        }
        #expect(try !directory.hasAdministrator())
        _ = try await view.awaitWrite { try $0.asEditor(to: "test").users.create(NewUser("Admin")) }
        let made = try #require(try await FirstStart.administrator(of: directory, password: nil))
        #expect(made.name == "administrator" && made.password.count == 23)
        #expect(try directory.hasAdministrator())
        #expect(try await FirstStart.administrator(of: directory, password: nil) == nil)
        let service = RESTService(
            try ServiceContext(
                directory: directory, baseURL: "https://id.example.com",
                signIn: SignIn(directory, issuer: "https://id.example.com"), interfaces: .dialects))
        let headers: HTTPHeaders = ["Authorization": ServiceUnderTest.basic(made.name, made.password)]
        let answer = Answer(
            await service.respond(to: HTTPRequest("GET", ServiceUnderTest.base + "/changes?limit=1", headers: headers)))
        #expect(answer.status == 200)
    }

    @Test("Only administrators make tokens, and no two have one name")
    func makingTokens() async throws {
        let service = try await ServiceUnderTest()
        let person = try await service.directory.unrestricted.users.user(Self.engineer).id
        for caller in [Caller.user(person), .provisioning("hr"), .monitoring("watch"), .nobody] {
            let code = await code {
                try await APIToken.create(
                    named: "mine", role: .monitoring, expires: nil, in: service.directory.acting(as: caller)
                ).text
            }
            #expect(code == .notPermitted)
        }
        for name in ["hr", "HR", "ｈｒ"] {
            let code = await code {
                try await APIToken.create(
                    named: name, role: .administrator, expires: nil, in: service.directory.unrestricted
                ).text
            }
            #expect(code == .alreadyExists)
        }
    }
}
