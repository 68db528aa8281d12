public import Foundation

/// What went wrong, with what, and what to do next.
///
/// Every operation of the library throws this, or `CancellationError` where the operation was cancelled. Match on
/// ``code``; show ``message`` and ``advice`` to people. Neither ever holds a secret or the text of a statement.
///
/// The codes follow the failure classes of the identity service behind the mirrored module (authorization, already
/// exists, not found, not unique, invalid attributes, invalid filter, not supported, size limit).
public struct DirectoryError: Error, Sendable, Hashable {
    /// What kind of failure it is. More may be added: a `switch` over codes needs a `default`.
    public struct Code: Sendable, Hashable, CustomStringConvertible {
        package enum Kind: String, Sendable, CaseIterable {
            case notFound = "not_found"
            case alreadyExists = "already_exists"
            case invalidName = "invalid_name"
            case invalidAttribute = "invalid_attribute"
            case invalidFilter = "invalid_filter"
            case invalidPage = "invalid_page"
            case invalidCursor = "invalid_cursor"
            case invalidInput = "invalid_input"
            case versionConflict = "version_conflict"
            case circle = "circle"
            case hasReportees = "has_reportees"
            case lastAdministrator = "last_administrator"
            case notPermitted = "not_permitted"
            case recentSignInRequired = "recent_sign_in_required"
            case appNotPermitted = "app_not_permitted"
            case limitExceeded = "limit_exceeded"
            case changesCompacted = "changes_compacted"
            case overloaded = "overloaded"
            case readOnly = "read_only"
            case closed = "closed"
            case fileInUse = "file_in_use"
            case fileNotFound = "file_not_found"
            case notADirectory = "not_a_directory"
            case newerFile = "newer_file"
            case damaged = "damaged"
            case storageFull = "storage_full"
            case storageFailed = "storage_failed"
            case unusableKey = "unusable_key"
            case reentrantCall = "reentrant_call"
        }
        package let kind: Kind
        package init(_ kind: Kind) { self.kind = kind }

        /// The stable identifier of the code, as logs and other programs see it.
        public var description: String { kind.rawValue }

        /// No user, role or attribute of that name or id, or none that the caller may see.
        public static let notFound = Code(.notFound)
        /// The name, or the value of a unique attribute, belongs to somebody else.
        public static let alreadyExists = Code(.alreadyExists)
        /// Not a name that a user or role can have.
        public static let invalidName = Code(.invalidName)
        /// An unknown attribute, a value of the wrong type, too large, or read-only.
        public static let invalidAttribute = Code(.invalidAttribute)
        /// A filter that cannot be read, is too deep or too long, or asks for what may not be searched.
        public static let invalidFilter = Code(.invalidFilter)
        /// A page size or page position out of range.
        public static let invalidPage = Code(.invalidPage)
        /// A cursor that this search did not hand out.
        public static let invalidCursor = Code(.invalidCursor)
        /// A seed, CSV, LDIF or JSON document that cannot be taken.
        public static let invalidInput = Code(.invalidInput)
        /// Somebody else changed it since the version that was given.
        public static let versionConflict = Code(.versionConflict)
        /// A reporting line, membership or ownership that would lead back to itself.
        public static let circle = Code(.circle)
        /// A manager with reportees is not deleted under ``ReporteePolicy/refuse``.
        public static let hasReportees = Code(.hasReportees)
        /// Somebody must stay who can administer the directory.
        public static let lastAdministrator = Code(.lastAdministrator)
        /// The caller may not do this.
        public static let notPermitted = Code(.notPermitted)
        /// The change could take an account over: the caller must sign in again, and repeat it within five minutes.
        public static let recentSignInRequired = Code(.recentSignInRequired)
        /// The change could take an account over: an app may not make it for the caller.
        public static let appNotPermitted = Code(.appNotPermitted)
        /// More than the stated limit was asked for.
        public static let limitExceeded = Code(.limitExceeded)
        /// The changes asked for have been compacted away.
        public static let changesCompacted = Code(.changesCompacted)
        /// Too many callers are waiting already.
        public static let overloaded = Code(.overloaded)
        /// The directory was opened for reading only.
        public static let readOnly = Code(.readOnly)
        /// The directory has been closed.
        public static let closed = Code(.closed)
        /// Another process has the file open for writing.
        public static let fileInUse = Code(.fileInUse)
        /// There is no file, or no folder, at that place.
        public static let fileNotFound = Code(.fileNotFound)
        /// A file that something else wrote.
        public static let notADirectory = Code(.notADirectory)
        /// A file that a newer version of this library wrote.
        public static let newerFile = Code(.newerFile)
        /// A file that is damaged.
        public static let damaged = Code(.damaged)
        /// No space is left on the device.
        public static let storageFull = Code(.storageFull)
        /// The file could not be read or written.
        public static let storageFailed = Code(.storageFailed)
        /// The key file is missing, cannot be read, or belongs to another directory.
        public static let unusableKey = Code(.unusableKey)
        /// A callback of a change called the directory, and would have waited for its own end.
        public static let reentrantCall = Code(.reentrantCall)
    }

