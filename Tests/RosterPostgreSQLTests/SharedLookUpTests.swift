import Foundation
import RosterPostgreSQL
import RosterStore
import RosterText
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
                            ) { try view.read { try $0.users.user(.named(name), .all) } }
                            #expect(user.uid == name)
                            #expect(user.title == (person.isMultiple(of: 8) ? "\(round)" : "0"))
                        }
                    }
                }
                try await group.waitForAll()
            }
        }
    }

    @Test("Cancelled ones end, and leave the answers of the others right while others commit")
    func cancels() async throws {
        try await withServerDirectory { _, _, directory in
            let view = directory.unrestricted
            for person in 0..<20 { try await view.users.create("person\(person)", attributes: ["title": "0"]) }
            var random = SeededNumbers(seed: randomSeed())
            for round in 1...20 {
                let changes = Task {
                    for person in 0..<20 {
                        try await view.users.modify(
                            .named("person\(person)"), attributes: ["title": .string("\(round)")])
                    }
                }
                let lookUps = (0..<60).map { number in
                    Task {
                        let name = "person\(number % 20)"
                        return try await directory.awaitLookUp(expecting: [.user(.named(name))], by: view.caller) {
                            let first = try view.read { try $0.users.user(.named(name), .all) }
                            // An answer that was not expected, of the same snapshot.
                            let second = try view.read { try $0.users.user(.id(first.id), .all) }
                            #expect(first.uid == name && first.version == second.version)
                            return Int(first.title ?? "") ?? -1
                        }
                    }
                }
                let cancelled = Set((0..<30).map { _ in Int.random(in: 0..<60, using: &random) })
                for number in cancelled {
                    lookUps[number].cancel()
                    await Task.yield()
                }
                for (number, lookUp) in lookUps.enumerated() {
                    do {
                        #expect([round - 1, round].contains(try await lookUp.value))
                    } catch is CancellationError {
                        #expect(cancelled.contains(number))
                    }
                }
                try await changes.value
            }
            #expect(try await view.users.count() == 20)
        }
    }

    @Test("A manager who was read ahead is the manager of the snapshot, and nobody if there is none")
    func readsManagerAhead() async throws {
        try await withServerDirectory { _, _, directory in
            let view = directory.unrestricted
            for name in ["ada", "grace", "kay"] {
                try await view.users.create(name, attributes: ["commonName": .string(name)])
            }
            let kay = try await view.users.user("kay").id
            for manager in ["ada", "grace", nil, "ada"] {
                try await view.users.setManager(manager.map { .named($0) }, of: .id(kay))
                let label = try await directory.awaitLookUp(
                    expecting: [.user(.id(kay)), .manager(of: kay)], by: view.caller
                ) {
                    try view.read { transaction in
                        try transaction.users.user(.id(kay), .all).managerID.flatMap {
                            try transaction.users.label(of: $0)
                        }
                    }
                }
                #expect(label == manager)
            }
            // Within a change, the row that was read ahead gives way to the changed row.
            let ada = try await view.users.user("ada").id
            let labels = try await view.awaitWrite(expecting: [.user(.id(kay)), .manager(of: kay)]) { transaction in
                let before = try transaction.users.label(of: ada)
                _ = try transaction.users.modify(.id(ada), [.set("commonName", "Ada Lovelace")], ifVersion: nil)
                return [before, try transaction.users.label(of: ada)]
            }
            #expect(labels == ["ada", "Ada Lovelace"])
        }
    }

    @Test("One that finds nothing, or whose name is very long, leaves the others their answers")
    func fails() async throws {
        try await withServerDirectory { _, _, directory in
            let view = directory.unrestricted
            try await view.users.create("ada")
            try await withThrowingTaskGroup(of: Void.self) { group in
                for number in 0..<200 {
                    let name = [
                        "ada", "nobody", String(repeating: "long", count: 8_000) + "\(number)", "other\(number)",
                    ][number % 4]
                    group.addTask {
                        let found = try await directory.awaitLookUp(expecting: [.user(.named(name))], by: view.caller) {
                            do {
                                return try view.read { try $0.users.user(.named(name), .all) }.uid
                            } catch let error as DirectoryError where error.code == .notFound {
                                return ""
                            }
                        }
                        #expect(found == (name == "ada" ? "ada" : ""))
                    }
                }
                try await group.waitForAll()
            }
        }
    }

    @Test("A change whose expected read fails is made without the read, and so are the changes beside it")
    func failsInChange() async throws {
        try await withServerDirectory { _, _, directory in
            let view = directory.unrestricted
            try await view.users.create("ada")
            try await withThrowingTaskGroup(of: Void.self) { group in
                for number in 0..<40 {
                    let failing = Expectation.other(ExpectedRead("SELECT 1 / 0", []))
                    group.addTask {
                        try await view.awaitWrite(
                            expecting: [.user(.named("ada"))] + (number.isMultiple(of: 8) ? [failing] : [])
                        ) { transaction in
                            let before = try transaction.users.user(.named("ada"), .all).attributes["title"]
                            let count = if case .string(let text)? = before { Int(text) ?? -1 } else { 0 }
                            _ = try transaction.users.modify(
                                .named("ada"), [.set(.title, .string("\(count + 1)"))], ifVersion: nil)
                        }
                    }
                }
                try await group.waitForAll()
            }
            #expect(try await view.users.user("ada").title == "40")
        }
    }

    @Test("Those who wait for a lost server fail together, and the next ones succeed when the server is back")
    func waitsOnce() async throws {
        try await withCutDirectory { isDown, directory in
            let view = directory.unrestricted
            try await view.users.create("ada")
            func failures() async -> [DirectoryError.Code] {
                await withTaskGroup(of: DirectoryError.Code?.self) { group in
                    for _ in 0..<60 {
                        group.addTask {
                            do {
                                _ = try await directory.awaitLookUp(expecting: [.user(.named("ada"))], by: view.caller)
                                {
                                    try view.read { try $0.users.user(.named("ada"), .all) }
                                }
                                return nil
                            } catch {
                                return (error as? DirectoryError)?.code
                            }
                        }
                    }
                    return await group.reduce(into: []) { codes, code in if let code { codes.append(code) } }
                }
            }
            #expect(await failures() == [])
            isDown.withLock { $0 = true }
            // One after the other, they would wait for longer than the time limit of this suite.
            #expect(await failures() == Array(repeating: .unreachable, count: 60))
            isDown.withLock { $0 = false }
            #expect(await failures() == [])
        }
    }

    @Test("A value is never shown under a definition that is newer than the value's snapshot")
    func keepsDefinitions() async throws {
        try await withServerDirectory { _, _, directory in
            let view = directory.unrestricted
            try await view.users.create("ada")
            let reader = Caller.user(try await view.users.create("kay").id)
            let isDone = Locked(false)
            let changes = Task {
                defer { isDone.withLock { $0 = true } }
                for round in 0..<25 {
                    // The same name stands for a secret value and for a public one in turns.
                    let isSecret = round.isMultiple(of: 2)
                    try await view.attributes.declare(
                        AttributeDefinition("badge", readers: isSecret ? .administrators : .signedIn))
                    try await view.users.modify(
                        .named("ada"), attributes: ["badge": .string(isSecret ? "secret" : "public")])
                    try await view.attributes.undeclare("badge", removingValues: true)
                }
            }
            try await withThrowingTaskGroup(of: Void.self) { group in
                for _ in 0..<16 {
                    group.addTask {
                        while !isDone.withLock({ $0 }) {
                            let badge = try await directory.awaitLookUp(
                                expecting: [.user(.named("ada"))], by: view.caller
                            ) {
                                try directory.acting(as: reader).read { try $0.users.user(.named("ada"), .all) }
                                    .attributes["badge"]
                            }
                            #expect(badge != "secret")
                        }
                    }
                }
                try await group.waitForAll()
            }
            try await changes.value
        }
    }
}
