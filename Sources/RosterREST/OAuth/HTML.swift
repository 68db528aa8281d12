internal import CPage

/// HTML in which no inserted text can act as markup: plain text is escaped when it becomes HTML, and unescaped HTML comes only
/// from literals of the source code, and from the pieces and the texts in `Sources/CPage/sign-in`.
struct HTML: Sendable {
    let text: String

    private init(markup: String) { text = markup }

    /// Escapes plain text, for elements and for attributes in quotes.
    init(_ plain: String) {
        var safe = ""
        for scalar in plain.unicodeScalars {
            switch scalar {
            case "&": safe += "&amp;"
            case "<": safe += "&lt;"
            case ">": safe += "&gt;"
            case "\"": safe += "&quot;"
            case "'": safe += "&#39;"
            default: safe.unicodeScalars.append(scalar)
            }
        }
        text = safe
    }

    /// Takes markup of the source code as it is.
    init(literal: StaticString) { text = literal.description }

    /// Fills a piece's places with values. A place without a value stays visible as `{{place}}`.
    init(_ piece: Piece, _ values: [String: HTML] = [:], in language: PageTexts.Language = .english) {
        var text = ""
        for part in Self.pieces[language]?[piece] ?? [] {
            text += part.literal
            if let place = part.place { text += values[place]?.text ?? "{{\(place)}}" }
        }
        self.text = text
    }

    /// Puts one piece after the other, each on a line of its own.
    init(lines: [HTML]) { text = lines.map(\.text).joined(separator: "\n") }

    static let nothing = HTML(literal: "")

    /// The style sheet of all pages.
    static let style = HTML(markup: string(page_sign_in_style()))

    /// The style sheet with an organization's shades, which are digits alone.
    static func style(_ shades: BrandShades?) -> HTML {
        guard let shades else { return style }
        return HTML(markup: style.text + shades.signInStyle)
    }

    // MARK: Pieces

    /// A piece of `pages.html`, by the name in the comment before it.
    enum Piece: String, CaseIterable {
        case page, brand, logo, problem, code, answer, provider, consent, scope, device, field, message
        case signIn = "sign-in"
        case secondStep = "second-step"
        case forgotten
        case forgottenLink = "forgotten-link"
        case newPassword = "new-password"
        case userCode = "user-code"
        case signOut = "sign-out"
        case testProvider = "test-provider"
        case formPost = "form-post"
    }

    /// Markup, and the name of the place for a value that follows it.
    private struct Part {
        let literal: String
        let place: String?
    }

    private static let pieces = Dictionary(
        uniqueKeysWithValues: PageTexts.Language.allCases.map { ($0, pieces(in: PageTexts(language: $0))) })

    /// The pieces with the texts of a language, which stand in double brackets.
    private static func pieces(in texts: PageTexts) -> [Piece: [Part]] {
        let file = string(page_sign_in_pages()).replacing(#/\[\[(.+?)\]\]/#) { texts(String($0.1)) }
        var lines: [Piece: [Substring]] = [:]
        var piece: Piece?
        for line in file.split(separator: "\n", omittingEmptySubsequences: false).dropLast() {
            let name = line.hasPrefix("<!-- ") && line.hasSuffix(" -->") ? line.dropFirst(5).dropLast(4) : nil
            if let next = name.flatMap({ Piece(rawValue: String($0)) }) {
                piece = next
            } else if let piece {
                lines[piece, default: []].append(line)
            }
        }
        return lines.mapValues { parts(of: $0.joined(separator: "\n")) }
    }

    private static func parts(of text: String) -> [Part] {
        let sections = text.split(separator: "{{", omittingEmptySubsequences: false)
        var parts: [Part] = []
        var literal = sections.first.map(String.init) ?? ""
        for section in sections.dropFirst() {
            let ends = section.split(separator: "}}", maxSplits: 1, omittingEmptySubsequences: false)
            parts.append(Part(literal: literal, place: String(ends[0])))
            literal = ends.count > 1 ? String(ends[1]) : ""
        }
        return parts + [Part(literal: literal, place: nil)]
    }

    private static func string(_ text: page_text) -> String {
        String(decoding: UnsafeBufferPointer(start: text.bytes, count: text.count), as: UTF8.self)
    }
}
