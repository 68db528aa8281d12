import Roster
import RosterText

/// The forms in which the interfaces use the directory's vocabulary. They are made again when the vocabulary changes.
///
/// This is a class because every request hands it on.
final class DerivedVocabulary: Sendable {
    let people: ProfileVocabulary
    let groups: ProfileVocabulary
    let scimUser: SCIMResourceType
    let scimGroup: SCIMResourceType
    let scimPlaces: SCIMPlaces
    /// The layouts of users and groups with their usual attributes.
    let userLayout, groupLayout: SCIMLayout

    private init(_ vocabulary: Vocabulary) {
        people = ProfileVocabulary(vocabulary, of: .user)
        groups = ProfileVocabulary(vocabulary, of: .role)
        scimUser = .user(vocabulary)
        scimGroup = .group(vocabulary)
        scimPlaces = SCIMPlaces(vocabulary)
        userLayout = SCIMLayout(scimPlaces.users, nil)
        groupLayout = SCIMLayout(scimPlaces.roles, nil)
    }

    func profile(of kind: AttributeDefinition.Entity) -> ProfileVocabulary { kind == .user ? people : groups }
    func scimType(of kind: AttributeDefinition.Entity) -> SCIMResourceType { kind == .user ? scimUser : scimGroup }

    /// Keeps the forms of the latest vocabulary.
    final class Memory: Sendable {
        private let latest = Locked<(vocabulary: Vocabulary, value: DerivedVocabulary)?>(nil)

        func value(for vocabulary: Vocabulary) -> DerivedVocabulary {
            latest.withLock { latest in
                if let latest, latest.vocabulary.isSame(as: vocabulary) { return latest.value }
                let value = DerivedVocabulary(vocabulary)
                latest = (vocabulary, value)
                return value
            }
        }
    }
}

extension ServiceContext {
    func derived(_ vocabulary: Vocabulary) -> DerivedVocabulary { vocabularies.value(for: vocabulary) }
}
