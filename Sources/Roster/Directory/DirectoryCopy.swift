import RosterStore
import RosterText

/// Copies a directory within a snapshot of the source and a transaction of the target.
struct DirectoryCopy {
    /// The number of rows that one statement reads.
    private static let pageRows = 200
    /// The number of reporting lines that one statement reads.
    private static let pageLines = 2_000

    /// Whether texts of the column can contain the character zero. Attributes and their keys contain none, so that the characters that
    /// mean zero are a text of their own there.
    private static func hasZeros(_ column: String) -> Bool {
        !["attributes", "before", "after"].contains(column) && !column.hasSuffix("_key")
    }

    private struct Table {
        let name: String
        var columns: [String] = []
        /// The number of columns of the primary key, which come first.
        var key = 0
        /// Whether each column can have the character zero.
        var haveZeros: [Bool] = []
    }

    let source: Connection
    let target: Connection
    let progress: (@Sendable (Double) -> Void)?
    let isCancelled: @Sendable () -> Bool

    func run() throws -> [CopiedTable] {
        let tables = try inOrder(tables(of: source))
        try checkTarget(tables)
        let isFile = target.kind == .sqlite
        if isFile { try target.run(StoreStatements.bulkCache) }
        defer { if isFile { try? target.run(StoreStatements.usualCache) } }
        let rebuild = try dropIndexesAndReferences()
        for statement in TextIndexStatements.wide { try target.run(statement) }
        let copied = try copy(tables)
        // The indexes of SQLite take the pages that merging the text index sets free, and PostgreSQL needs the memory for them.
        if isFile { for statement in TextIndexStatements.usual { try target.run(statement) } }
        try rebuild()
        if !isFile { for statement in TextIndexStatements.usual { try target.run(statement) } }
        if target.kind == .postgreSQL {
            for table in CopyStatements.numbered { _ = try any(CopyStatements.continueNumbers(of: table), on: target) }
            try target.analyze()
        }
        try compare(tables, with: copied)
        return copied.sorted { $0.name < $1.name }
    }

    /// Puts each table after the tables that it references. SQLite checks each reference at once then, which takes one look-up. If it
    /// had to wait for a later row, it would search all tables that reference users at each further user.
    private func inOrder(_ tables: [Table]) throws -> [Table] {
        let references = try target.all(CopyStatements.referencedTables) { (child: $0.text(0), parent: $0.text(1)) }
        var rest = tables
        var ordered: [Table] = []
        while !rest.isEmpty {
            let waiting = Set(rest.map(\.name))
            func isFree(_ table: Table) -> Bool {
                !references.contains { $0.child == table.name && waiting.contains($0.parent) }
            }
            let free = rest.filter(isFree)
            guard !free.isEmpty else { return ordered + rest }
            ordered += free
            rest.removeAll(where: isFree)
        }
        return ordered
    }

    /// Fills an empty image with all that an import looks at. Nobody else ever sees the image.
    ///
    /// - Parameter left: The tables that are filled later.
    func fillImage(without left: Set<String> = []) throws {
        _ = try copy(
            try tables(of: source).filter { !left.union(CopyStatements.unseenByImports).contains($0.name) })
    }

    /// Fails if the target has other columns, or a row already.
    private func checkTarget(_ tables: [Table]) throws {
        let known = Dictionary(try self.tables(of: target).map { ($0.name, Set($0.columns)) }) { $1 }
        for table in tables {
            guard known[table.name] == Set(table.columns) else {
                throw DirectoryError(
                    .newerFile, "The two directories have different columns in the table '\(table.name)'.",
                    advice: "Open both with the same version of the program first.")
            }
            // The row of the table `directory` is made along with the directory.
            if table.name != "directory", try any(CopyStatements.anyRow(table.name), on: target) {
                throw DirectoryError(
                    .alreadyExists, "The directory to copy into has rows in the table '\(table.name)'.",
                    advice: "Copy into a new file or a new database.")
            }
        }
    }

    /// Whether a statement selects a row.
    private func any(_ text: String, on connection: Connection) throws -> Bool {
        var isThere = false
        try connection.forEach(dynamic: text, []) { _ in
            isThere = true
            return false
        }
        return isThere
    }

