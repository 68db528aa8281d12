import Foundation
import Roster
import Testing
import TestSupport

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// What the killed process acknowledged, and what may be there beside it because it was on its way.
struct Acknowledged {
    var lines: Set<String> = []
    var failures: [String] = []

    /// Takes whole lines only: the last one may be cut off.
    mutating func add(_ output: Data) {
        let text = String(decoding: output, as: UTF8.self)
        guard let end = text.lastIndex(of: "\n") else { return }
        for line in text[..<end].split(separator: "\n") {
            if line.hasPrefix("failed") { failures.append(String(line)) }
            lines.insert(String(line))
        }
    }

    func contains(_ words: String...) -> Bool { lines.contains(words.joined(separator: " ")) }

    /// The users whose creation was acknowledged.
    var created: [String] { lines.filter { $0.hasPrefix("created ") }.map { String($0.dropFirst(8)) } }
}

@Suite("kill -9 at any moment", .serialized)
struct CrashTests {
    static var rounds: Int {
        ProcessInfo.processInfo.environment["ROSTER_CRASH_ROUNDS"].flatMap { Int($0) }
            ?? (PostgreSQLCluster.shared == nil ? 200 : 50)
    }

    /// Lets the program write into a file or a database, and kills it after a while.
    static func writeAndKill(_ name: String, round: Int, after delay: Double, in folder: URL) async throws -> Data {
        let program = try builtProgram("roster-crash")
        return try await onThread {
            let process = Process()
            process.executableURL = program
            process.arguments = [name, "\(round)"]
            let output = folder.appendingPathComponent("output-\(round)")
            try Data().write(to: output)
            process.standardOutput = try FileHandle(forWritingTo: output)
            let exit = Gate()
            exit.open()
            process.terminationHandler = { _ in exit.pass() }
            try process.run()
            // The time counts from the moment in which the directory is open.
            waitUntil { (try? Data(contentsOf: output))?.isEmpty != true }
            Thread.sleep(forTimeInterval: delay)
            kill(process.processIdentifier, SIGKILL)
            exit.waitForArrivals()
            return try Data(contentsOf: output)
        }
    }

    @Test(
        "Every acknowledged change is there, none is there by half, and the directory opens at once",
        .timeLimit(.minutes(30)))
    func acknowledgedChangesSurvive() async throws {
        let seed = randomSeed()
        var numbers = SeededNumbers(seed: seed)
        let delays = (0..<Self.rounds).map { _ in Double.random(in: 0.001...0.120, using: &numbers) }
        try await withFolder { (folder: URL) async throws in
            var name = ""
            var databases: [String] = []
            defer { for database in databases { PostgreSQLCluster.shared?.drop(database) } }
            var acknowledged = Acknowledged()
            var written = 0
            var openings: [Duration] = []
            for (round, delay) in delays.enumerated() {
                // A new file now and then, so that rounds stay short and its making is interrupted too.
                if round % 25 == 0 {
                    if let cluster = PostgreSQLCluster.shared {
                        databases.append(try cluster.makeDatabase())
                        name = cluster.address(databases[databases.count - 1])
                    } else {
                        name = folder.appendingPathComponent("\(round).db").path
                    }
                    acknowledged = Acknowledged()
                }
                acknowledged.add(try await Self.writeAndKill(name, round: round, after: delay, in: folder))
                #expect(acknowledged.failures == [], "seed \(seed), round \(round)")
                if let database = databases.last {
                    PostgreSQLCluster.shared?.waitForEndOfConnections(of: database)
                }
                let start = ContinuousClock.now
                let directory = try openDirectory(name)
                let opening = ContinuousClock.now - start
                openings.append(opening)
                try check(directory, acknowledged, "seed \(seed), round \(round)")
                if round % 25 == 24 {
                    #expect(try await directory.unrestricted.check() == [], "seed \(seed), round \(round)")
                }
                written = max(written, acknowledged.lines.count)
                directory.close()
                if PostgreSQLCluster.shared == nil { await onceUnlocked(URL(fileURLWithPath: name)) }
                if !acknowledged.failures.isEmpty { break }
            }
            // One of them may have waited for a busy machine.
            #expect(openings.sorted()[openings.count / 2] < .milliseconds(PostgreSQLCluster.shared == nil ? 100 : 500))
            #expect(written > 100, "the writer hardly wrote anything")
        }
    }

    /// Waits until the lock that this process held is gone.
    private func onceUnlocked(_ file: URL) async {
        _ = try? await onThread { try reopen(file).close() }
    }

    private func check(_ directory: Directory, _ acknowledged: Acknowledged, _ comment: Comment) throws {
        let view = directory.unrestricted
        var stored: [String: User] = [:]
        var names: [UserID: String] = [:]
        var next: Cursor?
        repeat {
            let page = try view.users.search(
                Search(sortedBy: .init("uid"), pageSize: 10_000, from: next.map { .cursor($0) } ?? .page(1)))
            for user in page.elements {
                stored[user.uid] = user
                names[user.id] = user.uid
            }
            next = page.next
        } while next != nil
        var members: [String: Set<String>] = [:]
        for role in try view.roles.search(Search(pageSize: 10_000)).elements {
            members[role.name] = Set(try role.members().map(\.uid))
        }
        var managers: [String: String] = [:]
        for words in acknowledged.lines.map({ $0.split(separator: " ") }) where words[0] == "reports" {
            managers[String(words[1])] = String(words[2])
        }
        var problems: [String] = []
        for uid in acknowledged.created {
            let parts = uid.split(separator: "-")
            let role = "r\(parts[0].dropFirst())-\(parts[1])"
            let mayBeDeleted = (Int(parts[2]) ?? 0) % 3 == 2
            guard let user = stored[uid] else {
                if !mayBeDeleted || !acknowledged.contains("added", uid, role) { problems.append("\(uid) is gone") }
                continue
            }
            if acknowledged.contains("deleted", uid) { problems.append("\(uid) is there again") }
            if acknowledged.contains("modified", uid), user.title != "changed" {
                problems.append("\(uid) lost a change")
            }
            if acknowledged.contains("added", uid, role), members[role]?.contains(uid) != true {
                problems.append("\(uid) lost a role")
            }
            if let manager = managers[uid] {
                if user.managerID.flatMap({ names[$0] }) != manager { problems.append("\(uid) lost the manager") }
            }
        }
        for line in acknowledged.lines where line.hasPrefix("role ") && members[String(line.dropFirst(5))] == nil {
            problems.append("\(line) is gone")
        }
        for user in stored.values {
            let isWhole = (user.title == "changed") == (user["department"] == "changed") && user.mail != nil
            if !isWhole { problems.append("\(user.uid) is there by half") }
        }
        #expect(problems == [], comment)
        let last = try view.changes.lastSequence()
        #expect(
            try view.changes.since(max(0, last - 100)).map(\.sequence) == Array(max(0, last - 100) + 1..<last + 1),
            comment)
    }
}
