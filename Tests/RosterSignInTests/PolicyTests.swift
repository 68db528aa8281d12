import Testing

import RosterSignIn

@Suite("New passwords are long enough and none that everybody tries first")
struct PolicyTests {
    static func problem(_ password: String, name: String = "ada", mails: [String] = []) -> PasswordProblem? {
        do {
            try PasswordPolicy.check(password, name: name, mails: mails)
            return nil
        } catch { return error }
    }

    @Test("8 characters are enough, 7 are not, whatever they are; 64 and many more are taken")
    func lengths() {
        #expect(Self.problem("tgbvzuk") == .tooShort(minimumCharacters: 8))
        #expect(Self.problem("") == .tooShort(minimumCharacters: 8))
        for password in ["tgbvzukq", "        x", "üöäßéèñç", "🐎🔋🪝📎🐎🔋🪝📎", String(repeating: "tgbvzukq", count: 128)] {
            #expect(Self.problem(password) == nil, "\(password)")
        }
        #expect(Self.problem("🐎🔋🪝") == .tooShort(minimumCharacters: 8), "characters count, not bytes")
        #expect(Self.problem(String(repeating: "a", count: 1_025)) == .tooLong(maximumBytes: 1_024))
        #expect(Self.problem(String(repeating: "ü", count: 513)) == .tooLong(maximumBytes: 1_024))
    }

    @Test(
        "Common passwords are refused in any case",
        arguments: [
            "password", "PassWord", "12345678", "qwertyuiop", "1q2w3e4r", "iloveyou1", "Passwort1", "Summer2024",
            "TRUSTNO1!",
        ])
    func common(password: String) {
        #expect(Self.problem(password) == .common)
    }

    @Test("The list is as long as ASVS asks for and has only what the policy would let through")
    func list() {
        #expect(CommonPasswords.all.count >= 3_000)
        for password in CommonPasswords.all {
            #expect(password.unicodeScalars.count >= 8 && password == password.lowercased(), "\(password)")
        }
    }

    @Test("The user's name, address, or what stands before the @, is no password")
    func ownName() {
        for password in ["Ada.Lovelace", "ada.lovelace", "countess-ada@example.com", "COUNTESS-ADA"] {
            #expect(
                Self.problem(password, name: "ada.lovelace", mails: ["countess-ada@example.com"]) == .sameAsName,
                "\(password)")
        }
        #expect(Self.problem("ada.lovelace.1815", name: "ada.lovelace") == nil)
    }

    @Test("Every problem says what to do")
    func texts() {
        let problems: [PasswordProblem] = [
            .tooLong(maximumBytes: 1_024), .tooShort(minimumCharacters: 8), .nul, .common, .sameAsName,
        ]
        for problem in problems {
            #expect(!problem.message.isEmpty && problem.description == problem.message + " " + problem.advice)
        }
    }
}
