import RosterStore
import RosterText

/// The words of names, titles and departments that a word can mean that was typed with one error.
struct Spellings {
    let connection: Connection

    /// The shortest word in which an error is looked for. Shorter ones would mean too many others.
    private static let shortest = 4
    /// The most keys of a column that are looked at, each with a step in its index, and the most spellings of a word.
    private static let (mostKeys, most) = (3_000, 12)
    private static let columns = ["given_name_key", "family_name_key", "department_key", "title_key"]

    /// The question with the other spellings of its words; nil if no word has any.
    func correcting(_ asked: AskedWords) throws -> AskedWords? {
        var corrected = asked
        for (index, word) in asked.words.enumerated() where word.isIndexed {
            corrected.words[index].spellings += try others(than: word.spellings[0])
        }
        return corrected == asked ? nil : corrected
    }

    private func others(than word: SearchWord) throws -> [SearchWord] {
        guard !word.isRun, let typed = word.forms.first.map({ Array($0.utf8) }), typed.count >= Self.shortest else {
            return []
        }
        var others: Set<String> = []
        // The first letter is right in most cases, or changed with the second one. After that every key is looked at.
        let starts = [typed[0], typed[1]].filter { $0 < 0x7F }
        let ranges = starts.map { (Self.text([$0]), Self.text([$0 + 1])) } + [("", "\u{10FFFF}")]
        for (start, end) in ranges where others.isEmpty {
            for column in Self.columns where others.count < Self.most {
                try connection.checkGoesOn()
                try connection.forEach(
                    dynamic: MatchStatements.keys(of: column),
                    [.text(start), .text(end), .text(end), .integer(Int64(Self.mostKeys))]
                ) { row in
                    for own in SearchWord.words(of: TextKey.folded(row.text(0))) where !own.isRun {
                        for form in own.forms where OneError.isBetween(typed, Array(form.utf8)) {
                            others.insert(form)
                        }
                    }
                    return others.count < Self.most
                }
            }
        }
        return others.sorted().map { SearchWord(spelling: $0) }
    }

    private static func text(_ bytes: [UInt8]) -> String { String(decoding: bytes, as: UTF8.self) }
}

extension TransactionSearch {
    /// The most characters of a question, and the most users who are found.
    private static let (longestText, mostMatches) = (256, 200)

    /// Finds people by words.
    package func matching(_ text: String, _ attributes: AttributeSelection, limit: Int) throws -> [UserMatch] {
        guard (1...Self.mostMatches).contains(limit) else {
            throw DirectoryError(
                .invalidPage, "A list of \(limit) people is not possible.", advice: "Ask for 1 to \(Self.mostMatches).")
        }
        guard text.count <= Self.longestText else {
            throw DirectoryError(
                .invalidFilter, "The text has more than \(Self.longestText) characters.", advice: "Shorten it.")
        }
        let selection = try Selection(attributes, of: .user, transaction.vocabulary)
        let asked = AskedWords(text)
        guard !asked.words.isEmpty else { return [] }
        transaction.connection.deadline = .now + DirectoryLimits.maximumSearchDuration
        defer { transaction.connection.deadline = nil }
        var run = try MatchRun(transaction, limit: limit)
        try run.look(for: asked)
        if run.isEmpty, let corrected = try Spellings(connection: transaction.connection).correcting(asked) {
            try run.look(for: corrected)
        }
        return try run.sorted().map { user, attributes in
            var user = user
            try transaction.users.present(&user, selection)
            return UserMatch(user: user, attributes: attributes)
        }
    }
}
