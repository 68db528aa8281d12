import RosterSignIn
import Testing
import TestSupport

@testable import RosterREST

@Suite("The pages of signing in")
struct SignInPagesTests {
    /// Every page, with a text wherever one is inserted.
    private static func pages(with text: String, in language: PageTexts.Language) -> [String] {
        let pages = SignInPages(texts: PageTexts(language: language))
        return [
            pages.signIn(
                to: text, action: text, sealed: text, name: text, problem: text, sendsLinks: true,
                providers: [text]),
            pages.signIn(
                to: text, action: text, sealed: text, name: "", problem: nil, sendsLinks: false, providers: []),
            pages.forgotten(action: text, sealed: text),
            pages.secondStep(to: text, action: text, sealed: text, problem: text, questions: [text]),
            pages.secondStep(to: text, action: text, sealed: text, problem: nil, questions: []),
            pages.newPassword(action: text, sealed: text, name: text, problem: text),
            pages.consent(to: text, action: text, sealed: text, name: text, scopes: [Scope(text)], userCode: text),
            pages.device(action: text, userCode: text, problem: text),
            pages.signOut(action: text, sealed: text, name: text),
            pages.testProvider(action: text, fields: [(text, text)]), pages.message(text, text),
        ]
    }

    @Test("No place for a value is left empty, and every page is whole", arguments: PageTexts.Language.allCases)
    func places(language: PageTexts.Language) {
        for page in Self.pages(with: "plain text", in: language) {
            #expect(!page.contains("{{") && !page.contains("}}") && !page.contains("[[") && !page.contains("]]"))
            #expect(page.contains("<html lang=\"\(language.rawValue)\">"))
            #expect(page.hasPrefix("<!DOCTYPE html>\n") && page.hasSuffix("</html>\n"))
        }
    }

    @Test(
        "Inserted text is neither markup nor a place, in elements and in attributes",
        arguments: PageTexts.Language.allCases)
    func escaping(language: PageTexts.Language) {
        for page in Self.pages(with: "<b a='1' c=\"2\">&{{title}}", in: language) {
            #expect(!page.contains("<b a") && !page.contains("'1'") && !page.contains("\"2\""))
            #expect(page.contains("&lt;b a=&#39;1&#39; c=&quot;2&quot;&gt;&amp;{{title}}"))
        }
    }

    @Test("Every piece is in the file", arguments: HTML.Piece.allCases)
    func pieces(piece: HTML.Piece) { #expect(!HTML(piece).text.isEmpty) }
}
