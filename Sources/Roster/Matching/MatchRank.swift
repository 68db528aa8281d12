import RosterText

/// The place of a found user among others. The best one is the least.
struct MatchRank: Comparable {
    private let isNamed: Bool
    private let isNear: Bool
    private let isActive: Bool
    private let isWhole: Bool
    private let isByName: Bool
    private let label: String
    private let id: UserID

    /// - Parameter isNear: Whether the user belongs to the caller's department or team.
    init(_ text: MatchedText, _ asked: AskedWords, by attributes: [AttributeName], isNear: Bool) {
        isNamed = text.isNamed(asked)
        isWhole = text.hasWholeWords(asked)
        isByName = attributes.allSatisfy(MatchedText.isName)
        (self.isNear, isActive, id) = (isNear, text.user.isActive, text.user.id)
        label = TextKey.sorting(text.user.label)
    }

    static func < (left: MatchRank, right: MatchRank) -> Bool {
        if left.isNamed != right.isNamed { return left.isNamed }
        if left.isNear != right.isNear { return left.isNear }
        if left.isActive != right.isActive { return left.isActive }
        if left.isWhole != right.isWhole { return left.isWhole }
        if left.isByName != right.isByName { return left.isByName }
        if left.label != right.label { return left.label.utf8.lexicographicallyPrecedes(right.label.utf8) }
        return left.id < right.id
    }
}