    /// Drops the indexes and the foreign keys of the target.
    ///
    /// - Returns: A function that makes them again.
    private func dropIndexesAndReferences() throws -> () throws -> Void {
        let indexes = try target.all(CopyStatements.indexes) { (name: $0.text(0), definition: $0.text(1)) }
        for index in indexes { try target.run(dynamic: UserStatements.drop(index: index.name)) }
        let references = try target.all(CopyStatements.references) {
            (table: $0.text(0), name: $0.text(1), definition: $0.text(2))
        }
        for reference in references {
            try target.run(dynamic: CopyStatements.drop(reference: reference.name, of: reference.table))
        }
        return { [target] in
            for index in indexes { try target.run(dynamic: index.definition) }
            for reference in references {
                try target.run(
                    dynamic: CopyStatements.add(reference: reference.name, of: reference.table, reference.definition))
            }
        }
    }

    /// Fails if a table of the target differs from the rows that were copied.
    private func compare(_ tables: [Table], with copied: [CopiedTable]) throws {
        for (table, expected) in zip(tables, copied) {
            var digest = Digest()
            try forEachPage(of: table, on: target) { rows in
                for row in rows { digest.add(row) }
            }
            guard digest.table(table.name) == expected else {
                throw DirectoryError(
                    .damaged, "The copy of the table '\(table.name)' differs from the original.",
                    advice: "Nothing was kept. Check the original, and try again.")
            }
        }
    }

    private func tables(of connection: Connection) throws -> [Table] {
        var tables: [Table] = []
        try connection.forEach(CopyStatements.columns) { row in
            if tables.last?.name != row.text(0) { tables.append(Table(name: row.text(0))) }
            let isKey = row.integer(2) > 0
            tables[tables.count - 1].columns.append(row.text(1))
            tables[tables.count - 1].haveZeros.append(Self.hasZeros(row.text(1)))
            if isKey { tables[tables.count - 1].key += 1 }
        }
        return tables
    }

    private func copy(_ tables: [Table]) throws -> [CopiedTable] {
        var total = 0
        for table in tables {
            try source.forEach(dynamic: CopyStatements.count(table.name), []) { row in
                total += Int(row.integer(0))
                return true
            }
        }
        var done = 0
        var vocabulary: Vocabulary?
        return try tables.map { table in
            if table.name == "directory" { try target.run(CopyStatements.deleteDirectory) }
            if table.name == "users" { vocabulary = try AttributeManager.vocabulary(on: target) }
            var digest = Digest()
            try forEachPage(of: table, on: source) { rows in
                if isCancelled() { throw CancellationError() }
                let isOfUsers = table.name == "users"
                try target.insert(
                    isOfUsers ? withoutLaterManagers(rows, table) : rows, into: table.name, table.columns)
                if table.name == "role" { try checkKeySizes(ofRoles: rows, table) }
                if let vocabulary, table.name == "users" { try addKeys(of: rows, table, vocabulary) }
                for row in rows { digest.add(row) }
                done += rows.count
                progress?(Double(done) / Double(max(total, 1)))
            }
            if table.name == "users", target.kind == .sqlite { try addLaterManagers() }
            return digest.table(table.name)
        }
    }

    /// The rows of users as a file takes them: without the managers whose rows come later. PostgreSQL takes them as they are, because
    /// it has no references meanwhile.
    private func withoutLaterManagers(_ rows: [[Binding]], _ table: Table) -> [[Binding]] {
        guard target.kind == .sqlite, let manager = table.columns.firstIndex(of: "manager") else { return rows }
        return rows.map { row in
            guard case .integer(let id) = row[0], case .integer(let number) = row[manager], number > id else {
                return row
            }
            var row = row
            row[manager] = .null
            return row
        }
    }

    /// Adds the managers that ``withoutLaterManagers(_:_:)`` has left out.
    private func addLaterManagers() throws {
        var last: Int64 = 0
        while true {
            if isCancelled() { throw CancellationError() }
            let lines = try source.all(
                CopyStatements.laterManagers, [.integer(last), .integer(Int64(Self.pageLines))]
            ) { (user: $0.integer(0), manager: $0.integer(1)) }
            for line in lines {
                try target.run(CopyStatements.setManager, [.integer(line.user), .integer(line.manager)])
            }
            guard let end = lines.last, lines.count == Self.pageLines else { return }
            last = end.user
        }
    }

    private func forEachPage(of table: Table, on connection: Connection, _ body: ([[Binding]]) throws -> Void) throws {
        var last: [Binding] = []
        while true {
            var rows: [[Binding]] = []
            let text = CopyStatements.page(
                of: table.name, table.columns, on: connection.kind, key: table.key, isFirst: last.isEmpty,
                rows: Self.pageRows)
            try connection.forEach(dynamic: text, last) { row in
                rows.append(
                    table.haveZeros.enumerated().map { index, hasZeros in
                        let value = row.binding(Int32(index))
                        return hasZeros ? value.withZeros(from: connection.kind) : value
                    })
                return true
            }
            guard let end = rows.last else { return }
            try body(rows)
            guard rows.count == Self.pageRows else { return }
            last = Array(end.prefix(table.key))
        }
    }

