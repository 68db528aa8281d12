package import Foundation
package import Roster

/// The long-lived tokens of programs.
package enum APITokens {
    /// Makes a token. Its text is kept nowhere.
    ///
    /// - Parameters:
    ///   - name: The program's name, which no other token may have.
    ///   - role: What it may do.
    ///   - expires: When it ends; nil for never.
    ///   - view: An administrator's.
    package static func make(
        named name: String, role: APIToken.Role, expires: Date?, in view: DirectoryView
    ) async throws -> (text: String, record: APIToken) {
        let token = try APIToken.make()
        let record = try await view.awaitWrite {
            try $0.createToken(named: name, role: role, digest: token.digest, expires: expires)
        }
        return (token.text, record)
    }

    /// Makes a token, and returns its text.
    package static func create(
        named name: String, role: APIToken.Role, expires: Date?, in view: DirectoryView
    ) async throws -> String {
        try await make(named: name, role: role, expires: expires, in: view).text
    }
}

/// Bearer tokens (RFC 6750) of programs.
struct TokenAuthenticator: Authenticator {
    let directory: Directory

    func authenticate(scheme: String, credentials: String, from peer: String) -> Authentication {
        guard scheme == "bearer" else { return .notMine }
        // What is no token of ours does not reach the directory. Guessing one of 32 random bytes needs no throttle.
        guard let digest = APIToken.digest(of: credentials) else { return .refused(.wrong) }
        do {
            guard let token = try directory.apiToken(digest: digest) else { return .refused(.wrong) }
            var identity = Identity(token.caller, name: token.caller.description)
            identity.presence = .program(token.key)
            return .identified(identity)
        } catch {
            return .later { throw error }
        }
    }
}
