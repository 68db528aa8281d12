import Foundation
import Testing

import RosterSignIn
import RosterText

@Suite("What was verified is remembered for a minute, and for the same name, password and hash only")
struct CredentialCacheTests {
    let clock = TestClock()
    let hash: PasswordHash
    let other: PasswordHash

    init() throws {
        hash = try PasswordHash.make("secret99", PasswordHashTests.cheap)
        other = try PasswordHash.make("secret99", PasswordHashTests.cheap)
    }

    @Test("Only the same name, password and hash are found")
    func hits() throws {
        let cache = try CredentialCache(now: clock.now)
        #expect(!cache.contains(name: "ada", password: "secret99", hash: hash.text))
        cache.insert(name: "ada", password: "secret99", hash: hash.text)
        #expect(cache.contains(name: "ada", password: "secret99", hash: hash.text))
        #expect(!cache.contains(name: "ada", password: "secret99", hash: other.text), "a changed hash misses")
        #expect(!cache.contains(name: "ada", password: "secret98", hash: hash.text))
        #expect(
            !cache.contains(name: "adas", password: "ecret99", hash: hash.text),
            "what is joined differs from what is not")
        #expect(!cache.contains(name: "", password: "adasecret99", hash: hash.text))
        cache.removeAll()
        #expect(!cache.contains(name: "ada", password: "secret99", hash: hash.text))
    }

    @Test("An entry lives for 60 s after it was verified, however often it is used and wherever the clock jumps")
    func expiry() throws {
        let cache = try CredentialCache(now: clock.now)
        cache.insert(name: "ada", password: "secret99", hash: hash.text)
        clock.move(30)
        #expect(cache.contains(name: "ada", password: "secret99", hash: hash.text))
        clock.move(-1_000)
        #expect(cache.contains(name: "ada", password: "secret99", hash: hash.text))
        clock.move(29.5)
        #expect(cache.contains(name: "ada", password: "secret99", hash: hash.text))
        clock.move(0.5)
        #expect(!cache.contains(name: "ada", password: "secret99", hash: hash.text))
        #expect(cache.count == 0, "what has expired and was asked for is gone")
        cache.insert(name: "ada", password: "secret99", hash: hash.text)
        #expect(cache.contains(name: "ada", password: "secret99", hash: hash.text))
    }

    @Test("The cache is bounded, and what is used stays")
    func bounded() throws {
        let cache = try CredentialCache(capacity: 100, now: clock.now)
        cache.insert(name: "ada", password: "secret99", hash: hash.text)
        for number in 0..<1_000 {
            cache.insert(name: "user\(number)", password: "secret99", hash: hash.text)
            #expect(cache.count <= 100)
            #expect(cache.contains(name: "ada", password: "secret99", hash: hash.text))
        }
        #expect(cache.contains(name: "user999", password: "secret99", hash: hash.text))
        #expect(!cache.contains(name: "user0", password: "secret99", hash: hash.text))
    }

    @Test("Many threads may ask at once")
    func concurrent() throws {
        let cache = try CredentialCache(now: clock.now)
        DispatchQueue.concurrentPerform(iterations: 2_000) { number in
            cache.insert(name: "user\(number % 50)", password: "secret99", hash: hash.text)
            #expect(cache.contains(name: "user\(number % 50)", password: "secret99", hash: hash.text))
        }
        #expect(cache.count == 50)
    }

    @Test("A bounded map forgets what was not touched for longest")
    func map() {
        var map = GenerationalMap<Int, String>(capacity: 4)
        for key in 0..<4 { map.set("\(key)", for: key) }
        #expect(map.count <= 4 && map.value(3) == "3")
        map.set("three", for: 3)
        #expect(map.value(3) == "three")
        map.remove(3)
        #expect(map.value(3) == nil)
        for key in 0..<100 { map.set("\(key)", for: key) }
        #expect(map.count <= 4 && map.value(0) == nil)
    }
}
