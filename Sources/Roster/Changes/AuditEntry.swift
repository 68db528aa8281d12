import RosterStore
import RosterText

/// A sign-in, refusal, grant, exchange or revocation to add to the change feed.
package struct AuditEntry: Sendable, Hashable {
    /// The kind of event.
    package let kind: Change.Kind
    /// The kind of subject.
    package let entity: Change.Entity
    /// The number of the user, backend or virtual user; 0 if unknown.
    package let id: Int64
    /// The subject's name, or the name that a refused caller gave.
    package let name: String
    /// The name under which the change feed shows the actor.
    package let actor: String
    /// The client address, the method, and the reason. Never a secret.
    package let detail: AttributeSet

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
    /// Adds entries to the change feed in one commit.
    package func audit(_ entries: [AuditEntry]) async throws {
        let time = core.clock().milliseconds
        try await core.store.awaitWrite { connection in
            for entry in entries {
                try connection.run(
                    ChangeStatements.append,
                    [
                        .integer(time), .text(entry.actor), .integer(entry.kind.rawValue),
                        .integer(entry.entity.rawValue), .integer(entry.id), .text(entry.name), .null,
                        .text(entry.detail.record),
                    ])
            }
        }
    }
}
