internal import CPage
import Roster
import RosterText

/// The texts of the sign-in pages in one language: those of `Sources/CPage/sign-in/texts.json`, by the English text.
struct PageTexts: Sendable, Hashable {
    /// The languages of the pages.
    enum Language: String, CaseIterable, Sendable {
        case english = "en"
        case german = "de"
        case spanish = "es"
        case japanese = "ja"

        /// - Parameter tag: A tag after RFC 5646, such as `de-AT`; only its language counts.
        fileprivate init?(tag: some StringProtocol) {
            self.init(rawValue: tag.prefix { $0 != "-" && $0 != "_" }.lowercased())
        }
    }

    /// The parameter of OpenID Connect in which an app names languages.
    static let parameter = "ui_locales"

    let language: Language
    /// Whether an app asked for the language. The forms of a page then ask for it, too.
    private let isAskedFor: Bool

    static let english = PageTexts(language: .english)

    init(language: Language) {
        self.language = language
        isAskedFor = false
    }

    /// Chooses the language: the first of the app's that the pages have, else the user's favourite among them, else English.
    ///
    /// - Parameters:
    ///   - asked: `ui_locales` of OpenID Connect: tags in the order of preference, separated by spaces.
    ///   - accepted: The values of `Accept-Language`.
    init(asked: String?, accepted: [String]) {
        let named = asked?.split(separator: " ").lazy.compactMap(Language.init(tag:)).first
        isAskedFor = named != nil
        language = named ?? Self.favourite(of: accepted) ?? .english
    }

    private static func favourite(of accepted: [String]) -> Language? {
        var best: (language: Language, weight: Double)?
        for range in accepted.lazy.flatMap({ $0.split(separator: ",") }) {
            let parts = range.split(separator: ";").map { $0.filter { $0 != " " && $0 != "\t" } }
            guard let tag = parts.first, let language = Language(tag: tag) else { continue }
            let weight = parts.dropFirst().first { $0.hasPrefix("q=") }.map { Double($0.dropFirst(2)) ?? 0 } ?? 1
            // Of equal ones the first counts.
            if weight > best?.weight ?? 0 { best = (language, weight) }
        }
        return best?.language
    }

    /// An address of a page, which names the language if an app asked for it.
    func address(_ page: String) -> String { isAskedFor ? "\(page)?\(Self.parameter)=\(language.rawValue)" : page }

    /// A text in the language; itself if the table does not have it.
    ///
    /// - Parameters:
    ///   - english: The text in English, with places such as `{{name}}`. A text without values may have a number where the table has
    ///     `{{n}}`.
    ///   - values: The values of the places. A value is not searched for places.
    func callAsFunction(_ english: String, _ values: [String: String] = [:]) -> String {
        let text = translated(english)
        if values.isEmpty { return text }
        return text.replacing(#/\{\{([a-z-]+)\}\}/#) { values[String($0.1)] ?? String($0.0) }
    }

    private func translated(_ english: String) -> String {
        if language == .english { return english }
        if let text = Self.table[english]?[language] { return text }
        guard let number = english.firstMatch(of: #/[0-9]+/#) else { return english }
        let key = english[..<number.range.lowerBound] + "{{n}}" + english[number.range.upperBound...]
        return Self.table[String(key)]?[language]?.replacing("{{n}}", with: number.0) ?? english
    }

    /// The texts in other languages, by the English ones.
    static let table: [String: [Language: String]] = {
        let file = page_sign_in_texts()
        let bytes = Array(UnsafeBufferPointer(start: file.bytes, count: file.count))
        guard case .object(let texts)? = try? JSONValue(strictly: bytes) else { return [:] }
        return Dictionary(
            uniqueKeysWithValues: texts.map { text in
                let pairs = Language.allCases.compactMap { language in
                    text.value[language.rawValue]?.text.map { (language, $0) }
                }
                return (text.name, Dictionary(uniqueKeysWithValues: pairs))
            })
    }()
}
