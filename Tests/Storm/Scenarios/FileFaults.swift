import Foundation
import TestSupport

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

extension Scenario {
    /// What happens to the file of a running server, to its disk, its log and its certificates.
    static let fileFaults = [
        Scenario("disk full and free again") { world, numbers in
            try world.judge.fault {
                try world.setFull(true)
                world.wait(Double.random(in: 1...5, using: &numbers))
                try world.setFull(false)
            }
            world.wait(9)
        },
        Scenario("disk full and kill -9") { world, numbers in
            try world.judge.fault {
                try world.setFull(true)
                world.wait(Double.random(in: 0.5...2, using: &numbers))
                world.servers[0].stop()
                try world.setFull(false)
            }
            try world.restart(world.servers[0])
        },
        Scenario("file moved and moved back") { world, numbers in
            try world.place.withLock {
                try world.judge.fault {
                    let moved = world.path("moved.db")
                    guard rename(world.database, moved) == 0 else { throw StormError("the file cannot be moved") }
                    world.wait(Double.random(in: 1...4, using: &numbers))
                    guard rename(moved, world.database) == 0 else { throw StormError("the file cannot be moved back") }
                }
            }
            world.wait(9)
        },
        Scenario("log rotation") { world, numbers in
            let log = world.servers[0].log.path
            for _ in 0..<3 {
                // As logrotate does with `copytruncate`.
                _ = try RunningProgram(systemProgram("cp"), [log, log + ".1"], in: world.folder).end()
                truncate(log, 0)
                world.wait(Double.random(in: 0.2...1, using: &numbers))
            }
        },
        Scenario("SIGHUP with new certificates") { world, numbers in
            try Certificates.makeServer(days: 10, in: world.folder)
            let server = world.servers[0]
            try world.restart(
                server, options: ["--certificate", world.path("server.pem"), "--key", world.path("server.key")])
            for days in [20, 30] {
                world.wait(Double.random(in: 0.5...1.5, using: &numbers))
                try Certificates.makeServer(days: days, in: world.folder)
                server.signal(SIGHUP)
                let name = "roster_tls_certificate_expires_seconds"
                var left = 0.0
                for _ in 0..<40 where left < Double(days - 1) * 86_400 {
                    usleep(100_000)
                    let text = world.caller.send("GET", world.url() + "/metrics").text
                    let lines = text.split(separator: "\n").filter { $0.hasPrefix(name) && $0.contains("place=\"0\"") }
                    left = lines.compactMap { $0.split(separator: " ").last.flatMap { Double($0) } }.max() ?? 0
                }
                if left < Double(days - 1) * 86_400 {
                    world.judge.report(
                        "the certificate after SIGHUP", expected: "\(days) days", found: "\(left / 86_400) days")
                }
            }
            try world.restart(server)
        },
    ]
}
