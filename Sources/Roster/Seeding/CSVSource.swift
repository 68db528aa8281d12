import Foundation

/// The rows of a CSV document.
struct CSVSource: Sequence, IteratorProtocol, Sendable {
    /// The content of a column.
    private enum Meaning: Sendable {
        case uid, manager, active, memberOf
        case attribute(AttributeDefinition)
    }
    private var reader: CSVReader
    private let meanings: [(column: Int, meaning: Meaning)]
    /// Whether columns were mapped to attributes. Then white space around values is removed; values of the directory's own
    /// exports keep it.
    private let isMapped: Bool
    private let dateFormat: DateFormat?
    private var isOver = false
    /// The columns that the directory does not know.
    private let ignored: [String]
    /// The columns that name roles, if the document may not give any.
    private let notGranted: [String]
    /// The headers of the columns, by the attribute that each holds.
    let fields: [AttributeName: String]

    /// Reads the header.
    ///
    /// - Throws: `invalidInput` with the line where the header cannot be used.
    init(_ data: Data, _ options: ImportOptions, _ vocabulary: Vocabulary) throws {
        reader = try CSVReader(data, isFromSpreadsheet: options.isFromSpreadsheet)
        isMapped = !options.columns.isEmpty
        dateFormat = options.dateFormat
        let headers = reader.header.fields.map { $0.trimmingCharacters(in: .whitespaces) }
        var meanings: [(Int, Meaning)] = []
        var fields: [AttributeName: String] = [:]
        var notGranted: [Int] = []
        func add(_ column: Int, _ definition: AttributeDefinition) throws {
            if let other = fields[definition.name] {
                throw DirectoryError.malformed(
                    line: 1,
                    "the columns \(EntityName.shown(other)) and \(EntityName.shown(headers[column])) are both '\(definition.name)'.",
                    advice: "Leave one of them out, or map the attribute to the right one.")
            }
            fields[definition.name] = headers[column]
            switch definition.name {
            case "uid": meanings.append((column, .uid))
            case "manager": meanings.append((column, .manager))
            case "active": meanings.append((column, .active))
            case "memberOf" where options.grants == .nothing: notGranted.append(column)
            case "memberOf": meanings.append((column, .memberOf))
            default: if definition.writers != .nobody { meanings.append((column, .attribute(definition))) }
            }
        }
        if options.columns.isEmpty {
            for (column, header) in headers.enumerated() {
                if let definition = vocabulary.definition(named: header) { try add(column, definition) }
            }
        } else {
            for (attribute, header) in options.columns.sorted(by: { $0.key < $1.key }) {
                guard let definition = vocabulary.definition(named: attribute.rawValue) else {
                    throw DirectoryError.unknownAttribute(attribute, of: .user)
                }
                guard let column = headers.firstIndex(of: header) else {
                    throw DirectoryError.malformed(
                        line: 1, "there is no column \(EntityName.shown(header)).",
                        advice: "There are \(headers.map(EntityName.shown).joined(separator: ", ")).")
                }
                guard headers.lastIndex(of: header) == column else {
                    throw DirectoryError.malformed(
                        line: 1, "there are several columns \(EntityName.shown(header)).",
                        advice: "Rename them, so that each has a name of its own.")
                }
                try add(column, definition)
            }
        }
        let hasUID = meanings.contains { if case .uid = $0.1 { true } else { false } }
        guard hasUID else {
            throw DirectoryError.malformed(
                line: 1, "no column is mapped to 'uid'.",
                advice: "Map the column with the names to 'uid'.")
        }
        self.meanings = meanings
        self.fields = fields
        self.notGranted = notGranted.map { headers[$0] }
        let known = Set(meanings.map(\.0) + notGranted)
        ignored = headers.indices.filter { !known.contains($0) }.map { headers[$0] }
    }

    mutating func next() -> ImportItem? {
        guard !isOver else { return nil }
        do {
            if let row = try reader.next() { return .row(importRow(row)) }
        } catch let error as DirectoryError {
            isOver = reader.isBroken
            return .unreadable(error, isLast: isOver)
        } catch {}
        isOver = true
        return .end(ignored: ignored, notGranted: notGranted)
    }

    private func importRow(_ row: CSVRow) -> ImportRow {
        var result = ImportRow(line: row.line)
        result.values.reserveCapacity(meanings.count)
        for (column, meaning) in meanings where row.fields.indices.contains(column) {
            let field = row.fields[column]
            let text = isMapped ? field.trimmingCharacters(in: .whitespacesAndNewlines) : field
            guard !text.isEmpty else { continue }
            switch meaning {
            case .uid: result.name = .init(text: text, line: row.line)
            case .manager: result.manager = .init(text: text, line: row.line)
            case .active: result.active = .string(text)
            case .memberOf:
                result.memberships = Self.names(text).map {
                    .init(name: $0, isRole: false, relation: .member, line: row.line, field: "memberOf")
                }
            case .attribute(let definition):
                var value = ExchangeText.value(of: text, definition)
                if let dateFormat, definition.holdsDates {
                    guard let date = dateFormat.date(text) else {
                        result.failure = DirectoryError(
                            .invalidAttribute,
                            "\(EntityName.shown(text)) is not a date of the form \(dateFormat).",
                            advice: "Correct the date.", attribute: definition.name)
                        continue
                    }
                    value = .string(definition.kind == .time ? date + "T00:00:00Z" : date)
                }
                result.values.append(.init(name: definition.name, value: value, line: row.line))
            }
        }
        return result
    }

    /// The names in a list of JSON, or between semicolons.
    private static func names(_ text: String) -> [String] {
        if case .list(let elements)? = ExchangeText.parsed(text) { return elements.compactMap(\.text) }
        return text.split(separator: ";").map { $0.trimmingCharacters(in: .whitespaces) }
    }
}

extension AttributeDefinition {
    /// Whether the values are dates.
    fileprivate var holdsDates: Bool { kind == .time || entity == .user && ValueForm.ofBuiltIn[name] == .date }
}
