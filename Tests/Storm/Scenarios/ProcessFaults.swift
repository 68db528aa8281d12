import Foundation
import TestSupport

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

extension Scenario {
    /// Steps without a fault.
    static let quiet = (1...3).map { number in
        Scenario("\(number * 3) s of quiet") { world, _ in world.wait(Double(number) * 3) }
    }

    /// What happens to the server's process.
    static let processFaults = [
        Scenario("kill -9") { world, numbers in
            for _ in 0..<Int.random(in: 1...3, using: &numbers) {
                world.wait(Double.random(in: 0.3...2, using: &numbers))
                let server = world.anyServer(&numbers)
                try world.restart(server)
            }
        },
        Scenario("restart") { world, numbers in
            world.wait(Double.random(in: 0.3...2, using: &numbers))
            try world.restart(world.anyServer(&numbers), by: SIGTERM)
        },
        Scenario("ten seconds of SIGSTOP") { world, numbers in
            let server = world.anyServer(&numbers)
            // Another server goes on: only the stopped one may be late.
            world.judge.fault(at: server.place) {
                server.signal(SIGSTOP)
                world.wait(10)
                server.signal(SIGCONT)
            }
            world.wait(9)
        },
        Scenario("descriptors used up") { world, numbers in
            let server = world.anyServer(&numbers)
            try world.judge.fault(at: server.place) {
                let limit = server.descriptorLimit
                try server.limit("nofile", "\(server.descriptors + Int.random(in: 4...24, using: &numbers))")
                var callers: [RawClient] = []
                for _ in 0..<40 { if let caller = try? RawClient(port: server.port) { callers.append(caller) } }
                world.wait(3)
                withExtendedLifetime(callers) {}
                callers = []
                try server.limit("nofile", limit)
            }
            world.wait(9)
        },
        Scenario("memory limit reached") { world, numbers in
            let server = world.anyServer(&numbers)
            try world.judge.fault(at: server.place) {
                // A program that gets no memory may end, but must lose nothing.
                server.allowEnd()
                try server.limit(
                    "as", "\((server.figure("VmSize") + Int.random(in: 0...20_000, using: &numbers)) * 1024)")
                world.wait(3)
                try? server.limit("as", "unlimited")
                if server.isRunning { server.expectToRun() } else { try world.restart(server) }
            }
            world.wait(9)
        },
        Scenario("clock set back and forward") { world, numbers in
            guard let library = fakeTime() else { throw StormError("Debian's package faketime is needed") }
            let server = world.anyServer(&numbers)
            let file = world.path("clock-\(server.port)")
            func set(_ offset: String) throws { try offset.write(toFile: file, atomically: true, encoding: .utf8) }
            try set("+0")
            defer { world.isClockMoved = false }
            world.isClockMoved = true
            try world.restart(
                server,
                environment: [
                    "LD_PRELOAD": library, "FAKETIME_TIMESTAMP_FILE": file, "FAKETIME_NO_CACHE": "1",
                    "FAKETIME_DONT_FAKE_MONOTONIC": "1",
                ])
            let offsets = ["+2h", "-2h", "+3d", "-1d", "+370d", "-370d", "+0"]
            for _ in 0..<3 {
                try set(offsets.randomElement(using: &numbers) ?? "+0")
                world.wait(2)
            }
            try world.restart(server)
        },
    ]

    private static func fakeTime() -> String? {
        #if arch(arm64)
            let machine = "aarch64"
        #else
            let machine = "x86_64"
        #endif
        let path = "/usr/lib/\(machine)-linux-gnu/faketime/libfaketimeMT.so.1"
        return access(path, R_OK) == 0 ? path : nil
    }
}

extension World {
    func anyServer(_ numbers: inout SeededNumbers) -> ServerProcess {
        servers[Int.random(in: 0..<servers.count, using: &numbers)]
    }
}
