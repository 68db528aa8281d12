import Foundation
import Roster
import RosterOpenID
import RosterREST
import RosterSignIn
import RosterText
import ServiceTestSupport
import Testing
import TestSupport

@Suite("Signing in with challenge questions")
struct ChallengeQuestionTests {
    private let path = "/mobile/platform/users/~/challenge-questions"
    private let questions: JSONValue = [
        "questions": [
            ["question": "What was your first street?", "answer": "Rue  de la Paix"],
            ["question": "Who taught you to swim?", "answer": "Aunt Zoë"],
        ]
    ]
    private let right = #"{"What was your first street?":"rue de la paix","Who taught you to swim?":" AUNT ZOË "}"#

    private func ask(_ app: App, _ answers: String?) async -> Answer {
        await app.post(
            "/oauth2/token",
            [
                ("grant_type", "password"), ("username", ServiceUnderTest.engineer),
                ("password", ServiceUnderTest.password),
            ] + (answers.map { [("kba_answers", $0)] } ?? []))
    }

    @Test(
        "Whoever knows the password is asked the questions, and gets in with all the answers, however they are written")
    func works() async throws {
        let service = try await ServiceUnderTest()
        let app = try await App(service)
        #expect(await service.request("PUT", path, as: .person, questions).status == 204)
        #expect(
            await service.request("GET", "/scim/v2/Me", as: .person).status == 401, "Basic has no place for answers")
        let asked = await ask(app, nil)
        #expect(asked["error"]?.text == "mfa_required" && asked["challenge_questions"]?.elements.count == 2)
        #expect(await ask(app, #"{"What was your first street?":"rue de la paix"}"#)["error"]?.text == "invalid_grant")
        #expect(
            await ask(app, right.replacing("ZOË", with: "Zoé"))["error"]?.text == "invalid_grant", "one is wrong")
        #expect(await ask(app, "[1]")["error"]?.text == "invalid_request")
        let answer = await ask(app, right)
        let token = try JSONWebToken(try #require(answer["access_token"]?.text, "\(answer.text)"))
        #expect(token.claims["amr"] == ["pwd", "kba"])
        let wrong = await app.post(
            "/oauth2/token",
            [("grant_type", "password"), ("username", ServiceUnderTest.engineer), ("password", "wrong")])
        #expect(wrong["challenge_questions"] == nil, "only who knows the password learns the questions")
    }

    @Test("A service without dialects takes no new questions, and who has some keeps them")
    func withoutDialects() async throws {
        let service = try await ServiceUnderTest()
        let token = try await App(service).tokens(["scope": "openid directory"]).access
        let plain = try RESTService(serving: service.directory, at: "https://id.example.com", signIn: service.signIn)
        func send(
            _ method: String, _ path: String, _ authorization: String?, _ body: JSONValue? = nil
        ) async throws -> (status: Int, body: JSONValue) {
            var request = HTTPRequest(method, path, headers: ["Content-Type": "application/json"])
            if let authorization { request.headers.add("Authorization", authorization) }
            request.body = body?.bytes ?? []
            request.isConfidential = true
            let response = await plain.respond(to: request)
            guard case .bytes(let bytes) = response.body, !bytes.isEmpty else { return (response.status, .null) }
            return (response.status, try JSONValue(strictly: bytes))
        }
        let own = "/account/challenge-questions"
        let refused = try await send("PUT", own, service.authorization(.person), questions)
        #expect(refused.status == 403, "\(refused.body)")
        #expect(refused.body["detail"]?.text?.contains("authenticator app") == true, "\(refused.body)")
        #expect(try await send("GET", "/account", "Bearer " + token).body["takes_questions"] == false)
        #expect(await service.request("PUT", path, as: .person, questions).status == 204)
        #expect(try await send("GET", own, "Bearer " + token).body["questions"]?.elements.count == 2)
    }

    @Test("The sign-in page asks the questions")
    func page() async throws {
        let service = try await ServiceUnderTest()
        let app = try await App(service)
        #expect(await service.request("PUT", path, as: .person, questions).status == 204)
        let asked = try await app.signIn(on: await app.browse("GET", try app.authorizePath()))
        #expect(asked.status == 401 && asked.text.contains("Who taught you to swim?"))
        let done = await app.browse(
            "POST", "/oauth2/authorize",
            form: [
                ("request", try App.sealed(asked)), ("username", ServiceUnderTest.engineer),
                ("password", ServiceUnderTest.password), ("question0", "What was your first street?"),
                ("answer0", "Rue de la Paix"), ("question1", "Who taught you to swim?"), ("answer1", "aunt zoë"),
            ])
        #expect(App.sent(done)["code"] != nil, "\(done.text)")
    }

    @Test("A session of Sync Gateway and the token services ask them too")
    func elsewhere() async throws {
        let service = try await ServiceUnderTest()
        #expect(await service.request("PUT", path, as: .person, questions).status == 204)
        func session(_ answers: JSONValue?, as key: String = "kbaAnswers") async -> Answer {
            var body: JSONValue = [
                "name": .string(ServiceUnderTest.engineer), "password": .string(ServiceUnderTest.password),
            ]
            if let answers { body[key] = answers }
            return await service.request("POST", "/db/_session", as: .nobody, body)
        }
        let asked = await session(nil)
        #expect(asked.status == 401 && asked["challenge_questions"]?.elements.count == 2)
        let answers = try JSONValue(strictly: Array(right.utf8))
        #expect(await session(answers).status == 200)
        #expect(asked["reason"]?.text?.contains("kba_answers") == true)
        #expect(await session(answers, as: "kba_answers").status == 200, "the key that the refusal names")
        let app = try await App(service)
        let proof = Data("\(app.clientID):\(app.secret ?? "")".utf8).base64EncodedString()
        func token(_ answers: JSONValue?, as key: String = "kbaAnswers") async -> Answer {
            var body: JSONValue = [
                "X-Idaas-Rest-Subject-Type": "USERCREDENTIAL",
                "X-Idaas-Rest-Subject-Username": .string(ServiceUnderTest.engineer),
                "X-Idaas-Rest-Subject-Password": .string(ServiceUnderTest.password),
            ]
            if let answers { body[key] = answers }
            return await service.request(
                "POST", "/oic_rest/rest/jwtauthentication/authenticate", as: .nobody, body,
                headers: [("X-IDAAS-REST-AUTHORIZATION", "UIDPASSWORD cred=\"\(proof)\"")])
        }
        let question = await token(nil)
        #expect(question.status == 401 && question["challenge_questions"]?.elements.count == 2)
        #expect(await token(answers).status == 200)
        #expect(await token(answers, as: "kba_answers").status == 200, "the key that the refusal names")
    }

    @Test("Answers stand nowhere in the file, and questions that protect nothing are refused")
    func kept() async throws {
        let service = try await ServiceUnderTest()
        for pairs in [
            [("Only one?", "yes it is")], [("A colour?", "red"), ("A colour?", "blue")],
            [("A colour?", "red"), ("A fruit?", "RED ")], [("A colour?", "r"), ("A fruit?", "apple")],
            [("Is it red?", "red"), ("A fruit?", "apple")],
        ] {
            let body: JSONValue = [
                "questions": .array(pairs.map { ["question": .string($0.0), "answer": .string($0.1)] })
            ]
            #expect(await service.request("PUT", path, as: .person, body).status == 400, "\(pairs)")
        }
        #expect(await service.request("PUT", path, as: .person, questions).status == 204)
        let image = try service.directory.storedBytes()
        for text in ["Rue  de la Paix", "rue de la paix", "de la Paix", "first street"] {
            #expect(image.range(of: Data(text.utf8)) == nil)
        }
    }

    @Test("Guessing answers soon has to wait")
    func guessing() async throws {
        let service = try await ServiceUnderTest()
        let app = try await App(service)
        #expect(await service.request("PUT", path, as: .person, questions).status == 204)
        var last = 0
        for number in 0..<40 where last != 429 {
            last = await ask(app, right.replacing("paix", with: "\(number)")).status
        }
        #expect(last == 429)
    }

    @Test("They are removed with their answers, or by an administrator")
    func removal() async throws {
        let service = try await ServiceUnderTest()
        let app = try await App(
            service, ["trusted": true, "scope": "openid directory directory:manage"])
        #expect(await service.request("PUT", path, as: .person, questions).status == 204)
        let token = try #require(
            await app.post(
                "/oauth2/token",
                [
                    ("grant_type", "password"), ("username", ServiceUnderTest.engineer),
                    ("password", ServiceUnderTest.password), ("kba_answers", right),
                    ("scope", "directory directory:manage"),
                ])["access_token"]?.text)
        func send(_ method: String, _ path: String, _ body: JSONValue) async -> Answer {
            await service.send(method, path, "Bearer " + token, body.bytes)
        }
        #expect(await send("PUT", path, questions).status == 409)
        #expect(await send("POST", path + "/remove", ["kbaAnswers": ["a": "b"]]).status == 400)
        let answers = try JSONValue(strictly: Array(right.utf8))
        #expect(await send("POST", path + "/remove", ["kbaAnswers": answers]).status == 204)
        #expect(await ask(app, nil).status == 200)
        #expect(await service.request("PUT", path, as: .person, questions).status == 204)
        let reset = "/admin/users/\(ServiceUnderTest.engineer)/second-factor"
        #expect(await service.request("DELETE", reset, as: .manager).status == 403)
        #expect(await service.request("DELETE", reset).status == 204)
        #expect(await service.request("DELETE", reset).status == 404)
        #expect(await ask(app, nil).status == 200)
    }
}
