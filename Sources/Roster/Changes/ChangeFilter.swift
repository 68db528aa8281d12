/// A selection of entries of the change feed.
package struct ChangeFilter: Sendable {
    package var kind: Change.Kind?
    package var entity: Change.Entity?
    /// The name or the identifier of the subject.
    package var subject: String?
    /// The actor, as the feed shows it.
    package var actor: String?

    /// The number of the batch.
    package var batch: Int64?

    package init(
        kind: Change.Kind? = nil, entity: Change.Entity? = nil, subject: String? = nil, actor: String? = nil,
        batch: Int64? = nil
    ) {
        (self.kind, self.entity, self.subject, self.actor) = (kind, entity, subject, actor)
        self.batch = batch
    }
}
