internal import CSQLite
import Foundation

/// Converts SQLite's result codes to errors. Messages contain neither statements nor values.
package enum StoreFailure {
    /// SQLITE_CONSTRAINT_UNIQUE, which Swift cannot import from the header.
    private static let uniqueConstraint = SQLITE_CONSTRAINT | 8 << 8

    package static func error(_ result: Int32, on handle: OpaquePointer?) -> StoreError {
        let path = handle.flatMap { sqlite3_db_filename($0, "main") }.map { String(cString: $0) }
        return error(result, path: path.flatMap { $0.isEmpty ? nil : $0 })
    }

    package static func error(_ result: Int32, path: String?) -> StoreError {
        let file = path.map { "'\($0)'" } ?? "the directory"
        let reason = String(cString: sqlite3_errstr(result))
        switch result & 0xFF {
        case SQLITE_CONSTRAINT where result == uniqueConstraint:
            return StoreError(
                .alreadyExists, "That belongs to somebody else already.", advice: "Choose another value.")
        case SQLITE_FULL:
            return StoreError(
                .storageFull, "There is no space left for \(file); nothing of this change was kept.",
                advice: "Free some space and try again; reading goes on.")
        case SQLITE_NOTADB:
            return StoreError(
                .notADirectory, "\(file) is not a directory file.", advice: "Check the path; the file was not touched.")
        case SQLITE_CORRUPT:
            return StoreError(
                .damaged, "\(file) is damaged.", advice: "Check the file and restore a backup.")
        case SQLITE_READONLY, SQLITE_PERM:
            return StoreError(.readOnly, "\(file) cannot be written.", advice: "Check the file's permissions.")
        case SQLITE_CANTOPEN:
            return StoreError(
                .fileNotFound, "\(file) cannot be opened.", advice: "Check the folder and its permissions.")
        case SQLITE_BUSY, SQLITE_LOCKED:
            return StoreError(
                .fileInUse, "\(file) is locked by another process.", advice: "Close the other process and try again.")
        case SQLITE_INTERRUPT: return .tooLong
        case SQLITE_TOOBIG:
            return StoreError(.limitExceeded, "A value is too large to be stored.")
        default:
            return StoreError(
                .storageFailed, "\(file) could not be read or written: \(reason).",
                advice: "Check the disk, then the file.")
        }
    }
}
