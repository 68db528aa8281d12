import Foundation
import RosterText
import TestSupport

extension Scenario {
    /// What other programs do with the file of a running server.
    static let fileUses = [
        Scenario("backup") { world, numbers in
            let copy = world.path("copy-\(UUID()).db")
            defer { world.removeCopy(copy) }
            try world.place.withLock {
                _ = try world.expect("backup") { try world.roster("backup", world.database, copy) }
            }
            world.wait(Double.random(in: 0.1...1, using: &numbers))
        },
        Scenario("search") { world, numbers in
            let before = world.model.existing()
            let ended = try world.expect("search") {
                try world.roster(
                    "search", "--database", world.database, "uid pr", "--page-size", "5", "--format", "json")
            }
            if ended.isSuccess, !before.isEmpty, !ended.output.contains("uid") {
                world.judge.report("search", expected: "people", found: ended.output)
            }
            world.wait(Double.random(in: 0.05...0.5, using: &numbers))
        },
        Scenario("export") { world, numbers in
            let before = world.model.existing()
            let ended = try world.expect("export") {
                try world.roster("export", "--database", world.database, "--format", "csv")
            }
            if ended.isSuccess { world.judgeCopy("an export", before, ended.output) }
            world.wait(Double.random(in: 0.1...1, using: &numbers))
        },
        Scenario("check") { world, numbers in
            try world.expect("check") { try world.roster("check", world.database) }
            world.wait(Double.random(in: 0.1...1, using: &numbers))
        },
        Scenario("shell") { world, numbers in
            try world.place.withLock {
                _ = try world.expect("sqlite3") {
                    try world.shell(world.database, "select count(*) from change")
                }
            }
            world.wait(Double.random(in: 0.05...0.5, using: &numbers))
        },
        Scenario("slow reader") { world, numbers in
            let pause = Int.random(in: 1...4, using: &numbers)
            try world.place.withLock {
                let ended = try world.expect("a held snapshot") {
                    try world.shell(
                        world.database,
                        """
                        begin; select count(*) from change;
                        .shell sleep \(pause)
                        select count(*) from change; commit;
                        """)
                }
                let counts = Set(ended.output.split(separator: "\n"))
                if ended.isSuccess, counts.count != 1 {
                    world.judge.report("a held snapshot", expected: "one state", found: ended.output)
                }
            }
        },
    ]
}

extension World {
    /// Runs the shell of SQLite.
    func shell(_ file: String, _ script: String) throws -> Ended {
        let input = path("script-\(UUID()).sql")
        defer { try? FileManager.default.removeItem(atPath: input) }
        try script.write(toFile: input, atomically: false, encoding: .utf8)
        return try RunningProgram(
            systemProgram("sqlite3"), ["-bail", "-cmd", ".timeout 5000", file, ".read \(input)"], in: folder
        ).end()
    }

    /// Removes a copy of the directory with its companions.
    func removeCopy(_ file: String) {
        for end in ["", "-wal", "-shm", "-lock", "-key", "-key.old", "-backup", "-before-migration"] {
            try? FileManager.default.removeItem(atPath: file + end)
        }
    }

    /// The words of a file in CSV or of a dump.
    static func words(of text: String) -> Set<String> {
        Set(text.split { $0.isWhitespace || $0 == "," || $0 == "\"" }.map(String.init))
    }

    /// Whether a copy has everybody who existed before it was begun, and exists after it.
    func judgeCopy(_ what: String, _ before: Set<String>, _ text: String) {
        let words = Self.words(of: text)
        let missing = before.intersection(model.existing()).subtracting(words)
        if !missing.isEmpty {
            judge.report(
                what, expected: "the \(before.count) acknowledged people",
                found: "\(text.utf8.count) bytes, \(missing.count) missing: \(missing.sorted().prefix(3))")
        }
    }
}
