public import Foundation
public import Roster
import RosterText

extension Administration {
    /// The long-lived token of a program, without its text.
    public struct Token: Sendable, Hashable {
        /// The identifier, with which nobody can sign in.
        public let id: String
        /// The name of the program. No other token has the same name.
        public let name: String
        /// The rights of the program.
        public let role: ProgramRole
        /// The time when the token was made.
        public let created: Date
        /// The end; nil for a token without an end.
        public let expires: Date?
        /// The last use, exact to an hour; nil if there was none.
        public let lastUse: Date?
        /// The name of the caller who made the token; nil for tokens of older versions.
        public let maker: String?
        /// The source whose external identifiers the program uses; nil for none.
        public let source: String?
        /// Whether a `replace` of SCIM makes what it does not find; nil for a token without a source.
        public let createsOnReplace: Bool?
        /// The attributes that a reading program may read; nil for other programs.
        public let attributes: [String]?
        /// The role whose members a reading program may read; nil for all users.
        public let membersOf: String?
        /// The addresses and networks from which the server accepts the token; empty for all.
        public let networks: [String]

        init(_ json: AnswerObject) throws {
            (id, name, role) = (try json.string("id"), try json.string("name"), try json.choice("role"))
            (created, expires) = (try json.date("created"), try json.optionalDate("expires"))
            (lastUse, maker) = (try json.optionalDate("used"), json["maker"]?.text)
            createsOnReplace = json["creates_on_replace"].flatMap { $0.isNull ? nil : $0 == true }
            (source, membersOf) = (json["source"]?.text, json["members_of"]?.text)
            (attributes, networks) = (
                json["attributes"].flatMap { $0.isNull ? nil : $0.texts }, json["networks"]?.texts ?? []
            )
        }
    }

    /// Lists the tokens of programs.
    public func tokens() async throws -> [Token] {
        try await ask(ListTokens()).list("tokens") { try Token($0) }
    }

    /// Makes a token for a program.
    ///
    /// - Parameters:
    ///   - name: The name of the program, which no other token may have.
    ///   - role: The rights of the program.
    ///   - expires: The end, in the future; nil for a token without an end.
    ///   - source: The system whose external identifiers of SCIM the program uses, such as `entra`. Tokens of one source share them; nil
    ///     for identifiers of its own.
    ///   - createsOnReplace: Whether a `replace` of SCIM makes what it does not find, for all tokens of the source; nil for the
    ///     source's present setting. Only a token with a source has it.
    ///   - attributes: The attributes that a program with the role `reading` may read. Other programs have none.
    ///   - membersOf: The role whose members a program with the role `reading` may read; nil for all users.
    ///   - networks: The addresses and networks from which the server accepts the token, such as `192.0.2.0/24`; none for all.
    /// - Returns: The text of the token, which is not stored, and the token as it is listed.
    /// - Throws: `alreadyExists`, `invalidName`, `invalidInput`, and the errors of ``Administration``.
    public func makeToken(
        named name: String, role: ProgramRole, expires: Date? = nil, source: String? = nil,
        createsOnReplace: Bool? = nil, attributes: [String]? = nil, membersOf: String? = nil, networks: [String] = []
    ) async throws -> (text: String, token: Token) {
        var new = MakeToken(program: name, role: role)
        (new.expires, new.source, new.createsOnReplace) = (expires, source, createsOnReplace)
        (new.attributes, new.membersOf, new.networks) = (attributes, membersOf, networks)
        let made = try await ask(new)
        return (try made.string("token"), try Token(made))
    }

    /// Lets a token use the external identifiers of a source. Those that it has used until now go along.
    ///
    /// - Parameters:
    ///   - source: The name of the source.
    ///   - createsOnReplace: Whether a `replace` of SCIM makes what it does not find; nil for the source's present setting.
    ///   - token: The name or the identifier of the token.
    /// - Throws: `alreadyExists` if both have an identifier for somebody and the two differ, and the errors of ``Administration``.
    public func setSource(_ source: String, createsOnReplace: Bool? = nil, ofToken token: String) async throws {
        _ = try await run(SetTokenSource(token: token, source: source, createsOnReplace: createsOnReplace))
    }

    /// Ends a token at once.
    ///
    /// - Parameter token: The name or the identifier.
    public func endToken(_ token: String) async throws { _ = try await run(EndToken(token)) }
}
