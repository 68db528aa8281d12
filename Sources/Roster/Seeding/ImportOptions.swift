/// The options of an import.
public struct ImportOptions: Sendable {
    /// The treatment of a row that cannot be imported.
    public enum BadRow: String, Sendable, CaseIterable {
        /// The import stops, and the directory stays unchanged.
        case stop
        /// The import goes on without the row. A person whose manager is missing, or would form a cycle, is imported without the
        /// manager. The report names each case.
        case skip
    }
    /// The format.
    public var format: ExchangeFormat
    /// The field from which an attribute comes: a column of CSV, or an attribute of LDIF. Other fields whose name is that of an attribute,
    /// or that ``preset`` knows, are read as well.
    public var columns: [AttributeName: String]
    /// The product whose export the document is; nil for any other.
    public var preset: ImportPreset?
    /// The fields to leave out, by their names in the document or by the attributes in which they would be stored.
    /// ``ImportReport/skipped`` counts their values.
    public var skips: Set<String> = []
    /// For CSV, whether a value stays where the document has an empty cell. If not, an empty cell of a column that is read empties the
    /// attribute, except `uid`, `active`, `memberOf` and `password`.
    public var keepsEmpty = false
    /// The largest number of values that empty cells may remove from one column; nil for a tenth of the column's values in the
    /// directory, rounded up. If more would go, the import is refused.
    public var mostCleared: Int?
    /// The values that mean that a person has no manager.
    public var noManager: Set<String>
    /// The treatment of a row that cannot be imported.
    public var onBadRow: BadRow
    /// The rights that the file may give. If it may give none, columns and attributes that name roles are left out, and
    /// ``ImportReport/notGranted`` names them.
    public var grants: Grants
    /// For CSV, whether formulas are escaped in the file, as `export(_:isForSpreadsheet:to:)` does for a
    /// spreadsheet.
    public var isFromSpreadsheet: Bool
    /// The attribute by which the file names managers: `uid`, `mail` or `employeeNumber`. Managers need not be in the file.
    /// Unless it is set, that of the preset, or else `uid`.
    public var managersBy: AttributeName
    /// For CSV, the form of dates in the file; nil for ISO 8601, as in `2026-01-31`.
    public var dateFormat: DateFormat?
    /// For LDIF and CSV, says why a hash cannot be the password of a user, or returns nil for a hash that can. If nil, no passwords are
    /// imported from LDIF. `ImportOptions.takePasswords()` of RosterSignIn sets it.
    package var passwordProblem: (@Sendable (_ hash: String) -> String?)?
    /// The users to disable because the file does not name them; nil for none.
    public var leavers: Leavers?

    /// The people who are disabled because a document that names everybody does not name them.
    public struct Leavers: Sendable, Hashable {
        /// The people of whom the document names everybody, such as those of one company. Administrators among them stay active.
        public var scope: Filter
        /// The largest number of people to disable; nil for a tenth of the active people in the scope, rounded up. If more are
        /// missing, the import is refused.
        public var most: Int?

        /// Describes who is disabled.
        public init(scope: Filter, most: Int? = nil) {
            self.scope = scope
            self.most = most
        }
    }

    /// Describes an import.
    public init(
        format: ExchangeFormat, columns: [AttributeName: String] = [:], noManager: Set<String> = [],
        onBadRow: BadRow = .stop, grants: Grants = .nothing, isFromSpreadsheet: Bool = false,
        preset: ImportPreset? = nil
    ) {
        self.format = format
        self.columns = columns
        self.preset = preset
        managersBy = preset?.managersBy ?? "uid"
        self.noManager = noManager
        self.onBadRow = onBadRow
        self.grants = grants
        self.isFromSpreadsheet = isFromSpreadsheet
    }
}
