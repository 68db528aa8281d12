package import Foundation
package import Roster
import RosterStore
import RosterText

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
    /// Stores a token by its digest.
    ///
    /// - Throws: `alreadyExists` for a name that another token has, `invalidName`, `notPermitted`,
    ///   `recentSignInRequired`, `appNotPermitted`.
    @discardableResult
    package func create(
        named name: String, role: ProgramRole, digest: String, expires: Date?, source: GivenSource? = nil
    ) throws -> APIToken {
        try transaction.access.checkPresentAdministrator(to: "create tokens")
        let name = try EntityName(name)
        guard try transaction.connection.first(TokenStatements.tokenNames, text: name.key, { _ in true }) == nil else {
            throw DirectoryError(
                .alreadyExists, "There is a token \(EntityName.shown(name.text)) already.",
                advice: "Choose another name, or revoke that token.")
        }
        try transaction.connection.run(
            TokenStatements.insertToken,
            [
                .text(name.text), .text(name.key), .text(role.rawValue), .text(digest),
                .integer(transaction.now().milliseconds),
                .integer(expires?.milliseconds), .text(transaction.access.maker.key),
                .text(transaction.access.maker.name),
                .text(try source.map { try key(of: $0, role) }),
            ])
        guard
            let made = try transaction.connection.first(
                TokenStatements.tokens, [.null, .text(digest)], { APIToken($0) })
        else {
            throw DirectoryError(.damaged, "A new token is not there.", advice: "Check the file.")
        }
        return made
    }

    package func all() throws -> [APIToken] {
        try transaction.checkAdministrator(to: "list tokens")
        return try transaction.connection.all(TokenStatements.tokens, [.integer(Int64(0))]) { APIToken($0) }
    }

    /// Ends a token at once.
    ///
    /// - Parameter name: The token's name or its id.
    /// - Throws: `notFound`, `notPermitted`, `recentSignInRequired`, `appNotPermitted`.
    package func revoke(named name: String) throws {
        try transaction.access.checkPresentAdministrator(to: "revoke tokens")
        try revoke(token(named: name))
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

    func revoke(_ token: APIToken) throws {
        try transaction.connection.run(TokenStatements.deleteToken, [.text(token.digest)])
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
    ///   - view: The view of an administrator.
    package static func create(
        named name: String, role: ProgramRole, expires: Date?, source: GivenSource? = nil, in view: DirectoryView
    ) async throws -> (text: String, record: APIToken) {
        let (text, digest) = try make()
        let record = try await view.awaitWrite {
            try $0.apiTokens.create(named: name, role: role, digest: digest, expires: expires, source: source)
        }
        return (text, record)
    }
}
