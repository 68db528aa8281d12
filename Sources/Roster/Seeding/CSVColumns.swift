import Foundation

/// What the columns of a CSV document hold.
struct CSVColumns: Sendable {
    /// The content of a column.
    enum Meaning: Sendable {
        case uid, manager, active, memberOf
        case attribute(AttributeDefinition)
        case state(AccountState.Field)

        /// Whether an empty cell empties the attribute.
        var isClearable: Bool {
            switch self {
            case .attribute(let definition): definition.name != "password"
            case .manager: true
            case .uid, .active, .memberOf, .state: false
            }
        }
    }
    /// A meaning, and the columns that can hold the value. The first column with a value counts.
    struct Content: Sendable {
        let meaning: Meaning
        let columns: [Int]
    }
    /// The reason for which a column is not read.
    enum Unread: Sendable {
        case ignored, skipped, notGranted
    }

    private(set) var contents: [Content] = []
    private(set) var unread: [(column: Int, reason: Unread)] = []
    /// The headers of the columns, by the attribute that each holds.
    private(set) var fields: [AttributeName: String] = [:]
    let headers: [String]
    private let vocabulary: Vocabulary
    private let options: ImportOptions
    private var used: Set<Int> = []

    /// Reads the header.
    ///
    /// - Throws: `invalidInput` with the line where the header cannot be used.
    init(_ header: CSVRow, _ options: ImportOptions, _ vocabulary: Vocabulary) throws {
        headers = header.fields.enumerated().map { index, field in
            let name = field.trimmingCharacters(in: .whitespaces)
            return name.isEmpty ? "column \(index + 1)" : name
        }
        (self.options, self.vocabulary) = (options, vocabulary)
        let (line, table) = (header.line, options.preset?.table)
        let skipped = FieldPatterns(options.skips)
        try addMapped(line)
        for source in table?.sources ?? [] where fields[source.attribute] == nil {
            let columns = source.fields.compactMap { field in
                headers.firstIndex { ImportPreset.plainName(of: $0) == field.lowercased() }
            }
            if !columns.isEmpty, let definition = vocabulary.definition(of: source.attribute) {
                add(columns, definition, skipped)
            }
        }
        let unwanted = FieldPatterns(table?.skipped ?? [])
        for (column, header) in headers.enumerated() where !used.contains(column) {
            if skipped.contains(header) {
                unread.append((column, .skipped))
            } else if let field = AccountState.Field(named: header) {
                contents.append(.init(meaning: .state(field), columns: [column]))
            } else if let definition = vocabulary.definition(named: header), options.columns[definition.name] == nil,
                table?.sources.contains(where: { $0.attribute == definition.name }) != true
            {
                if let other = fields[definition.name] {
                    throw DirectoryError.malformed(
                        line: line,
                        "the columns \(EntityName.shown(other)) and \(EntityName.shown(header)) are both '\(definition.name)'.",
                        advice: "Leave one of them out, or map the attribute to the right one.")
                }
                add([column], definition, skipped)
            } else {
                unread.append((column, unwanted.contains(ImportPreset.plainName(of: header)) ? .skipped : .ignored))
            }
        }
        try findNames(line)
    }

    private mutating func addMapped(_ line: Int) throws {
        for (attribute, header) in options.columns.sorted(by: { $0.key < $1.key }) {
            guard let definition = vocabulary.definition(named: attribute.rawValue) else {
                throw vocabulary.unknownAttribute(attribute, of: .user)
            }
            let exact = headers.indices.filter { headers[$0] == header }
            let columns =
                exact.isEmpty ? headers.indices.filter { headers[$0].lowercased() == header.lowercased() } : exact
            guard let column = columns.first else {
                throw DirectoryError.malformed(
                    line: line, "there is no column \(EntityName.shown(header)).",
                    advice: "There are \(headers.map(EntityName.shown).joined(separator: ", ")).")
            }
            guard columns.count == 1 else {
                throw DirectoryError.malformed(
                    line: line, "there are several columns \(EntityName.shown(header)).",
                    advice: "Rename them, so that each has a name of its own.")
            }
            add([column], definition, FieldPatterns([]))
        }
    }

    private mutating func add(_ columns: [Int], _ definition: AttributeDefinition, _ skipped: FieldPatterns) {
        guard let first = columns.first else { return }
        used.formUnion(columns)
        let isSkipped = skipped.contains(definition.name.rawValue) || columns.contains { skipped.contains(headers[$0]) }
        guard !isSkipped else { return unread += columns.map { ($0, .skipped) } }
        fields[definition.name] = headers[first]
        let meaning: Meaning
        switch definition.name {
        case "uid": meaning = .uid
        case "manager": meaning = .manager
        case "active": meaning = .active
        case "memberOf" where options.grants == .nothing: return unread += columns.map { ($0, .notGranted) }
        case "memberOf": meaning = .memberOf
        // The directory keeps its own identifiers, versions and times.
        case _ where definition.writers == .nobody: return unread += columns.map { ($0, .skipped) }
        default: meaning = .attribute(definition)
        }
        contents.append(.init(meaning: meaning, columns: columns))
    }

    /// Makes sure that there is a column with the names of the users.
    private mutating func findNames(_ line: Int) throws {
        guard fields["uid"] == nil else { return }
        for name in ["samaccountname", "userprincipalname"] {
            guard let column = headers.firstIndex(where: { $0.lowercased() == name }),
                let definition = vocabulary.definition(of: "uid")
            else { continue }
            unread.removeAll { $0.column == column }
            return add([column], definition, FieldPatterns([]))
        }
        throw DirectoryError.malformed(
            line: line, "no column is mapped to 'uid'.", advice: "Map the column with the names to 'uid'.")
    }
}
