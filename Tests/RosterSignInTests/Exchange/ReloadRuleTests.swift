import Foundation
import RosterOpenID
import RosterSignIn
import Testing

@Suite("What is kept in memory is read again when it should be")
struct ReloadRuleTests {
    static let rule = ReloadRule(minimumSeconds: 10, maximumSeconds: 120)

    static func reloads(load: Double?, attempt: Double?, missing: Bool, at now: Double) -> Bool {
        rule.shouldReload(
            lastLoad: load.map { Date(timeIntervalSince1970: $0) },
            lastAttempt: attempt.map { Date(timeIntervalSince1970: $0) }, isMissing: missing,
            now: Date(timeIntervalSince1970: now))
    }

    @Test("What was never read is read")
    func first() {
        #expect(Self.reloads(load: nil, attempt: nil, missing: false, at: 1_000))
    }

    @Test("Something missing has it read again, but not sooner than the shortest interval")
    func missing() {
        #expect(!Self.reloads(load: 1_000, attempt: 1_000, missing: true, at: 1_000))
        #expect(!Self.reloads(load: 1_000, attempt: 1_000, missing: true, at: 1_009.9))
        #expect(Self.reloads(load: 1_000, attempt: 1_000, missing: true, at: 1_010))
        #expect(!Self.reloads(load: 1_000, attempt: nil, missing: true, at: 1_009))
        #expect(!Self.reloads(load: 1_000, attempt: 1_000, missing: false, at: 1_010))
    }

    @Test("Past the longest interval it is always read again")
    func tooOld() {
        #expect(!Self.reloads(load: 1_000, attempt: 1_000, missing: false, at: 1_120))
        #expect(Self.reloads(load: 1_000, attempt: 1_000, missing: false, at: 1_120.5))
        #expect(Self.reloads(load: 1_000, attempt: 1_000, missing: true, at: 9_999))
    }

    @Test("What could not be read is tried again, but not sooner than the shortest interval")
    func failure() {
        #expect(!Self.reloads(load: 1_000, attempt: 1_200, missing: false, at: 1_209))
        #expect(Self.reloads(load: 1_000, attempt: 1_200, missing: false, at: 1_210))
        #expect(!Self.reloads(load: nil, attempt: 1_200, missing: true, at: 1_205))
        #expect(Self.reloads(load: nil, attempt: 1_200, missing: false, at: 1_210))
    }

    @Test("A clock that was set back does not keep the old one in use for ever")
    func clockSetBack() {
        #expect(Self.reloads(load: 90_000, attempt: 90_000, missing: false, at: 1_000))
        #expect(!Self.reloads(load: 1_000, attempt: 1_000, missing: true, at: 1_001))
    }

    @Test("However often something is missing, it is read at most once in the shortest interval")
    func rate() {
        var (last, reads) = (0.0, 0)
        for second in stride(from: 0.5, through: 100, by: 0.5)
        where Self.reloads(load: last, attempt: last, missing: true, at: second) {
            (last, reads) = (second, reads + 1)
        }
        #expect(reads == 10)
    }
}
