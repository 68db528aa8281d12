/// A user whom `matching(_:attributes:limit:)` of ``UserManager`` has found, with what matched.
public struct UserMatch: Sendable, Hashable {
    /// The user.
    public let user: User
    /// The attributes whose values have the words, in the order of the words: `uid`, `displayName`, `emails`, …
    public let attributes: [AttributeName]

    package init(user: User, attributes: [AttributeName]) {
        (self.user, self.attributes) = (user, attributes)
    }
}

extension UserManager {
    /// Finds people by words, as somebody types them.
    ///
    /// Each word has to be the beginning of a word of the user's name or other names, title, department, mail address or locality. The
    /// order of the words, accents, case, width and punctuation do not matter: `okafor gr`, `Okafor, Grace` and `grace.okafor` find Grace
    /// Okafor; `müller`, `muller` and `mueller` find Müller. Each part of Japanese, Chinese and Korean text counts. Digits find the
    /// telephone numbers that have them. If nobody is found, each word may have one typing error in a name, a title or a department.
    ///
    /// Users with exactly that name come first, then those of the caller's own department and team, then enabled before disabled ones, and
    /// users with the words in their names before others. Only values that the caller may read match. Of more people than
    /// the index gives at once, not everybody is looked at.
    ///
    /// - Parameters:
    ///   - text: The words, up to 256 characters. Words after the eighth are ignored.
    ///   - attributes: The attributes to fetch.
    ///   - limit: The most users to return, 1 to 200.
    /// - Returns: The users, the best first. Nobody for a text without a letter or a digit.
    /// - Throws: `invalidPage` for another limit, `invalidFilter` for a longer text.
    /// - Complexity: Reads some hundred users at most, whatever the size of the directory.
    public func matching(
        _ text: String, attributes: AttributeSelection = .usual, limit: Int = 20
    ) throws -> [UserMatch] {
        try view.read(MatchUsers(text: text, attributes: attributes, limit: limit))
    }

    /// Finds people by words, as the synchronous form does.
    public func matching(
        _ text: String, attributes: AttributeSelection = .usual, limit: Int = 20
    ) async throws -> [UserMatch] {
        try await view.read(MatchUsers(text: text, attributes: attributes, limit: limit))
    }
}

/// Carries a call of `matching(_:attributes:limit:)` of ``UserManager``.
struct MatchUsers: ReadOperation {
    static let name = "matchUsers"
    let text: String
    let attributes: AttributeSelection
    let limit: Int

    func run(in transaction: Transaction) throws -> [UserMatch] {
        try transaction.search.matching(text, attributes, limit: limit)
    }
}
