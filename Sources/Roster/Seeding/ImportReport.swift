/// The result of an import.
public struct ImportReport: Sendable, Equatable {
    /// A field of the document, with the number of its values.
    public struct Field: Sendable, Hashable {
        /// The name of the field, as the document first writes it.
        public let name: String
        /// The number of values.
        public internal(set) var count: Int
        /// The line of the first value.
        public let line: Int
    }
    /// A row, or a part of a row, that could not be imported.
    public struct Problem: Sendable, Equatable {
        /// The line of the file at which the row begins.
        public let line: Int
        /// The name of the user or the role of the row; empty if the row has none.
        public let uid: String
        /// The column, the attribute or the key that was at fault, as the file calls it; empty if it was the whole row.
        public let field: String
        /// The reason.
        public let message: String
        /// Whether the whole row was left out. If not, the person was imported without the part that was wrong.
        public let isRowLeftOut: Bool
    }
    /// The numbers of people that were created, changed and left as they were.
    public internal(set) var users = LoadReport.Counts()
    /// The problems, in the order of the file.
    public internal(set) var problems: [Problem] = []
    /// The columns, or attributes, of the file that the directory does not know, and of which it has values.
    public internal(set) var ignored: [Field] = []
    /// The columns, or attributes, of the file that would have given roles or passwords and were left out,
    /// because the options do not ask for them.
    public internal(set) var notGranted: [Field] = []
    /// The columns, or attributes, of the file that were left out on purpose: by ``ImportOptions/skips``, by the preset, or because
    /// every directory keeps its own values.
    public internal(set) var skipped: [Field] = []
    /// The kinds of entries of LDIF that are neither people nor roles, such as computers, with their numbers.
    public internal(set) var otherEntries: [Field] = []
    /// The values that empty cells have removed, by the columns.
    public internal(set) var cleared: [Field] = []
    /// The number of people who were disabled, because the file does not name them; see ``ImportOptions/leavers``.
    public internal(set) var disabled = 0
    /// The names of administrators who stay active although the file does not name them.
    public internal(set) var keptAdministrators: [String] = []
    /// Whether the directory has everything that the file says, except what was left out on purpose.
    public var isComplete: Bool { problems.isEmpty && ignored.isEmpty && notGranted.isEmpty }
    /// The number of rows that were left out.
    public var leftOut: Int { problems.count { $0.isRowLeftOut } }
}
