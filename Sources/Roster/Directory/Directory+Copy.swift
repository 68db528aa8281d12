import RosterStore

extension Directory {
    /// Copies the whole directory, as of one moment, into an empty directory: from a file to a PostgreSQL database, from a
    /// database to a file, or within one engine. Identifiers, change numbers, passwords, sessions and settings stay the same.
    ///
    /// Users can read and change this directory during the copy. The copy contains no change that was committed after its
    /// beginning. The other directory shows the copy only after the copy is complete and was compared with the original;
    /// after an error, the other directory is still empty. Private keys and second factors stay encrypted, so the other
    /// directory needs the key file of this directory.
    ///
    /// - Parameters:
    ///   - other: The directory to copy into, which nobody has used yet.
    ///   - progress: Receives the progress from 0 to 1.
    /// - Returns: The copied tables.
    /// - Throws: ``DirectoryError`` `alreadyExists` if the other directory is not empty; `newerFile` if the two have different columns;
    ///   `invalidAttribute` if PostgreSQL has no space for a key; `storageFailed` if the role does not own the tables; `damaged` if the
    ///   copy differs; `unreachable`, `readOnly`, `closed`.
    /// - Complexity: Reads and writes every row. Holds some hundred rows in memory.
    @discardableResult
    public func copy(to other: Directory, progress: (@Sendable (Double) -> Void)? = nil) throws -> [CopiedTable] {
        try copy(to: other, progress, isCancelled: { false })
    }

    /// Copies the whole directory, as the synchronous form does. If the task is cancelled, the other directory stays empty.
    ///
    /// - Throws: The errors of the synchronous form; `CancellationError`.
    @discardableResult
    public func copy(to other: Directory, progress: (@Sendable (Double) -> Void)? = nil) async throws -> [CopiedTable] {
        try await Directory.cancellable { isCancelled in
            try self.copy(to: other, progress, isCancelled: isCancelled)
        }
    }

    private func copy(
        to other: Directory, _ progress: (@Sendable (Double) -> Void)?, isCancelled: @escaping @Sendable () -> Bool
    ) throws -> [CopiedTable] {
        let tables = try core.store.readAlone { source in
            try other.core.store.write { target in
                try DirectoryCopy(source: source, target: target, progress: progress, isCancelled: isCancelled).run()
            }
        }
        other.core.adopt(try other.core.store.read { try AttributeManager.vocabulary(on: $0) })
        return tables
    }
}
