import Roster
import RosterCrypto

/// The outcome of the first step of a sign-in.
package enum FirstStep: Sendable {
    case person(Person)
    /// The password is right. `begun` names the sign-in for ``OAuthService/finish(_:_:at:from:)``.
    ///
    /// - questions: The challenge questions; empty if a code is needed.
    /// - failure: The reason why the second factor is asked for: it is missing or wrong.
    case needsSecondFactor(begun: String, questions: [String], failure: AuthenticationFailure)
}

/// A sign-in whose password was right, and that waits for the second factor.
struct BegunSignIn: Sendable, Codable {
    let identity: Identity
    let user: UserID
    let name: String
    let questions: [String]
}

/// Signing in with a form for the password and, if the user has a second factor, another form for that. The password is entered
/// once.
extension SigningIn {
    /// The seconds for which a sign-in waits for the second factor.
    private static let patience = 300.0

    /// Verifies a password, and the second factor if the login brings one.
    ///
    /// - Throws: ``AuthenticationFailure``; `DirectoryError`.
    package func begin(_ login: Login, at place: SignInPlace, from origin: ClientOrigin) async throws -> FirstStep {
        do {
            return .person(try await signIn(login, at: place, from: origin))
        } catch let failure as AuthenticationFailure {
            let questions: [String]
            switch failure {
            case .secondFactorRequired(let asked), .secondFactorWrong(let asked): questions = asked
            case .wrong, .tooManyAttempts, .overloaded, .secondFactorLost: throw failure
            }
            // The password was verified a moment ago, so this costs no hash.
            let identity = try await passwords.authenticate(
                name: login.name, password: login.password, from: origin.address
            ).identity()
            guard case .user(let user) = identity.caller else { throw AuthenticationFailure.wrong }
            try countSignIn(.password, of: .user(user))
            let code = try SecureRandom.token()
            let begun = BegunSignIn(identity: identity, user: user, name: login.name, questions: questions)
            try begunSignIns.insert(
                begun, for: code, lifetime: Self.patience, of: CodeOwner(.user(user), at: origin.address))
            return .needsSecondFactor(begun: code, questions: questions, failure: failure)
        }
    }

    /// The questions whose answers a begun sign-in waits for; nil if it is too old.
    package func questions(ofBegun code: String) throws -> [String]? { try begunSignIns.value(code)?.questions }

    /// Verifies the second factor of a begun sign-in.
    ///
    /// - Throws: ``AuthenticationFailure``, `wrong` for a sign-in that is too old or was finished.
    package func finish(
        _ code: String, _ proof: SecondFactorProof, at place: SignInPlace, from origin: ClientOrigin
    ) async throws -> Person {
        guard let begun = try begunSignIns.value(code) else { throw AuthenticationFailure.wrong }
        var identity = begun.identity
        do {
            identity.amr.append(try await secondFactors.prove(proof, for: begun.user, from: origin.address))
        } catch let failure as AuthenticationFailure {
            let login = Login(name: begun.name, password: "", proof: proof)
            recordRefusal(failure, .password(login), at: place, from: origin)
            throw failure
        }
        guard try begunSignIns.take(code) != nil else { throw AuthenticationFailure.wrong }
        let person = try person(of: identity)
        recordSuccess(identity, at: place, from: origin, isRemembered: false)
        return person
    }
}
