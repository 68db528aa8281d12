/// Finds what somebody may have meant by a word.
package enum SimilarWord {
    /// The most similar word; nil if none is similar enough. Case does not matter.
    package static func nearest(to word: String, among words: some Sequence<String>) -> String? {
        // Longer words are not typing mistakes, and take too long to compare.
        guard word.utf8.count <= 64 else { return nil }
        let letters = Array(word.lowercased().utf8)
        let limit = max(1, min(3, letters.count / 2))
        var best: (distance: Int, word: String)?
        for candidate in words where abs(candidate.utf8.count - letters.count) <= limit {
            let distance = distance(letters, Array(candidate.lowercased().utf8))
            guard distance <= limit else { continue }
            if let found = best, (found.distance, found.word) <= (distance, candidate) { continue }
            best = (distance, candidate)
        }
        return best?.word
    }

    /// The least number of changed letters between two words.
    private static func distance(_ left: [UInt8], _ right: [UInt8]) -> Int {
        var row = Array(0...right.count)
        for (i, a) in left.enumerated() {
            var previous = row[0]
            row[0] = i + 1
            for (j, b) in right.enumerated() {
                (previous, row[j + 1]) = (row[j + 1], min(row[j + 1] + 1, row[j] + 1, previous + (a == b ? 0 : 1)))
            }
        }
        return row.last ?? 0
    }
}
