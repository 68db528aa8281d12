/// Carries a call of `beginBatch()` of ``ChangeFeed``.
struct BeginBatch: ChangeOperation {
    static let name = "beginBatch"

    func run(in transaction: Transaction) throws -> Int64 { try transaction.batches.begin() }
}

/// One step of `undo(_:isPreview:)` of ``ChangeFeed``.
struct UndoBatch: ChangeOperation {
    static let name = "undoBatch"
    let batch: Int64
    let isPreview: Bool
    /// The number of the batch to which the undoing changes belong; nil in the first step, because that step begins the batch.
    var opposite: Int64?
    /// The step undoes entries of the change feed before this sequence number; nil undoes from the latest entry.
    var before: Int64?

    init(batch: Int64, isPreview: Bool) { (self.batch, self.isPreview) = (batch, isPreview) }

    func run(in transaction: Transaction) throws -> UndoStep { try transaction.batches.undo(self) }

    /// Makes this the next step; false after the last one.
    mutating func goOn(after step: UndoStep) -> Bool {
        // A server whose steps lead nowhere must not keep the client for ever.
        guard let next = step.next, next < before ?? .max else { return false }
        (opposite, before) = (step.batch, next)
        return true
    }
}
