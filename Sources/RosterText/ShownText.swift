package import Foundation

/// Values of documents and tokens as errors and explanations show them.
package enum ShownText {
    package static func kind(_ value: JSONValue) -> String {
        switch value {
        case .object: "an object"
        case .array: "an array"
        case .string: "a text"
        case .integer: "a number"
        case .decimal: "a number with a fraction or exponent"
        case .boolean: "true or false"
        case .null: "null"
        }
    }

    /// A value as JSON, at most 160 characters of it.
    package static func value(_ value: JSONValue) -> String { plain(value.written) }

    /// A text in double quotes, at most 160 characters of it.
    package static func quoted(_ text: String) -> String { value(.string(text)) }

    package static func time(_ date: Date) -> String { Timestamp.text(date, hasMilliseconds: false) }

    package static func list(_ texts: [String]) -> String {
        texts.isEmpty ? "nothing" : texts.map(quoted).joined(separator: ", ")
    }

    /// Returns at most `limit` characters of a text. Writes control and format characters as `\u{…}`, because a terminal or a log
    /// would obey them.
    package static func plain(_ text: String, limit: Int = 160) -> String {
        var shown = ""
        var count = 0
        for scalar in text.unicodeScalars {
            guard count < limit else { return shown + "…" }
            count += 1
            switch scalar.properties.generalCategory {
            case .control, .format, .lineSeparator, .paragraphSeparator, .surrogate, .privateUse, .unassigned:
                shown += "\\u{" + String(scalar.value, radix: 16) + "}"
            default: shown.unicodeScalars.append(scalar)
            }
        }
        return shown
    }
}
