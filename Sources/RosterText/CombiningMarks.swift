extension String {
    /// Whether more combining marks stand in a row than any writing has.
    ///
    /// Swift compares and hashes text by its normal form, in which the marks of a row are sorted: for as many as a request
    /// may hold, that takes a minute. Unicode's own limit for a stream (UAX #15, section 13) is 30; here it is 256.
    package var hasEndlessMarks: Bool {
        guard utf8.count > 512 else { return false }
        var row = 0
        for scalar in unicodeScalars {
            // Three vowel signs of Tibetan are none themselves, and come apart into two each.
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
