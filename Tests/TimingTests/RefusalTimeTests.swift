import Foundation
import Roster
import RosterSignIn
import Testing
import TestSupport

@Suite("How long a refusal takes")
struct RefusalTimeTests {
    /// Tries a wrong password and returns how long the refusal took. Each sample comes from an address of its own, so that
    /// nobody is made to wait for having tried too often.
    private func refusal(of name: String, _ sample: Int, by keeper: PasswordKeeper) async throws -> Duration {
        let start = ContinuousClock.now
        guard
            case .later(let work) = keeper.authenticate(
                name: name, password: "wrong", from: "10.\(sample >> 16).\(sample >> 8 & 255).\(sample & 255)")
        else {
            Issue.record("the keeper did not ask for work")
            return .zero
        }
        await #expect(throws: AuthenticationFailure.wrong) { _ = try await work() }
        return ContinuousClock.now - start
    }

    @Test("A name that nobody has is refused in the time that a wrong password takes", .timeLimit(.minutes(5)))
    func sameTime() async throws {
        let directory = try Directory.inMemory()
        // Cheap enough for thousands of samples: what is compared is the way, which is the same with any parameters.
        let parameters = try #require(PasswordParameters(logN: 7, r: 8, p: 1))
        let hash = try PasswordHash.make("the right password", parameters).text
        try await directory.unrestricted.users.load(
            (0..<5_000).map { NewUser("ada\($0)", attributes: ["password": .string(hash)]) })
        let keeper = try PasswordKeeper(directory, parameters: parameters)
        var next = 0
        try await expectWithinRounds("refusals (known, unknown)") {
            var times: ([Duration], [Duration]) = ([], [])
            for sample in next..<next + 1_000 {
                times.0.append(try await refusal(of: "ada\(sample)", sample, by: keeper))
                times.1.append(try await refusal(of: "bob\(sample)", sample, by: keeper))
            }
            next += 1_000
            return areAlike(times.0, times.1)
        }
    }

    /// How many samples of each kind a long run takes; nil in a short one.
    private static let samples = ProcessInfo.processInfo.environment["ROSTER_REFUSAL_SAMPLES"].flatMap(Int.init)

    @Test("Medians of refusals differ by less than a tenth, whatever is stored", .enabled(if: samples != nil))
    func medians() async throws {
        let samples = Self.samples ?? 100
        let rounds = 3
        let directory = try Directory.inMemory()
        let parameters = try #require(PasswordParameters(logN: 9, r: 8, p: 1))
        // Hashes of each scheme; the last two kinds are a hash with the standard parameters, and no password at all.
        let hashes: [String?] =
            StoredPasswords.made.filter { $0.hasPrefix("$") || $0.hasPrefix("{SSHA}") || $0.hasPrefix("pbkdf2") }
            + [try PasswordHash.make("the right password", parameters).text, nil]
        for (index, hash) in hashes.enumerated() {
            let password: AttributeSet = hash.map { ["password": .string($0)] } ?? [:]
            try await directory.unrestricted.users.load(
                (0..<rounds * samples).map { NewUser("u\(index).\($0)", attributes: password) })
        }
        try await directory.unrestricted.users.load(
            (0..<rounds * samples).map {
                NewUser(
                    "off.\($0)", attributes: ["password": .string(StoredPasswords.made[14])], isActive: false)
            })
        let keeper = try PasswordKeeper(directory, parameters: parameters)
        let kinds = hashes.indices.map { "u\($0)" } + ["off", "unknown"]
        var next = 0
        try await expectWithinRounds("medians of refusals", rounds: rounds) {
            var times = [[Duration]](repeating: [], count: kinds.count)
            for sample in next..<next + samples {
                for (kind, name) in kinds.enumerated() {
                    times[kind].append(try await refusal(of: "\(name).\(sample)", sample, by: keeper))
                }
            }
            next += samples
            let medians = times.map { $0.median / .microseconds(1) }
            let figures = zip(kinds, medians).map { "\($0) \(Int($1)) µs" }.joined(separator: ", ")
            return ((medians.max() ?? 0) < 1.1 * (medians.min() ?? 0), figures)
        }
    }
}
