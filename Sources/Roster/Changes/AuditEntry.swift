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
    /// The milliseconds within which sign-ins that are alike are one entry.
    private static let span: Int64 = 3_600_000

    /// Adds entries to the change feed in one commit. Entries that are alike within an hour are one: the feed has the first of them, and
    /// the others are counted beside it.
    ///
    /// - Parameter entries: The entries, and how often each of them happened.
    package func audit(_ entries: [(entry: AuditEntry, number: Int)]) async throws {
        let time = core.clock().milliseconds
        try await core.store.awaitWrite { connection in
            for (entry, number) in entries {
                let detail = Binding.text(entry.detail.record)
                let known = try connection.first(
                    ChangeStatements.alike,
                    [
                        .integer(entry.id), .integer(time - Self.span), .integer(time), .integer(entry.kind.rawValue),
                        .integer(entry.entity.rawValue), .text(entry.name), .text(entry.actor), detail,
                    ]
                ) { $0.integer(0) }
                if known == nil {
                    try connection.run(
                        ChangeStatements.append,
                        [
                            .integer(time), .text(entry.actor), .integer(entry.kind.rawValue),
                            .integer(entry.entity.rawValue), .integer(entry.id), .text(entry.name), .null, detail,
                        ])
                }
                let repetitions = known == nil ? number - 1 : number
                guard repetitions > 0 else { continue }
                let sequence = try known ?? connection.first(ChangeStatements.last) { $0.integer(0) }
                try connection.run(
                    ChangeStatements.countRepeated,
                    [.integer(sequence), .integer(Int64(repetitions)), .integer(time)])
            }
        }
    }
}
