import Dispatch
public import Foundation
import RosterStore

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
        let path = try DirectoryError.translating { try DirectoryFile.path(of: url) }
        try core.store.backUp(to: path, progress, isCancelled: { false })
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
        try restore(from: backup, to: url, replacing: replacing, isCancelled: { false })
    }

    /// Puts a backup in place, as the synchronous form does; cancelling the task changes nothing.
    public static func restore(from backup: URL, to url: URL, replacing: Bool = false) async throws {
        try await cancellable { isCancelled in
            try restore(from: backup, to: url, replacing: replacing, isCancelled: isCancelled)
        }
    }

    private static func restore(from backup: URL, to url: URL, replacing: Bool, isCancelled: () -> Bool) throws {
        try DirectoryError.translating {
            try Store.restore(
                from: DirectoryFile.path(of: backup), to: DirectoryFile.path(of: url), .current, replacing: replacing,
                isCancelled: isCancelled,
                // People may have been signed out since the backup was made, which the backup does not know.
                finish: { try $0.run(AccessStatements.endAllSignIns) })
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
