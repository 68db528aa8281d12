import Foundation
import RosterClient
import RosterMobileSDK
import ServiceTestSupport
import Testing

@Suite("One-time passwords of the client")
struct ClientOneTimePasswordTests {
    private let secret = Data("12345678901234567890".utf8)

    @Test("The passwords by counter are those of RFC 4226's table")
    func counters() throws {
        var passwords = try HOTP(secret: secret, counter: 0)
        let made = try (0..<10).map { _ in try passwords.next() }
        #expect(
            made == [
                "755224", "287082", "359152", "969429", "338314", "254676", "287922", "162583", "399871", "520489",
            ])
        #expect(passwords.counter == 10)
    }

    @Test(
        "The passwords by time are those of RFC 6238's table",
        arguments: [
            (59, "94287082", "46119246", "90693936"), (1_111_111_109, "07081804", "68084774", "25091201"),
            (1_111_111_111, "14050471", "67062674", "99943326"), (1_234_567_890, "89005924", "91819424", "93441116"),
            (2_000_000_000, "69279037", "90698825", "38618901"), (20_000_000_000, "65353130", "77737706", "47863826"),
        ] as [(TimeInterval, String, String, String)])
    func times(time: TimeInterval, sha1: String, sha256: String, sha512: String) throws {
        // The secret is as long as the hash, as in the RFC's program.
        let text = String(repeating: "1234567890", count: 7).utf8
        let cases: [(HashAlgorithm?, Int, String)] = [(nil, 20, sha1), (.sha256, 32, sha256), (.sha512, 64, sha512)]
        for (hash, length, expected) in cases {
            let passwords = try TOTP(secret: Data(text.prefix(length)), hash: hash, digits: 8)
            #expect(try passwords.password(at: Date(timeIntervalSince1970: time)).password == expected)
        }
    }

    @Test("A password tells how long it is shown, counted from the base time")
    func expiry() throws {
        let passwords = try TOTP(secret: secret, step: 30, baseTime: 10)
        func seconds(_ time: Double) throws -> Int64 {
            try passwords.password(at: Date(timeIntervalSince1970: time)).expiresIn
        }
        #expect(try [10, 10.9, 39, 39.99, 40, 69].map(seconds) == [30, 30, 1, 1, 30, 1])
        let first = try passwords.password(at: Date(timeIntervalSince1970: 69)).password
        #expect(first == "287082")
        for time in [9.9, -1e30, 1e30, .infinity, -.infinity, .nan] {
            #expect(clientCode { _ = try seconds(time) } == .invalidInput)
        }
        let far = try TOTP(secret: secret, baseTime: .min)
        #expect(clientCode { _ = try far.password() } == .invalidInput)
    }

    @Test("The checksum digit is the one of RFC 4226's program, and shows every mistyped digit")
    func checksum() throws {
        // Luhn from the end of 755224: 8 + 2 + 4 + 5 + 1 + 7 = 27.
        var passwords = try HOTP(secret: secret, counter: 0, hasChecksum: true)
        let password = try passwords.next()
        #expect(password == "7552243")
        #expect(sum(password) % 10 == 0)
        for index in 0..<7 {
            for digit in "0123456789" {
                var mistyped = Array(password)
                mistyped[index] = digit
                #expect((sum(String(mistyped)) % 10 == 0) == (String(mistyped) == password))
            }
        }
    }

    /// The sum of Luhn's test.
    private func sum(_ digits: String) -> Int {
        digits.reversed().compactMap(\.wholeNumberValue).enumerated().reduce(0) { total, digit in
            let value = digit.offset % 2 == 1 ? digit.element * 2 : digit.element
            return total + (value > 9 ? value - 9 : value)
        }
    }

    @Test("Passwords keep their leading zeros, and data can take the place of the counter")
    func details() throws {
        // Counter 1,111,111,109 / 30 begins with a zero.
        var passwords = try HOTP(secret: secret, counter: 37_037_036, digits: 8)
        #expect(try passwords.next() == "07081804")
        #expect(
            try HOTP.password(for: Data([0, 0, 0, 0, 2, 0x35, 0x23, 0xEC]), secret: secret, digits: 8) == "07081804")
        #expect(try HOTP.password(for: Data("challenge".utf8), secret: secret, hasChecksum: true).utf8.count == 7)
    }

    @Test("A counter never comes again")
    func end() throws {
        var passwords = try HOTP(secret: secret, counter: .max - 2, increment: 2)
        _ = try passwords.next()
        #expect(clientCode { _ = try passwords.next() } == .invalidInput)
        #expect(passwords.counter == .max)
        #expect(clientCode { _ = try HOTP(secret: secret, counter: 0, increment: 0) } == .invalidInput)
    }

    @Test("Digits, steps and secrets out of bounds are refused")
    func bounds() {
        for digits in [-1, 0, 5, 9, 10, Int.max] {
            #expect(
                clientCode { _ = try HOTP(secret: secret, counter: 0, digits: digits) } == .invalidInput)
            #expect(clientCode { _ = try TOTP(secret: secret, digits: digits) } == .invalidInput)
        }
        for step in [-1, 0, 86_401, Int64.max] {
            #expect(clientCode { _ = try TOTP(secret: secret, step: step) } == .invalidInput)
        }
        #expect(clientCode { _ = try TOTP(secret: Data()) } == .invalidInput)
    }

    @Test("Neither descriptions nor mirrors show the secret")
    func silence() throws {
        let values: [Any] = [
            try TOTP(secret: Data([211, 212, 213])), try HOTP(secret: Data([211, 212, 213]), counter: 7),
        ]
        var shown = ""
        dump(values, to: &shown)
        for value in values { shown += "\(value) \(String(reflecting: value))" }
        #expect(!shown.contains("212") && shown.contains("7"))
    }
}
