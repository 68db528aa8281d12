/// A failure of the store: of the file, the engine, or the lines of those who wait for them.
package struct StoreError: Error, Sendable, Hashable {
    /// What kind of failure it is.
    package enum Kind: Sendable, Hashable {
        /// A value that must be unique stands in another row, or a file of that name exists.
        case alreadyExists
        /// Too many callers wait.
        case overloaded
        /// The store was opened for reading only, or the file cannot be written.
        case readOnly
        /// The store has been closed.
        case closed
        /// Another process has the file open for writing.
        case fileInUse
        /// There is no file, or no folder, at that place.
        case fileNotFound
        /// Another program wrote the file.
        case notADirectory
        /// A newer version of this library wrote the file.
        case newerFile
        /// The file is damaged.
        case damaged
        /// No space is left on the device.
        case storageFull
        /// The file could not be read or written.
        case storageFailed
        /// The key file cannot be read or written.
        case unusableKey
        /// A callback of a change would wait for the end of that change.
        case reentrantCall
        /// A statement took too long, or a value is too large.
        case limitExceeded
    }

    /// What kind of failure it is.
    package let kind: Kind
    /// What was wrong with what.
    package let message: String
    /// What to do next, where there is something to do.
    package let advice: String?

    /// Describes a failure. Neither text may hold a value or the text of a statement.
    package init(_ kind: Kind, _ message: String, advice: String? = nil) {
        self.kind = kind
        self.message = message
        self.advice = advice
    }
}
