import Foundation
import Roster
import RosterText

/// The output formats.
enum OutputFormat: String, CaseIterable, Sendable {
    case table, json, csv
}

/// Rows with named columns in an output format.
struct Output {
    let format: OutputFormat
    let columns: [String]
    private let isForSpreadsheet: Bool
    private var rows: [[AttributeValue?]] = []

    /// Uses the format of the arguments, which defaults to a table.
    init(_ arguments: Arguments, columns: [String]) throws {
        let format: OutputFormat? = try arguments.choice("format")
        if arguments.has(Command.json.name), format ?? .json != .json {
            throw UsageError("Give --json or --format, not both.")
        }
        self.format = arguments.has(Command.json.name) ? .json : format ?? .table
        self.columns = columns
        isForSpreadsheet = arguments.has(Command.spreadsheet.name)
    }

    mutating func add(_ row: [AttributeValue?]) { rows.append(row) }

    func show() throws {
        switch format {
        case .table: Terminal.write(table())
        case .json: Terminal.write(json())
        case .csv: try Terminal.write(csv())
        }
    }

    private func json() -> String {
        let objects = rows.map { "  " + object($0) }
        return objects.isEmpty ? "[]\n" : "[\n\(objects.joined(separator: ",\n"))\n]\n"
    }

    private func object(_ row: [AttributeValue?]) -> String {
        Self.json(
            .object(
                zip(columns, row).compactMap { column, value in
                    value.map { JSONValue.Member(column, JSONValue($0, hasMilliseconds: false)) }
                }))
    }

    /// Shows the rows so far of an endless output: JSON with one object per line, tables without alignment.
    mutating func showSoFar(isFirst: Bool) throws {
        switch format {
        case .table:
            for row in rows {
                Terminal.write(row.map { Terminal.safe($0.map(Self.text) ?? "-") }.joined(separator: "  ") + "\n")
            }
        case .json: for row in rows { Terminal.write(object(row) + "\n") }
        case .csv:
            let lines = try csv()
            // The header appears once.
            var header = self
            header.rows = []
            Terminal.write(isFirst ? lines : lines.dropFirst(try header.csv().count))
        }
        rows.removeAll()
        Terminal.flush()
    }

    /// Shows the attributes of one user or role; a table has one attribute per line.
    static func show(_ rows: [(name: String, value: AttributeValue?)], _ arguments: Arguments) throws {
        let rows = rows.filter { $0.value != nil }
        var output = try Output(arguments, columns: rows.map(\.name))
        guard output.format == .table else {
            output.add(rows.map(\.value))
            return try output.show()
        }
        let width = rows.map { DisplayWidth.of($0.name) }.max() ?? 0
        for (name, value) in rows {
            let space = String(repeating: " ", count: width - DisplayWidth.of(name) + 2)
            Terminal.write("\(name)\(space)\(Terminal.safe(value.map(text) ?? ""))\n")
        }
    }

    private func csv() throws -> Data {
        // The entity has none of the requested attributes.
        guard !columns.isEmpty else { return Data() }
        var writer = try CSVWriter(header: columns, isForSpreadsheet: isForSpreadsheet)
        for row in rows { try writer.append(row.map { $0.map(Self.text) ?? "" }) }
        return writer.take()
    }

    private func table() -> String {
        guard !rows.isEmpty else { return "" }
        let cells = [columns] + rows.map { $0.map { Terminal.safe($0.map(Self.text) ?? "") } }
        var widths = columns.indices.map { column in cells.map { DisplayWidth.of($0[column]) }.max() ?? 0 }
        if Terminal.outputIsTerminal {
            // The widest columns shrink until the table fits.
            let room = Terminal.width - 2 * (widths.count - 1)
            while widths.reduce(0, +) > room, let widest = widths.indices.max(by: { widths[$0] < widths[$1] }),
                widths[widest] > 3
            {
                widths[widest] -= 1
            }
        }
        func line(_ row: [String]) -> String {
            var text = ""
            for (index, cell) in row.enumerated() {
                let fitted = DisplayWidth.fit(cell, widths[index])
                let isLast = index == row.count - 1
                text +=
                    isLast ? fitted.text : fitted.text + String(repeating: " ", count: widths[index] - fitted.width + 2)
            }
            return text + "\n"
        }
        return line(cells[0]) + widths.map { String(repeating: "─", count: $0) }.joined(separator: "  ") + "\n"
            + cells.dropFirst().map(line).joined()
    }

    // MARK: Values

    /// A value as plain text.
    static func text(_ value: AttributeValue) -> String {
        switch value {
        case .string(let text): text
        case .integer(let number): String(number)
        case .decimal(let number): String(number)
        case .boolean(let isTrue): isTrue ? "true" : "false"
        case .time(let date): Timestamp.text(date, hasMilliseconds: false)
        case .binary(let data): Base64.text(data)
        case .list(let elements): elements.map(text).joined(separator: ", ")
        case .complex(let parts): parts["value"].map(text) ?? parts["formatted"].map(text) ?? json(value)
        }
    }

    /// A value as JSON on one line.
    static func json(_ value: AttributeValue) -> String { json(JSONValue(value, hasMilliseconds: false)) }

    private static func json(_ value: JSONValue) -> String {
        var bytes: [UInt8] = []
        value.write(to: &bytes, isSpaced: true)
        // A terminal could interpret the control character DEL, which JSON allows in strings.
        return String(decoding: bytes, as: UTF8.self).replacing("\u{7F}", with: "\\u007f")
    }
}

extension AttributeValue {
    /// A text to show; nil for none.
    static func text(_ text: String?) -> AttributeValue? { text.map { .string($0) } }

    /// A moment to show; nil for none.
    static func time(_ date: Date?) -> AttributeValue? { date.map { .time($0) } }
}

extension JSONValue {
    /// A member as a value to show.
    func shown(_ name: String) -> AttributeValue? { self[name]?.text.map { .string($0) } }

    /// A moment as a value to show.
    func moment(_ name: String) -> AttributeValue? {
        self[name]?.text.flatMap { Timestamp.date($0) }.map { .time($0) }
    }
}

extension Date {
    /// The moment some days later.
    func addingDays(_ days: Int) -> Date { addingTimeInterval(Double(days) * 86_400) }
}
