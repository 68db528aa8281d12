import Foundation
import Roster
import RosterClient
import RosterSignIn
import RosterText
import ServiceTestSupport
import TestSupport
import Testing

@Suite("Signing in without a browser", .timeLimit(.minutes(2)))
struct PasswordSignInTests {
    @Test("A password signs in, a wrong one does not, and neither is in the store or in an error")
    func password() async throws {
        try await withApp { app in
            let authenticator = try app.authenticator()
            let wrong = try await clientError {
                _ = try await authenticator.signIn(userName: ServiceUnderTest.engineer, password: "not the secret")
            }
            #expect(wrong.code == .wrongCredentials && !"\(wrong)".contains("secret"))
            #expect(try authenticator.account() == nil)
            let account = try await app.account(of: authenticator)
            #expect(account.userName == ServiceUnderTest.engineer)
            #expect(try authenticator.account() === account)
            #expect(try await !account.validAccessToken().isEmpty)
            #expect(!"\(account)".contains("eyJ"))
        }
    }

    @Test("Several accounts live in one store, and a sign-in under a name replaces only that account")
    func several() async throws {
        try await withApp { app in
            let authenticator = try app.authenticator()
            let work = try await app.account("work", of: authenticator)
            let home = try await authenticator.signIn(
                account: "at home / ü", userName: ServiceUnderTest.lead, password: ServiceUnderTest.password)
            #expect(try authenticator.accountIDs() == ["at home / ü", "work"])
            #expect(work.subject != home.subject)
            let newer = try await authenticator.signIn(
                account: "work", userName: ServiceUnderTest.lead, password: ServiceUnderTest.password)
            #expect(newer.subject == home.subject)
            #expect(try await clientError { _ = try await work.validAccessToken() }.code == .notSignedIn)
            #expect(try await !home.validAccessToken().isEmpty)
            #expect(try app.authenticator().account("work")?.subject == newer.subject)
        }
    }

    @Test("A user with challenge questions is asked for the answers, and a user with an authenticator app for a code")
    func secondFactor() async throws {
        try await withApp { app in
            let authenticator = try app.authenticator()
            let id = try await app.directory.unrestricted.users.user(ServiceUnderTest.engineer).id
            let answers = ["First street?": "Rue de la Paix", "First teacher?": "Aunt Zoë"]
            try await app.signIn.secondFactors.setQuestions(answers.map { ($0.key, $0.value) }, for: id)
            let asked = try await clientError { _ = try await app.account(of: authenticator) }
            #expect(asked.code == .secondFactorRequired && Set(asked.questions) == Set(answers.keys))
            let wrong = try await clientError {
                _ = try await authenticator.signIn(
                    userName: ServiceUnderTest.engineer, password: ServiceUnderTest.password,
                    secondFactor: SecondFactorAnswer(answers: answers.mapValues { $0 + "x" }))
            }
            #expect(wrong.code == .wrongCredentials)
            _ = try await authenticator.signIn(
                userName: ServiceUnderTest.engineer, password: ServiceUnderTest.password,
                secondFactor: SecondFactorAnswer(answers: answers))

            let other = try await app.directory.unrestricted.users.user(ServiceUnderTest.lead).id
            let (secret, _) = try app.signIn.secondFactors.begin(for: other, account: "lead")
            let step = Int64(app.clock.now.timeIntervalSince1970) / 30
            let recovery = try await app.signIn.secondFactors.confirm(
                try OneTimePassword.code(base32Decoded(secret), step: step), for: other)
            let second = try await clientError {
                _ = try await authenticator.signIn(userName: ServiceUnderTest.lead, password: ServiceUnderTest.password)
            }
            #expect(second.code == .secondFactorRequired && second.questions.isEmpty)
            _ = try await authenticator.signIn(
                userName: ServiceUnderTest.lead, password: ServiceUnderTest.password,
                secondFactor: SecondFactorAnswer(code: recovery[0]))
        }
    }

    @Test("A device shows a code, waits while nobody has decided, and is signed in when the user approves")
    func device() async throws {
        try await withApp { app in
            let shown = Locked<DeviceCode?>(nil)
            let polls = Locked(0)
            let authenticator = try app.authenticator(sleep: { duration in
                app.clock.advance(by: Double(duration.components.seconds))
                let number = polls.withLock { polls in
                    polls += 1
                    return polls
                }
                guard number == 3, let code = shown.withLock({ $0 }) else { return }
                try await Browser().decide(at: try #require(code.completeURL))
            })
            let account = try await authenticator.signInOnDevice(account: "tv") { code in
                shown.withLock { $0 = code }
                #expect(code.verificationURL.absoluteString == app.proxy.url + "/oauth2/device")
                #expect(code.userCode.count == 9 && code.lifetime == .seconds(600))
            }
            #expect(polls.withLock { $0 } == 3)
            #expect(account.id == "tv" && account.subject != nil)
        }
    }

    @Test("A device that is told to slow down waits longer, and a code that expires ends the wait")
    func slowDown() async throws {
        try await withApp { app in
            let waits = Locked<[Int64]>([])
            let sleep: @Sendable (Duration) async throws -> Void = { duration in
                waits.withLock { $0.append(duration.components.seconds) }
            }
            let count = Locked(0)
            app.proxy.decide { path, body in
                guard path == "/oauth2/token", body.contains("device_code") else { return .pass }
                let number = count.withLock { count in
                    count += 1
                    return count
                }
                switch number {
                case 1: return .answer(SocketServer.answer("{\"error\":\"authorization_pending\"}", "400 Bad"))
                case 2: return .answer(SocketServer.answer("{\"error\":\"slow_down\"}", "400 Bad"))
                case 3: return .cut
                case 4: return .answer(SocketServer.answer("<html>", "502 Bad"))
                default: return .answer(SocketServer.answer("{\"error\":\"authorization_pending\"}", "400 Bad"))
                }
            }
            let late = try await clientError { _ = try await app.authenticator(sleep: sleep).signInOnDevice { _ in } }
            #expect(late.code == .signInExpired)
            #expect(waits.withLock { Array($0.prefix(5)) } == [5, 5, 10, 20, 40])
            #expect(waits.withLock { $0.reduce(0, +) } < 700)
            app.proxy.decide { path, body in
                path == "/oauth2/token"
                    ? .answer(SocketServer.answer("{\"error\":\"access_denied\"}", "400 Bad")) : .pass
            }
            let denied = try await clientError { _ = try await app.authenticator(sleep: sleep).signInOnDevice { _ in } }
            #expect(denied.code == .refused)
        }
    }
}
