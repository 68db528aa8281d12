/// A user or a role as a document describes it. All formats are read into rows of this type.
struct ImportRow: Sendable {
    /// A text and the line on which it stands.
    struct Text: Sendable {
        let text: String
        let line: Int
    }
    /// The value of an attribute, which is not yet of the attribute's type.
    struct Value: Sendable {
        let name: AttributeName
        let value: AttributeValue
        let line: Int
    }
    /// A membership or an ownership. In the row of a user it names a role, in the row of a role a user or a role.
    struct Membership: Sendable {
        let name: String
        let isRole: Bool
        let relation: RoleRelation
        let line: Int
        /// The field that names the membership, for messages.
        let field: AttributeName
    }

    /// A value that the row has and the directory cannot take.
    struct LeftOut: Sendable {
        /// The field, as the document calls it.
        let field: String
        let line: Int
        let message: String
    }

    /// The line on which the row begins.
    let line: Int
    /// The name of the user or the role; empty if the document has none.
    var name: Text
    var isRole = false
    var manager: Text?
    /// Whether the user is active, as true or false or as the text of the document.
    var active: AttributeValue?
    var values: [Value] = []
    /// The attributes that the row empties.
    var clears: [AttributeName] = []
    var leftOut: [LeftOut] = []
    /// The attributes whose fields the row of a CSV document lacks, since the row ends early, with the headers. They keep their values.
    var missing: [(name: AttributeName, field: String)] = []
    var memberships: [Membership] = []
    /// Whether the row has an empty cell that removes a value.
    var removesValues: Bool { !clears.isEmpty || manager?.text.isEmpty == true }
    /// The error for a value that cannot be read; nil if all can.
    var failure: DirectoryError?

    init(line: Int, isRole: Bool = false) {
        self.line = line
        self.isRole = isRole
        name = Text(text: "", line: line)
    }
}

/// An item that a reader delivers, in the order of the document.
enum ImportItem: Sendable {
    case row(ImportRow)
    /// A row that cannot be read.
    ///
    /// - Parameter isLast: Whether the rows after this one cannot be read either.
    case unreadable(DirectoryError, isLast: Bool)
    /// The end of the document, with everything that no row carries.
    case end(Unread)
}

/// The values and entries of a document that no row carries.
struct Unread: Sendable {
    /// The fields that the directory does not know.
    var ignored = FieldCounts()
    /// The fields that are left out on purpose.
    var skipped = FieldCounts()
    /// The fields that name roles although the document may not give any.
    var notGranted = FieldCounts()
    /// The kinds of entries that are neither people nor roles, such as computers.
    var otherEntries = FieldCounts()
}

/// Counts values by their fields, in the order in which the document first names the fields.
struct FieldCounts: Sendable {
    private(set) var fields: [ImportReport.Field] = []
    private var places: [String: Int] = [:]

    /// Counts a value. Names are compared without regard to case.
    mutating func note(_ name: String, line: Int) {
        let key = name.lowercased()
        if let place = places[key] {
            fields[place].count += 1
        } else {
            places[key] = fields.count
            fields.append(.init(name: name, count: 1, line: line))
        }
    }
}
