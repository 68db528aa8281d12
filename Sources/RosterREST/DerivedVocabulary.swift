import Roster

/// What the interfaces make of the directory's vocabulary. Made once, and again when an attribute is declared. A class, since
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

    /// Keeps the latest one. Attributes are only ever added, so their number says which vocabulary it is.
    final class Memory: Sendable {
        private let latest = Locked<(count: Int, value: DerivedVocabulary)?>(nil)

        func value(for vocabulary: Vocabulary) -> DerivedVocabulary {
            let count = vocabulary.declared.count
            return latest.withLock { latest in
                if let latest, latest.count == count { return latest.value }
                let value = DerivedVocabulary(vocabulary)
                latest = (count, value)
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
