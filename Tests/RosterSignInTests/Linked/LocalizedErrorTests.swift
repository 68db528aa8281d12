import Foundation
import Roster
import RosterSignIn
import Testing
import TestSupport

@Suite("Localized descriptions of errors")
struct LocalizedErrorTests {
    @Test(
        "The localized description of each refused sign-in says what is wrong and what to do",
        arguments: [
            AuthenticationFailure.wrong, .tooManyAttempts(seconds: 7), .overloaded,
            .secondFactorRequired(questions: []),
            .secondFactorRequired(questions: ["a?"]), .secondFactorWrong(questions: []),
            .secondFactorWrong(questions: ["a?"]), .secondFactorLost,
        ])
    func authentication(failure: AuthenticationFailure) {
        let text = (failure as any Error).localizedDescription
        #expect(text.hasPrefix(failure.description) && text.split(separator: ". ").count >= 2, "\(text)")
    }

    @Test("The localized description of an OAuthError is its text, and that of a DirectoryError is message and advice")
    func others() async throws {
        let directory = try emptyDirectory()
        let signIn = try await SignIn.forTests(directory)
        let refused = await #expect(throws: OAuthError.self) {
            try await signIn.tokens(.clientCredentials(), clientID: "nobody's")
        }
        #expect((refused as (any Error)?)?.localizedDescription == refused?.text)
        let missing = await #expect(throws: DirectoryError.self) {
            try await signIn.deleteBackend("nobody's", in: directory.unrestricted)
        }
        let advice = try #require(missing?.advice)
        #expect((missing as (any Error)?)?.localizedDescription == (missing?.message ?? "") + " " + advice)
    }
}
