import Foundation
import Roster
import RosterOpenID
import RosterREST
import RosterSignIn
import RosterText
import ServiceTestSupport
import Testing
import TestSupport

@Suite("Attacks on the second factor")
struct SecondFactorAttackTests {
    private static let path = "/mobile/platform/users/~/totp"

    /// An engineer with an authenticator app.
    private struct Enrolled {
        let app: App
        let secret: [UInt8]
        let recovery: [String]
        var service: ServiceUnderTest { app.service }

        /// The code of a step, counted from now.
        func code(_ step: Int64 = 0) throws -> String {
            try OneTimePassword.code(secret, step: Int64(service.clock.now.timeIntervalSince1970) / 30 + step)
        }

        /// Tries a code at one of the doors.
        func attempt(_ door: Int, _ code: String?, password: String = ServiceUnderTest.password) async throws -> Answer
        {
            let name = ServiceUnderTest.engineer
            let otp = code.map { [("otp", $0)] } ?? []
            switch door {
            case 0:
                return await app.post(
                    "/oauth2/token",
                    [("grant_type", "password"), ("username", name), ("password", password)] + otp)
            case 1:
                var body: JSONValue = ["name": .string(name), "password": .string(password)]
                if let code { body["otp"] = .string(code) }
                return await service.request("POST", "/db/_session", as: .nobody, body)
            case 2:
                app.forgetCookies()
                let page = await app.browse("GET", try app.authorizePath())
                return try await app.bring(
                    page, to: "/oauth2/authorize", [("username", name), ("password", password)] + otp)
            default:
                var body: JSONValue = [
                    "X-Idaas-Rest-Subject-Type": "USERCREDENTIAL", "X-Idaas-Rest-Subject-Username": .string(name),
                    "X-Idaas-Rest-Subject-Password": .string(password),
                ]
                if let code { body["X-Idaas-Rest-Subject-OTP"] = .string(code) }
                let proof = ServiceUnderTest.basic(app.clientID, app.secret ?? "")
                return await service.send(
                    "POST", "/oic_rest/rest/jwtauthentication/authenticate", proof, body.bytes)
            }
        }
    }

    private static let doors = 0..<4

    private func enrolled() async throws -> Enrolled {
        let service = try await ServiceUnderTest()
        let app = try await App(service)
        let id = try await service.directory.unrestricted.users.user(.named(ServiceUnderTest.engineer)).id
        let factors = service.signIn.oauth.secondFactors
        let begun = try factors.begin(for: id, account: ServiceUnderTest.engineer)
        let secret = try Self.decoded(begun.secret)
        let step = Int64(service.clock.now.timeIntervalSince1970) / 30
        let recovery = try await factors.confirm(OneTimePassword.code(secret, step: step), for: id)
        service.clock.advance(by: 90)
        return Enrolled(app: app, secret: secret, recovery: recovery)
    }

    /// RFC 4648, section 6.
    private static func decoded(_ text: String) throws -> [UInt8] {
        let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZ234567")
        let bits = try text.flatMap { letter -> [Character] in
            let value = try #require(alphabet.firstIndex(of: letter))
            let digits = String(value, radix: 2)
            return Array(String(repeating: "0", count: 5 - digits.count) + digits)
        }
        return stride(from: 0, to: bits.count / 8 * 8, by: 8).compactMap {
            UInt8(String(bits[$0..<($0 + 8)]), radix: 2)
        }
    }

    private func isIn(_ answer: Answer) -> Bool {
        answer.status == 200 && !answer.text.contains("name=\"password\"") || App.sent(answer)["code"] != nil
    }

    @Test("A code that let somebody in at one door lets nobody in at any", arguments: doors)
    func reuse(first: Int) async throws {
        let enrolled = try await enrolled()
        let code = try enrolled.code()
        #expect(isIn(try await enrolled.attempt(first, code)), "door \(first)")
        for door in Self.doors {
            #expect(!isIn(try await enrolled.attempt(door, code)), "door \(door) after \(first)")
        }
        #expect(!isIn(try await enrolled.attempt(first, try enrolled.code(-1))), "nor one from before it")
    }

    @Test("A recovery code is good once at all doors together, and of many at once one gets in", arguments: doors)
    func recovery(first: Int) async throws {
        let enrolled = try await enrolled()
        #expect(isIn(try await enrolled.attempt(first, enrolled.recovery[0])))
        for door in Self.doors {
            #expect(!isIn(try await enrolled.attempt(door, enrolled.recovery[0].uppercased())), "door \(door)")
        }
        #expect(isIn(try await enrolled.attempt(first, enrolled.recovery[1])), "the others are still good")
    }

