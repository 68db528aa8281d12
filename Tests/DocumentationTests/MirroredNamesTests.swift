import Foundation
import Testing

/// `Tests/Fixtures/Names` has every class, selector, property, endpoint, header, policy and claim that each of the five mirrored
/// documents names. The lists were made once from those documents, and are the truth.
@Suite("The names of the mirrored documents, and the pages about them")
struct MirroredNamesTests {
    /// A mirrored document, and the pages that tell the counterpart of each of its names.
    struct Document: Sendable, CustomTestStringConvertible {
        let list: String
        let pages: [String]
        /// The number of names, so that a list that lost its lines is noticed.
        let count: Int

        var testDescription: String { list }
    }

    static let documents = [
        Document(
            list: "mobile-and-social",
            pages: [
                "RosterMobileSDK.docc/ComingFromMobileAndSocial", "RosterMobileSDK.docc/MobileAndSocialSecrets",
                "RosterMobileSDK.docc/MobileAndSocialConstants", "RosterDialects.docc/ComingFromMobileAndSocial",
            ], count: 919),
        Document(list: "mobile-hub", pages: ["RosterMobileSDK.docc/ComingFromMobileHub"], count: 55),
        Document(list: "mobile-cloud", pages: ["RosterSignIn.docc/ComingFromMobileCloud"], count: 133),
        Document(list: "couchbase-mobile", pages: ["RosterMobileSDK.docc/ComingFromCouchbaseMobile"], count: 102),
        Document(list: "cloud-access-manager", pages: ["RosterClient.docc/ComingFromCloudAccessManager"], count: 57),
    ]

    /// The names of products that only the pages about them, and the link to those, may have.
    private static let products = [
        "Oracle", "Couchbase", "Sync Gateway", "Cloud Access Manager", "Mobile Hub", "Mobile Cloud",
        "Mobile and Social",
    ]

    private static func text(ofPage page: String) throws -> String {
        let file = try #require(Articles.files.first { $0.path.hasSuffix("/\(page).md") }, "\(page)")
        return try String(contentsOf: file, encoding: .utf8)
    }

    private static func names(_ list: String) throws -> Set<String> {
        let file = Articles.package.appendingPathComponent("Tests/Fixtures/Names/\(list).txt")
        return Set(
            try String(contentsOf: file, encoding: .utf8).split(separator: "\n").filter { !$0.hasPrefix("#") }
                .map(String.init))
    }

    /// The texts between backticks, without blocks of code.
    private static func spans(_ text: String) -> [String] {
        text.replacing(#/(?s)```.*?```/#, with: "").matches(of: #/`+([^`\n]+)`+/#).map { String($0.1) }
    }

    @Test("Each name of a document is on one of its pages, between backticks", arguments: documents)
    func everyName(document: Document) throws {
        let names = try Self.names(document.list)
        #expect(names.count == document.count)
        let told = Set(try document.pages.flatMap { Self.spans(try Self.text(ofPage: $0)) })
        let missing = names.subtracting(told).sorted()
        #expect(missing.isEmpty, "The pages about \(document.list) leave out: \(missing.joined(separator: ", "))")
    }

    @Test("A page names as counterparts only what the sources have", arguments: documents)
    func counterparts(document: Document) throws {
        let words = try Self.wordsOfSources.get()
        for page in document.pages {
            for line in try Self.text(ofPage: page).split(separator: "\n") where line.hasPrefix("| ") {
                let cells = line.dropFirst(2).split(separator: " | ")
                guard cells.count >= 2 else { continue }
                for span in Self.spans(String(cells[1])) {
                    for word in span.matches(of: #/[A-Za-z_][A-Za-z_0-9]+/#) {
                        #expect(words.contains(word.0), "\(page): '\(word.0)' of '\(span)' is nowhere in the sources")
                    }
                }
            }
        }
    }

    /// Every word of the sources, comments included.
    private static let wordsOfSources = Result {
        var words: Set<Substring> = []
        for file in Articles.sources {
            for word in try String(contentsOf: file, encoding: .utf8).matches(of: #/[A-Za-z_][A-Za-z_0-9]+/#) {
                words.insert(word.0)
            }
        }
        return words
    }

    @Test(
        "The first screen and the landing pages but those of dialects tell what the directory is, and name no other product"
    )
    func firstScreen() throws {
        let readme = try String(contentsOf: Articles.package.appendingPathComponent("README.md"), encoding: .utf8)
        let screen = readme.split(separator: "\n", omittingEmptySubsequences: false).prefix(40).joined(separator: "\n")
        for word in ["people", "roles", "report", "library", "server", "One API", "Sign-in"] {
            #expect(screen.contains(word), "\(word)")
        }
        let landings = try Articles.files.filter {
            $0.lastPathComponent == $0.deletingLastPathComponent().lastPathComponent.replacing(".docc", with: ".md")
                && !$0.path.contains("/RosterDialects.docc/")
        }.map { try String(contentsOf: $0, encoding: .utf8) }
        #expect(landings.count >= 8)
        for text in landings + [screen, try Self.text(ofPage: "RosterREST.docc/SignInOverHTTP")] {
            // Names of header fields and links are not meant.
            let prose = text.replacing(#/`[^`\n]*`|<doc:[^>]*>/#, with: "")
            for product in Self.products {
                #expect(!prose.contains(product), "\(product): \(text.prefix(60))")
            }
        }
        #expect(readme.contains("ComingFromCloudAccessManager.md"))
    }
}
