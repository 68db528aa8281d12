import Foundation
import TestSupport

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

extension Scenario {
    /// What apps do that link the library.
    static let apps = [
        Scenario("app with a read-only directory") { world, numbers in
            let seconds = Double.random(in: 0.2...2, using: &numbers)
            try world.place.withLock {
                let begun = ContinuousClock.now
                let app = try RunningProgram(
                    try ownProgram(), [AppProcess.word, "read", world.database, "\(seconds)"], in: world.folder)
                let ended = app.end(within: 60)
                // The library is not that of the program under test, which can have another schema.
                let isOtherVersion = ended.output.contains("schema")
                if !ended.isSuccess, !isOtherVersion, !world.judge.hadFault(since: begun) {
                    world.judge.report("an app that reads", expected: "counts", found: ended.problem)
                }
            }
            world.wait(Double.random(in: 0.05...0.5, using: &numbers))
        },
        Scenario("second opening in one process") { world, numbers in
            let kind = ["none", "again", "reading"].randomElement(using: &numbers) ?? "none"
            let file = world.path("app-\(UUID()).db")
            defer {
                world.removeCopy(file)
                for end in [".go", ".end"] { try? FileManager.default.removeItem(atPath: file + end) }
            }
            let app = try RunningProgram(try ownProgram(), [AppProcess.word, "write", file, kind], in: world.folder)
            guard app.wait(for: "opened") else { throw StormError("the app: \(app.end(within: 1).problem)") }
            _ = try world.shell(file, "select count(*) from sqlite_schema")
            _ = FileManager.default.createFile(atPath: file + ".go", contents: nil)
            guard app.wait(for: "written") else { throw StormError("the app: \(app.end(within: 1).problem)") }
            app.signal(SIGKILL)
            _ = app.end(within: 10)
            let ended = try RunningProgram(
                systemProgram("sqlite3"), [file, "select count(*) from users"], in: world.folder
            ).end()
            let count = ended.output.trimmingCharacters(in: .whitespacesAndNewlines)
            if count != "21" {
                world.judge.report(
                    "a second opening (\(kind)), a look by another program and kill -9", expected: "21 users",
                    found: count.isEmpty ? ended.problem : count)
            }
            world.wait(Double.random(in: 0.1...1, using: &numbers))
        },
    ]
}

/// The path of the storm's own program.
func ownProgram() throws -> String {
    guard let path = Bundle.main.executablePath else { throw StormError("the storm does not find itself") }
    return path
}
