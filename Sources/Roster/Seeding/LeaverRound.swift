import RosterStore
import RosterText

/// Disables the people of a scope whom a document does not name, at the end of an import.
struct LeaverRound {
    private let leavers: ImportOptions.Leavers
    /// The users whom the document names.
    private var users = IdentifierSet()
    /// The keys of the names in the document that no user had.
    private var newNames: Set<String> = []
    private var namesAnybody = false
    /// The line of a row that names nobody; nil if there is none.
    private var unnamed: Int?

    init(_ leavers: ImportOptions.Leavers) { self.leavers = leavers }

    /// Notes a row of a user, also one that is left out for another reason than its name.
    ///
    /// - Parameter user: The user who has the name; nil if the row creates the user.
    mutating func note(_ name: ImportRow.Text, key: String, _ user: UserID?) {
        guard !key.isEmpty else { return unnamed = unnamed ?? name.line }
        namesAnybody = true
        if let user { users.insert(user.rawValue) } else { newNames.insert(key) }
    }

    /// Notes a row that cannot be read.
    mutating func noteUnreadable(line: Int) { unnamed = unnamed ?? line }

    /// Finds those who are missing.
    ///
    /// - Returns: The people to disable, and the names of administrators, who stay active.
    /// - Throws: `invalidInput` for a document that names nobody, or has a row without a name; `limitExceeded` if too many are
    ///   missing.
    func missing(in transaction: Transaction) throws -> (users: [UserID], kept: [String]) {
        guard namesAnybody else {
            throw DirectoryError(
                .invalidInput, "The document names nobody, so that everybody in the scope would be disabled.",
                advice: "Check the document.")
        }
        if let unnamed {
            throw DirectoryError.malformed(
                line: unnamed, "the row names nobody, so that it is unknown who has left.", advice: "Correct the row.")
        }
        var search = Search(
            .and([leavers.scope, .compare(AttributePath("active"), .equal, .boolean(true))]), pageSize: 1_000)
        search.attributes = .only(["uid"])
        var missing: [User] = []
        var count = 0
        var next: Cursor?
        repeat {
            let page = try transaction.search.users(search)
            count += page.elements.count
            missing += page.elements.filter {
                !users.contains($0.id.rawValue) && (newNames.isEmpty || !newNames.contains(TextKey.of($0.uid)))
            }
            next = page.next
            if let next { search.start = .cursor(next) }
        } while next != nil
        let administrators = try missing.filter {
            try Rights.powers(of: $0.id, on: transaction.connection).contains(.administrator)
        }
        let kept = Set(administrators.map(\.id))
        missing.removeAll { kept.contains($0.id) }
        let most = leavers.most ?? (count + 9) / 10
        guard missing.count <= most else {
            throw DirectoryError(
                .limitExceeded,
                "\(missing.count) of the \(count) active people in the scope are not in the document, and at most \(most) may "
                    + "be disabled.",
                advice: "Check that the document and the scope belong together, or allow \(missing.count).")
        }
        return (missing.map(\.id), administrators.map(\.uid))
    }
}
