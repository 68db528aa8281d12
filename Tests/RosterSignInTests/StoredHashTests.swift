import Foundation
import RosterCrypto
import Testing
import TestSupport

@testable import RosterSignIn

@Suite("What is no complete, safe and bounded hash is not stored")
struct StoredHashTests {
    static let sha = String(repeating: "a", count: 43)
    static let bcrypt = String(repeating: "a", count: 53)
    static let key32 = "MTIzNDU2Nzg5MDEyMzQ1Njc4OTAxMjM0NTY3ODkwMTI"

    static let refused: [(String, StoredHashProblem)] = [
        ("", .clearText), ("secret", .clearText), ("{CLEAR}secret", .clearText), ("{plain}secret", .clearText),
        ("{CLEARTEXT}secret", .clearText), ("{secret", .clearText), ("{CRYPT}secret", .clearText),
        ("{hunter2}secret", .unknownScheme), ("$secret", .unknownScheme), ("$", .unknownScheme), ("{}", .unknownScheme),
        ("{MD5}CY9rzUYh03PK3k6DJie09g==", .weakScheme("MD5")), ("{SMD5}CY9r", .weakScheme("salted MD5")),
        ("{CRYPT}rl0uE5hVZ8qLo", .weakScheme("DES crypt")), ("rl0uE5hVZ8qLo", .clearText),
        ("{CRYPT}_J9..CCCCXBrJUJV154M", .weakScheme("DES crypt")),
        ("$3$$8846f7eaee8fb117ad06bdd830b7586c", .unknownScheme),
        ("{CRYPT}{SHA}Ly+aFvCdJNASPubm+/koFUqDaRY=", .clearText), ("{SSHA}", .malformed("SSHA")),
        ("{SSHA}Ly+aFvCdJNASPubm+/koFUqDaRY=", .malformed("SSHA")),
        ("{SHA}uSPzT5HbG5OyZjqqbhrJXotP8grw8fLz9PX29w==", .malformed("SHA")),
        ("$scrypt$ln=21,r=8,p=1$8PHy8/T19vf4+fr7/P3+/w$\(key32)", .outOfBounds("scrypt")),
        ("$scrypt$ln=20,r=8,p=1$8PHy8/T19vf4+fr7/P3+/w$\(key32)", .outOfBounds("scrypt")),
        ("$scrypt$ln=0,r=8,p=1$8PHy8/T19vf4+fr7/P3+/w$\(key32)", .outOfBounds("scrypt")),
        ("$scrypt$ln=15,r=8,p=9999999999$8PHy8/T19vf4+fr7/P3+/w$\(key32)", .outOfBounds("scrypt")),
        ("$scrypt$ln=015,r=8,p=1$8PHy8/T19vf4+fr7/P3+/w$\(key32)", .malformed("scrypt")),
        ("$scrypt$r=8,ln=15,p=1$8PHy8/T19vf4+fr7/P3+/w$\(key32)", .malformed("scrypt")),
        ("$scrypt$ln=15,r=8,p=1$8PHy$\(key32)", .malformed("scrypt")),
        ("$scrypt$ln=15,r=8,p=1$8PHy8/T19vf4+fr7/P3+/w$", .malformed("scrypt")),
        ("$scrypt$ln=15,r=8,p=1$8PHy8/T19vf4+fr7/P3+/w$\(key32)$", .malformed("scrypt")),
        ("pbkdf2_sha256$10000001$salt$\(key32)=", .outOfBounds("pbkdf2-sha256")),
        ("pbkdf2_sha256$0$salt$\(key32)=", .outOfBounds("pbkdf2-sha256")),
        ("pbkdf2_sha256$-1$salt$\(key32)=", .malformed("pbkdf2-sha256")),
        ("pbkdf2_sha256$99999999999$salt$\(key32)=", .malformed("pbkdf2-sha256")),
        ("pbkdf2_sha256$1000$salt$\(key32)", .malformed("pbkdf2-sha256")),
        ("pbkdf2_sha256$1000$$\(key32)=", .malformed("pbkdf2-sha256")),
        ("pbkdf2_md5$1000$salt$\(key32)=", .unknownScheme),
        ("{PBKDF2-SHA256}10000001$8PHy$\(key32)", .outOfBounds("pbkdf2-sha256")),
        ("{PBKDF2-SHA512}10000$8PHy$\(key32)", .malformed("pbkdf2-sha512")),
        ("$2b$17$\(bcrypt)", .outOfBounds("bcrypt")), ("$2b$03$\(bcrypt)", .outOfBounds("bcrypt")),
        ("$2b$31$\(bcrypt)", .outOfBounds("bcrypt")), ("$2b$5$\(bcrypt)", .malformed("bcrypt")),
        ("$2b$05$\(bcrypt)a", .malformed("bcrypt")), ("$2b$05$", .malformed("bcrypt")),
        ("$2x$05$\(bcrypt)", .unknownScheme), ("$2$05$\(bcrypt)", .unknownScheme),
        ("$5$rounds=5000001$salt$\(sha)", .outOfBounds("sha256-crypt")),
        ("$5$rounds=999$salt$\(sha)", .outOfBounds("sha256-crypt")),
        ("$5$rounds=999999999999$salt$\(sha)", .malformed("sha256-crypt")),
        ("$5$rounds=05000$salt$\(sha)", .malformed("sha256-crypt")),
        ("$5$salt$\(sha)a", .malformed("sha256-crypt")), ("$6$salt$\(sha)", .malformed("sha512-crypt")),
        ("$5$salt:salt$\(sha)", .malformed("sha256-crypt")), ("$1$salt$\(sha)", .malformed("md5-crypt")),
        ("$y$jGT$salt$\(sha)", .outOfBounds("yescrypt")), ("$y$jz5$salt$\(sha)", .malformed("yescrypt")),
        ("$y$j9T$salt$", .malformed("yescrypt")), ("$y$.75$salt$\(sha)", .malformed("yescrypt")),
        ("$7$JU..../....salt$\(sha)", .outOfBounds("crypt-scrypt")),
        ("$7$BU....zzzzzsalt$\(sha)", .outOfBounds("crypt-scrypt")), ("$7$BU..$\(sha)", .malformed("crypt-scrypt")),
        ("$5$salt$\(sha)\n", .unknownScheme), (" $5$salt$\(sha)", .unknownScheme), ("$5$salt\0$\(sha)", .unknownScheme),
        ("{SSHA}" + String(repeating: "A", count: 600), .unknownScheme), ("$5$sält$\(sha)", .unknownScheme),
    ]

