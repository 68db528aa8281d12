import Foundation
import RosterSignIn
import Testing
import TestSupport

@Suite("Passwords are stored hashed, and verified in both of their forms")
struct PasswordHashTests {
    static let cheap = PasswordParameters.forTests
    static let password = StoredPasswords.password
    static let made = StoredPasswords.made

    /// Examples that others published, with their passwords.
    static let published = [
        ("Hello world!", "$5$saltstring$5B8vYYiY.CVt1RlTTf8KbXBH3hsxY/GNooZaBBGWEc5"),
        (
            "Hello world!",
            "$6$saltstring$svn8UoSVapNtMuq1ukKS4tPQd8iKwSMHWjl/O817G3uBnIFNjnQJuesI68u4OTLiBFdcbYEdFCoEOfaS35inz1"
        ),
        (
            "Hello world!",
            "$5$rounds=10000$saltstringsaltst$3xv.VbSHBb41AL9AvLeujZkZRBAwqFMz2.opqey6IcA"
        ),
        ("U*U", "$2a$05$CCCCCCCCCCCCCCCCCCCCC.E5YPO9kmyuRGyh0XouQYb4YMJKvyOeW"),
        ("lètmein", "pbkdf2_sha256$12000$seasalt2$hlDLKsxgkgb1aeOppkM5atCYw5rPzAjCNQZ4NYyUROw="),
        (
            "secret",
            "{PBKDF2-SHA512}10000$/oQ4xZi382mk7kvCd3ZdkA$"
                + "2wqjpuyV2l0U/a1QwoQPOtlQL.UcJGNACj1O24balruqQb/NgPW6OCvvrrJP8.SzA3/5iYvLnwWPzeX8IK/bEQ"
        ),
    ]

    @Test("A new hash has the form that is documented and knows its password only")
    func roundTrip() throws {
        let hash = try PasswordHash.make(Self.password, Self.cheap)
        #expect(hash.text.contains(#/^\$scrypt\$ln=4,r=8,p=1\$[A-Za-z0-9+\/]{22}\$[A-Za-z0-9+\/]{43}$/#))
        #expect(try PasswordHash(hash.text) == hash)
        #expect(try hash.verify(Self.password))
        for wrong in ["", "Grüße 12", "Grüße 1234", "grüße 123", "Gruße 123"] {
            #expect(try !hash.verify(wrong))
        }
        #expect(try PasswordHash.make(Self.password, Self.cheap) != hash, "each has a salt of its own")
    }

    @Test("The standard parameters take 32 MiB and are those of OWASP")
    func standard() throws {
        #expect(PasswordParameters.standard == PasswordParameters(logN: 15, r: 8, p: 3))
        #expect(PasswordParameters.standard.memory == 32 * 1_048_576)
        let hash = try PasswordHash.make(Self.password)
        #expect(hash.text.hasPrefix("$scrypt$ln=15,r=8,p=3$"))
        #expect(try hash.verify(Self.password) && !hash.verify("other") && !hash.needsRehash())
    }

