extension String {
    /// The parts between spaces.
    package var words: [String] { split(separator: " ").map(String.init) }

    /// Whether both texts have the same code points (RFC 7519, section 2, StringOrURI). `==` would also accept
    /// canonically equivalent texts.
    package func hasSameBytes(as other: String) -> Bool { utf8.elementsEqual(other.utf8) }
}

extension Substring {
    /// The text without white space at its ends.
    package var trimmingSpaces: String {
        var text = self
        while text.first?.isWhitespace == true { text.removeFirst() }
        while text.last?.isWhitespace == true { text.removeLast() }
        return String(text)
    }
}
