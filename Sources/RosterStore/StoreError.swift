/// A failure of the store: of the file, of SQLite, or of an overloaded queue.
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
        /// The server does not let the database role do that.
        case forbidden
        /// The key file cannot be read or written.
        case unusableKey
        /// A callback of a change would wait for the end of that change.
        case reentrantCall
        /// The server that keeps the directory cannot be reached.
        case unreachable
        /// The server was lost while it kept a change, and nobody can tell whether it has.
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
}
