import Foundation
import Roster
import RosterStore
import RosterText
import Testing
import TestSupport

@testable import RosterPostgreSQL

@Suite(
    "A replica that answers lists", .serialized, .enabled(if: PostgreSQLCluster.shared != nil),
    .timeLimit(.minutes(5)))
struct ReplicaTests {
    /// Runs a test with a directory that reads lists at a standby, and another server's directory without.
    private func withReplica(
        _ body: (_ cluster: PostgreSQLCluster, _ directory: Directory, _ other: Directory) async throws -> Void
    ) async throws {
        let cluster = try #require(PostgreSQLCluster.shared)
        let database = try cluster.makeDatabase()
        try cluster.makeStandby()
        let directory = try Directory(
            connectedTo: cluster.address(database), replica: cluster.standbyAddress(database))
        let other = try Directory(connectedTo: cluster.address(database))
        defer {
            directory.close()
            other.close()
            cluster.drop(database)
            cluster.stopStandby()
            try? FileManager.default.removeItem(at: cluster.folder.appendingPathComponent("standby"))
        }
        try await body(cluster, directory, other)
    }

    /// Lists users until the replica has answered.
    private func awaitReplica(_ directory: Directory) async throws {
        let before = directory.storage.answersOfReplica
        let end = ContinuousClock.now + .seconds(30)
        while directory.storage.answersOfReplica == before {
            try #require(ContinuousClock.now < end, "the replica answers nothing")
            _ = try await names(directory)
            try await Task.sleep(for: .milliseconds(5))
        }
    }

    private func names(_ directory: Directory) async throws -> Set<String> {
        let search = Search(.everything, pageSize: 1_000)
        return Set(try await directory.unrestricted.users.search(search).elements.map(\.uid))
    }

    @Test("Each list has all changes that were made before, whether by the same server or another one")
    func readsOwnWrites() async throws {
        try await withReplica { _, directory, other in
            try await other.unrestricted.users.create("ada")
            try await awaitReplica(directory)
            for number in 0..<200 {
                let writer = number % 3 == 0 ? other : directory
                try await writer.unrestricted.users.create("u\(number)")
                #expect(try await names(directory).contains("u\(number)"))
            }
            print(
                "the replica answered \(directory.storage.answersOfReplica) of 200 lists that came right after changes")
            for _ in 0..<50 { #expect(try await names(directory).count == 201) }
            try await awaitReplica(directory)
            let pieces = Gathered<Data>()
            try await directory.unrestricted.export(.json) { pieces.append($0) }
            let text = String(decoding: pieces.all.reduce(Data(), +), as: UTF8.self)
            #expect(text.contains("\"u199\""))
        }
    }

    @Test("While the replica copies nothing, no list misses a change, and nobody keeps a right that was taken")
    func isPaused() async throws {
        try await withReplica { cluster, directory, other in
            let view = directory.unrestricted
            let boss = try await view.users.create("boss")
            let role = try view.write { try $0.asPresentAdministrator(to: "test").powers.administratorsRole().id }
            try await view.users.create("second")
            try await view.roles.add([.user("boss"), .user("second")], to: .id(role))
            let administrator = directory.acting(as: .user(boss.id))
            #expect(try await administrator.users.search(Search(.everything)).elements.count == 2)
            try await awaitReplica(directory)
            try cluster.atStandby("SELECT pg_wal_replay_pause()")
            for number in 0..<50 {
                try await (number % 2 == 0 ? directory : other).unrestricted.users.create("u\(number)")
                #expect(try await names(directory).contains("u\(number)"))
            }
            let before = directory.storage.answersOfReplica
            try await other.unrestricted.users.modify("boss", [.set(.active, false)])
            await #expect(throws: DirectoryError.self) {
                _ = try await administrator.users.search(Search(.everything))
            }
            #expect(directory.storage.answersOfReplica == before)
            try cluster.atStandby("SELECT pg_wal_replay_resume()")
            try await awaitReplica(directory)
        }
    }

