package import Foundation
package import Roster

/// The long-lived tokens of programs.
package enum APITokens {
    /// Makes a token. Only its digest is stored.
    ///
    /// - Parameters:
    ///   - name: The program's name, which no other token may have.
    ///   - role: The rights of the program.
    ///   - expires: The end of the token; nil for a token without an end.
    ///   - view: The view of an administrator.
    package static func make(
        named name: String, role: APIToken.Role, expires: Date?, in view: DirectoryView
    ) async throws -> (text: String, record: APIToken) {
        let token = try APIToken.make()
        let record = try await view.awaitWrite {
            try $0.createToken(named: name, role: role, digest: token.digest, expires: expires)
        }
        return (token.text, record)
    }

    /// Makes a token and returns its text.
    package static func create(
        named name: String, role: APIToken.Role, expires: Date?, in view: DirectoryView
    ) async throws -> String {
        try await make(named: name, role: role, expires: expires, in: view).text
    }
}
