import Foundation
import Roster
import RosterText
import ServiceTestSupport
import Testing
import TestSupport

@Suite("Text that is made to take long")
struct ExpensiveTextTests {
    @Test(
        "Text that is made to take long is refused soon, wherever it stands",
        arguments: [
            "\u{301}\u{323}", "\u{344}", "\u{F73}", "\u{F81}\u{301}", "\u{1D160}", "\u{FDFA}", "\u{1100}\u{1161}", "İ",
            "\u{200D}", "🏳\u{FE0F}\u{200D}", "\u{0}", "ﬃ", "ｈ",
        ])
    func expensiveText(piece: String) async throws {
        let service = try await ServiceUnderTest()
        let app = try await App(service)
        // About as much as a request may hold, in one run.
        let long = "a" + String(repeating: piece, count: 320_000 / piece.utf8.count)
        func post(_ path: String, _ body: [UInt8], _ type: String, _ proof: String?) async -> Int {
            await service.send(
                "POST", path, proof, body, headers: [("Content-Type", type)], clientAddress: "203.0.113.9"
            ).status
        }
        func check(_ what: String, _ work: () async throws -> Int) async rethrows {
            try await expectWithinRounds(what, rounds: 3) {
                var status = 0
                let elapsed = try await time { status = try await work() }
                #expect((400..<500).contains(status) || status == 303 || status == 200, "\(what): \(status)")
                return (elapsed < .seconds(5), "\(elapsed)")
            }
        }
        let form = "application/x-www-form-urlencoded"
        // Nowhere here are the long texts compared, which is what takes the time.
        let sent = Array(App.encoded([("", long)]).utf8.dropFirst())
        for field in ["username", "password", "grant_type", "scope", "prompt", "response_type", "state", nil] {
            let shown = field ?? "a name"
            let end = field.map { Array("&\($0)=".utf8) + sent } ?? Array("&".utf8) + sent + Array("=x".utf8)
            let fields = [("username", "x"), ("password", "y"), ("grant_type", "password")].filter { $0.0 != field }
            let token = Array(App.encoded(fields).utf8) + end
            await check("\(shown) of a token") { await post("/oauth2/token", token, form, app.proof) }
            let asked = Array(App.encoded(try app.authorizeForm().filter { $0.0 != field }).utf8) + end
            await check("\(shown) of a request") { await post("/oauth2/authorize", asked, form, nil) }
        }
        let text = JSONValue.string(long).bytes
        for field in ["name", "password", "otp", "X-Idaas-Rest-Subject-Type", "clientId", nil] {
            let shown = field ?? "a member's name"
            var names = ""
            for name in ["name", "password"] where name != field { names += "\"\(name)\":\"x\"," }
            let end = field.map { Array("\"\($0)\":".utf8) + text } ?? text + Array(":1".utf8)
            let json = Array("{\(names)".utf8) + end + Array("}".utf8)
            for path in ["/db/_session", "/oic_rest/rest/mobilejwtauthentication/register"] {
                await check("\(shown) at \(path)") { await post(path, json, "application/json", nil) }
            }
        }
    }
}

extension App {
    /// The client's proof of who it is.
    fileprivate var proof: String { ServiceUnderTest.basic(clientID, secret ?? "") }
}
