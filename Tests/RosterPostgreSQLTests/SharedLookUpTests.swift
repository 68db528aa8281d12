import Foundation
import RosterPostgreSQL
import Testing
import TestSupport

@testable import Roster

@Suite(
    "Look-ups that share round trips to a server", .enabled(if: PostgreSQLCluster.shared != nil),
    .timeLimit(.minutes(3)))
struct SharedLookUpTests {
    @Test("Each gets its own user, no older than the last change before it")
    func getsOwnUser() async throws {
        try await withServerDirectory { _, _, directory in
            let view = directory.unrestricted
            let (people, rounds) = (40, 25)
            for person in 0..<people { try await view.users.create("person\(person)", attributes: ["title": "0"]) }
            try await withThrowingTaskGroup(of: Void.self) { group in
                for person in 0..<people {
                    group.addTask {
                        let name = "person\(person)"
                        for round in 1...rounds {
                            if person.isMultiple(of: 8) {
                                try await view.users.modify(.named(name), attributes: ["title": .string("\(round)")])
                            }
                            // A wrong expectation costs a round trip.
                            let expected = round.isMultiple(of: 7) ? "nobody" : name
                            let user = try await directory.awaitLookUp(
                                expecting: [.user(.named(expected))], by: view.caller
                            ) { try view.read { try $0.user(.named(name), .all) } }
                            #expect(user.uid == name)
                            #expect(user.title == (person.isMultiple(of: 8) ? "\(round)" : "0"))
                        }
                    }
                }
                try await group.waitForAll()
            }
        }
    }

    @Test("Cancelled ones end, and leave the answers of the others right")
    func cancels() async throws {
        try await withServerDirectory { _, _, directory in
            let view = directory.unrestricted
            for person in 0..<20 { try await view.users.create("person\(person)") }
            var random = SeededNumbers(seed: randomSeed())
            for _ in 0..<20 {
                let lookUps = (0..<60).map { number in
                    Task {
                        let name = "person\(number % 20)"
                        return try await directory.awaitLookUp(expecting: [.user(.named(name))], by: view.caller) {
                            try view.read { try $0.user(.named(name), .all) }.uid
                        }
                    }
                }
                let cancelled = Set((0..<20).map { _ in Int.random(in: 0..<60, using: &random) })
                for number in cancelled { lookUps[number].cancel() }
                for (number, lookUp) in lookUps.enumerated() {
                    do {
                        #expect(try await lookUp.value == "person\(number % 20)")
                    } catch is CancellationError {
                        #expect(cancelled.contains(number))
                    }
                }
            }
            #expect(try await view.users.count() == 20)
        }
    }
}
