extension DirectoryView {
    /// Returns whether the caller may read of every user each attribute that a filter compares. The directory refuses a search by another
    /// filter.
    ///
    /// - Complexity: Reads the directory only for an attribute that not everybody reads.
    package func maySearch(by filter: Filter, of entity: AttributeDefinition.Entity) throws -> Bool {
        let shared = try embedded()
        var vocabulary = shared.vocabulary
        var isNarrow = false
        if case .reading(_, let view) = shared.caller { (vocabulary, isNarrow) = (vocabulary.narrowed(to: view), true) }
        for name in filter.comparedAttributes {
            // The search says what is wrong with an unknown name.
            guard let definition = vocabulary.definition(of: name, for: entity), definition.readers < .signedIn else {
                continue
            }
            let mayRead = try isNarrow ? false : lookUp { $0.rights.maySearch(definition) } ?? false
            guard mayRead else { return false }
        }
        return true
    }
}

extension Filter {
    /// The attributes that the filter compares.
    fileprivate var comparedAttributes: Set<AttributeName> {
        switch self {
        case .everything: []
        case .compare(let path, _, _), .present(let path): [path.attribute]
        case .element(let name, _): [name]
        case .and(let filters), .or(let filters): filters.reduce(into: []) { $0.formUnion($1.comparedAttributes) }
        case .not(let filter): filter.comparedAttributes
        case .below: ["manager"]
        }
    }
}
