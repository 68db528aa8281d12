package import Foundation
package import Roster
import RosterStore
import RosterText

/// The narrow view that an administrator names for a new token.
package struct GivenView: Sendable {
    let attributes: [AttributeName]
    let role: RoleReference?

    /// - Parameter role: The role whose members the program reads; nil for all users.
    package init(_ attributes: [AttributeName], membersOf role: RoleReference? = nil) {
        self.attributes = attributes
        self.role = role
    }
}

extension SignInRecords {
    /// The token with a digest; nil for an unknown or expired one.
    package func apiToken(digest: String) throws -> APIToken? {
        let now = directory.now
        let token = try directory.store.read {
            try $0.first(TokenStatements.tokens, [.null, .text(digest)]) { APIToken($0) }
        }
        guard let token, token.expires.map({ now < $0 }) ?? true else { return nil }
        return token
    }
}

extension TransactionAPITokens {
    package func all() throws -> [APIToken] {
        try transaction.checkAdministrator(to: "list tokens")
        return try transaction.connection.all(TokenStatements.tokens, [.integer(Int64(0))]) { APIToken($0) }
    }

    /// The token with a name or an id.
    ///
    /// - Throws: `notFound`, `notPermitted`.
    func token(named name: String) throws -> APIToken {
        let key = FoldedText.of(name)
        let all = try all()
        guard let token = all.first(where: { $0.id == name }) ?? all.first(where: { FoldedText.of($0.name) == key })
        else {
            throw DirectoryError(
                .notFound, "There is no token \(EntityName.shown(name)).", advice: "List them to see which there are.")
        }
        return token
    }
}

extension APIToken {
    /// Makes a token. Only its digest is stored.
    ///
    /// - Parameters:
    ///   - name: The program's name, which no other token may have.
    ///   - role: The rights of the program.
    ///   - expires: The end of the token; nil for a token without an end.
    ///   - source: The source whose external identifiers the program uses; nil for identifiers of its own.
    ///   - narrowView: What the program may read; for the role `reading`, and for no other.
    ///   - networks: The addresses and networks from which the server accepts the token; empty for all.
    ///   - view: The view of an administrator.
    package static func create(
        named name: String, role: ProgramRole, expires: Date?, source: GivenSource? = nil,
        reading narrowView: GivenView? = nil, networks: [String] = [], in view: DirectoryView
    ) async throws -> (text: String, record: APIToken) {
        let (text, digest) = try make()
        let record = try await view.awaitWrite {
            try $0.asPresentAdministrator(to: "create tokens").apiTokens.create(
                named: name, role: role, digest: digest, expires: expires, source: source, view: narrowView,
                networks: networks)
        }
        return (text, record)
    }
}