    @Test("Lists go on while the replica is stopped, and use the replica again when it is back")
    func isStopped() async throws {
        try await withReplica { cluster, directory, _ in
            try await awaitReplica(directory)
            let failures = Gathered<String>()
            let isDone = Locked(false)
            await withTaskGroup(of: Void.self) { group in
                for caller in 0..<3 {
                    group.addTask {
                        var number = 0
                        while !isDone.withLock({ $0 }) {
                            number += 1
                            do {
                                try await directory.unrestricted.users.create("u\(caller)-\(number)")
                                let found = try await directory.unrestricted.users.search(
                                    Search(.uid.equals(.string("u\(caller)-\(number)"))))
                                if found.elements.count != 1 { failures.append("u\(caller)-\(number) is not there") }
                            } catch {
                                failures.append("\(error)")
                            }
                        }
                    }
                }
                for _ in 0..<3 {
                    try? await Task.sleep(for: .milliseconds(300))
                    cluster.stopStandby()
                    try? await Task.sleep(for: .milliseconds(300))
                    try? cluster.startStandby()
                }
                isDone.withLock { $0 = true }
            }
            #expect(failures.all == [])
            try await awaitReplica(directory)
        }
    }

    @Test("A standby that has a history of its own answers nothing, although it has as many commits")
    func hasAnotherHistory() async throws {
        try await withReplica { cluster, directory, other in
            try await other.unrestricted.users.create("ada")
            try await awaitReplica(directory)
            try cluster.promoteStandby()
            let before = directory.storage.answersOfReplica
            for _ in 0..<30 {
                #expect(try await names(directory) == ["ada"])
                try await Task.sleep(for: .milliseconds(20))
            }
            #expect(directory.storage.answersOfReplica == before)
        }
    }

    @Test("What is remembered of one server counts for no other, although both have as many commits")
    func remembersNothingOfOthers() async throws {
        let cluster = try #require(PostgreSQLCluster.shared)
        let database = try cluster.makeDatabase()
        try cluster.makeStandby()
        defer {
            cluster.drop(database)
            cluster.stopStandby()
            try? FileManager.default.removeItem(at: cluster.folder.appendingPathComponent("standby"))
        }
        let directory = try Directory(connectedTo: cluster.address(database))
        defer { directory.close() }
        #expect(directory.commitCount == directory.commitCount)
        try cluster.promoteStandby()
        let promoted = try Directory(connectedTo: cluster.standbyAddress(database))
        defer { promoted.close() }
        #expect(promoted.commitCount & 0xFF_FFFF_FFFF == directory.commitCount & 0xFF_FFFF_FFFF)
        #expect(promoted.commitCount != directory.commitCount)
    }

    @Test("A process that knows the new primary connects with the old one no more")
    func refusesOldPrimary() async throws {
        let cluster = try #require(PostgreSQLCluster.shared)
        let database = try cluster.makeDatabase()
        try cluster.makeStandby()
        defer {
            cluster.drop(database)
            cluster.stopStandby()
            try? FileManager.default.removeItem(at: cluster.folder.appendingPathComponent("standby"))
        }
        try cluster.promoteStandby()
        let address = try ServerAddress(cluster.address(database))
        let known = try ServerState(address).connect()
        let server = ServerState(try ServerAddress(cluster.standbyAddress(database)))
        #expect(try server.connect().timeline > known.timeline)
        #expect(throws: StoreError.self) { try server.check(known) }
        #expect(throws: Never.self) { try ServerState(address).check(known) }
    }

    @Test("A list at the replica can be cancelled, and the replica answers the next one")
    func isCancelled() async throws {
        try await withReplica { _, directory, _ in
            let people = (0..<2_000).map { NewUser("p\($0)", attributes: ["title": .string("T\($0)")]) }
            try await directory.unrestricted.users.load(people)
            try await awaitReplica(directory)
            var numbers = SeededNumbers(seed: randomSeed())
            for _ in 0..<50 {
                let task = Task { try await names(directory).count }
                try await Task.sleep(for: .microseconds(Int.random(in: 0..<20_000, using: &numbers)))
                task.cancel()
                if case .success(let count) = await task.result { #expect(count == 1_000) }
            }
            #expect(try await names(directory).count == 1_000)
            try await awaitReplica(directory)
        }
    }

    @Test("A replica that cannot be reached is told, and named by each of its hosts")
    func cannotBeReached() async throws {
        try await withServerDirectory { cluster, database, _ in
            let hosts = "127.0.0.1:1,localhost:2,nowhere.invalid:3"
            let directory = try Directory(
                connectedTo: cluster.address(database),
                replica: "postgresql://roster@\(hosts)/\(database)?sslmode=verify-full")
            defer { directory.close() }
            #expect(directory.storage.replicaProblem == nil)
            let problem = try #require(directory.storage.tryReplica()).problem
            #expect(problem.contains("port 1 failed") && problem.contains("port 2 failed"), "\(problem)")
            #expect(problem.contains("nowhere.invalid\" to address"), "\(problem)")
            #expect(directory.storage.replicaProblem != nil)
        }
    }
}
