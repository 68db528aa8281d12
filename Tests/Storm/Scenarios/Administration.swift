import Foundation
import RosterText
import TestSupport

extension Scenario {
    /// What administrators do with a running server.
    static let administration = [
        Scenario("import --server") { world, numbers in
            guard world.isPlain else { return world.wait(0.2) }
            let round = UInt64.random(in: 0..<UInt64.max, using: &numbers)
            let people = (0..<Int.random(in: 1...200, using: &numbers)).map { "i\(round)-\($0)" }
            let file = world.path("people-\(round).csv")
            defer { try? FileManager.default.removeItem(atPath: file) }
            let lines = ["uid,title"] + people.map { "\($0),t\($0)" }
            try (lines.joined(separator: "\n") + "\n").write(toFile: file, atomically: false, encoding: .utf8)
            for name in people { world.model.begin(name, Person(title: "t\(name)")) }
            let ended = try world.expect("import --server") {
                try world.roster("import", "--server", world.url(), "--token-file", world.tokenFile, file)
            }
            if ended.isSuccess { for name in people { world.model.end(name, wasMade: true) } }
            // The people go again, so that the directory does not grow.
            for name in people where world.model.settled(name) != .some(nil) && ended.isSuccess {
                world.model.begin(name, nil)
                let answer = world.caller.send("DELETE", "\(world.url())\(World.people)/\(name)")
                if answer.isSuccess || answer.isRefusal { world.model.end(name, wasMade: answer.isSuccess) }
                if answer.isRefusal {
                    world.judge.report("the deletion of \(name)", expected: "success", found: answer.text)
                }
                if world.isStepOver { break }
            }
        },
        Scenario("key rotate") { world, numbers in
            let answer = world.caller.send("POST", world.url() + "/admin/keys")
            if answer.isRefusal { world.judge.report("a new key", expected: "success", found: answer.text) }
            if world.engine.pair == nil {
                let begun = ContinuousClock.now
                // The command changes the file, and must be refused while a server has the file.
                let ended = try world.place.withLock {
                    try world.ownership.withLock { try world.roster("key", "rotate", "--database", world.database) }
                }
                if ended.isSuccess, !world.judge.hadFault(since: begun) {
                    world.judge.report("'key rotate' beside a server", expected: "a refusal", found: "success")
                }
            }
            world.wait(Double.random(in: 0.5...2, using: &numbers))
        },
        Scenario("retention") { world, numbers in
            guard world.isPlain else { return world.wait(0.2) }
            let days = Int.random(in: 1...180, using: &numbers)
            try world.expect("retention") {
                try world.roster(
                    "retention", "--server", world.url(), "--token-file", world.tokenFile, "--sign-ins", "\(days)",
                    "--apply")
            }
            world.wait(Double.random(in: 0.2...1, using: &numbers))
        },
        Scenario("export --server") { world, numbers in
            guard world.isPlain else { return world.wait(0.2) }
            let before = world.model.existing()
            let ended = try world.expect("export --server") {
                try world.roster(
                    "export", "--server", world.url(), "--token-file", world.tokenFile, "--format", "csv")
            }
            if ended.isSuccess { world.judgeCopy("an export by the server", before, ended.output) }
            world.wait(Double.random(in: 0.2...1, using: &numbers))
        },
        Scenario("signing in with a password") { world, numbers in
            let answer = world.caller.send(
                "GET", world.anyURL(&numbers) + "/scim/v2/Me", headers: ["Authorization": world.basic], isJudged: true)
            if answer.isRefusal {
                world.judge.report("the administrator's sign-in", expected: "success", found: answer.text)
            }
            world.wait(Double.random(in: 0.2...1, using: &numbers))
        },
    ]
}
