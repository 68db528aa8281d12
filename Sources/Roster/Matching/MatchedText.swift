import RosterText

/// The values of a user that a question for people can match, as far as the caller may read them.
struct MatchedText {
    private var words: [(attribute: AttributeName, words: [SearchWord])] = []
    /// Words that stand apart in the value, as one.
    private var joinedNames: [(attribute: AttributeName, word: SearchWord)] = []
    private var phones: [String] = []
    let user: User

    /// The attributes that name a person.
    private static let names: Set<AttributeName> = [
        "uid", "givenName", "familyName", "middleName", "nickName", "commonName", "displayName",
    ]

    /// - Parameter user: The user with the attributes that the caller may read.
    init(_ user: User) {
        self.user = user
        add("uid", user.uid)
        for name in UserWords.attributes {
            if let text = user.attributes[name]?.text { add(name, text) }
        }
        if let family = user.attributes["familyName"]?.text, let given = user.attributes["givenName"]?.text,
            let joined = SearchWord.joined(SearchWord.words(of: family) + SearchWord.words(of: given))
        {
            joinedNames.append(("familyName", joined))
        }
        for element in user.attributes["emails"]?.elements ?? [] {
            if let address = element.text { add("emails", address) }
        }
        for element in user.attributes["addresses"]?.elements ?? [] {
            if let locality = element.part("locality")?.text { add("addresses", locality) }
        }
        phones = (user.attributes["phoneNumbers"]?.elements ?? []).compactMap(\.text)
    }

    private mutating func add(_ attribute: AttributeName, _ text: String) {
        let own = SearchWord.words(of: text)
        words.append((attribute, own))
        if let joined = SearchWord.joined(own) { joinedNames.append((attribute, joined)) }
    }

    /// The attributes that have the words of a question, in the order of the words; nil if a word is in none.
    func match(_ asked: AskedWords) -> [AttributeName]? {
        if let phone = asked.phone, phones.contains(where: { PhoneDigits.has(phone, in: $0) }) {
            return ["phoneNumbers"]
        }
        guard !asked.words.isEmpty else { return nil }
        var found: [AttributeName] = []
        for word in asked.words {
            guard let attribute = attribute(with: word) else { return nil }
            if !found.contains(attribute) { found.append(attribute) }
        }
        return found
    }

    private func attribute(with word: AskedWords.Word) -> AttributeName? {
        for (attribute, words) in words
        where words.contains(where: { own in word.spellings.contains { own.begins(with: $0) } }) {
            return attribute
        }
        for (attribute, own) in joinedNames where word.spellings.contains(where: own.begins) { return attribute }
        for spelling in word.spellings where !spelling.isRun {
            if let digits = PhoneDigits.asked(spelling.forms[0]),
                phones.contains(where: { PhoneDigits.has(digits, in: $0) })
            {
                return "phoneNumbers"
            }
        }
        return nil
    }

    /// Whether the question is a name of the user, with all words in any order.
    func isNamed(_ asked: AskedWords) -> Bool {
        let full = words.filter { $0.attribute == "givenName" || $0.attribute == "familyName" }.flatMap(\.words)
        let names = words.filter { ["uid", "displayName", "commonName"].contains($0.attribute) }.map(\.words) + [full]
        return names.contains { name in
            name.count == asked.words.count
                && asked.words.allSatisfy { word in
                    name.contains { own in word.spellings.contains { own.isWhole($0) } }
                }
        }
    }

    /// Whether each word of the question is a whole word of a name of the user.
    func hasWholeWords(_ asked: AskedWords) -> Bool {
        let names = words.filter { Self.names.contains($0.attribute) }.flatMap(\.words)
        return !asked.words.isEmpty
            && asked.words.allSatisfy { word in
                names.contains { own in word.spellings.contains { own.isWhole($0) } }
            }
    }

    static func isName(_ attribute: AttributeName) -> Bool { names.contains(attribute) }
}
