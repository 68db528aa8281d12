public import Foundation

/// A failure: its kind, its cause, and advice on what to do next.
///
/// Every operation of the library throws this error, or `CancellationError` after a cancellation. Match on ``code``;
/// show ``message`` and ``advice`` to people. Neither contains a secret or the text of an SQL statement.
///
/// The codes follow the failure classes of the identity service behind Oracle Mobile and Social SDK (authorization,
/// already exists, not found, not unique, invalid attributes, invalid filter, not supported, size limit).
public struct DirectoryError: Error, Sendable, Hashable {
    /// The kind of a failure. Later versions can add codes, so a `switch` needs a `default`.
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
            case outsideTransaction = "outside_transaction"
            case notOffered = "not_offered"
            case notSignedIn = "not_signed_in"
            case unreachable = "unreachable"
            case tls = "tls"
            case outcomeUnknown = "outcome_unknown"
            case badAnswer = "bad_answer"
        }
        package let kind: Kind
        package init(_ kind: Kind) { self.kind = kind }

        /// The stable identifier of the code, as used in logs and by other programs.
        public var description: String { kind.rawValue }

        /// No user, role or attribute has that name or identifier, or the caller may not see it.
        public static let notFound = Code(.notFound)
        /// The name, or the value of a unique attribute, is taken.
        public static let alreadyExists = Code(.alreadyExists)
        /// The text breaks the rules for names of users and roles.
        public static let invalidName = Code(.invalidName)
        /// The attribute is unknown or read-only, or its value has the wrong type, breaks a
        /// rule or is too large.
        public static let invalidAttribute = Code(.invalidAttribute)
        /// The filter has a mistake, is too deep or too long, or uses an attribute that may not be searched.
        public static let invalidFilter = Code(.invalidFilter)
        /// The page size or page position is out of range.
        public static let invalidPage = Code(.invalidPage)
        /// The cursor belongs to another search.
        public static let invalidCursor = Code(.invalidCursor)
        /// The seed, CSV, LDIF or JSON document has a mistake.
        public static let invalidInput = Code(.invalidInput)
        /// The object has changed since the given version.
        public static let versionConflict = Code(.versionConflict)
        /// The reporting line, membership or ownership would form a cycle.
        public static let circle = Code(.circle)
        /// The manager has reportees, and the policy is ``ReporteePolicy/refuse``.
        public static let hasReportees = Code(.hasReportees)
        /// The change would leave the directory without an administrator.
        public static let lastAdministrator = Code(.lastAdministrator)
        /// The caller may not do this.
        public static let notPermitted = Code(.notPermitted)
        /// The change could be used to take over an account. The caller must sign in again, and repeat it within five
        /// minutes.
        public static let recentSignInRequired = Code(.recentSignInRequired)
        /// The change could be used to take over an account. An app may not make it for the caller.
        public static let appNotPermitted = Code(.appNotPermitted)
        /// The request exceeds the stated limit.
        public static let limitExceeded = Code(.limitExceeded)
        /// The requested changes were removed from the feed.
        public static let changesCompacted = Code(.changesCompacted)
        /// Too many callers are already waiting, or the caller has made too many changes: see ``DirectoryRates``.
        public static let overloaded = Code(.overloaded)
        /// The directory was opened for reading only.
        public static let readOnly = Code(.readOnly)
        /// The directory has been closed.
        public static let closed = Code(.closed)
        /// Another process has the file open for writing.
        public static let fileInUse = Code(.fileInUse)
        /// There is no file, or no folder, at that place.
        public static let fileNotFound = Code(.fileNotFound)
        /// The file or the database belongs to another program, or the database is not in UTF-8.
        public static let notADirectory = Code(.notADirectory)
        /// A newer version of this library wrote the file or the database.
        public static let newerFile = Code(.newerFile)
        /// The file or the database is damaged.
        public static let damaged = Code(.damaged)
        /// No space is left on the device.
        public static let storageFull = Code(.storageFull)
        /// The file or the database could not be read or written, or the database role lacks a right.
        public static let storageFailed = Code(.storageFailed)
        /// The key file is missing, cannot be read, or belongs to another directory.
        public static let unusableKey = Code(.unusableKey)
        /// A callback of a change called the directory, and would have waited for its own change.
        public static let reentrantCall = Code(.reentrantCall)
        /// The view of a transaction was used on another thread, or to change something after the transaction's end.
        public static let outsideTransaction = Code(.outsideTransaction)
        /// A server does not offer the operation to its clients.
        public static let notOffered = Code(.notOffered)
        /// The server does not know the caller, or the caller's sign-in has ended.
        public static let notSignedIn = Code(.notSignedIn)
        /// The server cannot be reached, or does not answer in time: a database server within ten seconds. Nothing was changed.
        public static let unreachable = Code(.unreachable)
        /// TLS with the server failed, such as for a certificate that the system does not accept. Nothing was changed.
        public static let tls = Code(.tls)
        /// The answer to a change was lost, also after repetitions, and a database server did not tell within 30 seconds whether it has
        /// committed the change. The server may have made the change.
        public static let outcomeUnknown = Code(.outcomeUnknown)
        /// The server's answer is not one of a directory server.
        public static let badAnswer = Code(.badAnswer)
    }

    /// The place of a failure in a document.
    public struct Place: Sendable, Hashable, CustomStringConvertible {
        /// The name of the document, if it has one.
        public var file: String?
        /// The line, from 1; nil if the failure concerns the whole document.
        public var line: Int?
        /// The column in Unicode scalars, from 1, if known.
        public var column: Int?
        /// The column, attribute or key with the failure, as the document names it.
        public var field: String?
        /// The number of the operation in a ``Batch``, from 1.
        public var operation: Int?

        package init(
            file: String? = nil, line: Int? = nil, column: Int? = nil, field: String? = nil, operation: Int? = nil
        ) {
            self.operation = operation
            self.file = file
            self.line = line
            self.column = column
            self.field = field
        }

        /// The place in words: `people.csv, line 3, 'manager'`.
        public var description: String {
            let parts = [
                file, operation.map { "operation \($0)" }, line.map { "line \($0)" }, column.map { "column \($0)" },
                field.map { "'\($0)'" },
            ]
            return parts.compactMap { $0 }.joined(separator: ", ")
        }
    }

    /// The kind of failure.
    public let code: Code
    /// The cause, without the place.
    public let problem: String
    /// Advice on what to do next, if there is any.
    public let advice: String?
    /// The attribute with the failure, if the failure concerns one.
    public let attribute: AttributeName?
    /// The place in a document; nil if there is no document.
    public let place: Place?
    /// The seconds after which the caller may try again, if that is known.
    public let retryAfter: Int?
    /// The cause, preceded by the place if there is one.
    public var message: String { place.map { "\($0): \(problem)" } ?? problem }

    package init(
        _ kind: Code.Kind, _ problem: String, advice: String? = nil, attribute: AttributeName? = nil,
        at place: Place? = nil, retryAfter: Int? = nil
    ) {
        self.retryAfter = retryAfter
        self.code = Code(kind)
        self.problem = problem
        self.advice = advice
        self.attribute = attribute
        self.place = place
    }

    /// The same error at a place.
    package func at(_ place: Place) -> DirectoryError {
        DirectoryError(code.kind, problem, advice: advice, attribute: attribute, at: place, retryAfter: retryAfter)
    }

    /// The error `invalidInput` for the document in which this error occurred.
    ///
    /// - Parameter advice: Replaces this error's advice unless it is nil.
    package func inDocument(at place: Place, advice: String? = nil) -> DirectoryError {
        DirectoryError(.invalidInput, problem, advice: advice ?? self.advice, attribute: attribute, at: place)
    }

    /// The same error with further advice.
    package func advising(_ further: String) -> DirectoryError {
        DirectoryError(
            code.kind, problem, advice: advice.map { "\($0) \(further)" } ?? further, attribute: attribute, at: place)
    }

    /// The error for a mistake at a line and a column of a document.
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
