import RosterStore
import RosterText

/// A sign-in, a refusal, a grant, an exchange or a revocation, on its way into the change feed.
package struct AuditEntry: Sendable, Hashable {
    /// What happened.
    package let kind: Change.Kind
    /// What it happened to.
    package let entity: Change.Entity
    /// The number of the user, backend or virtual user; 0 where it is not known.
    package let id: Int64
    /// The name that was given, or that they have.
    package let name: String
    /// Who did it, as the change feed shows them.
    package let actor: String
    /// From where, with what, why. Never a secret.
    package let detail: AttributeSet

    /// Describes what happened.
    package init(
        _ kind: Change.Kind, _ entity: Change.Entity, id: Int64, name: String, actor: String, detail: AttributeSet
    ) {
        self.kind = kind
        self.entity = entity
        self.id = id
        self.name = name
        self.actor = actor
        self.detail = detail
    }
}

extension Directory {
    /// Adds entries to the change feed, all in one commit.
    package func audit(_ entries: [AuditEntry]) async throws {
        let time = core.clock().milliseconds
        try await core.store.awaitWrite { connection in
            var sequence = try connection.first(ChangeStatements.last) { $0.integer(0) } ?? 0
            for entry in entries {
                sequence += 1
                try connection.run(
                    ChangeStatements.insert,
                    [
                        .integer(sequence), .integer(time), .text(entry.actor), .integer(entry.kind.rawValue),
                        .integer(entry.entity.rawValue), .integer(entry.id), .text(entry.name), .null,
                        .text(entry.detail.json),
                    ])
            }
        }
    }
}