    /// Where in a document the failure is.
    public struct Place: Sendable, Hashable, CustomStringConvertible {
        /// The name of the document, where it has one.
        public var file: String?
        /// The line, from 1; nil where the whole document is at fault.
        public var line: Int?
        /// The column in Unicode scalars, from 1, where it is known.
        public var column: Int?
        /// The column, the attribute or the key that is at fault, as the document calls it.
        public var field: String?

        package init(file: String? = nil, line: Int? = nil, column: Int? = nil, field: String? = nil) {
            self.file = file
            self.line = line
            self.column = column
            self.field = field
        }

        /// The place in words: `people.csv, line 3, 'manager'`.
        public var description: String {
            let parts = [
                file, line.map { "line \($0)" }, column.map { "column \($0)" }, field.map { "'\($0)'" },
            ]
            return parts.compactMap { $0 }.joined(separator: ", ")
        }
    }

    /// What kind of failure it is.
    public let code: Code
    /// What was wrong with what, without the place.
    public let problem: String
    /// What to do next, where there is something to do.
    public let advice: String?
    /// The attribute that was at fault, where it was one.
    public let attribute: AttributeName?
    /// Where in a document the failure is; nil where there is no document.
    public let place: Place?
    /// What was wrong with what. It begins with the place, where there is one.
    public var message: String { place.map { "\($0): \(problem)" } ?? problem }

    package init(
        _ kind: Code.Kind, _ problem: String, advice: String? = nil, attribute: AttributeName? = nil,
        at place: Place? = nil
    ) {
        self.code = Code(kind)
        self.problem = problem
        self.advice = advice
        self.attribute = attribute
        self.place = place
    }

    /// The same error at a place.
    package func at(_ place: Place) -> DirectoryError {
        DirectoryError(code.kind, problem, advice: advice, attribute: attribute, at: place)
    }

    /// The error `invalidInput` for a document in which this error occurred.
    ///
    /// - Parameter advice: In place of this error's own advice, unless it is nil.
    package func inDocument(at place: Place, advice: String? = nil) -> DirectoryError {
        DirectoryError(.invalidInput, problem, advice: advice ?? self.advice, attribute: attribute, at: place)
    }

    /// Makes the error for a document that has a mistake at a line and a column.
    package static func malformed(line: Int, column: Int? = nil, _ problem: String, advice: String) -> DirectoryError {
        DirectoryError(.invalidInput, problem, advice: advice, at: Place(line: line, column: column))
    }
}

extension DirectoryError: CustomStringConvertible, LocalizedError {
    /// The message and the advice in one line.
    public var description: String {
        guard let advice else { return message }
        return message + " " + advice
    }
    /// The same as ``description``.
    public var errorDescription: String? { description }
}
