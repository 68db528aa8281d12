import Foundation
import RosterSignIn
import RosterText
import Testing

@testable import RosterREST

@Suite("The texts of the sign-in pages")
struct PageTextsTests {
    private static let translations = PageTexts.Language.allCases.filter { $0 != .english }
    private static let package = URL(fileURLWithPath: #filePath)
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()

    private static func source(_ path: String) throws -> String {
        try String(contentsOf: package.appendingPathComponent(path), encoding: .utf8)
    }

    /// The texts in the HTML and those that the code of the pages says.
    private static func written() throws -> Set<String> {
        let pieces = try source("Sources/CPage/sign-in/pages.html").matches(of: #/\[\[(.+?)\]\]/#).map { String($0.1) }
        let folder = "Sources/RosterREST/OAuth/"
        let names = try FileManager.default.contentsOfDirectory(atPath: package.appendingPathComponent(folder).path)
            .filter { $0.hasPrefix("Browser") || $0 == "SignInPages.swift" }.map { folder + $0 }
        let requests = try source("Sources/RosterSignIn/OAuth/AuthorizationRequest.swift")
            .matches(of: #/\.stay\("([^"]+)"/#).map { String($0.1) }
        return spoken(in: try names.map(source).joined()).union(pieces).union(requests)
    }

    /// The literals of a source that users read.
    private static func spoken(in source: String) -> Set<String> {
        // What an app is told, the page of the provider for tests and the summaries of endpoints stay in English.
        let code =
            source
            .replacing(#/\.redirect\(\s*OAuthError\([^)]*\)/#, with: "")
            .replacing(#/page\("Test provider"|= page\(\s*"[^"]+"/#, with: "")
            .replacing(#/\\\n\s*/#, with: "")
        let literal = #"(?:"""\s*(?<long>[^"]+?)\s*"""|"(?<short>[^"\n]+)")"#
        let calls = [
            #"texts\(\s*"#, #"[^\w]told\(\s*"#, #"[^\w]answer\(\s*"#, #"[^\w]answer\(\s*"[^"]+",\s*"#,
            #"[^\w]page\(\s*"#, #"\.stay\(\s*"#, #"OAuthError\(\s*\.\w+, "#, #"problem: "#, #"case [.\w, ]+: "#,
            #"(?:unusable|text) = "#, #"isAllowed \? "#, #"\? "[^"]+" : "#,
        ]
        var texts: Set<String> = []
        for call in calls {
            guard let pattern = try? Regex(call + literal, as: (Substring, long: Substring?, short: Substring?).self)
            else { return [] }
            for match in code.matches(of: pattern) {
                if let text = match.output.long ?? match.output.short, text.count > 1 { texts.insert(String(text)) }
            }
        }
        return texts
    }

    /// What the library says to users who sign in or choose a password.
    private static let messages: Set<String> = {
        let failures: [AuthenticationFailure] = [
            .wrong, .overloaded, .secondFactorRequired(questions: []), .secondFactorWrong(questions: []),
            .secondFactorWrong(questions: ["?"]), .secondFactorLost,
        ]
        let forbidden: [OpaqueString.Problem] = [
            .control, .unassigned, .privateUse, .invisible, .oldLetter, .outOfPlace,
        ]
        let problems: [PasswordProblem] =
            [.tooLong(maximumBytes: 4096), .tooShort(minimumCharacters: 8), .nul, .common, .sameAsName]
            + forbidden.map(PasswordProblem.forbidden)
        let wrong = OAuthError(.wrong)?.text
        return Set(
            failures.map(\.description) + problems.flatMap { [$0.message, $0.advice] } + [wrong].compactMap(\.self))
    }()

    @Test("The literals that users read are found in a source")
    func rulesWork() {
        let source = #"""
            pages.answer(
                "Title", "Text.", status: 400)
            throw OAuthError(.invalidRequest, "Again.")
            throw Problem.redirect(
                OAuthError(.accessDenied, "For an app."), place)
            told(
                """
                A long \
                text.
                """, provider)
            isAllowed ? "Done" : "Not done",
            headers.add("Location", uri)
            """#
        #expect(Self.spoken(in: source) == ["Title", "Text.", "Again.", "A long text.", "Done", "Not done"])
    }

    @Test("Every text that users read has a translation", arguments: translations)
    func everythingIsTranslated(language: PageTexts.Language) throws {
        let (written, texts) = (try Self.written(), PageTexts(language: language))
        #expect(written.count > 70)
        for text in written { #expect(PageTexts.table[text]?[language] != nil, "\(language.rawValue): \(text)") }
        for text in Self.messages { #expect(texts(text) != text, "\(language.rawValue): \(text)") }
    }

    @Test("Every translation is used")
    func everythingIsUsed() throws {
        let messages = Self.messages.map { $0.replacing(#/[0-9]+/#, with: "{{n}}") }
        let unused = Set(PageTexts.table.keys).subtracting(try Self.written()).subtracting(messages)
        #expect(unused.isEmpty, "\(unused.sorted())")
    }

    @Test("A translation has the places and the markup of the English text", arguments: translations)
    func placesAgree(language: PageTexts.Language) {
        func parts(_ text: String) -> [String] {
            text.matches(of: #/\{\{[a-z-]+\}\}|<[^>]+>/#).map { String($0.0) }.sorted()
        }
        for (english, translated) in PageTexts.table {
            #expect(translated.count == 3, "\(english)")
            #expect(parts(translated[language] ?? "") == parts(english), "\(language.rawValue): \(english)")
            // Only texts of the HTML may have markup.
            #expect(english.contains("<strong>") || !english.contains(#/[<>&]/#), "\(english)")
        }
    }

    @Test(
        "The app's languages count before the browser's, whose weights count",
        arguments: [
            (nil, [], "en"), ("de", [], "de"), ("fr es", ["de"], "es"), ("fr", ["ja"], "ja"), ("de_AT", ["ja"], "de"),
            (nil, ["de-CH"], "de"), (nil, ["fr, en;q=0.5, de;q=0.9"], "de"), (nil, ["fr;q=1", "ES;q=0.3"], "es"),
            (nil, ["de;q=0, ja;q=0.1"], "ja"), (nil, ["en, de"], "en"), (nil, ["de ; q=0.2, en;q=0.1"], "de"),
            (nil, ["*", ";;q", "-", "de;q=x", ""], "en"), ("", ["deu"], "en"),
        ] as [(String?, [String], String)])
    func choice(asked: String?, accepted: [String], language: String) {
        #expect(PageTexts(asked: asked, accepted: accepted).language.rawValue == language)
    }

    @Test("Forms ask for the language that an app has asked for, and only then")
    func addresses() {
        #expect(PageTexts(asked: "xx de", accepted: []).address("authorize") == "authorize?ui_locales=de")
        #expect(PageTexts(asked: "xx", accepted: ["de"]).address("authorize") == "authorize")
    }

    @Test("Values are put into places, and are not searched for places")
    func values() {
        let german = PageTexts(language: .german)
        #expect(german("Allow {{application}}?", ["application": "{{n}}"]) == "{{n}} erlauben?")
        #expect(german("The password is shorter than 12 characters.") == "Das Passwort ist kürzer als 12 Zeichen.")
        #expect(german("Nobody says this 12 times.") == "Nobody says this 12 times.")
        #expect(PageTexts.english("Allow {{application}}?", ["application": "Chat"]) == "Allow Chat?")
    }
}