    @Test(
        "Clear text, unknown and weak schemes, halves and stallers are refused, each for its reason", arguments: refused
    )
    func refuses(text: String, problem: StoredHashProblem) {
        #expect(throws: problem) { try PasswordHash(text) }
        #expect(!PasswordHash.isStorable(text))
    }

    @Test("The limits themselves are taken")
    func limits() {
        for text in [
            "pbkdf2_sha256$10000000$salt$\(Self.key32)=", "$2b$16$\(Self.bcrypt)", "$2y$04$\(Self.bcrypt)",
            "$5$rounds=5000000$salt$\(Self.sha)", "$5$rounds=1000$s$\(Self.sha)", "$y$jDT$salt$\(Self.sha)",
            "$scrypt$ln=18,r=8,p=2$8PHy8/T19vf4+fr7/P3+/w$\(Self.key32)",
            "$7$G6..../....salt$\(Self.sha)",
        ] { #expect(PasswordHash.isStorable(text), "\(text)") }
    }

    @Test("Argon2 is known by name and refused where no library has it")
    func argon2() throws {
        let rest = "v=19$m=19456,t=2,p=1$8PHy8/T19vf4+fr7/P3+/w$\(Self.key32)"
        for kind in Argon2.Kind.allCases {
            let (name, isThere) = (kind.rawValue, Argon2.isAvailable(kind))
            for text in ["$\(name)$\(rest)", "{ARGON2}$\(name)$\(rest)"] {
                #expect(PasswordHash.isStorable(text) == isThere)
                if !isThere { #expect(throws: StoredHashProblem.unsupported(name)) { try PasswordHash(text) } }
            }
        }
        #expect(throws: StoredHashProblem.unknownScheme) { try PasswordHash("$argon2x$\(rest)") }
    }

    @Test("The costs of Argon2 are bounded, whether a library has it or not")
    func argon2Bounds() throws {
        func read(_ version: String, _ costs: String) throws(StoredHashProblem) -> Argon2Setting {
            try Argon2Setting(.argon2id, [version[...], costs[...], "8PHy8/T19vf4+fr7/P3+/w", Self.key32[...]])
        }
        #expect(try read("v=19", "m=19456,t=2,p=1").memory == 19_456)
        for costs in [
            "m=262145,t=1,p=1", "m=7,t=1,p=1", "m=15,t=1,p=2", "m=19456,t=0,p=1", "m=19456,t=17,p=1",
            "m=262144,t=5,p=1",
        ] {
            #expect(throws: StoredHashProblem.outOfBounds("argon2id")) { try read("v=19", costs) }
        }
        for (version, costs) in [("v=16", "m=19456,t=2,p=1"), ("v=19", "m=19456,t=2"), ("v=19", "t=2,m=19456,p=1")] {
            #expect(throws: StoredHashProblem.malformed("argon2id")) { try read(version, costs) }
        }
    }

    @Test("Problems say what to do and never what was read")
    func problems() {
        for (text, problem) in Self.refused {
            #expect(!problem.message.isEmpty && !problem.advice.isEmpty)
            #expect(!problem.description.contains("hunter2") && (text.isEmpty || !problem.description.contains(text)))
        }
    }

    @Test("No change of a stored hash makes it take another password, or anything crash")
    func mutations() throws {
        let seed = randomSeed()
        var random = SeededNumbers(seed: seed)
        let alphabet = Array("./0129AZaz$={},+-_:;* \0\n\u{7F}é".unicodeScalars)
        // Those whose cost a change of one character cannot raise far.
        let texts = PasswordHashTests.made.filter {
            $0.hasPrefix("{S") || $0.hasPrefix("$1$") || $0.hasPrefix("$scrypt")
        }
        for round in 0..<3_000 {
            guard let text = (round % 3 == 0 ? PasswordHashTests.made : texts).randomElement(using: &random) else {
                return
            }
            var scalars = Array(text.unicodeScalars)
            for _ in 0..<Int.random(in: 1...3, using: &random) {
                let index = Int.random(in: 0..<scalars.count, using: &random)
                switch Int.random(in: 0..<4, using: &random) {
                case 0: scalars[index] = alphabet.randomElement(using: &random) ?? "a"
                case 1: scalars.insert(alphabet.randomElement(using: &random) ?? "a", at: index)
                case 2 where scalars.count > 1: scalars.remove(at: index)
                default: scalars.removeSubrange(max(index, 1)...)
                }
            }
            var changed = String.UnicodeScalarView()
            changed.append(contentsOf: scalars)
            guard let hash = try? PasswordHash(String(changed)) else { continue }
            #expect(hash.text == String(changed), "seed \(seed)")
            // Verifying may be costly; parsing is what is tried on the others.
            guard texts.contains(text), case .digest = hash.scheme else { continue }
            #expect(try !hash.verify("some other password"), "seed \(seed): \(hash.text)")
            // Only its own form, perhaps with the scheme in other letters, is taken for the password.
            if try hash.verify(PasswordHashTests.password) {
                let bare = [hash.text, text].map { $0.replacing("=", with: "").suffix(24) }
                #expect(bare[0] == bare[1], "seed \(seed): \(hash.text)")
            }
        }
    }
}