    /// The holders of attributes in rows of users or roles. The check of the directory reports an unreadable record, so the copy takes
    /// such a record as it is.
    private func holders(
        in rows: [[Binding]], _ table: Table
    ) -> [(id: Binding, name: String, attributes: AttributeSet)] {
        guard let name = table.columns.firstIndex(of: "name"),
            let attributes = table.columns.firstIndex(of: "attributes")
        else { return [] }
        return rows.compactMap { row in
            guard case .text(let name) = row[name], case .text(let record) = row[attributes],
                let attributes = try? AttributeSet(stored: record)
            else { return nil }
            return (row[0], name, attributes)
        }
    }

    private func checkKeySizes(ofRoles rows: [[Binding]], _ table: Table) throws {
        for role in holders(in: rows, table) {
            try RoleKeys(role.name, role.attributes).checkSizes(of: role.name, on: target)
        }
    }

    /// Adds the search keys of users to the text index and to the table of values. Their form depends on the engine.
    private func addKeys(of rows: [[Binding]], _ table: Table, _ vocabulary: Vocabulary) throws {
        var texts: [[Binding]] = []
        var words: [[Binding]] = []
        var values: [[Binding]] = []
        for user in holders(in: rows, table) {
            let keys = UserKeys(name: TextKey.of(user.name), attributes: user.attributes, vocabulary: vocabulary)
            try keys.checkSizes(of: user.name, on: target)
            texts.append([user.id] + keys.text)
            words.append([user.id, .text(UserWords(name: keys.name, attributes: user.attributes).text)])
            // A whole number and a decimal number can have the same stored form.
            values += Set(keys.values.map { [.text($0.attribute), target.stored($0.key), user.id] })
        }
        try target.insert(
            texts, into: "text_index", TextIndexStatements.columnsOfText(on: target.kind))
        try target.insert(
            words, into: "word_index", TextIndexStatements.columnsOfWords(on: target.kind))
        try target.insert(values, into: "attribute_value", ["attribute", "key", "user_id"])
    }
}

extension Connection {
    /// Has a server count the rows and the values of its tables, after many rows were added. Without this, it plans as for empty tables
    /// for up to a minute. Does nothing for a file.
    func analyze() throws {
        guard kind == .postgreSQL else { return }
        for case let statement? in try all(CopyStatements.analysis, [], { $0.optionalText(0) }) {
            try run(dynamic: statement, changing: .none)
        }
    }
}

/// Hashes the rows of a table.
private struct Digest {
    private var hash = FNV1a()
    private var rows = 0

    mutating func add(_ row: [Binding]) {
        rows += 1
        for value in row {
            switch value {
            case .null: hash.combine(CollectionOfOne(0))
            case .integer(let number):
                hash.combine(CollectionOfOne(1))
                hash.combine(String(number).utf8)
            case .real(let number):
                hash.combine(CollectionOfOne(2))
                hash.combine(String(number).utf8)
            case .text(let text):
                hash.combine(CollectionOfOne(3))
                // A text can have the characters that mean zero, which a server does not tell from a zero.
                hash.combine(text.withZeros.utf8)
            }
        }
    }

    func table(_ name: String) -> CopiedTable { CopiedTable(name: name, rows: rows, digest: hash.text) }
}

extension Binding {
    /// Puts the character zero back in place of the characters that PostgreSQL stores for zero.
    fileprivate func withZeros(from engine: EngineKind) -> Binding {
        guard engine == .postgreSQL, case .text(let text) = self else { return self }
        return .text(text.withZeros)
    }
}

extension String {
    /// The text with zeros in place of the characters that PostgreSQL stores for zero.
    fileprivate var withZeros: String {
        // The first byte of the characters, by which nearly all texts are passed quickly.
        guard utf8.contains(0xF4) else { return self }
        let stored = Array(Binding.storedZero.unicodeScalars)
        guard unicodeScalars.contains(stored[0]) else { return self }
        // A mark after the digit forms one character with it, so characters cannot be compared.
        var scalars = String.UnicodeScalarView()
        for scalar in unicodeScalars {
            guard scalar == stored[1], scalars.last == stored[0] else {
                scalars.append(scalar)
                continue
            }
            scalars.removeLast()
            scalars.append("\0")
        }
        return String(scalars)
    }
}
