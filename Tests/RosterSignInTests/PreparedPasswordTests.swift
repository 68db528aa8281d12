import Roster
import RosterCrypto
import RosterText
import Testing
import TestSupport

import RosterSignIn

@Suite("Passwords are prepared by RFC 8265")
struct PreparedPasswordTests {
    private static let (composed, decomposed) = ("p\u{E4}ss-Horse-9", "pa\u{308}ss-Horse-9")
    private static let cheap = PasswordHashTests.cheap

    @Test(
        "Letters are composed, and spaces become ASCII; case and width stay",
        arguments: [
            (decomposed, composed), (composed, composed), ("a\u{A0}b\u{3000}c\u{2003}", "a b c "),
            ("\u{212B}", "\u{C5}"),
            ("ＡＢ", "ＡＢ"), ("Ab", "Ab"), ("\u{2126}", "\u{3A9}"), ("ﬀ", "ﬀ"), ("\u{1112}\u{1161}\u{11AB}", "\u{D55C}"),
        ])
    func prepared(sent: String, expected: String) {
        #expect(OpaqueString.prepared(sent).unicodeScalars.elementsEqual(expected.unicodeScalars))
        #expect(OpaqueString.prepared(expected).unicodeScalars.elementsEqual(expected.unicodeScalars))
    }

    @Test("A hash of the prepared form takes both forms; one of another form takes the password as it was sent")
    func forms() throws {
        let new = try PasswordHash.make(Self.decomposed, Self.cheap)
        #expect(try new.match(Self.composed) == .prepared && new.match(Self.decomposed) == .prepared)
        #expect(try new.match("pass-Horse-9") == nil)
        let old = try PasswordHash(PasswordHash.unprepared(Self.decomposed, Self.cheap))
        #expect(try old.match(Self.decomposed) == .asSent)
        #expect(try old.match(Self.composed) == nil)
    }

    @Test("A password of 1,024 prepared bytes is verified in its decomposed form too, and more is refused")
    func lengths() throws {
        let longest = String(repeating: "\u{390}", count: 512)
        let decomposed = String(repeating: "\u{3B9}\u{308}\u{301}", count: 512)
        #expect(decomposed.utf8.count == 3_072)
        let hash = try PasswordHash.make(longest, Self.cheap)
        #expect(try hash.match(decomposed) == .prepared)
        #expect(throws: PasswordProblem.tooLong(maximumBytes: 1_024)) { try hash.match(decomposed + "a") }
        #expect(PolicyTests.problem(decomposed + "a") == .tooLong(maximumBytes: 1_024))
        // Some letters have no composed form, so that the prepared password is longer.
        let excluded = String(repeating: "\u{1D160}", count: 256)
        #expect(PolicyTests.problem(excluded) == .tooLong(maximumBytes: 1_024))
        #expect(try hash.match(excluded) == nil, "a hash of an older version can be of such a password")
        #expect(PolicyTests.problem("u\u{308}o\u{308}a\u{308}") == .tooShort(minimumCharacters: 8))
    }

    @Test(
        "A new password has no character that the FreeformClass forbids",
        arguments: [
            ("tab\thorse", .control), ("line\nhorse", .control), ("delete\u{7F}horse", .control),
            ("c1 \u{85} horse", .control),
            ("line \u{2028} horse", .control), ("unassigned \u{378}", .unassigned), ("nonchar \u{FFFF}", .unassigned),
            ("private \u{E000}", .privateUse), ("soft\u{AD}hyphen", .invisible), ("heart \u{2764}\u{FE0F}", .invisible),
            ("zero\u{200B}width", .invisible), ("mark \u{202E}horse", .invisible), ("\u{FEFF}bom horse", .invisible),
            ("filler \u{3164} horse", .invisible), ("tag \u{E0061} horse", .invisible),
            ("jamo \u{1100} horse", .oldLetter),
            ("tatweel \u{640} horse", .oldLetter), ("joiner a\u{200D}b", .outOfPlace),
            ("nonjoiner a\u{200C}b", .outOfPlace),
            ("dot a\u{B7}b", .outOfPlace), ("keraia \u{375}a horse", .outOfPlace),
            ("geresh a\u{5F3} horse", .outOfPlace),
            ("katakana dot \u{30FB}", .outOfPlace), ("digits \u{661}\u{6F1} horse", .outOfPlace),
        ] as [(String, OpaqueString.Problem)])
    func forbidden(password: String, problem: OpaqueString.Problem) throws {
        #expect(PolicyTests.problem(password) == .forbidden(problem))
        let message = PasswordProblem.forbidden(problem).description
        #expect(message.contains(problem.rawValue) && !message.contains(password))
        #expect(
            try PasswordHash.make(password, Self.cheap).verify(password),
            "an older password with it signs in all the same")
    }

    @Test(
        "Everything else is taken",
        arguments: [
            "correct horse", "pässwörter", "пароль-лошадь", "密码是马电池马电池", "パスワード・馬です", "비밀번호입니다말", "كلمةالسر١٢٣",
            "می\u{200C}خواهم اسب", "क्\u{200D}ष घोड़ा है", "col·legi col·legi", "α\u{375}β horse α\u{375}β",
            "א\u{5F3} horse horse",
            "ＦＵＬＬＷＩＤＴＨ", "ﬁﬁﬁﬁﬁﬁﬁﬁ", "\u{1F40E}\u{1F50B}\u{1FA9D}\u{1F4CE}\u{1F40E}\u{1F50B}\u{1FA9D}\u{1F4CE}",
            "no\u{A0}break space",
            "½¼¾²³€£¥", "~`!@#$%^&*()",
        ])
    func allowed(password: String) {
        #expect(PolicyTests.problem(password) == nil)
    }

    @Test("An old hash of an unprepared password signs in, is renewed once, and takes both forms afterwards")
    func renewed() async throws {
        let directory = try emptyDirectory()
        let hash = try PasswordHash.unprepared(Self.decomposed, .forTests)
        try await directory.unrestricted.users.create("ada", attributes: ["password": .string(hash)])
        let signIn = try SignIn(directory, issuer: "https://id.example.com", passwordCost: .forTests)
        func person(_ password: String) async -> Bool {
            (try? await signIn.person(named: "ada", password: password)) != nil
        }
        #expect(await !person(Self.composed), "nobody can tell that this is the same password")
        #expect(await person(Self.decomposed))
        let renewed = try #require(try directory.accounts.account(named: "ada")?.passwordHash)
        #expect(renewed != hash)
        #expect(await person(Self.composed))
        #expect(await person(Self.decomposed))
        #expect(try directory.accounts.account(named: "ada")?.passwordHash == renewed)
    }
}

extension PasswordHash {
    /// A hash of the bytes of a password as they were sent, which is what older versions made.
    static func unprepared(_ password: String, _ parameters: PasswordParameters) throws -> String {
        let (salt, bytes) = ([UInt8](repeating: 7, count: 16), Array(password.utf8))
        let key = try bytes.withUnsafeBytes {
            try Scrypt.key(
                password: $0, salt: salt, logN: parameters.logN, r: parameters.r, p: parameters.p, length: 32)
        }
        let costs = "ln=\(parameters.logN),r=\(parameters.r),p=\(parameters.p)"
        return "$scrypt$\(costs)$\(Base64.text(salt, isPadded: false))$\(Base64.text(key, isPadded: false))"
    }
}
