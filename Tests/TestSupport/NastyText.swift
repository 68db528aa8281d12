public import Foundation

/// Random text and bytes that are difficult for readers of formats. The same seed gives the same text.
public struct NastyText: RandomNumberGenerator {
    private static let pieces: [String] = [
        "\"", "\"\"", ",", ";", "\t", "\n", "\r", "\r\n", "=", "+", "-", "@", "'", "''", " ", "  ", "\\", "#", "<", ">",
        ":",
        "/", "a", "Z", "7", "dn: x", "\n\n", "\n ", "é", "e\u{301}", "\u{301}", "ß", "日本", "😀", "👩‍👩‍👧", "אבג",
        "\u{202E}", "\u{FEFF}", "\u{A0}", "\u{85}", "\u{2028}", "\u{7F}", "\u{1B}", "\u{FFFD}", "\u{10FFFF}", "＝", "＠",
        "{", "}", "[", "]", "\u{1}", "long text without anything special that has to be folded",
    ]
    private var numbers: SeededNumbers

    /// Starts a sequence.
    public init(seed: UInt64) { numbers = SeededNumbers(seed: seed) }

    /// The next random number.
    public mutating func next() -> UInt64 { numbers.next() }

    /// Up to eight difficult pieces of text.
    public mutating func text() -> String {
        (0..<Int.random(in: 0...8, using: &self)).map { _ in Self.pieces.randomElement(using: &self) ?? "" }.joined()
    }

    /// Up to 60 bytes out of some.
    public mutating func bytes(from alphabet: [UInt8]) -> Data {
        let count = Int.random(in: 0...60, using: &self)
        return Data((0..<count).map { _ in alphabet.randomElement(using: &self) ?? 0 })
    }
}
