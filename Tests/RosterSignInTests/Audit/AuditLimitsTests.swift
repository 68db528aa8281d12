import Testing

@testable import Roster
@testable import RosterSignIn

@Suite("What is told of many refusals")
struct AuditLimitsTests {
    private func refusal(_ name: String, from origin: String = "192.0.2.1") -> AuditEntry {
        AuditEntry(
            .refused, .user, id: 0, name: name, actor: "sign-in",
            detail: ["from": .string(origin), "means": "password", "reason": "invalid_grant"])
    }

    private func signIn(_ means: String) -> AuditEntry {
        AuditEntry(
            .signedIn, .user, id: 7, name: "ada", actor: "sign-in",
            detail: ["from": "192.0.2.1", "means": .string(means)])
    }

    @Test("Of one address sixty a minute are told, and then how many more there were")
    func flood() {
        var limits = AuditLimits()
        let told = (0..<4_000).flatMap { limits.admitted(refusal("name \($0)"), at: .milliseconds($0)) }
        #expect(told.count == 60 && told.first?.name == "name 0")
        #expect(limits.admitted(refusal("ada", from: "192.0.2.2"), at: .seconds(5)).count == 1, "others are told")
        let next = limits.admitted(refusal("ada"), at: .seconds(61))
        #expect(next.count == 2 && next.last?.name == "ada")
        #expect(next.first?.detail["reason"]?.text?.hasPrefix("3940 more refusals") == true)
        #expect(limits.admitted(refusal("eve"), at: .seconds(122)).count == 1, "nothing was left out in that minute")
    }

    @Test("One IPv6 client has all addresses of its network, and counts as one")
    func network() {
        var limits = AuditLimits()
        let told = (0..<1_000).flatMap {
            limits.admitted(refusal("name \($0)", from: "2001:db8::\(String($0, radix: 16))"), at: .zero)
        }
        #expect(told.count == 60)
    }

    @Test("The same again is told, because it is counted beside the first entry")
    func same() {
        var limits = AuditLimits()
        for _ in 0..<1_000 { #expect(limits.admitted(refusal("ada"), at: .zero) == [refusal("ada")]) }
        for number in 0..<100 { _ = limits.admitted(refusal("name \(number)"), at: .zero) }
        #expect(limits.admitted(refusal("ada"), at: .seconds(1)) == [refusal("ada")])
        #expect(limits.admitted(refusal("ada"), at: .seconds(60)).count == 2)
    }

    @Test(
        "A program that brings its password along with each request signs in once an hour; other sign-ins are all told")
    func programs() {
        var limits = AuditLimits()
        #expect(limits.admitted(signIn("basic"), at: .zero).count == 1)
        #expect(limits.admitted(signIn("basic"), at: .seconds(3_599)).isEmpty)
        #expect(limits.admitted(signIn("basic"), at: .seconds(3_600)).count == 1)
        for second in 0..<100 { #expect(limits.admitted(signIn("session"), at: .seconds(second)).count == 1) }
    }
}
