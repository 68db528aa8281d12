import Foundation
import Roster
import RosterPostgreSQL
import RosterText
import Testing
import TestSupport

@testable import RosterSignIn

@Suite("What the servers of one database remember for a short while", .enabled(if: PostgreSQLCluster.shared != nil))
struct SharedMemoryTests {
    private func withTwoServers(_ body: ([Directory], String) async throws -> Void) async throws {
        let cluster = try #require(PostgreSQLCluster.shared)
        let database = try cluster.makeDatabase()
        let key = cluster.folder.appendingPathComponent("key-\(database)")
        let directories = try (0..<2).map { _ in
            try Directory(connectedTo: cluster.address(database), keyFile: key)
        }
        defer {
            for directory in directories { directory.close() }
            cluster.drop(database)
        }
        try await body(directories, cluster.address(database))
    }

    private func codes(_ directory: Directory, at clock: SettableClock) throws -> PendingCodes<[String]> {
        let keys = try KeyRing(directory, master: MasterKey(of: directory))
        return PendingCodes("codes", keys, clock: { clock.now })
    }

    @Test("A code of one server is known to the other one, once, until it expires")
    func sharesCodes() async throws {
        let clock = SettableClock(Date(timeIntervalSince1970: 1_800_000_000))
        try await withTwoServers { directories, _ in
            let stores = try directories.map { try codes($0, at: clock) }
            try stores[0].insert(["secret value"], for: "a", lifetime: 60)
            #expect(try stores[1].value("a") == ["secret value"])
            #expect(try stores[1].change("a") { $0.append("more") } != nil)
            #expect(try stores[0].take("a") == ["secret value", "more"])
            #expect(try stores[1].take("a") == nil)
            try stores[1].insert(["old"], for: "b", lifetime: 60)
            clock.advance(by: 60)
            #expect(try stores[0].value("b") == nil)
            #expect(try stores[0].take("b") == nil)
        }
    }

    @Test("Of many callers who take a code at both servers, one gets it")
    func takesOnce() async throws {
        let clock = SettableClock(Date(timeIntervalSince1970: 1_800_000_000))
        try await withTwoServers { directories, _ in
            let stores = try directories.map { try codes($0, at: clock) }
            for round in 0..<25 {
                try stores[0].insert(["value"], for: "code \(round)", lifetime: 60)
                let taken = await inParallel(8) { try? stores[$0 % 2].take("code \(round)") }
                #expect(taken.count { $0 != nil } == 1)
            }
        }
    }

    @Test("An owner has no more codes at both servers than at one")
    func limitsOwners() async throws {
        let clock = SettableClock(Date(timeIntervalSince1970: 1_800_000_000))
        try await withTwoServers { directories, _ in
            let stores = try directories.map { try codes($0, at: clock) }
            let refused = await inParallel(20) { number in
                let left = try? stores[number % 2].insert(
                    [""], for: "c\(number)", lifetime: 60, of: "owner", atMost: 5)
                return left != nil
            }
            #expect(refused.count { $0 } == 15)
        }
    }

    @Test("A person's share of the codes is the same at both servers, and others keep theirs")
    func sharesOfPersons() async throws {
        let clock = SettableClock(Date(timeIntervalSince1970: 1_800_000_000))
        try await withTwoServers { directories, _ in
            let stores = try directories.map { try codes($0, at: clock) }
            func owner(_ person: Int64) -> CodeOwner { CodeOwner(.user(UserID(rawValue: person)), at: "192.0.2.1") }
            try stores[0].insert(["other"], for: "other", lifetime: 60, of: owner(1))
            let count = CodeOwner.mostOfPerson + 20
            for number in 0..<count {
                clock.advance(by: 0.01)
                try stores[number % 2].insert([""], for: "c\(number)", lifetime: 60, of: owner(2))
            }
            let kept = try (0..<count).filter { try stores[0].value("c\($0)") != nil }
            #expect(kept == Array(20..<count))
            #expect(try stores[1].value("other") == ["other"])
        }
    }

    @Test("Five failures in all are free, whichever servers they reach")
    func countsFailuresTogether() async throws {
        try await withTwoServers { directories, _ in
            let throttles = directories.map { AttemptThrottle("passwords", $0) }
            for number in 0..<5 {
                #expect(try throttles[number % 2].check(account: "ada", address: "10.0.0.\(number)") == .allowed)
                try throttles[number % 2].failed(account: "ada", address: "10.0.0.\(number)")
            }
            for throttle in throttles {
                #expect(try throttle.check(account: "ada", address: "10.0.0.9") != .allowed)
                #expect(try throttle.check(account: "bob", address: "10.0.0.9") == .allowed)
            }
            try throttles[0].succeeded(account: "ada", address: "10.0.0.1")
            #expect(try throttles[1].isKnown(account: "ada", address: "10.0.0.1"))
            #expect(try throttles[1].check(account: "ada", address: "10.0.0.9") == .allowed)
        }
    }

    @Test("A key file that the directory was not opened with before is refused")
    func refusesAnotherKey() async throws {
        try await withTwoServers { directories, address in
            _ = try MasterKey(of: directories[0])
            let cluster = try #require(PostgreSQLCluster.shared)
            let other = cluster.folder.appendingPathComponent("another-key-\(UUID())")
            let directory = try Directory(connectedTo: address, keyFile: other)
            defer { directory.close() }
            #expect(code { try MasterKey(of: directory) } == .unusableKey)
            #expect(!FileManager.default.fileExists(atPath: other.path))
        }
    }

    @Test("Servers that start together on one machine share the key file that the first one makes")
    func sharesNewKey() async throws {
        let cluster = try #require(PostgreSQLCluster.shared)
        for _ in 0..<5 {
            let database = try cluster.makeDatabase()
            defer { cluster.drop(database) }
            let file = cluster.folder.appendingPathComponent("new-key-\(UUID())")
            let directories = try (0..<4).map { _ in
                try Directory(connectedTo: cluster.address(database), keyFile: file)
            }
            defer { for directory in directories { directory.close() } }
            let keys = try await withThrowingTaskGroup(of: Data.self) { group in
                for directory in directories { group.addTask { try MasterKey(of: directory).fileContent } }
                return try await group.reduce(into: Set()) { $0.insert($1) }
            }
            #expect(try keys == [Data(contentsOf: file)])
        }
    }
}
