import Roster
import RosterText

/// What the interfaces make of the directory's vocabulary. Made once, and again when the vocabulary changes. A class, since
/// each request hands it on.
final class DerivedVocabulary: Sendable {
    let people: ProfileVocabulary
    let groups: ProfileVocabulary
    let scimUser: SCIMResourceType
    let scimGroup: SCIMResourceType
    let scimPlaces: SCIMPlaces

    private init(_ vocabulary: Vocabulary) {
        people = ProfileVocabulary(vocabulary, of: .user)
        groups = ProfileVocabulary(vocabulary, of: .role)
        scimUser = .user(vocabulary)
        scimGroup = .group(vocabulary)
        scimPlaces = SCIMPlaces(vocabulary)
    }

    /// Keeps the latest one.
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

    func profileNames(_ vocabulary: Vocabulary, of owner: ProfileRelation.Owner) -> ProfileVocabulary {
        owner == .people ? derived(vocabulary).people : derived(vocabulary).groups
    }
}
