import Dispatch
public import Foundation

extension Session {
    /// What is wrong with the file, in words; nothing where all is well. Reads everything.
    func check() throws -> [String] {
        try rights.checkAdministrator(to: "check the directory")
        var problems = try connection.all(StoreStatements.integrity) { $0.text(0) }.filter { $0 != "ok" }
        problems += try connection.all(StoreStatements.foreignKeys) {
            "Row \($0.integer(1)) of '\($0.text(0))' refers to a row of '\($0.text(2))' that is not there."
        }
        try connection.forEach(ChangeStatements.gaps) { row in
            if row.integer(0) != row.integer(1) { problems.append("The change feed has gaps.") }
        }
        try checkKeys(&problems)
        problems += try connection.all(ReportingStatements.inCircle) {
            "User \($0.text(0)) reports to themselves through others."
        }
        return problems
    }

    /// Compares the keys in the indexes with the records that they are made of.
    private func checkKeys(_ problems: inout [String]) throws {
        let vocabulary = vocabulary
        var values = 0
        try connection.forEach(UserStatements.withKeys) { row in
            let name = row.text(1)
            do {
                let attributes = try row.bytes(2) { try AttributeSet(json: $0) }
                let keys = UserKeys(name: try EntityName(name).key, attributes: attributes, vocabulary: vocabulary)
                values += keys.values.count
                let stored = (0..<keys.columnKeys.count).map { row.binding(Int32($0) + 4) }
                if stored != keys.columnKeys || row.text(3) != keys.name {
                    problems.append("The search keys of user '\(name)' are not those of their attributes.")
                }
            } catch {
                problems.append("User '\(name)' cannot be read: \(error)")
            }
            if problems.count > 100 {
                throw DirectoryError(.damaged, "There are more than 100 problems.", advice: "Restore a backup.")
            }
        }
        let stored = try connection.first(UserStatements.valueCount) { Int($0.integer(0)) } ?? 0
        if stored != values { problems.append("The table of values has \(stored) rows, and should have \(values).") }
    }
}

extension DirectoryView {
    /// Checks the whole directory: the file, references, search keys, reporting lines and the change feed.
    ///
    /// - Returns: What is wrong, in words; nothing where all is well.
    /// - Complexity: Reads everything: some seconds for a million people.
    public func check() throws -> [String] { try core.store.readAlone { try Session($0, self).check() } }

    /// Checks the whole directory, as the synchronous form does.
    public func check() async throws -> [String] { try await awaitRead { try $0.check() } }
}

extension Directory {
    /// Copies the directory, as it is at one moment, into a new file, while others go on reading and writing. The copy
    /// is verified, and appears under its name only when it is whole.
    ///
    /// The copy has no key file. Without the directory's key file, `company.db-key`, the private keys and second factors in
    /// the copy cannot be read by anybody: keep a copy of the key file, and keep it apart from the backups.
    ///
    /// - Parameters:
    ///   - url: The new file; there must be none of that name.
    ///   - progress: Told now and then how far it is, from 0 to 1.
    public func backup(to url: URL, progress: (@Sendable (Double) -> Void)? = nil) throws {
        try core.store.backUp(to: DirectoryFile.path(of: url), progress, isCancelled: { false })
    }

    /// Copies the directory, as the synchronous form does; cancelling the task leaves no file.
    public func backup(to url: URL, progress: (@Sendable (Double) -> Void)? = nil) async throws {
        let store = core.store
        try await Directory.cancellable { isCancelled in
            try store.backUp(to: DirectoryFile.path(of: url), progress, isCancelled: isCancelled)
        }
    }

    /// Puts a backup in the place of a directory's file, once it has been verified; on an error the file that was
    /// there is as before.
    ///
    /// All sessions have ended then, and so have the tokens of apps: somebody who was signed out since the backup must not be
    /// signed in again. Passwords, signing keys and programs' own tokens are those of the backup, and so must the key file
    /// be, which is not part of it: put that of the backup's time beside the file, as `company.db-key`.
    ///
    /// - Parameters:
    ///   - backup: The backup.
    ///   - url: Where the directory is to be. Nobody may have it open for writing.
    ///   - replacing: Whether a file that is there may be replaced.
    public static func restore(from backup: URL, to url: URL, replacing: Bool = false) throws {
        try Store.restore(
            from: DirectoryFile.path(of: backup), to: DirectoryFile.path(of: url), replacing: replacing,
            isCancelled: { false })
    }

    /// Puts a backup in place, as the synchronous form does; cancelling the task changes nothing.
    public static func restore(from backup: URL, to url: URL, replacing: Bool = false) async throws {
        try await cancellable { isCancelled in
            try Store.restore(
                from: DirectoryFile.path(of: backup), to: DirectoryFile.path(of: url), replacing: replacing,
                isCancelled: isCancelled)
        }
    }

    /// Runs long work on a thread that may block, and tells it when its task is cancelled.
    private static func cancellable(_ work: @escaping @Sendable (() -> Bool) throws -> Void) async throws {
        let cancellation = Cancellation()
        let held = HeldWork.current
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Void, any Error>) in
                DispatchQueue.global().async {
                    let result = HeldWork.$current.withValue(held) {
                        Result { try work { cancellation.isCancelled } }
                    }
                    continuation.resume(with: result)
                }
            }
        } onCancel: {
            cancellation.cancel()
        }
    }
}
