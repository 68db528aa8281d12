/// A text in which `*` matches any characters, also for none. Case counts, and nothing escapes a `*`.
package struct WildcardPattern: Sendable, Hashable {
    private static let star = UInt8(ascii: "*")
    private let bytes: [UInt8]

    package init(_ text: some StringProtocol) { bytes = Array(text.utf8) }

    /// Whether the pattern has a `*`.
    package var hasWildcard: Bool { bytes.contains(Self.star) }

    /// Whether the pattern matches the whole text.
    ///
    /// Only the last `*` is ever widened, because a wider earlier `*` would leave the later ones less text. So a match costs at most
    /// the length of the text times the length of the pattern.
    package func matches(_ text: some StringProtocol) -> Bool {
        let text = Array(text.utf8)
        var (index, next) = (0, 0)
        var lastStar: (pattern: Int, text: Int)?
        while index < text.count {
            if next < bytes.count, bytes[next] == Self.star {
                lastStar = (next + 1, index)
                next += 1
            } else if next < bytes.count, bytes[next] == text[index] {
                next += 1
                index += 1
            } else if let star = lastStar {
                lastStar = (star.pattern, star.text + 1)
                next = star.pattern
                index = star.text + 1
            } else {
                return false
            }
        }
        return bytes[next...].allSatisfy { $0 == Self.star }
    }
}
