import Foundation
import Roster
import RosterSignIn
import RosterText

extension ServiceContext {
    /// Finds out who sends a request, and lets the change feed tell who signed in with a password, and who was refused.
    /// Tokens and sessions are told of when they are made.
    func signIn(_ request: HTTPRequest) throws -> Authentication {
        let found: Authentication
        do {
            found = try authenticate(request)
        } catch let failure as AuthenticationFailure {
            attempt(request)?.tell(failure)
            throw failure
        }
        switch found {
        case .identified(let identity):
            // A password that was verified a moment ago, maybe for somebody else in another place.
            if identity.version != nil, oauth.audit.isNews(identity.name, from: request.peer) {
                attempt(request)?.tell(identity)
            }
        case .refused(let failure): attempt(request)?.tell(failure)
        case .notMine: attempt(request)?.tell(.wrong)
        case .later(let work):
            guard let attempt = attempt(request) else { return found }
            return .later {
                do {
                    let identity = try await work()
                    attempt.tell(identity)
                    return identity
                } catch let failure as AuthenticationFailure {
                    attempt.tell(failure)
                    throw failure
                }
            }
        }
        return found
    }

    /// What a request tries to sign in with; nil for one that brings nothing.
    private func attempt(_ request: HTTPRequest) -> SignInAttempt? {
        let credentials = (try? Self.credentials(of: request)) ?? nil
        guard credentials != nil || SessionAPI.value(in: request) != nil else { return nil }
        return SignInAttempt(
            oauth: oauth, peer: request.peer, scheme: credentials?.scheme ?? "session",
            name: credentials.flatMap { Self.claimedName($0.scheme, $0.credentials) })
    }

    /// The name that somebody says to have.
    private static func claimedName(_ scheme: String, _ credentials: String) -> String? {
        guard scheme == "basic", let data = Base64.bytes(credentials),
            let colon = data.firstIndex(of: UInt8(ascii: ":"))
        else { return nil }
        return String(decoding: data[..<colon].prefix(256), as: UTF8.self)
    }
}

/// An attempt to sign in with a request, to be told of.
private struct SignInAttempt: Sendable {
    let oauth: OAuthService
    let peer: String
    let scheme: String
    let name: String?

    /// None of the sender's own words: whoever leaves the scheme out may have sent a secret in its place.
    private var means: String { ["basic", "bearer", "digest", "session"].contains(scheme) ? scheme : "other" }

    func tell(_ identity: Identity) {
        guard scheme == "basic", case .user(let id) = identity.caller,
            let person = try? Person(.user(id), in: oauth.directory)
        else { return }
        oauth.tell(.signedIn, person, nil, from: peer, means: means)
    }

    func tell(_ failure: AuthenticationFailure) {
        let reason =
            switch failure {
            case .wrong: "wrong"
            case .tooManyAttempts: "too many attempts"
            case .overloaded: "overloaded"
            case .secondFactorRequired: "second factor required"
            }
        oauth.tell(.refused, nil, nil, from: peer, means: means, reason: reason, name: name)
    }
}
