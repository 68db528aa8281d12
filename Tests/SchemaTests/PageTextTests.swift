import Foundation
import Testing

/// What a module or the HTML of the page says in English.
private struct EnglishTexts: Sendable {
    /// The texts, by which the tables of other languages have theirs.
    private(set) var keys: Set<String> = []
    /// The keys of texts about a number, which have a form for each plural category.
    private(set) var counted: Set<String> = []
    /// Both forms of each text about a number.
    private(set) var pairs: [(one: String, several: String)] = []
    /// The calls whose text is no literal, so that nobody can tell which texts they need.
    private(set) var calculated = 0
    /// The sentences that are given to no function of `texts.js`.
    private(set) var sentences: [String] = []

    init(module source: String) {
        // A comment may have a call as an example.
        let code = source.replacing(#/(?m)/\*\*[\s\S]*?\*/|^\s*//.*$/#, with: "")
        for match in code.matches(of: #/\b(?:say|pieces)\("((?:[^"\\]|\\.)*)"/#) { keys.insert(String(match.1)) }
        for match in code.matches(of: #/\bcounted\("((?:[^"\\]|\\.)*)", "((?:[^"\\]|\\.)*)"/#) {
            keys.insert(String(match.2))
            counted.insert(String(match.2))
            pairs.append((String(match.1), String(match.2)))
        }
        calculated = code.matches(of: #/(?:^|[^.\w])(?:say|pieces|counted)\((?!")/#).count
        let others = code.replacing(#/\b(?:say|pieces|counted)\("(?:[^"\\]|\\.)*"(?:, "(?:[^"\\]|\\.)*")?/#, with: "")
        sentences = others.matches(of: #/["`](\p{Lu}\p{Ll}+ \p{Ll}+[^"`]*)["`]/#).map { String($0.1) }
    }

    init(html: String) {
        let body = html.replacing(#/^[\s\S]*<body>|<noscript>.*?</noscript>/#, with: "")
        for match in body.matches(of: #/>([^<]*)<|(?:aria-label|title|placeholder)="([^"]*)"/#) {
            let text = (match.1 ?? match.2 ?? "").trimmingCharacters(in: .whitespacesAndNewlines)
            if text.contains(#/[A-Za-z]/#) && text != "Roster" { keys.insert(text) }
        }
    }
}

/// A text of a table: one for all numbers, or one for each plural category of the language.
private enum Translation: Decodable {
    case text(String)
    case forms([String: String])

    init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        do {
            self = .text(try container.decode(String.self))
        } catch {
            self = .forms(try container.decode([String: String].self))
        }
    }

    var all: [String] {
        switch self {
        case .text(let text): [text]
        case .forms(let forms): Array(forms.values)
        }
    }
}

@Suite("The texts of the page in other languages")
struct PageTextTests {
    static let languages = ["de", "es", "ja"]
    /// The plural categories that a table must have; others of the language are said as `other`.
    static let categories: [String: Set<String>] = ["de": ["one", "other"], "es": ["one", "other"], "ja": ["other"]]

    private static let folder = "Sources/CPage/page"

    /// The texts of all modules, which take seconds to find.
    private static let found = Result {
        try Package.files(in: folder, endingIn: ".js").filter { $0.lastPathComponent != "texts.js" }
            .map { (name: $0.lastPathComponent, texts: EnglishTexts(module: try Package.text($0))) }
    }

    private static func modules() throws -> [(name: String, texts: EnglishTexts)] { try found.get() }

    private static func keys() throws -> Set<String> {
        let html = EnglishTexts(html: try Package.text(Package.folder.appendingPathComponent("\(folder)/index.html")))
        return try modules().reduce(into: html.keys) { $0.formUnion($1.texts.keys) }
    }

    private static func table(_ language: String) throws -> [String: Translation] {
        let file = Package.folder.appendingPathComponent("\(folder)/texts-\(language).json")
        return try JSONDecoder().decode([String: Translation].self, from: Data(contentsOf: file))
    }

    private func places(_ text: String) -> Set<String> { Set(text.matches(of: #/\{(\w+)\}/#).map { String($0.1) }) }

    @Test("The rules find the texts of a module, those that are calculated, and sentences that nobody translates")
    func rulesWork() {
        let texts = EnglishTexts(
            module: """
                // say("comment")
                a(say("One"), is ? say("Two \\" {x}", { x }) : pieces("Three {y}", {}), counted("{n} b", "{n} bs", say(c)));
                make("p", { class: "row many" }, "Some words", `Other words ${d}`, essay("Short"));
                """)
        #expect(texts.keys == ["One", #"Two \" {x}"#, "Three {y}", "{n} bs"])
        #expect(texts.counted == ["{n} bs"])
        #expect(texts.calculated == 1)
        #expect(texts.sentences == ["Some words", "Other words ${d}"])
        let html = EnglishTexts(
            html: #"<p>No</p><body><p title="A"> B <b>☰</b></p><noscript>C</noscript><i>Roster</i>"#)
        #expect(html.keys == ["A", "B"])
    }

    @Test("Each table has the texts of the page, and no others", arguments: languages)
    func tablesAreWhole(language: String) throws {
        let (keys, table) = (try Self.keys(), try Self.table(language))
        #expect(keys.count > 400)
        let missing = keys.subtracting(table.keys).sorted()
        #expect(missing.isEmpty, "texts-\(language).json lacks:\n\(missing.joined(separator: "\n"))")
        let unused = Set(table.keys).subtracting(keys).sorted()
        #expect(unused.isEmpty, "texts-\(language).json has, and nobody says:\n\(unused.joined(separator: "\n"))")
    }

    @Test("A translation has the places of the English text, and is not empty", arguments: languages)
    func placesAgree(language: String) throws {
        for (key, translation) in try Self.table(language) {
            for text in translation.all {
                #expect(places(text) == places(key), "\(language): \(key)")
                #expect(!text.isEmpty, "\(language): \(key)")
            }
        }
    }

    @Test("A text about a number has the plural forms of the language, and other texts have none", arguments: languages)
    func pluralsAreWhole(language: String) throws {
        let counted = try Self.modules().reduce(into: Set<String>()) { $0.formUnion($1.texts.counted) }
        let needed = try #require(Self.categories[language])
        for (key, translation) in try Self.table(language) {
            switch translation {
            case .text: #expect(!counted.contains(key) || needed == ["other"], "\(language): \(key)")
            case .forms(let forms): #expect(counted.contains(key) && Set(forms.keys) == needed, "\(language): \(key)")
            }
        }
    }

    @Test("The page says nothing that stands outside of the tables")
    func everythingIsTranslated() throws {
        for (name, texts) in try Self.modules() {
            #expect(texts.calculated == 0, "\(name) says a text that is no literal")
            for (one, several) in texts.pairs { #expect(places(one) == places(several), "\(name): \(several)") }
            #expect(texts.sentences.isEmpty, "\(name): \(texts.sentences)")
        }
    }
}
