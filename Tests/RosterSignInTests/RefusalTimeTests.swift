import Foundation
import Roster
import RosterSignIn
import Testing
import TestSupport

@Suite("How long a refusal takes")
struct RefusalTimeTests {
    @Test("A name that nobody has is refused in the time that a wrong password takes", .timeLimit(.minutes(5)))
    func sameTime() async throws {
        let directory = try Directory.inMemory()
        // Cheap enough for thousands of samples: what is compared is the way, which is the same with any parameters.
        let parameters = try #require(PasswordParameters(logN: 7, r: 8, p: 1))
        let hash = try PasswordHash.make("the right password", parameters).text
        try await directory.unrestricted.users.load(
            (0..<5_000).map { NewUser("ada\($0)", attributes: ["password": .string(hash)]) })
        let keeper = try PasswordKeeper(directory, parameters: parameters)
        func refusal(of name: String, _ sample: Int) async throws -> Duration {
            // From everywhere, so that nobody is made to wait for having tried too often.
            let start = ContinuousClock.now
            guard
                case .later(let work) = keeper.authenticate(
                    name: name, password: "wrong", from: "10.\(sample >> 16).\(sample >> 8 & 255).\(sample & 255)")
            else {
                Issue.record("it was not asked")
                return .zero
            }
            do {
                _ = try await work()
                Issue.record("a wrong password was taken")
            } catch { #expect(error as? AuthenticationFailure == .wrong) }
            return ContinuousClock.now - start
        }
        var known: [Duration] = []
        var unknown: [Duration] = []
        for sample in 0..<5_000 {
            known.append(try await refusal(of: "ada\(sample)", sample))
            unknown.append(try await refusal(of: "bob\(sample)", sample))
        }
        let medians = (known.sorted()[known.count / 2], unknown.sorted()[unknown.count / 2])
        let difference = abs((medians.0 - medians.1) / .microseconds(1))
        print("median of a refusal: known \(medians.0), unknown \(medians.1), samples \(known.count)")
        #expect(difference < max(0.25 * (medians.1 / .microseconds(1)), 50), "\(medians)")
    }
}
