/// The effective rights of the built-in attributes. A view never has more readers than its list, and users can write a
/// list only if they can write all of its views.
struct EffectiveRights {
    private(set) var definitions: [AttributeDefinition] = []
    private(set) var elementReaders: [AttributeName: ElementReaders] = [:]

    /// The lists of which the type of an element decides who reads the element.
    private static let listsWithTypes: [AttributeName] = ["emails", "phoneNumbers", "addresses"]

    init(_ builtIn: [AttributeDefinition], _ rights: [AttributeRights]) {
        let set = Dictionary(rights.map { ($0.name, $0) }) { $1 }
        let own = builtIn.map { definition in
            definition.with(
                readers: set[definition.name]?.readers ?? definition.readers,
                writers: set[definition.name]?.writers ?? definition.writers)
        }
        let byName = Dictionary(own.map { ($0.name, $0) }) { $1 }
        let views = Dictionary(grouping: own.filter { $0.element != nil }) { $0.element?.attribute ?? $0.name }
        for (list, views) in views {
            guard let definition = byName[list] else { continue }
            let widest = views.filter { $0.element?.type == nil }.map(\.readers).reduce(definition.readers, min)
            var byType: [String: AttributeDefinition.Readers] = ["work": widest]
            for view in views {
                guard let type = view.element?.type else { continue }
                byType[type] = min(byType[type] ?? widest, view.readers)
            }
            let isPrivate = Self.listsWithTypes.contains(list) && set[list]?.readers == nil
            elementReaders[list] = ElementReaders(byType: byType, others: isPrivate ? min(widest, .managers) : widest)
        }
        definitions = own.map { definition in
            if let element = definition.element, let list = byName[element.attribute],
                let readers = elementReaders[element.attribute]
            {
                let own = element.type.map(readers.readers) ?? min(definition.readers, list.readers)
                return definition.with(
                    readers: own, writers: list.writers == .person ? definition.writers : list.writers)
            }
            let views = views[definition.name] ?? []
            let widest = views.filter { $0.element?.type == nil }.map(\.readers).reduce(definition.readers, min)
            let isOpen = views.allSatisfy { $0.writers == .person }
            return definition.with(
                readers: widest,
                writers: definition.writers == .person && !isOpen ? .administrators : definition.writers)
        }
    }
}
