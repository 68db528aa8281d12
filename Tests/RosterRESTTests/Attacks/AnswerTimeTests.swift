import Foundation
import Roster
import RosterREST
import RosterSignIn
import RosterText
import Testing
@testable import Roster
import RosterCrypto
@testable import RosterREST
@testable import RosterSignIn
import TestSupport

@Suite("What the time of an answer tells")
struct AnswerTimeTests {
    private static func median(_ times: [Duration]) -> Duration { times.sorted()[times.count / 2] }

    /// Asks each in turn, so that whatever else the machine does is the same for both.
    private func compare(
        _ samples: Int, _ first: (Int) async throws -> Answer, _ second: (Int) async throws -> Answer
    ) async rethrows -> (first: Duration, second: Duration) {
        var times: ([Duration], [Duration]) = ([], [])
        for sample in 0..<samples {
            let clock = ContinuousClock()
            var answers: (Answer?, Answer?) = (nil, nil)
            times.0.append(try await clock.measure { answers.0 = try await first(sample) })
            times.1.append(try await clock.measure { answers.1 = try await second(sample) })
            if answers.0?.status != answers.1?.status || answers.0?.text != answers.1?.text {
                Issue.record("sample \(sample): \(answers.0?.text ?? "") and \(answers.1?.text ?? "")")
            }
        }
        return (Self.median(times.0), Self.median(times.1))
    }

    private func check(_ medians: (first: Duration, second: Duration), _ what: String) {
        print("median of", what, medians)
        let difference = abs((medians.first - medians.second) / .microseconds(1))
        #expect(difference < max(0.25 * (medians.second / .microseconds(1)), 60), "\(what): \(medians)")
    }

    @Test(
        "Whether there is a user is told neither by the answer nor by its time",
        .timeLimit(.minutes(5)))
    func users() async throws {
        // Cheap enough for thousands of samples; the way is the same with any parameters.
        let parameters = try #require(PasswordParameters(logN: 7, r: 8, p: 1))
        let service = try await ServiceUnderTest(parameters: parameters)
        let app = try await App(service)
        let hash = try PasswordHash.make("the right password", parameters).text
        let samples = 5_000
        try await service.directory.unrestricted.users.load(
            (0..<samples).map { NewUser("ada\($0)", attributes: ["password": .string(hash)]) })
        func ask(_ name: String, _ sample: Int) async -> Answer {
            // From everywhere, so that nobody is made to wait for having tried too often.
            await app.post(
                "/oauth2/token", [("grant_type", "password"), ("username", name), ("password", "a wrong password")],
                peer: "10.\(sample >> 16).\(sample >> 8 & 255).\(sample & 255)")
        }
        let known = await compare(samples, { await ask("ada\($0)", $0) }, { await ask("bob\($0)", $0) })
        check(known, "refusals by the token endpoint (known, unknown)")
        let page = await app.browse("GET", try app.authorizePath())
        let sealed = try App.sealed(page)
        let cookie = "__Host-roster_visit=" + (app.cookie("__Host-roster_visit") ?? "")
        func type(_ name: String, _ sample: Int) async -> Answer {
            let form = App.encoded([("request", sealed), ("username", name), ("password", "a wrong password")])
            let answer = await service.send(
                "POST", "/oauth2/authorize", nil, Array(form.utf8),
                headers: [("Content-Type", "application/x-www-form-urlencoded"), ("Cookie", cookie)],
                peer: "11.\(sample >> 16).\(sample >> 8 & 255).\(sample & 255)")
            // The page keeps the name that was typed.
            #expect(answer.status == 401 && answer.text.contains("The name or the password is wrong"))
            return Answer(HTTPResponse(answer.status))
        }
        let typed = await compare(1_000, { await type("ada\($0)", $0) }, { await type("bob\($0)", $0) })
        check(typed, "refusals by the sign-in page (known, unknown)")
    }

    @Test("Whether there is a client, a code or a token is told neither by the answer nor by its time")
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
        check(
            await compare(5_000, { _ in await ask(app.clientID, near) }, { _ in await ask(app.clientID, far) }),
            "secrets")
        let unknown = await compare(
            5_000, { _ in await ask(app.clientID, far) }, { _ in await ask("0123456789abcdef0123456789abcdef", far) })
        check(unknown, "clients (known, unknown)")
        let refresh = try #require(try await app.tokens().refresh)
        let forged = String(refresh.dropLast(2)) + (refresh.hasSuffix("AA") ? "BA" : "AA")
        let none = "rrt_" + Base64URL.text([UInt8](repeating: 1, count: 48))
        let tokens = await compare(2_000, { _ in await app.refresh(forged) }, { _ in await app.refresh(none) })
        check(tokens, "refresh tokens (forged, of no grant)")
    }
}
