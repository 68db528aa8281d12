import Foundation
import RosterText
import Testing

@testable import Roster
import RosterSignIn

/// A clock that a test sets.
final class TestClock: Sendable {
    private let time = Locked(Duration.seconds(1_000))

    func move(_ seconds: Double) { time.withLock { $0 += .seconds(seconds) } }
    var now: MonotonicTime { { self.time.withLock { $0 } } }
}

@Suite("Whoever guesses passwords is slowed down, and nobody else")
struct ThrottleTests {
    let clock = TestClock()
    let throttle: AttemptThrottle

    init() { throttle = AttemptThrottle(now: clock.now) }

    func fail(_ account: String, _ address: String, times: Int = 1) throws {
        for _ in 0..<times { try throttle.failed(account: account, address: address) }
    }

    @Test("Five failures are free, then delays double from 1 s to 60 s, and one attempt is let through after each")
    func delays() throws {
        for _ in 0..<5 {
            #expect(try throttle.check(account: "ada", address: "10.0.0.1") == .allowed)
            try fail("ada", "10.0.0.1")
        }
        for delay in [1, 2, 4, 8, 16, 32, 60, 60] {
            #expect(try throttle.check(account: "ada", address: "10.0.0.2") == .wait(seconds: delay))
            clock.move(Double(delay) - 0.5)
            #expect(try throttle.check(account: "ada", address: "10.0.0.3") == .wait(seconds: 1))
            clock.move(0.5)
            #expect(try throttle.check(account: "ada", address: "10.0.0.4") == .allowed)
            #expect(try throttle.check(account: "ada", address: "10.0.0.4") == .wait(seconds: delay), "one at a time")
            try fail("ada", "10.0.0.4")
        }
        #expect(try throttle.check(account: "grace", address: "10.0.0.1") == .allowed)
    }

