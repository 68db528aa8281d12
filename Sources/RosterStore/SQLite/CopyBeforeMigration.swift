import Foundation
import Synchronization

/// The copy of a file of an older version. It is beside the file from the migration until the first change after it, so that
/// nothing is lost if the new version turns out not to work.
package final class CopyBeforeMigration: Sendable {
    private let file: DirectoryFile
    private let exists: Atomic<Bool>

    /// The path of the copy.
    package static func path(of file: DirectoryFile) -> String { file.path + "-before-migration" }

    init(of file: DirectoryFile) {
        self.file = file
        exists = Atomic(FileManager.default.fileExists(atPath: Self.path(of: file)))
    }

    /// Makes the copy. It replaces a copy of before, whose migration was interrupted.
    ///
    /// - Throws: ``StoreError`` `storageFull` if there is no space for the copy.
    func make(_ migrations: Migrations) throws {
        do {
            try Store.copy(file, to: Self.path(of: file), migrations)
        } catch let error as StoreError {
            throw StoreError(
                error.kind,
                "'\(file.path)' has an older schema and could not be copied before its migration: \(error.message)",
                advice: "Make room for a copy of the file. The file was not touched.")
        }
        exists.store(true, ordering: .relaxed)
    }

    /// Removes the copy, if there is one.
    func remove() {
        guard exists.exchange(false, ordering: .relaxed) else { return }
        try? FileManager.default.removeItem(atPath: Self.path(of: file))
    }
}
