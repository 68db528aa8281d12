import RosterStore
import RosterText

/// Fills the image that a preview changes with the users whom the import looks at, chunk by chunk: those whom its rows name, those who have
/// their names, addresses or unique values, and everybody above them. So a preview costs what its document has, and not what the directory
/// has.
struct ImageFilling {
    let source: Connection
    let image: Connection
    let vocabulary: Vocabulary

    /// Copies what belongs to no single user, and the users with a power.
    static func begin(_ source: Connection, _ image: Connection, isCancelled: @escaping @Sendable () -> Bool) throws {
        let ofUsers = Set(ImageStatements.tablesOfUsers.map(\.key))
        try DirectoryCopy(source: source, target: image, progress: nil, isCancelled: isCancelled).fillImage(
            without: ofUsers)
        let filling = ImageFilling(
            source: source, image: image, vocabulary: try AttributeManager.vocabulary(on: image))
        try filling.add(try source.all(ImageStatements.powerful) { $0.integer(0) })
        image.source = source
    }

    /// Copies the users whom rows of a document concern.
    func add(_ rows: some Sequence<PreparedRow>, managersBy: AttributeName) throws {
        var (names, addresses, numbers): (Set<String>, Set<String>, Set<String>) = ([], [], [])
        var unique: [String: Set<String>] = [:]
        for row in rows {
            switch row {
            case .user(let row):
                names.insert(row.key)
                guard case .success(let changes) = row.changes else { break }
                for case .set(let name, let value) in changes {
                    guard let definition = vocabulary.definition(of: name) else { continue }
                    for element in value.elements {
                        if let text = element.text { addresses.insert(TextKey.of(text)) }
                        guard definition.isUnique, let key = definition.key(of: element),
                            case .text(let text) = source.stored(key)
                        else { continue }
                        unique[definition.name.rawValue, default: []].insert(text)
                    }
                }
                guard let manager = row.manager?.text else { break }
                names.insert(TextKey.of(manager))
                if managersBy != "uid" {
                    addresses.insert(TextKey.of(manager))
                    numbers.insert(TextKey.sorting(manager))
                }
            case .role(let row, _):
                for membership in row.memberships where !membership.isRole { names.insert(TextKey.of(membership.name)) }
            case .unreadable, .end: break
            }
        }
        guard !names.isEmpty || !addresses.isEmpty else { return }
        var ids = Set(
            try source.all(
                ImageStatements.named,
                [
                    .array(names.union(addresses).sorted()), .array(addresses.union(names).sorted()),
                    .array(numbers.sorted()),
                ]
            ) { $0.integer(0) })
        for (attribute, keys) in unique {
            ids.formUnion(
                try source.all(ImageStatements.holders, [.text(attribute), .array(keys.sorted())]) { $0.integer(0) })
        }
        try add(Array(ids))
    }

    /// Copies the users whom a filter selects in the snapshot.
    func add(_ scope: Filter, _ shared: EmbeddedView) throws {
        let transaction = try Transaction(source, shared)
        var search = Search(scope.concernsOwnValuesOnly ? scope : .everything, pageSize: 1_000)
        search.attributes = .only(["uid"])
        var next: Cursor?
        repeat {
            let page = try transaction.search.users(search)
            try add(page.elements.map(\.id.rawValue))
            next = page.next
            if let next { search.start = .cursor(next) }
        } while next != nil
    }

    /// Copies users, those above them, and all that belongs to each. Users who are in the image already stay as they are.
    private func add(_ users: [Int64]) throws {
        guard !users.isEmpty else { return }
        let all = try source.all(ImageStatements.withManagers, [.array(users)]) { $0.integer(0) }
        let known = Set(try image.all(UserStatements.existing, [image.array(all)]) { $0.integer(0) })
        let new = all.filter { !known.contains($0) }
        guard !new.isEmpty else { return }
        var columns: [String: [String]] = [:]
        try image.forEach(CopyStatements.columns) { columns[$0.text(0), default: []].append($0.text(1)) }
        for (table, column) in ImageStatements.tablesOfUsers {
            guard let names = columns[table] else { continue }
            var rows: [[Binding]] = []
            try source.forEach(
                dynamic: ImageStatements.rows(of: table, names, where: column), [.array(new)]
            ) { row in
                rows.append(names.indices.map { row.binding(Int32($0)) })
                return true
            }
            try image.insert(rows, into: table, names)
            if table == "users" { try addKeys(of: rows, names) }
        }
    }

    /// Adds the search keys of users, whose form depends on the engine.
    private func addKeys(of rows: [[Binding]], _ columns: [String]) throws {
        guard let (id, key, record) = Self.places(in: columns) else { return }
        var (texts, words, values): ([[Binding]], [[Binding]], [[Binding]]) = ([], [], [])
        for row in rows {
            guard case .text(let name) = row[key], case .text(let stored) = row[record],
                let attributes = try? AttributeSet(stored: stored)
            else { continue }
            let keys = UserKeys(name: name, attributes: attributes, vocabulary: vocabulary)
            texts.append([row[id]] + keys.text)
            words.append([row[id], .text(UserWords(name: name, attributes: attributes).text)])
            values += Set(keys.values.map { [.text($0.attribute), image.stored($0.key), row[id]] })
        }
        try image.insert(texts, into: "text_index", TextIndexStatements.columnsOfText(on: .sqlite))
        try image.insert(words, into: "word_index", TextIndexStatements.columnsOfWords(on: .sqlite))
        try image.insert(values, into: "attribute_value", UserStatements.insertedColumnsOfValue)
    }

    private static func places(in columns: [String]) -> (id: Int, key: Int, record: Int)? {
        guard let id = columns.firstIndex(of: "id"), let key = columns.firstIndex(of: "name_key"),
            let record = columns.firstIndex(of: "attributes")
        else { return nil }
        return (id, key, record)
    }
}

extension Filter {
    /// Whether the filter looks at nothing but a user's own values, so that changes of others leave its answer as it is.
    fileprivate var concernsOwnValuesOnly: Bool {
        switch self {
        case .everything: true
        case .compare(let path, _, _), .present(let path): !["memberOf", "manager"].contains(path.attribute)
        case .element(let name, _): !["memberOf", "manager"].contains(name)
        case .and(let filters), .or(let filters): filters.allSatisfy(\.concernsOwnValuesOnly)
        case .below: false
        case .not(let filter): filter.concernsOwnValuesOnly
        }
    }
}

extension Importer {
    /// Fills the image of a preview with what the next rows need. Does nothing for a real import.
    func fillImage(for rows: ArraySlice<PreparedRow>) throws {
        guard let source = transaction.connection.source else { return }
        try ImageFilling(source: source, image: transaction.connection, vocabulary: transaction.vocabulary)
            .add(rows, managersBy: options.managersBy)
    }

    /// Fills the image of a preview with the people of whom the document names everybody.
    func fillImageWithScope() throws {
        guard let source = transaction.connection.source, let scope = options.leavers?.scope else { return }
        try ImageFilling(source: source, image: transaction.connection, vocabulary: transaction.vocabulary)
            .add(scope, transaction.shared)
    }
}
