import Foundation

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// A storm: steps in one world after the other, each world until its first finding.
struct Storm {
    private let program: String
    private let isOnServer: Bool
    private let seed: UInt64
    private let fault: String?
    private let folder: URL
    private let library: URL

    /// - Parameter fault: The name of the only fault; nil for all of them.
    init(_ program: String, isOnServer: Bool, seed: UInt64, fault: String?) throws {
        (self.program, self.isOnServer, self.seed, self.fault) = (program, isOnServer, seed, fault)
        folder = FileManager.default.temporaryDirectory.appendingPathComponent("roster-storm-\(getpid())")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        library = folder.appendingPathComponent("faults.so")
        let source = URL(fileURLWithPath: #filePath).deletingLastPathComponent().appendingPathComponent("faults.c")
        let compiler = try (try? systemProgram("cc")) ?? systemProgram("clang")
        let compiled = try RunningProgram(
            compiler, ["-shared", "-fPIC", "-O1", source.path, "-o", library.path, "-ldl"], in: folder
        ).end()
        guard compiled.isSuccess else { throw StormError("the compiler: \(compiled.problem)") }
    }

    /// Runs for this time.
    ///
    /// - Returns: Whether nothing was found.
    func run(seconds: Double) throws -> Bool {
        say("roster-storm: \(isOnServer ? "postgresql" : "file"), seed \(seed), \(Int(seconds)) s, \(program)")
        let end = ContinuousClock.now + .seconds(seconds)
        var failures = 0
        // After a finding the storm goes on in a new world with the next seed number.
        var next = seed
        while ContinuousClock.now < end {
            if try !runWorld(seed: next, until: end) { failures += 1 }
            next += 1
        }
        say(failures == 0 ? "Nothing was found." : "FAILED: \(failures) seed numbers have findings.")
        if failures == 0 { try? FileManager.default.removeItem(at: folder) }
        return failures == 0
    }

    /// Runs steps in a new world until the first finding.
    ///
    /// - Returns: Whether nothing was found.
    private func runWorld(seed: UInt64, until end: ContinuousClock.Instant) throws -> Bool {
        let place = folder.appendingPathComponent("seed-\(seed)")
        let engine: StormEngine = isOnServer ? .postgreSQL(try Pair()) : .file
        let world = try World(program, engine: engine, in: place, library: library)
        do { try world.start(seed: seed) } catch {
            world.judge.report("the start", expected: "a server", found: "\(error)")
        }
        var steps = Steps(engine, seed: seed, fault: fault)
        var step = 0
        var findings = world.judge.takeFindings()
        while findings.isEmpty, ContinuousClock.now < end || step == 0 {
            step += 1
            let begun = ContinuousClock.now
            steps.choose()
            do { try steps.run(in: world) } catch {
                world.judge.report("the step", expected: "answers", found: "\(error)")
            }
            findings = world.judge.takeFindings()
            let time = String(format: "%.1f", (ContinuousClock.now - begun) / .seconds(1))
            say("seed \(seed) step \(step): \(steps.name) (\(time) s) … \(findings.isEmpty ? "ok" : "FAILED")")
        }
        for finding in findings { say("FAILED: \(finding)") }
        world.end(keepsFolder: !findings.isEmpty)
        if !findings.isEmpty { say("The files are in \(place.path).") }
        return findings.isEmpty
    }
}

/// Prints a line at once, also into a file.
func say(_ line: String) {
    print(line)
    fflush(nil)
}
