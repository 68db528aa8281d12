package import Foundation
package import Roster
import RosterStore
import RosterText

extension AdministratorAPITokens {
    /// Stores a token by its digest.
    ///
    /// - Parameters:
    ///   - view: What the program may read; for the role `reading`, and for no other.
    ///   - networks: The addresses and networks from which the server accepts the token; empty for all.
    /// - Throws: `alreadyExists` for a name that another token has, `invalidName`, `invalidInput`, `invalidAttribute`, `notFound`.
    @discardableResult
    package func create(
        named name: String, role: ProgramRole, digest: String, expires: Date?, source: GivenSource? = nil,
        view: GivenView? = nil, networks: [String] = []
    ) throws -> APIToken {
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

    /// Ends a token at once.
    ///
    /// - Parameter name: The token's name or its id.
    /// - Throws: `notFound`.
    package func revoke(named name: String) throws {
        try revoke(transaction.apiTokens.token(named: name))
    }

    func revoke(_ token: APIToken) throws {
        try transaction.connection.run(TokenStatements.deleteToken, [.text(token.digest)])
    }
}
