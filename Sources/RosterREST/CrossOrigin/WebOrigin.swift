import RosterSignIn
import RosterText

struct OriginProblem: Error {
    /// The rest of a sentence, such as "has a path".
    let problem: String
}

/// The scheme, host and port of an origin (RFC 6454, section 6.2), in small letters.
struct WebOrigin {
    let scheme: String
    /// The labels of the host, or an IPv6 address in brackets as the only label.
    let labels: [String]
    /// The port, or the default port of the scheme; nil if there is neither.
    let port: String?

    init(_ text: String) throws(OriginProblem) { try self.init(text, allowingWildcards: false) }

    /// Reads an origin, or a pattern whose labels and port may contain `*`.
    init(_ text: String, allowingWildcards: Bool) throws(OriginProblem) {
        guard !text.isEmpty else { throw OriginProblem(problem: "is empty") }
        guard text != "null" else { throw OriginProblem(problem: "is what pages without an origin send") }
        guard let mark = text.firstRange(of: "://") else {
            throw OriginProblem(problem: "has no scheme such as https://")
        }
        scheme = text[..<mark.lowerBound].asciiLowercased
        guard let first = scheme.utf8.first, first.isASCIILetter,
            scheme.utf8.allSatisfy({ $0.isASCIILetter || $0.isASCIIDigit || "+-.".utf8.contains($0) })
        else { throw OriginProblem(problem: "has a scheme that is none, or not in full") }
        let authority = text[mark.upperBound...]
        if let mistake = authority.unicodeScalars.first(where: { "/\\?#@".unicodeScalars.contains($0) }) {
            let part = mistake == "@" ? "a user name" : "a path, or a slash at its end"
            throw OriginProblem(problem: "has \(part), which no origin has")
        }
        let (host, port) = try Self.parts(authority)
        if host.hasPrefix("[") {
            let address = host.utf8.dropFirst().dropLast()
            guard !address.isEmpty, address.allSatisfy({ $0.hexDigit != nil || ":.".utf8.contains($0) }) else {
                throw OriginProblem(problem: "has an IPv6 address that is none")
            }
            labels = [host]
        } else {
            labels = host.split(separator: ".", omittingEmptySubsequences: false).map(String.init)
            guard labels.allSatisfy({ Self.isLabel($0, allowingWildcards) }) else {
                throw OriginProblem(problem: "has no host, or one with characters that none has")
            }
        }
        self.port =
            try port.map { port throws(OriginProblem) in try Self.checked(port, allowingWildcards) }
            ?? Self.defaultPorts[scheme]
    }

    private static let defaultPorts = ["http": "80", "https": "443"]

    private static func parts(_ authority: Substring) throws(OriginProblem) -> (host: String, port: String?) {
        var end = authority.endIndex
        if authority.hasPrefix("[") {
            guard let bracket = authority.firstIndex(of: "]") else {
                throw OriginProblem(problem: "has an IPv6 address that does not end")
            }
            end = authority.index(after: bracket)
            guard end == authority.endIndex || authority[end] == ":" else {
                throw OriginProblem(problem: "has something other than a port after its address")
            }
        } else if let colon = authority.firstIndex(of: ":") {
            end = colon
        }
        let port = end == authority.endIndex ? nil : String(authority[authority.index(after: end)...])
        return (authority[..<end].asciiLowercased, port)
    }

    private static func isLabel(_ label: String, _ allowingWildcards: Bool) -> Bool {
        !label.isEmpty
            && label.unicodeScalars.allSatisfy { scalar in
                switch scalar {
                case "a"..."z", "0"..."9", "-", "_": return true
                case "*": return allowingWildcards
                default:
                    guard !scalar.isASCII else { return false }
                    return scalar.properties.isAlphabetic || scalar.properties.generalCategory == .nonspacingMark
                }
            }
    }

    private static func checked(_ port: String, _ allowingWildcards: Bool) throws(OriginProblem) -> String {
        if allowingWildcards, port.contains("*"), port.utf8.count <= 5,
            port.utf8.allSatisfy({ $0.isASCIIDigit || $0 == UInt8(ascii: "*") })
        {
            return port
        }
        guard let number = UInt16(port), String(number) == port else {
            throw OriginProblem(problem: "has a port that is none")
        }
        return port
    }
}

/// A pattern of origins: an origin whose labels and port may contain `*`.
struct OriginPattern: Sendable, Hashable {
    private let scheme: String
    private let labels: [WildcardPattern]
    private let port: WildcardPattern?
    private let isOpenEnded: Bool

    init(_ text: String) throws(OriginProblem) {
        let origin = try WebOrigin(text, allowingWildcards: true)
        scheme = origin.scheme
        labels = origin.labels.map { WildcardPattern($0) }
        port = origin.port.map { WildcardPattern($0) }
        let last = origin.labels.last ?? ""
        isOpenEnded = origin.labels.count > 1 && last.contains("*") && last.contains { $0 != "*" }
    }

    func matches(_ origin: WebOrigin) -> Bool {
        guard !isOpenEnded, scheme == origin.scheme, labels.count == origin.labels.count else { return false }
        switch (port, origin.port) {
        case (nil, nil): break
        case (let port?, let actual?): guard port.matches(actual) else { return false }
        case (nil, _?), (_?, nil): return false
        }
        // An address in brackets is one label, and `*` does not represent its colons.
        return zip(labels, origin.labels).allSatisfy { pattern, label in
            (!label.hasPrefix("[") || !pattern.hasWildcard) && pattern.matches(label)
        }
    }
}

extension UInt8 {
    fileprivate var isASCIIDigit: Bool { (0x30...0x39).contains(self) }
    fileprivate var isASCIILetter: Bool { (0x61...0x7A).contains(self | 0x20) }
}

extension Substring {
    /// The text with ASCII letters in lower case, and all other characters unchanged.
    fileprivate var asciiLowercased: String {
        String(decoding: utf8.map { (0x41...0x5A).contains($0) ? $0 | 0x20 : $0 }, as: UTF8.self)
    }
}
