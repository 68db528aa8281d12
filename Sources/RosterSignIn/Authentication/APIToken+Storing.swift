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
    /// Stores a token by its digest.
    ///
    /// - Parameters:
    ///   - view: What the program may read; for the role `reading`, and for no other.
    ///   - networks: The addresses and networks from which the server accepts the token; empty for all.
    /// - Throws: `alreadyExists` for a name that another token has, `invalidName`, `invalidInput`, `invalidAttribute`, `notFound`,
    ///   `notPermitted`, `recentSignInRequired`, `appNotPermitted`.
    @discardableResult
    package func create(
        named name: String, role: ProgramRole, digest: String, expires: Date?, source: GivenSource? = nil,
        view: GivenView? = nil, networks: [String] = []
    ) throws -> APIToken {
        try transaction.access.checkPresentAdministrator(to: "create tokens")
        let name = try EntityName(name)
        let view = try narrowView(view, role)
        let networks = try ClientNetwork.checked(networks)
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
                .text(view?.attributes.map(\.rawValue).sorted().joined(separator: " ")),
                .integer(view?.role?.rawValue), .text(networks.joined(separator: " ")),
            ])
        guard
            let made = try transaction.connection.first(
                TokenStatements.tokens, [.null, .text(digest)], { APIToken($0) })
        else {
            throw DirectoryError(.damaged, "A new token is not there.", advice: "Check the file.")
        }
        return made
    }

    /// Checks the narrow view of a new token, and returns the view to store; returns nil for a role without a narrow view.
    private func narrowView(_ given: GivenView?, _ role: ProgramRole) throws -> NarrowView? {
        guard role == .reading else {
            guard given == nil else {
                throw DirectoryError(
                    .invalidInput, "Only a token with the role 'reading' names what it reads.",
                    advice: "Give that role, or leave the attributes and the role of the members out.")
            }
            return nil
        }
        return NarrowView(
            try NarrowView.checked(given?.attributes ?? [], in: transaction.vocabulary),
            membersOf: try given?.role.map { try transaction.roles.role($0, ["name"]).id })
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
    ///   - narrowView: What the program may read; for the role `reading`, and for no other.
    ///   - networks: The addresses and networks from which the server accepts the token; empty for all.
    ///   - view: The view of an administrator.
    package static func create(
        named name: String, role: ProgramRole, expires: Date?, source: GivenSource? = nil,
        reading narrowView: GivenView? = nil, networks: [String] = [], in view: DirectoryView
    ) async throws -> (text: String, record: APIToken) {
        let (text, digest) = try make()
        let record = try await view.awaitWrite {
            try $0.apiTokens.create(
                named: name, role: role, digest: digest, expires: expires, source: source, view: narrowView,
                networks: networks)
        }
        return (text, record)
    }
}
