import RosterText

extension Vocabulary {
    /// The error for an attribute that the vocabulary lacks.
    package func unknownAttribute(_ name: AttributeName, of entity: AttributeDefinition.Entity) -> DirectoryError {
        DirectoryError(
            .invalidAttribute, "There is no attribute \(EntityName.shown(name.rawValue)) of a \(entity.rawValue).",
            advice: Self.advice(
                similar(to: name.rawValue, among: definitions(for: entity)), "Check the spelling, or declare it."),
            attribute: name)
    }

    /// The name of one of these attributes that somebody may have meant; nil if none is similar.
    func similar(to name: String, among definitions: [AttributeDefinition]) -> String? {
        SimilarWord.nearest(to: name, among: definitions.map(\.name.rawValue))
    }

    /// The advice with the name that was probably meant, or else this advice.
    static func advice(_ meant: String?, _ other: String) -> String { meant.map { "Did you mean '\($0)'?" } ?? other }
}