    @Test("Codes two steps off, of other forms and of another secret let nobody in", arguments: doors)
    func wrongCodes(door: Int) async throws {
        let good = try await enrolled()
        #expect(isIn(try await good.attempt(door, try good.code(1))), "one step early")
        let wrong: [(Enrolled) throws -> String] = [
            { try $0.code(-2) }, { try $0.code(2) }, { try $0.code(3) }, { _ in try good.code() }, { _ in "" },
            { _ in " " }, { _ in "000000" }, { String(try $0.code().dropLast()) }, { try $0.code() + "0" },
            { "+" + (try $0.code()) }, { "0x" + (try $0.code()) }, { String(try $0.code().reversed()) + "\u{0}" },
            { try $0.code().map { String($0) }.joined(separator: "\u{301}") },
            { try String($0.code().unicodeScalars.map { Character(Unicode.Scalar($0.value + 0xFEE0) ?? "0") }) },
            { $0.recovery[0].replacing("-", with: "x") }, { $0.recovery[0] + $0.recovery[1] },
            { _ in good.recovery[1] }, { _ in String(repeating: "1", count: 50_000) },
        ]
        for (number, make) in wrong.enumerated() {
            // Each on its own, or the delay would refuse the next one.
            let enrolled = try await enrolled()
            let code = try make(enrolled)
            #expect(!isIn(try await enrolled.attempt(door, code)), "code \(number): \(code.prefix(40))")
        }
    }

    @Test(
        "Only who knows the password learns that there is a second factor, and a code alone is nothing",
        arguments: doors)
    func passwordFirst(door: Int) async throws {
        let enrolled = try await enrolled()
        let plain = try await enrolled.attempt(door, nil, password: "wrong")
        let withCode = try await enrolled.attempt(door, try enrolled.code(), password: "wrong")
        for answer in [plain, withCode] {
            #expect(!isIn(answer) && answer["error"]?.text != "mfa_required")
            #expect(!answer.text.contains("second factor") && !answer.text.contains("One more step"))
        }
        #expect(isIn(try await enrolled.attempt(door, try enrolled.code())), "a wrong password uses no code up")
    }

    @Test("There is no way round it: not by Basic, nor by a device, nor by setting up another one")
    func wayRound() async throws {
        let enrolled = try await enrolled()
        let (app, service) = (enrolled.app, enrolled.service)
        for path in ["/scim/v2/Me", "/mobile/platform/users/~", "people/ren.watanabe"] {
            #expect(await service.request("GET", path, as: .person).status == 401)
        }
        #expect(await service.request("POST", "/db/_session", as: .person).status == 401)
        for path in [Self.path, Self.path + "/remove", Self.path + "/confirm"] {
            let answer = await service.request("POST", path, as: .person, ["code": .string(try enrolled.code())])
            #expect(answer.status == 401)
        }
        let begun = await app.post("/oauth2/device_authorization", [("scope", "openid")])
        let page = await app.browse("GET", "/oauth2/device?user_code=" + (begun["user_code"]?.text ?? ""))
        let typed = [("username", ServiceUnderTest.engineer), ("password", ServiceUnderTest.password)]
        let asked = try await app.bring(page, to: "/oauth2/device", typed)
        #expect(asked.status == 401 && app.cookie("__Host-roster_session") == nil)
        let allowed = try await app.bring(asked, to: "/oauth2/device", [("decision", "allow")])
        #expect(allowed.status == 401)
        let narrow = try await enrolled.attempt(0, try enrolled.code())["access_token"]?.text
        let claims = try JSONWebToken(try #require(narrow)).claims
        #expect(claims["amr"] == ["pwd", "otp"])
    }

    @Test("An app that somebody only signed in to does not change how they sign in")
    func narrowApp() async throws {
        let service = try await ServiceUnderTest()
        let app = try await App(service)
        let access = try await app.tokens(["scope": "openid profile"]).access
        for (method, path) in [
            ("POST", Self.path), ("POST", Self.path + "/confirm"), ("POST", Self.path + "/remove"),
            ("PUT", "/mobile/platform/users/~/challenge-questions"),
            ("GET", "/mobile/platform/users/~/challenge-questions"),
        ] {
            let body: JSONValue = ["code": "000000", "questions": []]
            let answer = await service.send(method, path, "Bearer " + access, method == "GET" ? nil : body.bytes)
            #expect(answer.status == 403, "\(method) \(path)")
        }
    }
}
