package import Foundation
package import Roster

/// The long-lived tokens of programs.
package enum APITokens {
    /// Makes a token. What is returned is kept nowhere.
    ///
    /// - Parameters:
    ///   - name: The program's name, which no other token may have.
    ///   - role: What it may do.
    ///   - expires: When it ends; nil for never.
    ///   - view: An administrator's.
    package static func create(
        named name: String, role: APITokenRecord.Role, expires: Date?, in view: DirectoryView
    ) async throws -> String {
        let token = try APIToken.make()
        try await view.awaitWrite {
            try $0.createToken(named: name, role: role, digest: token.digest, expires: expires)
        }
        return token.text
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
            guard let token = try directory.credentials.token(digest: digest) else { return .refused(.wrong) }
            return .identified(Identity(token.caller, name: token.caller.description))
        } catch {
            return .later { throw error }
        }
    }
}
