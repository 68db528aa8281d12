public import Foundation
import RosterStore
import RosterText

/// One thing that changed.
public struct Change: Sendable, Hashable {
    /// What happened.
    public enum Kind: Int64, Sendable, Hashable {
        case created = 1
        case modified = 2
        case deleted = 3
        /// Somebody signed in.
        case signedIn = 4
        /// A sign-in, or a request for tokens, was refused.
        case refused = 5
        /// A backend got tokens.
        case granted = 6
        /// Another issuer's token was exchanged for one of ours.
        case exchanged = 7
        /// Tokens or a session were ended before their time.
        case revoked = 8
        /// The entries from ``Change/first`` to ``Change/sequence`` were older than the feed keeps them, and are gone.
        case pruned = 9

        /// Whether it tells of signing in, not of the directory.
        var isSignIn: Bool {
            switch self {
            case .signedIn, .refused, .granted, .exchanged, .revoked: true
            case .created, .modified, .deleted, .pruned: false
            }
        }
    }

    /// What it happened to.
    public enum Entity: Int64, Sendable, Hashable {
        case user = 1
        case role = 2
        /// An attribute was declared.
        case attribute = 3
        /// A backend, the client of OAuth.
        case backend = 4
        /// Somebody who is known by another issuer's word only.
        case virtualUser = 5
        /// A key that signs tokens.
        case signingKey = 6
        /// The change feed itself.
        case feed = 7
    }

    /// 1 for the first change of a directory, then on without gaps.
    public let sequence: Int64
    /// The first number that the entry stands for: less than ``sequence`` only where more than one was pruned.
    public let first: Int64
    /// When, to the millisecond.
    public let time: Date
    /// Who did it: see ``Caller/description``.
    public let actor: String
    /// What happened.
    public let kind: Kind
    /// What it happened to.
    public let entity: Entity
    /// The identifier of the user or role, as text.
    public let id: String
    /// The name that the user, role or attribute had then; empty where it was erased.
    public let name: String
    /// What is different, as it was before: of what was deleted, everything; empty of what was created. Beside
    /// attributes it holds `uid`, `active` and `manager` of a user, `name`, `members` and `owners` of a role. Secrets
    /// are never in it. In place of bytes, and of text over 1,024 bytes, stand the number of `bytes` and a checksum,
    /// `fnv1a`. Empty where the values were erased.
    public let before: AttributeSet
    /// What is different, as it was afterwards.
    public let after: AttributeSet

    init(_ row: borrowing Row) throws {
        sequence = row.integer(0)
        time = Date(milliseconds: row.integer(1))
        actor = row.text(2)
        guard let kind = Kind(rawValue: row.integer(3)), let entity = Entity(rawValue: row.integer(4)) else {
            throw DirectoryError(.damaged, "Change \(row.integer(0)) cannot be read.", advice: "Restore a backup.")
        }
        self.kind = kind
        self.entity = entity
        first = kind == .pruned ? row.integer(5) : row.integer(0)
        id = kind == .pruned ? "" : Identifier<User>(rawValue: row.integer(5)).description
        name = row.text(6)
        before = try row.optionalText(7).map { try AttributeSet(json: $0) } ?? [:]
        after = try row.optionalText(8).map { try AttributeSet(json: $0) } ?? [:]
    }
}

extension Transaction {
    /// Adds a change to the feed, in the transaction of the change itself.
    package func record(
        _ kind: Change.Kind, _ entity: Change.Entity, id: Int64, name: String, before: AttributeSet?,
        after: AttributeSet?, at time: Date? = nil
    ) throws {
        var before = before
        var after = after
        if kind == .modified, let old = before, let new = after {
            before = old.filtered { old[$0] != new[$0] }
            after = new.filtered { old[$0] != new[$0] }
        }
        let owner: AttributeDefinition.Entity = entity == .role ? .role : .user
        before = before?.withoutSecrets(vocabulary, of: owner).told
        after = after?.withoutSecrets(vocabulary, of: owner).told
        try write(
            sequence: lastSequence() + 1, kind, entity, id: id, name: name, before: before?.json, after: after?.json,
            at: time ?? now())
    }

    /// Adds a change that is told already.
    func write(
        sequence: Int64, _ kind: Change.Kind, _ entity: Change.Entity, id: Int64, name: String, before: String?,
        after: String?, at time: Date
    ) throws {
        try connection.run(
            ChangeStatements.insert,
            [
                .integer(sequence), .integer(time.milliseconds), .text(view.caller.description),
                .integer(kind.rawValue), .integer(entity.rawValue), .integer(id), .text(name), .text(before),
                .text(after),
            ])
    }
}

extension AttributeSet {
    /// The attributes that the change feed may tell.
    func withoutSecrets(_ vocabulary: Vocabulary, of entity: AttributeDefinition.Entity) -> AttributeSet {
        guard vocabulary.hasSecrets else { return self }
        return filtered { vocabulary.definition(of: $0, for: entity)?.readers != .nobody }
    }
}
