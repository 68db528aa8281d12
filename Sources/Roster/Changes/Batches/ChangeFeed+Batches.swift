extension DirectoryView {
    /// The same view, whose changes carry the number of a batch.
    ///
    /// - Parameter number: A number that `beginBatch()` of ``ChangeFeed`` has given to the same caller. A change with another number
    ///   throws `notFound`.
    public func batched(_ number: Int64) -> DirectoryView {
        switch source {
        case .embedded(let shared): DirectoryView(shared: shared.batched(number), lease: lease)
        case .remote(let remote): DirectoryView(remote.batched(number))
        }
    }
}

extension ChangeFeed {
    /// Begins a batch. A batch gives one number to several changes of one caller, made by any number of calls and transactions.
    ///
    /// A change belongs to the batch if the caller makes the change through `batched(_:)` of ``DirectoryView``. The change feed shows the
    /// changes of a batch together, and `undo(_:isPreview:)` undoes them together. The changes of a batch are not one transaction; a
    /// ``Batch`` makes its changes in one transaction. Cost: one row for the batch, and one more row for each change of the batch.
    ///
    /// - Returns: The number of the batch.
    /// - Throws: `notPermitted` for callers who may not read the directory.
    public func beginBatch() throws -> Int64 { try view.change(BeginBatch()) }
    /// Begins a batch, as the synchronous form does.
    public func beginBatch() async throws -> Int64 { try await view.change(BeginBatch()) }

    /// Undoes a batch: gives users and roles back the values, members and owners that they had before the batch.
    ///
    /// The directory makes the opposite changes, newest first, with the caller's present rights, and gives them a batch of their own.
    ///
    /// The report names what is left out: users and roles whose values others have changed since, who were deleted or erased, or whom the
    /// batch has created or deleted; changes that the caller may not make; and changes whose former values the change feed does not hold,
    /// which are passwords, bytes, text over 1,024 bytes, and pruned entries. A user or a role is left out with all changes of one entry.
    ///
    /// Each hundred entries are a transaction of their own. After an error, the transactions before the error stay, and the same call
    /// undoes the rest.
    /// A preview tries each hundred entries by itself, and keeps nothing. Cost: as that of the changes of the batch.
    ///
    /// - Parameters:
    ///   - batch: The number of the batch.
    ///   - isPreview: Whether nothing is kept.
    /// - Throws: `notFound` unless the batch is the caller's, or the caller is an administrator.
    public func undo(_ batch: Int64, isPreview: Bool = false) throws -> UndoReport {
        var (report, next) = (UndoReport(), UndoBatch(batch: batch, isPreview: isPreview))
        while true {
            let step = try view.change(next)
            report.add(step)
            guard next.goOn(after: step) else { return report }
        }
    }

    /// Makes the opposite changes of a batch, as the synchronous form does. A cancelled task ends between two steps.
    public func undo(_ batch: Int64, isPreview: Bool = false) async throws -> UndoReport {
        var (report, next) = (UndoReport(), UndoBatch(batch: batch, isPreview: isPreview))
        while true {
            let step = try await view.change(next)
            report.add(step)
            guard next.goOn(after: step) else { return report }
        }
    }
}
