/// A failure of the store: of the file, SQLite, the database server, or an overloaded queue.
package struct StoreError: Error, Sendable, Hashable {
    /// The kind of a failure.
    package enum Kind: Sendable, Hashable {
        case overloaded, closed, fileInUse, damaged, storageFull
        /// Another row has the same unique value, or a file of that name exists.
        case alreadyExists
        /// The store was opened for reading only, or the file cannot be written.
        case readOnly
        /// There is no file, or no folder, at that place.
        case fileNotFound
        /// Another program wrote the file.
        case notADirectory
        /// A newer version of this library wrote the file.
        case newerFile
        /// The file could not be read or written.
        case storageFailed
        /// The database role lacks a right that the operation needs.
        case forbidden
        /// The key file cannot be read or written.
        case unusableKey
        /// A callback of a change would wait for the end of that change.
        case reentrantCall
        /// The server that keeps the directory cannot be reached.
        case unreachable
        /// The connection was lost during a commit, and whether the server committed the change is not known.
        case outcomeUnknown
        /// A statement took too long, or a value is too large.
        case limitExceeded
    }

    /// The kind of failure.
    package let kind: Kind
    /// The cause.
    package let message: String
    /// Advice on what to do next, if there is any.
    package let advice: String?

    /// Describes a failure. Neither text may contain a value or the text of a statement.
    package init(_ kind: Kind, _ message: String, advice: String? = nil) {
        self.kind = kind
        self.message = message
        self.advice = advice
    }

    /// A search has exceeded its time.
    package static let tooLong = StoreError(
        .limitExceeded, "The search took too long and was stopped.", advice: "Make the filter more specific.")
    package static let tooMuch = StoreError(
        .limitExceeded, "The change would take longer than everybody else may be made to wait.",
        advice: "Send several smaller requests, or have an administrator do it.")

    /// A file of SQLite has no tables.
    static func emptyFile(_ path: String) -> StoreError {
        StoreError(
            .notADirectory, "'\(path)' is empty: it contains no directory.",
            advice:
                "If the file was copied while a program had the original open, its data is in the log '-wal' beside the "
                + "original. Make the copy as a backup.")
    }
}
