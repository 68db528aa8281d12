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

    /// The line on which the row begins.
    let line: Int
    /// The name of the user or the role; empty if the document has none.
    var name: Text
    var isRole = false
    var manager: Text?
    /// Whether the user is active, as true or false or as the text of the document.
    var active: AttributeValue?
    var values: [Value] = []
    var memberships: [Membership] = []
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
    /// The end of the document, with the fields that the directory does not know, and the fields that name roles although
    /// the document may not give any.
    case end(ignored: [String], notGranted: [String])
}
