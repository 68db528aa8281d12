extension String {
    /// Whether the text has more combining marks in a row than any writing system uses.
    ///
    /// Swift compares and hashes text in a normal form that sorts such marks. Sorting as many as a request can hold
    /// takes a minute. Unicode's stream-safe limit (UAX #15, section 13) is 30; this limit is 256.
    package var hasEndlessMarks: Bool {
        guard utf8.count > 512 else { return false }
        var row = 0
        for scalar in unicodeScalars {
            // Three Tibetan vowel signs are not marks themselves, but decompose into two marks each.
            let isMark =
                scalar.value >= 0x300
                && (scalar.properties.canonicalCombiningClass != .notReordered
                    || [0xF73, 0xF75, 0xF81].contains(scalar.value))
            row = isMark ? row + 1 : 0
            if row > 256 { return true }
        }
        return false
    }
}
