import Foundation
import RosterClient
import RosterText

/// The parts of a URL that came from another app or a browser, after the checks that all such URLs need.
struct AgentURL: Sendable {
    /// The longest URL in bytes.
    static let longest = 8_192
    private static let mostParameters = 64

    /// The scheme in lower case.
    let scheme: String
    /// The parameters of the query in their order.
    let parameters: [(name: String, value: String)]

    /// Reads a URL with a query such as `name=value&other=value`.
    ///
    /// - Parameter separator: What is between a name and its value.
    /// - Throws: `ClientError` `badURL`.
    init(_ url: URL, separator: String = "=") throws {
        let text = url.absoluteString
        guard text.utf8.count <= Self.longest else { throw Self.failure("has more than \(Self.longest) bytes") }
        guard text.utf8.allSatisfy({ (0x21...0x7E).contains($0) }) else {
            throw Self.failure("has characters that are not percent-encoded")
        }
        guard let colon = text.firstIndex(of: ":"), Self.isScheme(text[..<colon]) else {
            throw Self.failure("has no scheme")
        }
        guard !text.contains("#") else { throw Self.failure("has a fragment") }
        guard let start = text.firstIndex(of: "?") else { throw Self.failure("has no query") }
        scheme = text[..<colon].lowercased()
        // A plus sign means itself, as in RFC 3986.
        guard
            let found = FormEncoding.parameters(
                text[text.index(after: start)...], separator: separator, isPlusSpace: false)
        else { throw Self.failure("has a parameter that is not percent-encoded UTF-8") }
        guard found.count <= Self.mostParameters else {
            throw Self.failure("has more than \(Self.mostParameters) parameters")
        }
        var parameters: [(name: String, value: String)] = []
        for (name, value) in found {
            guard let value, !name.isEmpty else { throw Self.failure("has a parameter without name or value") }
            guard Self.isPlain(name), Self.isPlain(value) else {
                throw Self.failure("has control characters in a parameter")
            }
            guard !parameters.contains(where: { $0.name == name }) else {
                throw Self.failure("has a parameter twice")
            }
            parameters.append((name, value))
        }
        self.parameters = parameters
    }

    /// The value of a parameter; nil if the parameter is missing or empty.
    subscript(name: String) -> String? {
        parameters.first { $0.name == name && !$0.value.isEmpty }?.value
    }

    /// Makes a URL with a query.
    ///
    /// - Throws: `ClientError` `invalidInput` if the URL would be too long.
    static func make(_ scheme: String, _ parameters: [(name: String, value: String)]) throws -> URL {
        let text = "\(scheme)://sso?\(FormEncoding.text(parameters))"
        guard text.utf8.count <= longest, let url = URL(string: text) else {
            throw ClientError.invalidInput(
                "The URL for the other app would have more than \(longest) bytes.", "Send fewer or shorter parameters.")
        }
        return url
    }

    // MARK: Texts

    /// Whether a text is a scheme (RFC 3986, section 3.1).
    static func isScheme(_ text: some StringProtocol) -> Bool {
        guard let first = text.utf8.first, (1...64).contains(text.utf8.count) else { return false }
        let letters = (UInt8(ascii: "a")...UInt8(ascii: "z"))
        return letters.contains(first | 0x20)
            && text.utf8.allSatisfy {
                letters.contains($0 | 0x20) || (0x30...0x39).contains($0) || "+.-".utf8.contains($0)
            }
    }

    /// Whether a scheme can be that of an app which takes an answer. Schemes of the web and of the system are not, so that
    /// an answer does not go to a web page, and opening the answer runs or calls nothing.
    static func isAppScheme(_ text: String) -> Bool {
        let others: Set = [
            "about", "android-app", "app-settings", "blob", "cid", "content", "data", "facetime", "facetime-audio",
            "file",
            "filesystem", "ftp", "http", "https", "intent", "itms", "itms-apps", "itms-services", "jar", "javascript",
            "mailto", "mms", "prefs", "sms", "ssh", "tel", "telnet", "vbscript", "view-source", "ws", "wss",
            "x-apple-health",
        ]
        return isScheme(text) && !others.contains(text.lowercased())
    }

    /// Whether a text has no control characters, which would forge lines of a log.
    static func isPlain(_ text: String) -> Bool { !text.hasControlCharacters }

    static func failure(_ problem: String) -> ClientError {
        ClientError(
            .badURL, "The URL that the app was opened with \(problem).",
            advice: "Ignore the URL; if it came from an app of yours, correct that app.")
    }
}
