/// Tells whether a word was typed with one error: a letter too many, too few, wrong, or changed with its neighbour.
enum OneError {
    /// Whether one error makes a word, or the beginning of a longer word, of the typed one.
    static func isBetween(_ typed: [UInt8], _ word: [UInt8]) -> Bool {
        var same = 0
        while same < typed.count, same < word.count, typed[same] == word[same] { same += 1 }
        if same == typed.count { return true }
        let (rest, other) = (typed[same...], word[same...])
        // A letter too many; wrong; too few; two in the other's place. What is left has to begin the rest of the word.
        if other.starts(with: rest.dropFirst()) { return true }
        if other.dropFirst().starts(with: rest.dropFirst()), !other.isEmpty { return true }
        if other.dropFirst().starts(with: rest) { return true }
        guard rest.count > 1, other.count > 1 else { return false }
        return rest[same] == other[same + 1] && rest[same + 1] == other[same]
            && other.dropFirst(2).starts(with: rest.dropFirst(2))
    }
}
