import Foundation
import Roster

/// The forms in which rows are shown.
enum OutputFormat: String, CaseIterable, Sendable {
    case table, json, csv
}

/// Rows with named columns, shown in one of the forms.
struct Output {
    let format: OutputFormat
    let columns: [String]
    private var rows: [[AttributeValue?]] = []

    /// A table on a terminal as well as elsewhere, unless another form is asked for.
    init(_ arguments: Arguments, columns: [String]) throws {
        format = try arguments.choice("format") ?? .table
        self.columns = columns
    }

    mutating func add(_ row: [AttributeValue?]) { rows.append(row) }

    func show() {
        switch format {
        case .table: Terminal.write(table())
        case .json: Terminal.write(json())
        case .csv: Terminal.write(csv())
        }
    }

    private func json() -> String {
        let objects = rows.map { row in
            let members = zip(columns, row).compactMap { column, value in
                value.map { "\(Self.quoted(column)): \(Self.json($0))" }
            }
            return "  {\(members.joined(separator: ", "))}"
        }
        return objects.isEmpty ? "[]\n" : "[\n\(objects.joined(separator: ",\n"))\n]\n"
    }

    private func csv() -> String {
        func cell(_ text: String) -> String {
            // A spreadsheet would run what begins so.
            let guarded = text.first.map { "=+-@\t\r".contains($0) } == true ? "'" + text : text
            guard guarded.contains(where: { "\",\r\n".contains($0) || $0 == "\r\n" }) else { return guarded }
            return "\"" + guarded.replacingOccurrences(of: "\"", with: "\"\"") + "\""
        }
        let lines = [columns.map(cell)] + rows.map { $0.map { cell($0.map(Self.text) ?? "") } }
        return lines.map { $0.joined(separator: ",") + "\r\n" }.joined()
    }

    private func table() -> String {
        guard !rows.isEmpty else { return "" }
        let cells = [columns] + rows.map { $0.map { Terminal.safe($0.map(Self.text) ?? "") } }
        var widths = columns.indices.map { column in cells.map { DisplayWidth.of($0[column]) }.max() ?? 0 }
        if Terminal.outputIsTerminal {
            // The widest columns give way until the table fits.
            while widths.reduce(0, +) + 2 * (widths.count - 1) > Terminal.width,
                let widest = widths.indices.max(by: { widths[$0] < widths[$1] }), widths[widest] > 8
            { widths[widest] -= 1 }
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

    /// A value as people read it.
    static func text(_ value: AttributeValue) -> String {
        switch value {
        case .string(let text): text
        case .integer(let number): String(number)
        case .decimal(let number): String(number)
        case .boolean(let isTrue): isTrue ? "true" : "false"
        case .time(let date): date.formatted(.iso8601)
        case .binary(let data): data.base64EncodedString()
        case .list(let elements): elements.map(text).joined(separator: ", ")
        case .complex(let parts): parts["value"].map(text) ?? parts["formatted"].map(text) ?? json(value)
        }
    }

    /// A value as JSON.
    static func json(_ value: AttributeValue) -> String {
        switch value {
        case .string(let text): quoted(text)
        case .integer, .decimal, .boolean: text(value)
        case .time, .binary: quoted(text(value))
        case .list(let elements): "[" + elements.map(json).joined(separator: ", ") + "]"
        case .complex(let parts):
            "{"
                + parts.sorted { $0.key < $1.key }.map { "\(quoted($0.key)): \(json($0.value))" }.joined(
                    separator: ", ") + "}"
        }
    }

    private static func quoted(_ text: String) -> String {
        var quoted = "\""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\"", "\\": quoted += "\\\(scalar)"
            case "\n": quoted += "\\n"
            case "\r": quoted += "\\r"
            case "\t": quoted += "\\t"
            case _ where scalar.value < 0x20 || scalar.value == 0x7F:
                let digits = String(scalar.value, radix: 16)
                quoted += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
            default: quoted.unicodeScalars.append(scalar)
            }
        }
        return quoted + "\""
    }
}

/// How many columns of a terminal text takes: two for East Asian characters, none for accents that combine.
enum DisplayWidth {
    static func of(_ text: String) -> Int { text.reduce(0) { $0 + of($1) } }

    private static func of(_ character: Character) -> Int {
        guard let scalar = character.unicodeScalars.first else { return 0 }
        switch scalar.value {
        case 0x1100...0x115F, 0x2E80...0xA4CF, 0xAC00...0xD7A3, 0xF900...0xFAFF, 0xFE30...0xFE6F, 0xFF00...0xFF60,
            0xFFE0...0xFFE6, 0x1F300...0x1F64F, 0x1F900...0x1F9FF, 0x20000...0x3FFFD:
            return 2
        default: return scalar.properties.generalCategory == .nonspacingMark ? 0 : 1
        }
    }

    /// The text cut to a width, with `…` where something is missing.
    static func fit(_ text: String, _ width: Int) -> (text: String, width: Int) {
        let whole = of(text)
        if whole <= width { return (text, whole) }
        var fitted = ""
        var used = 0
        for character in text {
            let next = of(character)
            if used + next > width - 1 { break }
            fitted.append(character)
            used += next
        }
        return (fitted + "…", used + 1)
    }
}