    @Test("Parameters that would stall a small server cannot be made")
    func parameters() {
        for (logN, r, p) in [(0, 8, 1), (21, 1, 1), (15, 0, 1), (15, 8, 0), (15, 65, 1), (19, 8, 1), (15, 8, 64)] {
            #expect(PasswordParameters(logN: logN, r: r, p: p) == nil, "\(logN) \(r) \(p)")
        }
        #expect(
            PasswordParameters(logN: 17, r: 8, p: 1) != nil && PasswordParameters(storedLogN: 18, r: 8, p: 2) != nil)
        #expect(PasswordParameters(logN: 18, r: 8, p: 2) == nil, "the directory stores no hash that costs more")
    }

    @Test("Hashes of other directories verify, and are made anew", arguments: made)
    func imported(text: String) throws {
        #expect(PasswordHash.isStorable(text))
        let hash = try PasswordHash(text)
        #expect(hash.text == text)
        #expect(try hash.verify(Self.password))
        for wrong in ["", "Grüße 12", "Grüße 124", "Gruße 123", "Grüße 123\0"] {
            #expect(try !hash.verify(wrong))
        }
        #expect(hash.needsRehash())
    }

    @Test("Published examples verify", arguments: published)
    func examples(password: String, text: String) throws {
        #expect(try PasswordHash(text).verify(password))
        #expect(try !PasswordHash(text).verify(password + "x"))
    }

    @Test("A hash is made anew where it costs less than new ones, and not where it costs as much")
    func rehash() throws {
        let hash = try PasswordHash.make(Self.password, try #require(PasswordParameters(logN: 5, r: 8, p: 2)))
        for (logN, r, p, expected) in [(5, 8, 2, false), (5, 8, 1, false), (4, 8, 2, false), (4, 8, 4, false)] {
            #expect(hash.needsRehash(try #require(PasswordParameters(logN: logN, r: r, p: p))) == expected)
        }
        for (logN, r, p) in [(6, 8, 1), (5, 8, 3), (5, 16, 1), (4, 8, 5)] {
            #expect(hash.needsRehash(try #require(PasswordParameters(logN: logN, r: r, p: p))))
        }
    }

    @Test("A password of 1,024 bytes is taken whole; one byte more is refused before anything is hashed")
    func lengths() throws {
        let longest = String(repeating: "ü", count: 512)
        let hash = try PasswordHash.make(longest, Self.cheap)
        #expect(try hash.verify(longest) && !hash.verify(String(longest.dropLast())))
        let problem = PasswordProblem.tooLong(maximumBytes: 1_024)
        #expect(throws: problem) { try PasswordHash.make(longest + "a", Self.cheap) }
        #expect(throws: PasswordProblem.tooShort(minimumCharacters: 1)) { try PasswordHash.make("", Self.cheap) }
        for text in Self.made {
            #expect(throws: problem) { try PasswordHash(text).verify(longest + "a") }
            #expect(throws: problem) { try PasswordHash(text).verify(String(repeating: "a", count: 1_000_000)) }
            #expect(try !PasswordHash(text).verify(longest))
        }
    }

    @Test("A password with a NUL is wrong and not taken: to HMAC one more at the end is the same password")
    func nul() throws {
        for password in ["a\0b", "secret99\0", "\0"] {
            #expect(throws: PasswordProblem.nul) { try PasswordHash.make(password, Self.cheap) }
            #expect(throws: PasswordProblem.nul) { try PasswordPolicy.check(password + "12345678", name: "ada") }
        }
        #expect(try !PasswordHash.make("secret99", Self.cheap).verify("secret99\0"))
    }

    @Test("bcrypt reads 72 bytes, as where the hash comes from; crypt takes 511 and no more")
    func crypt() throws {
        let bcrypt = try PasswordHash("$2b$04$KBCwKxOzLha2MUDgW0PjXeGsVs.sqS00XPrwbGRaMzHFG3UAzw0Ci")
        for count in [72, 80, 600, 1_024] { #expect(try bcrypt.verify(String(repeating: "a", count: count))) }
        #expect(try !bcrypt.verify(String(repeating: "a", count: 71)))
        #expect(try !bcrypt.verify(String(repeating: "a", count: 80) + "\0"))
        let sha = try PasswordHash(
            "$6$rounds=1000$saltsalt$"
                + "Nfzme5Cwl2qD65yUQS/0dBBwDJ.iiOXGlVvesk/d8egzl1eMBkOr5Gth2iXHYCqaUhfe/eMs9l5LSOaNkEZtt/")
        #expect(try sha.verify(String(repeating: "a", count: 511)))
        for count in [510, 512, 600] { #expect(try !sha.verify(String(repeating: "a", count: count))) }
    }

    @Test("A hash shows neither its salt nor itself in logs")
    func descriptions() throws {
        for text in Self.made {
            let hash = try PasswordHash(text)
            var dumped = ""
            dump(hash, to: &dumped)
            for shown in ["\(hash)", String(reflecting: hash), dumped] {
                #expect(!shown.contains(text.suffix(12)) && shown.contains("PasswordHash("))
            }
        }
    }
}
