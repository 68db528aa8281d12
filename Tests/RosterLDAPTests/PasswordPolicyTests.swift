import Roster
import RosterSignIn
import TestSupport
import Testing

@testable import RosterLDAP

@Suite("The control of LDAP for password policies", .timeLimit(.minutes(2)))
struct PasswordPolicyTests {
    private static let asked = LDAPControl(identifier: SupportedControl.passwordPolicy)

    /// The number of the error in an answer's control; nil for no error.
    private static func error(_ answer: Answer) throws -> Int32? {
        let value = try #require(answer.controls[SupportedControl.passwordPolicy])
        return try BERReader.reading(value) { reader in
            try reader.container(BERReader.Tag.sequence) { $0.isAtEnd ? nil : try $0.integer(0x81) }
        }
    }

    private static func changed(
        _ client: LDAPClient, _ user: String, _ password: String, old: String? = nil
    ) throws -> Answer {
        var value = BERWriter()
        value.container { writer in
            writer.text(user, 0x80)
            if let old { writer.text(old, 0x81) }
            writer.text(password, 0x82)
        }
        let bytes = value.finish() ?? []
        return try client.ask(controls: [asked]) { writer in
            writer.container(0x77) { writer in
                writer.text(ExtendedOperation.passwordModify, 0x80)
                writer.octets(bytes, 0x81)
            }
        }
    }

    @Test("A bind says nothing about an account to a client without the right password")
    func binds() async throws {
        try await ServedCompany.serving(as: nil) { company, client in
            func bind(_ name: String, _ password: String) throws -> Answer {
                try client.ask(controls: [Self.asked]) { Message.bind(&$0, name, password) }
            }
            let good = try bind(ServedCompany.emma, ServedCompany.password)
            #expect(try good.result == .success && Self.error(good) == nil)
            try company.directory.unrestricted.users.modify("emma.mueller", attributes: ["active": false])
            for (name, password) in [
                (ServedCompany.emma, "wrong"), (ServedCompany.emma, ServedCompany.password), ("nobody", "wrong"),
            ] {
                let answer = try bind(name, password)
                #expect(try answer.result == .invalidCredentials && Self.error(answer) == nil, "\(name)")
            }
            // Too many attempts are told of names that nobody has, too.
            for name in ["nobody", "admin"] {
                var last: Int32?
                for _ in 0..<20 where last == nil { last = try Self.error(bind(name, "wrong")) }
                #expect(last == PasswordPolicyAnswer.accountLocked.rawValue, "\(name)")
            }
            let plain = try client.bind(ServedCompany.emma, "wrong")
            #expect(plain.controls.isEmpty)
        }
    }

    @Test("A refused new password has the reason as a number")
    func changes() async throws {
        try await ServedCompany.serving { company, client in
            let bad = try Self.changed(client, ServedCompany.emma, "short", old: ServedCompany.password)
            #expect(bad.result == .constraintViolation)
            #expect(try Self.error(bad) == PasswordPolicyAnswer.insufficientQuality.rawValue)
            let other = try Self.changed(client, ServedCompany.admin, "another staple of horses")
            #expect(other.result == .insufficientAccessRights)
            #expect(try Self.error(other) == PasswordPolicyAnswer.changeNotAllowed.rawValue)
            let wrong = try Self.changed(client, ServedCompany.emma, "another staple of horses", old: "wrong")
            #expect(try wrong.result == .invalidCredentials && Self.error(wrong) == nil)
            let good = try Self.changed(
                client, ServedCompany.emma, "another staple of horses", old: ServedCompany.password)
            #expect(try good.result == .success && Self.error(good) == nil)
        }
    }
}
