import Roster
import RosterStore
import RosterText

/// A source as an administrator names it for a token.
package struct GivenSource: Sendable {
    let name: String
    let createsOnReplace: Bool?

    /// - Parameter createsOnReplace: Whether a `replace` of SCIM makes the element that it means; nil to leave it as it is.
    ///   A new source whose name begins with `entra` makes elements, others do not.
    package init(_ name: String, createsOnReplace: Bool? = nil) {
        self.name = name
        self.createsOnReplace = createsOnReplace
    }
}

extension AdministratorAPITokens {
    /// The key of a source, which is stored if it is new or its option changes.
    ///
    /// - Throws: `invalidName`; `invalidInput` for a role whose programs have no external identifiers.
    func key(of given: GivenSource, _ role: ProgramRole) throws -> String {
        guard role == .provisioning || role == .administrator else {
            throw DirectoryError(
                .invalidInput, "A \(role.rawValue) token changes no users, so that it has no source.",
                advice: "Leave the source out, or give the role 'provisioning'.")
        }
        let name = try EntityName(given.name)
        let known = try transaction.connection.first(TokenStatements.source, text: name.key) {
            TokenSource(name: $0.text(0), createsOnReplace: $0.boolean(1))
        }
        let creates = given.createsOnReplace ?? known?.createsOnReplace ?? name.key.hasPrefix("entra")
        if let known, known.createsOnReplace == creates { return name.key }
        // The identifiers of a token of that name are those of the source, however the name is spelled here.
        let spelled =
            try transaction.connection.first(TokenStatements.tokenName, text: name.key) { $0.text(0) } ?? name.text
        try transaction.connection.run(
            TokenStatements.setSource, [.text(name.key), .text(spelled), .integer(creates ? 1 : 0)])
        return name.key
    }

    /// Lets a token use another source. The identifiers that it has used so far are those of that source then.
    ///
    /// - Throws: `alreadyExists` if both have an identifier for somebody and the two differ; `notFound`, `invalidName`,
    ///   `invalidInput`.
    @discardableResult
    package func setSource(_ given: GivenSource, ofToken name: String) throws -> APIToken {
        let token = try transaction.apiTokens.token(named: name)
        let key = try key(of: given, token.role)
        let new = try transaction.connection.first(TokenStatements.source, text: key) { $0.text(0) } ?? given.name
        let old = token.client
        try transaction.connection.run(TokenStatements.setSourceOfToken, [.text(token.digest), .text(key)])
        let others = try transaction.apiTokens.all()
        if let old, old != new { try join(old, to: new, keepsOld: others.contains { $0.client == old }) }
        return others.first { $0.digest == token.digest } ?? token
    }

    private func join(_ old: String, to new: String, keepsOld: Bool) throws {
        let clients = [old, new].map { Binding.text(TokenSource.client($0)) }
        let conflict = try transaction.connection.first(TokenStatements.conflicts, clients) {
            ($0.integer(0), $0.optionalInteger(1))
        }
        if case (let count, let subject?)? = conflict {
            throw DirectoryError(
                .alreadyExists,
                "\(EntityName.shown(old)) and \(EntityName.shown(new)) have different external identifiers for \(count) "
                    + "users or groups, such as '\(UserID(rawValue: subject))'.",
                advice: "Let one of the two clear or correct its identifiers, then join them.")
        }
        try transaction.connection.run(TokenStatements.copyIdentifiers, clients)
        if !keepsOld { try transaction.connection.run(TokenStatements.deleteIdentifiers, [clients[0]]) }
    }
}

extension APIToken {
    /// The source or the client whose external identifiers the token uses; nil where the administrators share them, and for
    /// a role without any.
    fileprivate var client: String? { source?.name ?? (role == .provisioning ? name : nil) }
}
