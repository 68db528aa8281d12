public import Foundation
import RosterStore
import RosterText

/// An entry of the change feed.
public struct Change: Sendable, Hashable, Identifiable {
    /// The kind of event.
    public enum Kind: Int64, Sendable, Hashable {
        /// The subject was created.
        case created = 1
        /// Values of the subject were changed.
        case modified = 2
        /// The subject was deleted.
        case deleted = 3
        /// A sign-in succeeded.
        case signedIn = 4
        /// A sign-in or a token request was refused, or a mail to the user was not sent.
        case refused = 5
        /// A backend received tokens.
        case granted = 6
        /// Another issuer's token was exchanged for one of Roster's.
        case exchanged = 7
        /// Tokens or a session were revoked.
        case revoked = 8
        /// The entries from ``Change/first`` to ``Change/sequence`` were pruned because they were older than the
        /// retention.
        case pruned = 9

        /// Whether the event concerns sign-in instead of the directory's contents.
        var isSignIn: Bool {
            switch self {
            case .signedIn, .refused, .granted, .exchanged, .revoked: true
            case .created, .modified, .deleted, .pruned: false
            }
        }
    }

    /// The kind of subject.
    public enum Entity: Int64, Sendable, Hashable, Codable {
        /// A user.
        case user = 1
        /// A role.
        case role = 2
        /// A declared attribute.
        case attribute = 3
        /// A backend, which is an OAuth client.
        case backend = 4
        /// A user whom only another issuer vouches for.
        case virtualUser = 5
        /// A key that signs tokens.
        case signingKey = 6
        /// The change feed itself.
        case feed = 7
        /// A setting of the service: a trusted issuer, certificates, a provider or a policy.
        case setting = 8
    }

    /// The number of the entry: 1 for the first change of a directory, then without gaps. Callers who are not administrators
    /// see gaps, because they do not see every entry.
    public let sequence: Int64
    /// The number of the entry, which identifies the entry in lists.
    public var id: Int64 { sequence }
    /// The first number that the entry represents. It is less than ``sequence`` only if several entries were pruned.
    public let first: Int64
    /// The time of the change, to the millisecond.
    public let time: Date
    /// The actor, in the form of ``Caller/description``; empty after an erasure, and for callers who are not administrators
    /// unless they are the actor.
    public internal(set) var actor: String
    /// The kind of event.
    public let kind: Kind
    /// The kind of subject.
    public let entity: Entity
    /// The identifier of the subject as text.
    public let subjectID: String
    /// The name of the user, role or attribute at that time; empty after an erasure.
    public let name: String
    /// The changed values before the change: all values of a deleted subject, none of a created one. Besides attributes
    /// it holds `uid`, `active` and `manager` of a user, and `name`, `members` and `owners` of a role. It never holds
    /// secrets. The number of `bytes` and a checksum, `fnv1a`, replace bytes and text over 1,024 bytes. Empty after an
    /// erasure.
    public internal(set) var before: AttributeSet
    /// The changed values after the change.
    public internal(set) var after: AttributeSet
    /// The number of sign-ins that the entry represents; 1 for all other entries. Sign-ins are one entry if they are alike in person,
    /// app, address, browser, means and outcome, and if the first of them was at most an hour ago. The entry itself is not altered:
    /// the number grows until the hour is over.
    public let count: Int64
    /// The number of the batch to which the change belongs; nil for none. Only administrators and the actor see it.
    public internal(set) var batch: Int64?
    /// The time of the last of these sign-ins, to the millisecond; ``time`` is that of the first.
    public let lastTime: Date

    init(
        sequence: Int64, first: Int64, time: Date, actor: String, kind: Kind, entity: Entity, subjectID: String,
        name: String, before: AttributeSet, after: AttributeSet, count: Int64 = 1, lastTime: Date? = nil,
        batch: Int64? = nil
    ) {
        (self.sequence, self.first, self.time, self.actor) = (sequence, first, time, actor)
        (self.kind, self.entity, self.subjectID, self.name) = (kind, entity, subjectID, name)
        (self.before, self.after) = (before, after)
        (self.count, self.lastTime, self.batch) = (count, lastTime ?? time, batch)
    }

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
        subjectID = kind == .pruned ? "" : Identifier<User>(rawValue: row.integer(5)).description
        name = row.text(6)
        before = row.isNull(7) ? [:] : try row.bytes(7) { try AttributeSet(stored: $0) }
        after = row.isNull(8) ? [:] : try row.bytes(8) { try AttributeSet(stored: $0) }
        count = row.optionalInteger(9) ?? 1
        lastTime = row.optionalInteger(10).map { Date(milliseconds: $0) } ?? time
        batch = row.optionalInteger(11)
    }
}

extension AttributeSet {
    /// The attributes without secrets.
    func withoutSecrets(_ vocabulary: Vocabulary, of entity: AttributeDefinition.Entity) -> AttributeSet {
        guard vocabulary.hasSecrets else { return self }
        return filtered { vocabulary.definition(of: $0, for: entity)?.readers != .nobody }
    }
}
