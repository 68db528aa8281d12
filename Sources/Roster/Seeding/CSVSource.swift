import Foundation
import RosterText

/// The rows of a CSV document.
struct CSVSource: Sequence, IteratorProtocol, Sendable {
    private var reader: CSVReader
    private let columns: CSVColumns
    private let options: ImportOptions
    /// Whether columns were mapped to attributes. Then white space around values is removed; values of the directory's own
    /// exports keep it.
    private let isMapped: Bool
    /// The names of the entries that managers are named by, if the document names managers by distinguished names.
    private var entries: [String: String] = [:]
    private var unread = Unread()
    private var isOver = false
    /// The headers of the columns, by the attribute that each holds.
    var fields: [AttributeName: String] { columns.fields }

    /// Reads the header.
    ///
    /// - Throws: `invalidInput` with the line where the header cannot be used.
    init(_ data: Data, _ options: ImportOptions, _ vocabulary: Vocabulary) throws {
        reader = try CSVReader(data, isFromSpreadsheet: options.isFromSpreadsheet)
        columns = try CSVColumns(reader.header, options, vocabulary)
        self.options = options
        isMapped = !options.columns.isEmpty || options.preset != nil
        noteEntries()
    }

    /// Notes the names of the entries, where a column has their distinguished names: Active Directory names managers by these.
    private mutating func noteEntries() {
        guard fields["manager"] != nil,
            let dn = columns.headers.firstIndex(where: { ["distinguishedname", "dn"].contains($0.lowercased()) }),
            let names = columns.contents.first(where: { if case .uid = $0.meaning { true } else { false } })
        else { return }
        var rows = reader
        while let row = try? rows.next() {
            guard let key = DistinguishedName.key(row.fields[dn]), let name = text(of: names, in: row) else { continue }
            entries[key] = name
        }
    }

    mutating func next() -> ImportItem? {
        guard !isOver else { return nil }
        do {
            while let row = try reader.next() {
                // Spreadsheets write rows of separators below the last person.
                if row.fields.contains(where: { !$0.isEmpty }) { return .row(importRow(row)) }
            }
        } catch let error as DirectoryError {
            isOver = reader.isBroken
            return .unreadable(error, isLast: isOver)
        } catch {}
        isOver = true
        return .end(unread)
    }

    private func text(_ column: Int, of row: CSVRow) -> String {
        isMapped ? row.fields[column].trimmingCharacters(in: .whitespacesAndNewlines) : row.fields[column]
    }

    private func text(of content: CSVColumns.Content, in row: CSVRow) -> String? {
        for column in content.columns {
            let text = text(column, of: row)
            if !text.isEmpty { return text }
        }
        return nil
    }

    private mutating func importRow(_ row: CSVRow) -> ImportRow {
        var result = ImportRow(line: row.line)
        result.values.reserveCapacity(columns.contents.count)
        for content in columns.contents {
            let text = text(of: content, in: row)
            if let text {
                take(text, of: content.meaning, in: content.columns.first ?? 0, into: &result)
                noteOthers(content, text, row)
            } else if content.meaning.isClearable, !options.keepsEmpty {
                if let column = content.columns.first(where: { $0 >= row.count }) {
                    noteMissing(content.meaning, columns.headers[column], in: &result)
                } else {
                    clear(content.meaning, in: &result)
                }
            }
        }
        for (column, reason) in columns.unread where !row.fields[column].isEmpty {
            let name = columns.headers[column]
            switch reason {
            case .ignored: unread.ignored.note(name, line: row.line)
            case .skipped: unread.skipped.note(name, line: row.line)
            case .notGranted: unread.notGranted.note(name, line: row.line)
            }
        }
        return result
    }

    /// Counts the values of the other columns of a preset that could have held a value.
    private mutating func noteOthers(_ content: CSVColumns.Content, _ text: String, _ row: CSVRow) {
        for column in content.columns.dropFirst() {
            let other = self.text(column, of: row)
            let isReadElsewhere = columns.contents.contains {
                $0.columns.first == column || $0.columns.count == 1 && $0.columns.contains(column)
            }
            if !other.isEmpty, other != text, !isReadElsewhere {
                unread.skipped.note(columns.headers[column], line: row.line)
            }
        }
    }

