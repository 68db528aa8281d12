import Dispatch
public import Foundation
import RosterStore

extension Directory {
    /// Copies the directory, as of one moment, into a new file. Reads and changes continue meanwhile. The copy is
    /// verified, and gets its name only when it is complete.
    ///
    /// The copy has no key file. Private keys and second factors in the copy are unreadable without the directory's key
    /// file, `company.db-key`. Keep a copy of the key file, separate from the backups.
    ///
    /// - Parameters:
    ///   - url: The new file, which must not exist.
    ///   - progress: Receives the progress from 0 to 1.
    public func backup(to url: URL, progress: (@Sendable (Double) -> Void)? = nil) throws {
        let path = try DirectoryError.translating { try DirectoryFile.path(of: url) }
        try core.store.backUp(to: path, progress, isCancelled: { false })
    }

    /// Copies the directory, as the synchronous form does. Cancelling the task leaves no file.
    public func backup(to url: URL, progress: (@Sendable (Double) -> Void)? = nil) async throws {
        let store = core.store
        try await Directory.cancellable { isCancelled in
            try store.backUp(to: DirectoryFile.path(of: url), progress, isCancelled: isCancelled)
        }
    }

    /// Replaces a directory's file with a verified backup. After an error the existing file is unchanged.
    ///
    /// A restore ends all sessions and invalidates the tokens of apps, so that a user who was signed out since the
    /// backup stays signed out. Passwords, signing keys and API tokens are those of the backup. They need the key file
    /// of the backup's time, which is not part of the backup: place it beside the file as `company.db-key`.
    ///
    /// - Parameters:
    ///   - backup: The backup.
    ///   - url: The directory's file. No process may have it open for writing.
    ///   - replacing: Whether an existing file may be replaced.
    public static func restore(from backup: URL, to url: URL, replacing: Bool = false) throws {
        try restore(from: backup, to: url, replacing: replacing, isCancelled: { false })
    }

    /// Restores a backup, as the synchronous form does. Cancelling the task changes nothing.
    public static func restore(from backup: URL, to url: URL, replacing: Bool = false) async throws {
        try await cancellable { isCancelled in
            try restore(from: backup, to: url, replacing: replacing, isCancelled: isCancelled)
        }
    }

    /// Ends all sessions and invalidates the tokens of apps. Call this method after the tools of PostgreSQL have restored the
    /// database: otherwise, a user who signed out after the backup is signed in again.
    public func endAllSignIns() throws {
        try core.store.write { try $0.run(AccessStatements.endAllSignIns) }
    }

    /// Ends all sessions, as the synchronous form does.
    public func endAllSignIns() async throws {
        try await core.store.awaitWrite { try $0.run(AccessStatements.endAllSignIns) }
    }

    private static func restore(from backup: URL, to url: URL, replacing: Bool, isCancelled: () -> Bool) throws {
        try DirectoryError.translating {
            try Store.restore(
                from: DirectoryFile.path(of: backup), to: DirectoryFile.path(of: url), .current, replacing: replacing,
                isCancelled: isCancelled,
                // The backup contains sessions that ended after the backup was made.
                finish: { try $0.run(AccessStatements.endAllSignIns) })
        }
    }

    /// Runs long work on a thread that may block. The closure that `work` receives returns whether the task is cancelled.
    static func cancellable<Value: Sendable>(
        _ work: @escaping @Sendable (@escaping @Sendable () -> Bool) throws -> Value
    ) async throws -> Value {
        let cancellation = Cancellation()
        let held = HeldWork.current
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Value, any Error>) in
                // A serial queue has its own thread. On Linux, the global queues share theirs with Swift's tasks, and the
                // work may call code of the app that waits for a task.
                DispatchQueue(label: "roster.work").async {
                    let result = HeldWork.$current.withValue(held) {
                        Result { try DirectoryError.translating { try work { cancellation.isCancelled } } }
                    }
                    continuation.resume(with: result)
                }
            }
        } onCancel: {
            cancellation.cancel()
        }
    }
}
