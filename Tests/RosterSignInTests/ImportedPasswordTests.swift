import Foundation
import Roster
import RosterText
import TestSupport
import Testing

@testable import RosterSignIn

@Suite("Imported passwords")
struct ImportedPasswordTests {
    private static let document = """
        dn: uid=ada,dc=example,dc=com
        objectClass: inetOrgPerson
        uid: ada
        sn: Lovelace
        userPassword: {SSHA}HASH1

        dn: uid=bob,dc=example,dc=com
        objectClass: inetOrgPerson
        uid: bob
        userPassword: {ARGON2}$argon2id$v=19$m=19456,t=2,p=2$c29tZXNhbHRzb21lc2FsdA$95cJ3H9tHPc45d9jXMA8pp1Vnhm/cIGM6WbjArv6ua8

        dn: uid=cyd,dc=example,dc=com
        objectClass: inetOrgPerson
        uid: cyd
        userPassword: {NEW}abc

        dn: uid=dan,dc=example,dc=com
        objectClass: inetOrgPerson
        uid: dan
        userPassword: $2b$16$abcdefghijklmnopqrstuuSDp8vF6tFvJqfUVvJ4ZbVtU8bZ0Zb8W
        """

    private func load(_ directory: Directory, withPasswords: Bool) throws -> ImportReport {
        var options = ImportOptions(format: .ldif)
        if withPasswords { options.takePasswords() }
        let text = Self.document.replacing("HASH1", with: Self.saltedHash)
        return try directory.unrestricted.importPeople(from: Data(text.utf8), named: "x.ldif", options: options)
    }

    /// `{SSHA}` of "password" with the salt "saltsalt", made by `printf 'passwordsaltsalt' | openssl sha1 -binary` and base64.
    private static let saltedHash = "yrht1iYXEIkejLVu42JWkadd80RzYWx0c2FsdA=="

    @Test("Hashes of known schemes come in, others are named, and the password goes on working")
    func passwords() throws {
        let directory = try Directory.inMemory()
        let report = try load(directory, withPasswords: true)
        #expect(report.users.created == 4 && report.notGranted.isEmpty)
        #expect(report.problems.map(\.uid) == ["cyd", "dan"] && report.problems.allSatisfy { !$0.isRowLeftOut })
        #expect(report.problems.first?.message.contains("unknown") == true)
        #expect(report.problems.last?.message.contains("costly") == true)
        for name in ["ada", "bob"] {
            let hash = try #require(try directory.accounts.account(named: name)?.passwordHash)
            #expect(try PasswordHash(hash).verify("password") && !PasswordHash(hash).verify("Password"))
        }
    }

    @Test("Hashes of Argon2 and of 389 Directory Server are verified", arguments: foreign)
    func foreignSchemes(hash: String) throws {
        #expect(try PasswordHash(hash).verify("password") && !PasswordHash(hash).verify("passwort"))
        #expect(try PasswordHash(hash).needsRehash())
        #expect(try #require(PasswordCost(hash)).steps > 0)
    }

    /// Made with libargon2's own `argon2…_hash_encoded`, and with Python's `hashlib.pbkdf2_hmac`.
    private static let foreign = [
        "$argon2i$v=19$m=4096,t=3,p=1$c29tZXNhbHRzb21lc2FsdA$iDoHsJkczCNRjwISH0IL7Bxa65e7yZ8nY0yRqC+7Odw",
        "{ARGON2}$argon2d$v=19$m=8192,t=1,p=4$c29tZXNhbHRzb21lc2FsdA$xurUYtYNH4yHPvQbkVIOYpf6DU9dH1Sj6JBddf7C2YQ",
        "$argon2id$v=19$m=19456,t=2,p=2$c29tZXNhbHRzb21lc2FsdA$95cJ3H9tHPc45d9jXMA8pp1Vnhm/cIGM6WbjArv6ua8",
        "{PBKDF2_SHA256}AAB1MAABAgMEBQYHCAkKCwwNDg8QERITFBUWFxgZGhscHR4fICEiIyQlJicoKSorLC0uLzAxMjM0NTY3ODk6Ozw9Pj+1uzYGfrXREAf6gYbhh2cCFSfVGHmmrj3XSsRsuu0eWhKtSGBgCPeS/vyPxSuMaJTmRDQVe3RUkWuK8vyqHhQABSCgYbQUo/qWz/T4KTnymUjtaXhvf8cX4WezsNj1tBsmbZcNXTvzAlmd2QJT86FSqB/F1Qggo9OoiypiJHaJIj1X1lldHsfGZ7ra9wuBipH/vgtqLyT0XjYEpvX1jVRW9OL4XAa5dsIwCnQHxaRMNF1YqSlPUljsiYGqzJEUMmfIxvXP2So897vnR2YwcfLuwOMUPUKMmZAP2xfJ0fD1zpxrvE7yHhtnMFZS6Uu6Lf3ASW7cgCxJygccKE95sf2a",
    ]

    @Test("Without being asked for, no password comes in, and the report says so")
    func without() throws {
        let directory = try Directory.inMemory()
        let report = try load(directory, withPasswords: false)
        #expect(report.notGranted.map(\.name) == ["userPassword"] && report.notGranted.first?.count == 4)
        #expect(!report.isComplete)
    }
}