    @Test("The user gets in from a known place while others guess elsewhere, and as often as ever")
    func knownPlace() throws {
        try throttle.succeeded(account: "ada", address: "192.0.2.7")
        for round in 0..<40 {
            try fail("ada", "10.0.0.\(round)")
            #expect(try throttle.check(account: "ada", address: "192.0.2.7") == .allowed)
            try throttle.succeeded(account: "ada", address: "192.0.2.7")
        }
        #expect(
            try throttle.check(account: "ada", address: "10.0.1.1") == .wait(seconds: 60), "that sets nobody else free")
    }

    @Test("Guessing from a known place is slowed down there and nowhere else")
    func knownPlaceGuessing() throws {
        try throttle.succeeded(account: "ada", address: "192.0.2.7")
        try throttle.succeeded(account: "ada", address: "192.0.2.8")
        try fail("ada", "192.0.2.7", times: 6)
        #expect(try throttle.check(account: "ada", address: "192.0.2.7") == .wait(seconds: 2))
        #expect(try throttle.check(account: "ada", address: "192.0.2.8") == .allowed)
        #expect(try throttle.check(account: "ada", address: "192.0.2.9") == .allowed)
    }

    @Test("Success from a new place makes the account free again, and that place known")
    func success() throws {
        try fail("ada", "10.0.0.1", times: 7)
        clock.move(4)
        #expect(try throttle.check(account: "ada", address: "10.0.0.2") == .allowed)
        try throttle.succeeded(account: "ada", address: "10.0.0.2")
        #expect(try throttle.check(account: "ada", address: "10.0.0.3") == .allowed)
        try fail("ada", "10.0.0.3", times: 4)
        #expect(try throttle.check(account: "ada", address: "10.0.0.3") == .allowed)
    }

    @Test("An address has 50 failures a minute for whichever accounts, which its known users do not feel")
    func addressBudget() throws {
        try throttle.succeeded(account: "ada", address: "10.0.0.1")
        for number in 0..<50 {
            #expect(try throttle.check(account: "user\(number)", address: "10.0.0.1") == .allowed)
            try fail("user\(number)", "10.0.0.1")
            clock.move(0.2)
        }
        #expect(try throttle.check(account: "user99", address: "10.0.0.1") == .wait(seconds: 50))
        #expect(try throttle.check(account: "ada", address: "10.0.0.1") == .allowed)
        #expect(try throttle.check(account: "user99", address: "10.0.0.2") == .allowed)
        clock.move(50)
        #expect(try throttle.check(account: "user99", address: "10.0.0.1") == .allowed)
    }

    @Test("After a quarter of an hour without a failure the count begins anew")
    func quiet() throws {
        try fail("ada", "10.0.0.1", times: 12)
        clock.move(899)
        #expect(try throttle.check(account: "ada", address: "10.0.0.2") == .allowed)
        #expect(try throttle.check(account: "ada", address: "10.0.0.2") == .wait(seconds: 60))
        clock.move(1)
        for _ in 0..<4 {
            #expect(try throttle.check(account: "ada", address: "10.0.0.2") == .allowed)
            try fail("ada", "10.0.0.2")
        }
    }

    @Test("A clock that jumps back makes no delay longer, and one that jumps forth ends them")
    func jumps() throws {
        try fail("ada", "10.0.0.1", times: 6)
        clock.move(-900)
        #expect(try throttle.check(account: "ada", address: "10.0.0.1") == .wait(seconds: 2))
        clock.move(2)
        #expect(try throttle.check(account: "ada", address: "10.0.0.1") == .allowed)
        try fail("ada", "10.0.0.1")
        clock.move(1_000_000)
        #expect(try throttle.check(account: "ada", address: "10.0.0.1") == .allowed)
    }

    @Test("What is remembered is bounded, however many names and addresses are tried")
    func bounded() throws {
        var limits = AttemptThrottle.Limits()
        limits.capacity = 100
        let throttle = AttemptThrottle(limits: limits, now: clock.now)
        try throttle.succeeded(account: "ada", address: "192.0.2.7")
        for number in 0..<10_000 {
            try throttle.failed(account: "user\(number)", address: "10.0.\(number / 256).\(number % 256)")
            #expect(throttle.count <= 300)
        }
        for _ in 0..<20 { try throttle.failed(account: "ada", address: "10.9.9.9") }
        #expect(try throttle.check(account: "ada", address: "192.0.2.7") == .allowed, "failures push out no known pair")
        #expect(try throttle.check(account: "ada", address: "10.9.9.8") == .wait(seconds: 60))
    }

    @Test("All addresses of an IPv6 network count as one, IPv4 as itself however it is written")
    func networks() {
        #expect(AttemptThrottle.network(of: "2001:db8:1:2::1") == AttemptThrottle.network(of: "2001:0db8:1:2:ffff::9"))
        #expect(AttemptThrottle.network(of: "2001:db8:1:2::1") != AttemptThrottle.network(of: "2001:db8:1:3::1"))
        #expect(AttemptThrottle.network(of: "fe80::1%eth0") == AttemptThrottle.network(of: "fe80::2"))
        #expect(AttemptThrottle.network(of: "::ffff:10.0.0.1") == "10.0.0.1")
        #expect(AttemptThrottle.network(of: "10.0.0.1") == "10.0.0.1")
        #expect(AttemptThrottle.network(of: "not:an:address") == "not:an:address")
        #expect(AttemptThrottle.network(of: String(repeating: "a:", count: 5_000)).utf8.count <= 512)
    }

    @Test("Many threads may ask at once, and every failure counts")
    func concurrent() throws {
        DispatchQueue.concurrentPerform(iterations: 1_000) { number in
            try? throttle.failed(account: "user\(number % 100)", address: "10.0.0.\(number % 200)")
        }
        for number in 0..<100 {
            #expect(
                try throttle.check(account: "user\(number)", address: "10.1.1.1") == .wait(seconds: 32), "10 failures")
        }
    }
}
