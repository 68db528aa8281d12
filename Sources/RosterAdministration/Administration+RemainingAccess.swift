public import Foundation
public import Roster
import RosterText

extension Administration {
    /// What a user or a program made, holds and owns: everything that would keep access for somebody who took over the account.
    public struct RemainingAccess: Sendable, Hashable {
        /// Something that gives access.
        public struct Item: Sendable, Hashable {
            /// The kind of access.
            public enum Kind: String, Sendable, CaseIterable {
                /// A backend that the maker, or something that the maker made, has made.
                case backend
                /// The token of a program.
                case token
                /// A session of the maker, or one that the maker began for somebody else.
                case session
                /// The tokens that an app holds for the user.
                case grant
                /// An app password of the user.
                case appPassword
                /// An account with an identity provider, with which the user signs in.
                case account
                /// A role that the user owns.
                case ownedRole
            }

            /// The kind of access.
            public let kind: Kind
            /// The name of what gives access.
            public let name: String
            /// The identifier of a backend, a token or an app password; nil for others.
            public let id: String?
            /// The name of the maker of a backend or a token; nil if the name is not known, and for others.
            public let maker: String?
            /// The time when it was made; nil if the time is not known.
            public let created: Date?
            /// Its end; nil for no end.
            public let expires: Date?
        }

        /// The user; nil for a program, and for a user who was deleted.
        public let user: UserID?
        /// Everything that gives access, kind by kind.
        public let items: [Item]

        init(_ json: AnswerObject) throws {
            func all(_ kind: Item.Kind, _ name: String, _ title: (AnswerObject) -> [String?]) throws -> [Item] {
                try json.list(name) { one in
                    Item(
                        kind: kind, name: title(one).compactMap { $0 }.joined(separator: " "), id: one["id"]?.text,
                        maker: one["maker"]?.text,
                        created: try one.optionalDate("created"), expires: try one.optionalDate("expires"))
                }
            }
            user = json["user"]?["id"]?.text.flatMap { UserID($0) }
            items =
                try all(.backend, "backends") { [$0["name"]?.text, $0["version"]?.text] }
                + all(.token, "tokens") { [$0["name"]?.text] } + all(.session, "sessions") { [$0["user"]?.text] }
                + all(.grant, "grants") { [$0["backend"]?.text] }
                + all(.appPassword, "app_passwords") { [$0["name"]?.text] }
                + all(.account, "links") { [$0["subject"]?.text, "of", $0["issuer"]?.text] }
                + (json["owned_roles"]?.texts ?? []).map {
                    Item(kind: .ownedRole, name: $0, id: nil, maker: nil, created: nil, expires: nil)
                }
        }
    }

    /// Lists what a user or a program made, holds and owns.
    ///
    /// - Parameter maker: The name or the identifier of a user, also of a deleted one, or the name of a program.
    public func remainingAccess(of maker: String) async throws -> RemainingAccess {
        try RemainingAccess(try await ask(ReadRemainingAccess(of: maker)))
    }

    /// Ends everything that a user or a program made, holds and owns. The user's password and second factors stay.
    ///
    /// - Parameter maker: The name or the identifier of a user, also of a deleted one, or the name of a program.
    /// - Returns: What was ended.
    public func endRemainingAccess(of maker: String) async throws -> RemainingAccess {
        try RemainingAccess(try await ask(EndRemainingAccess(of: maker)))
    }
}