    /// Notes a field that a row lacks. A row that was cut off must remove nothing.
    private func noteMissing(_ meaning: CSVColumns.Meaning, _ field: String, in row: inout ImportRow) {
        switch meaning {
        case .manager: row.missing.append(("manager", field))
        case .attribute(let definition): row.missing.append((definition.name, field))
        case .uid, .active, .memberOf, .state: break
        }
    }

    private func clear(_ meaning: CSVColumns.Meaning, in row: inout ImportRow) {
        switch meaning {
        case .manager: row.manager = .init(text: "", line: row.line)
        case .attribute(let definition): row.clears.append(definition.name)
        case .uid, .active, .memberOf, .state: break
        }
    }

    private func take(
        _ text: String, of meaning: CSVColumns.Meaning, in column: Int, into row: inout ImportRow
    ) {
        switch meaning {
        case .uid: row.name = .init(text: text, line: row.line)
        case .manager:
            let name = entries.isEmpty ? nil : DistinguishedName.key(text).flatMap { entries[$0] }
            row.manager = .init(text: name ?? text, line: row.line)
        case .active: row.take(activeWord: text, line: row.line)
        case .state(let field): row.take(text, of: field, named: columns.headers[column], line: row.line)
        case .memberOf:
            row.memberships = Self.names(text).map {
                .init(name: $0, isRole: false, relation: .member, line: row.line, field: "memberOf")
            }
        case .attribute(let definition):
            var value = ExchangeText.value(of: text, definition)
            if definition.name == "password", let problem = options.passwordProblem?(text) {
                let field = fields["password"] ?? "password"
                row.leftOut.append(.init(field: field, line: row.line, message: problem))
                return
            }
            if definition.kind == .time || definition.entity == .user && ValueForm.ofBuiltIn[definition.name] == .date {
                // Some personnel systems write this for no date.
                guard text != "0000-00-00" else { return clear(meaning, in: &row) }
                if let dateFormat = options.dateFormat {
                    guard let date = dateFormat.date(text) else {
                        row.failure = DirectoryError(
                            .invalidAttribute,
                            "\(EntityName.shown(text)) is not a date of the form \(dateFormat).",
                            advice: "Correct the date.", attribute: definition.name)
                        return
                    }
                    value = .string(definition.kind == .time ? date + "T00:00:00Z" : date)
                }
            }
            row.values.append(.init(name: definition.name, value: value, line: row.line))
        }
    }

    /// The names in a list of JSON, or between semicolons.
    private static func names(_ text: String) -> [String] {
        if case .list(let elements)? = ExchangeText.parsed(text) { return elements.compactMap(\.text) }
        return text.split(separator: ";").map { $0.trimmingCharacters(in: .whitespaces) }
    }
}

extension ImportRow {
    /// Takes a word that says whether the account may be used. A disabled account stays disabled, whatever other fields say.
    mutating func take(activeWord word: String, line: Int) {
        switch AccountState.isActive(word) {
        case true?: if active == nil { active = .boolean(true) }
        case false?: active = .boolean(false)
        case nil:
            failure = DirectoryError(
                .invalidAttribute, "\(EntityName.shown(word)) is neither true nor false.",
                advice: "Write true or false.", attribute: "active", at: .init(line: line))
        }
    }

    /// Takes what another directory says of the account's state. A disabled account stays disabled, whatever other fields say.
    mutating func take(_ text: String, of field: AccountState.Field, named name: String, line: Int) {
        switch AccountState(text, of: field) {
        case .active: if active == nil { active = .boolean(true) }
        case .disabled: active = .boolean(false)
        case .ends(let date): values.append(.init(name: "activeEndDate", value: .string(date), line: line))
        case .endless: clears.append("activeEndDate")
        case nil:
            // Without the state, somebody who was shut out could come in.
            failure = DirectoryError(
                .invalidAttribute, "\(EntityName.shown(text)) is not a value that \(name) has.",
                advice: "Correct the value, or leave the field out by its name.", attribute: AttributeName(name))
        }
    }
}
