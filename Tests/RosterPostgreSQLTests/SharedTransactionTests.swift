import Foundation
import Roster
import RosterPostgreSQL
import Testing
import TestSupport

@Suite(
    "Changes that share a transaction of a server", .enabled(if: PostgreSQLCluster.shared != nil),
    .timeLimit(.minutes(3)))
struct SharedTransactionTests {
    @Test("Concurrent changes and renamings of a few users lose nothing of one another")
    func losesNothing() async throws {
        try await withServerDirectory { _, _, directory in
            let view = directory.unrestricted
            for name in ["ada", "grace", "kay"] { try await view.users.create(name) }
            let kay = try await view.users.user("kay").id
            let (callers, rounds) = (16, 20)
            let renamings = try await withThrowingTaskGroup(of: Int.self) { group in
                for caller in 0..<callers {
                    group.addTask {
                        var renamings = 0
                        for round in 0..<rounds {
                            let title = AttributeValue.string("T\(caller).\(round)")
                            let name = caller.isMultiple(of: 2) ? "ada" : "grace"
                            try await view.users.modify(.named(name), attributes: ["title": title])
                            try await view.users.modify(.id(kay), attributes: ["title": title])
                            // Only one of the two names is taken, and another caller may have changed which.
                            let names = round.isMultiple(of: 2) ? ("kay", "alan") : ("alan", "kay")
                            do {
                                try await view.users.modify(
                                    .named(names.0), attributes: ["uid": .string(names.1), "department": title])
                                renamings += 1
                            } catch let error as DirectoryError where error.code == .notFound {}
                        }
                        return renamings
                    }
                }
                return try await group.reduce(0, +)
            }
            #expect(renamings > 0)
            let half = Int64(callers / 2 * rounds)
            #expect(try await view.users.user("ada").version == 1 + half)
            #expect(try await view.users.user("grace").version == 1 + half)
            #expect(try await view.users.user(.id(kay)).version == Int64(1 + callers * rounds + renamings))
            let changes = try await view.changes.since(0, limit: 10_000)
            #expect(changes.map(\.sequence) == (1...Int64(3 + 2 * callers * rounds + renamings)).map { $0 })
            #expect(try await view.check() == [])
        }
    }

    @Test("An administrator who gives up the role has lost the power at once")
    func givesUpPower() async throws {
        try await withServerDirectory { _, _, directory in
            let view = directory.unrestricted
            let administrators = try await view.awaitWrite {
                try $0.asPresentAdministrator(to: "test").powers.administratorsRole().id
            }
            for name in ["ada", "grace"] {
                try await view.users.create(name)
                try await view.roles.add([.user(.named(name))], to: .id(administrators))
            }
            let ada = directory.acting(as: .user(try await view.users.user("ada").id), by: .local)
            try await ada.users.create("kay")
            #expect(try await ada.may(.write(.password, of: "grace")))
            try await ada.roles.remove([.user("ada")], from: .id(administrators))
            #expect(try await !ada.may(.write(.password, of: "grace")))
            await #expect { try await ada.users.create("alan") } throws: {
                ($0 as? DirectoryError)?.code == .notPermitted
            }
            #expect(try await view.users.count() == 3)
        }
    }

    @Test("Whoever loses a power while many changes wait changes nothing after the loss")
    func losesPowerMeanwhile() async throws {
        try await withServerDirectory { _, _, directory in
            let view = directory.unrestricted
            let administrators = try await view.awaitWrite {
                try $0.asPresentAdministrator(to: "test").powers.administratorsRole().id
            }
            for name in ["ada", "grace", "kay"] { try await view.users.create(name) }
            try await view.roles.add([.user("grace")], to: .id(administrators))
            let id = try await view.users.user("ada").id
            let ada = directory.acting(as: .user(id), by: .local)
            var (made, refused) = (0, 0)
            for round in 0..<20 {
                try await view.roles.add([.user("ada")], to: .id(administrators))
                let before = try await view.changes.since(0, limit: 10_000).last?.sequence ?? 0
                let results = await withTaskGroup(of: Bool.self) { group in
                    for number in 0..<16 {
                        group.addTask {
                            if number == 8 {
                                return (try? await view.roles.remove([.user("ada")], from: .id(administrators))) == nil
                            }
                            let title = AttributeValue.string("T\(round).\(number)")
                            return (try? await ada.users.modify("kay", attributes: ["title": title])) != nil
                        }
                    }
                    return await group.reduce(into: 0) { $0 += $1 ? 1 : 0 }
                }
                made += results
                refused += 15 - results
                let changes = try await view.changes.since(before, limit: 100)
                let loss = try #require(changes.first { $0.entity == .role }?.sequence)
                let later = changes.filter { $0.sequence > loss && $0.actor == id.description }
                #expect(later.isEmpty, "round \(round)")
            }
            print("changes made: \(made), refused: \(refused)")
            #expect(made > 0 && refused > 0)
        }
    }

    @Test("Managers whose names have quotation marks with accents are found when many users are loaded")
    func loadsUnusualManagers() async throws {
        try await withServerDirectory { _, _, directory in
            let names = ["a\"\u{301}b", "c\\\u{301}d", "e\"f", "g,{h}"]
            let users = directory.unrestricted.users
            try await users.load(names.map { NewUser($0) })
            try await users.load(names.enumerated().map { NewUser("r\($0.offset)", manager: .named($0.element)) })
            for (number, name) in names.enumerated() {
                #expect(try await users.reportees(of: .named(name)).map(\.uid) == ["r\(number)"])
            }
        }
    }
}
