import Foundation
import RosterStore
import RosterText
import Roster
import TestSupport

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

extension Scenario {
    /// What is done with backups and with other files, beside the running server.
    static let restores = [
        Scenario("restore elsewhere") { world, numbers in
            try world.withBackup { copy, before in
                let file = world.path("restored-\(UUID()).db")
                defer { world.removeCopy(file) }
                guard try world.expect("restore", { try world.roster("restore", copy, file) }).isSuccess else { return }
                try world.expect("check of a restored file") { try world.roster("check", file) }
                let ended = try world.expect("export of a restored file") {
                    try world.roster("export", "--database", file, "--format", "csv")
                }
                if ended.isSuccess { world.judgeCopy("a restored backup", before, ended.output) }
            }
        },
        Scenario("failed rename of a restore") { world, numbers in
            try world.restoreOntoCopy("a restore whose last rename fails") { file in
                ["STORM_RENAME": "/" + URL(fileURLWithPath: file).lastPathComponent]
            }
        },
        Scenario("restore that fails somewhere") { world, numbers in
            let call = Int.random(in: 1...30, using: &numbers)
            let action = Bool.random(using: &numbers) ? "fail" : "kill"
            try world.restoreOntoCopy("a restore with a \(action) at call \(call)") { _ in
                ["STORM_CALL": "\(call)", "STORM_ACTION": action]
            }
        },
        Scenario("damaged pages") { world, numbers in
            try world.withBackup { copy, _ in
                try world.damage(copy, &numbers)
                let server = try RunningProgram(
                    world.program,
                    [
                        "serve", "--database", copy, "--listen", "127.0.0.1:0", "--admin-password-file",
                        world.path("password"),
                    ],
                    in: world.folder)
                if server.wait(for: "Roster serves ", within: 20) {
                    server.signal(SIGKILL)
                    world.judge.report("the start on a file with damaged pages", expected: "a refusal", found: "ready")
                    return
                }
                let ended = server.end(within: 5)
                if ended.status != 1 || !ended.errors.contains("roster restore") {
                    world.judge.report(
                        "the start on a file with damaged pages",
                        expected: "exit code 1 and the advice 'roster restore'",
                        found: ended.problem)
                }
            }
        },
        Scenario("migrate of an older copy") { world, numbers in
            let file = world.path("older-\(UUID()).db")
            defer { world.removeCopy(file) }
            let version = Int.random(in: 1...15, using: &numbers)
            try makeFile(file, version: version)
            try world.expect("migrate from version \(version)") { try world.roster("migrate", "--database", file) }
            try world.expect("check after a migration from version \(version)") { try world.roster("check", file) }
        },
    ]
}

/// Makes a file as an older version of the program left it.
private func makeFile(_ file: String, version: Int) throws {
    let connection = try Connection(path: file, mode: .init(isWriter: true, mappedBytes: 0))
    try Migrations(steps: Array(Migrations.current.steps.prefix(version))).apply(
        on: connection, path: file, now: Date())
}

extension World {
    /// Makes a backup of the running directory, and gives it with the people who must be in it.
    func withBackup(_ body: (_ copy: String, _ before: Set<String>) throws -> Void) throws {
        let copy = path("copy-\(UUID()).db")
        defer { removeCopy(copy) }
        let before = model.existing()
        let ended = try place.withLock { try expect("backup") { try roster("backup", database, copy) } }
        if ended.isSuccess {
            try body(copy, before)
        } else {
            wait(0.5)
        }
    }

    /// Overwrites three random pages, but not the first.
    func damage(_ file: String, _ numbers: inout SeededNumbers) throws {
        let handle = try FileHandle(forUpdating: URL(fileURLWithPath: file))
        defer { try? handle.close() }
        guard let head = try handle.read(upToCount: 18), head.count == 18 else { throw StormError("no database") }
        let size = UInt64(head[16]) << 8 | UInt64(head[17])
        let pages = try handle.seekToEnd() / max(size, 512)
        for _ in 0..<3 where pages > 2 {
            try handle.seek(toOffset: UInt64.random(in: 1..<pages, using: &numbers) * size)
            try handle.write(contentsOf: Data((0..<size).map { _ in UInt8.random(in: 0...255, using: &numbers) }))
        }
    }

    /// Restores a backup onto a stopped directory whose log is not empty, while something fails: afterwards the file must be the
    /// old directory or the restored one, whole.
    func restoreOntoCopy(_ what: String, failing: (_ file: String) -> [String: String]) throws {
        try withBackup { copy, before in
            let folder = folder.appendingPathComponent("stopped-\(UUID())")
            try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
            defer { try? FileManager.default.removeItem(at: folder) }
            let file = folder.appendingPathComponent("old.db").path
            let server = try ServerProcess(
                program, ["--database", file, "--admin-password-file", path("password")], in: folder, judge)
            // No fault of the step meets this server, whose calls never fail.
            try server.start(environment: [:])
            var names: [String] = []
            for number in 0..<20 {
                let answer = caller.send(
                    "POST", "http://127.0.0.1:\(server.port)\(World.people)", ["uid": .string("old\(number)")],
                    headers: ["Authorization": basic], isJudged: false)
                if answer.isSuccess { names.append("old\(number)") }
            }
            server.stop()
            let ended = try roster(
                "restore", copy, file, "--replace",
                environment: environment.merging(failing(file)) { $1 }.merging(["STORM_FOLDER": folder.path]) { $1 })
            let export = try roster("export", "--database", file, "--format", "csv")
            let words = Self.words(of: export.output)
            let isOld = words.isSuperset(of: names)
            let isNew = words.isSuperset(of: before.intersection(model.existing())) && words.isDisjoint(with: names)
            if !export.isSuccess || !(isOld && !ended.isSuccess || isNew) {
                judge.report(
                    what, expected: "the old directory or the restored one",
                    found: export.isSuccess
                        ? "\(words.intersection(names).count) of \(names.count) old people, after \(ended.problem)"
                        : export.problem)
            }
        }
    }
}
