import Foundation
import Roster
import RosterCrypto
import RosterREST
import RosterSignIn
import RosterText
import ServiceTestSupport
import Testing
import TestSupport

@Suite("What the time of an answer tells")
struct AnswerTimeTests {
    /// Sends both requests in turn, so that whatever else the machine does is the same for both, and compares the answers and
    /// the medians of their times. Each round has samples of its own.
    private func compare(
        _ what: String, _ samples: Int, _ first: (Int) async throws -> Answer, _ second: (Int) async throws -> Answer
    ) async rethrows {
        var next = 0
        try await expectWithinRounds(what) {
            var times: ([Duration], [Duration]) = ([], [])
            for sample in next..<next + samples {
                var answers: (Answer?, Answer?) = (nil, nil)
                times.0.append(try await time { answers.0 = try await first(sample) })
                times.1.append(try await time { answers.1 = try await second(sample) })
                if answers.0?.status != answers.1?.status || answers.0?.text != answers.1?.text {
                    Issue.record("sample \(sample): \(answers.0?.text ?? "") and \(answers.1?.text ?? "")")
                }
            }
            next += samples
            return areAlike(times.0, times.1)
        }
    }

    @Test("Neither an answer nor its time tells whether a user exists", .timeLimit(.minutes(5)))
    func users() async throws {
        // Cheap enough for thousands of samples; the way is the same with any parameters.
        let parameters = try #require(PasswordParameters(logN: 7, r: 8, p: 1))
        let service = try await ServiceUnderTest(parameters: parameters)
        let app = try await App(service)
        let hash = try PasswordHash.make("the right password", parameters).text
        try await service.directory.unrestricted.users.load(
            (0..<5_000).map { NewUser("ada\($0)", attributes: ["password": .string(hash)]) })
        func ask(_ name: String, _ sample: Int) async -> Answer {
            // The addresses differ, so that nobody is made to wait for having tried too often.
            await app.post(
                "/oauth2/token", [("grant_type", "password"), ("username", name), ("password", "a wrong password")],
                clientAddress: "10.\(sample >> 16).\(sample >> 8 & 255).\(sample & 255)")
        }
        await compare(
            "refusals by the token endpoint (known, unknown)", 1_000, { await ask("ada\($0)", $0) },
            { await ask("bob\($0)", $0) })
        let page = await app.browse("GET", try app.authorizePath())
        let sealed = try App.sealed(page)
        let cookie = "__Host-roster_visit=" + (app.cookie("__Host-roster_visit") ?? "")
        func type(_ name: String, _ sample: Int) async -> Answer {
            let form = App.encoded([("request", sealed), ("username", name), ("password", "a wrong password")])
            let answer = await service.send(
                "POST", "/oauth2/authorize", nil, Array(form.utf8),
                headers: [("Content-Type", "application/x-www-form-urlencoded"), ("Cookie", cookie)],
                clientAddress: "11.\(sample >> 16).\(sample >> 8 & 255).\(sample & 255)")
            // The page keeps the name that was typed, so the answers cannot be compared as a whole.
            #expect(answer.status == 401 && answer.text.contains("The name or the password is wrong"))
            return Answer(HTTPResponse(answer.status))
        }
        await compare(
            "refusals by the sign-in page (known, unknown)", 500, { await type("ada\($0)", $0) },
            { await type("bob\($0)", $0) })
    }

    @Test("Neither an answer nor its time tells whether a client, a code or a token exists")
    func clients() async throws {
        let service = try await ServiceUnderTest()
        let app = try await App(service)
        let secret = app.secret ?? ""
        func ask(_ id: String, _ secret: String) async -> Answer {
            await app.post(
                "/oauth2/token", [("grant_type", "client_credentials")],
                authorization: ServiceUnderTest.basic(id, secret))
        }
        let near = String(secret.dropLast()) + (secret.hasSuffix("A") ? "B" : "A")
        let far = (secret.hasPrefix("A") ? "B" : "A") + secret.dropFirst()
        await compare(
            "secrets (nearly right, wrong)", 1_000, { _ in await ask(app.clientID, near) },
            { _ in await ask(app.clientID, far) })
        await compare(
            "clients (known, unknown)", 1_000, { _ in await ask(app.clientID, far) },
            { _ in await ask("0123456789abcdef0123456789abcdef", far) })
        let refresh = try #require(try await app.tokens().refresh)
        let forged = String(refresh.dropLast(2)) + (refresh.hasSuffix("AA") ? "BA" : "AA")
        let none = "rrt_" + Base64URL.text([UInt8](repeating: 1, count: 48))
        await compare(
            "refresh tokens (forged, of no grant)", 1_000, { _ in await app.refresh(forged) },
            { _ in await app.refresh(none) })
    }
}
