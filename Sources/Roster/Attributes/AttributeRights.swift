/// The changed readers and writers of a built-in attribute.
public struct AttributeRights: Sendable, Hashable, Codable {
    /// The attribute, or a view such as `mobile`.
    public let name: AttributeName
    /// Whether it is an attribute of users or of roles.
    public let entity: AttributeDefinition.Entity
    /// The readers; nil for the built-in ones.
    public var readers: AttributeDefinition.Readers?
    /// The writers; nil for the built-in ones.
    public var writers: AttributeDefinition.Writers?
}

/// The readers of the elements of a list such as `phoneNumbers`, by the type of the element.
///
/// Elements of the type `work`, and elements without a type, have the readers of the list. Elements of other types have
/// the readers of their view (`mobile`, `homePhone`, `homeAddress` …); with several views the smallest group counts.
/// Elements without a view are private unless the readers of the list itself were set.
struct ElementReaders: Sendable {
    private let byType: [String: AttributeDefinition.Readers]
    private let others: AttributeDefinition.Readers
    /// The smallest group of readers of any element.
    let narrowest: AttributeDefinition.Readers

    init(byType: [String: AttributeDefinition.Readers], others: AttributeDefinition.Readers) {
        self.byType = byType
        self.others = others
        narrowest = byType.values.reduce(others, min)
    }

    func readers(ofType type: String) -> AttributeDefinition.Readers { byType[type] ?? others }

    func shows(_ element: AttributeValue, to group: AttributeDefinition.Readers) -> Bool {
        guard let type = element.part("type") else { return readers(ofType: "work") >= group }
        return (type.text.map { readers(ofType: $0.lowercased()) } ?? others) >= group
    }

    /// The elements of a list that a group may read; nil if there are none.
    func shown(_ list: AttributeValue, to group: AttributeDefinition.Readers) -> AttributeValue? {
        if narrowest >= group { return list }
        let elements = list.elements.filter { shows($0, to: group) }
        return elements.isEmpty ? nil : .list(elements)
    }
}

/// The effective rights of the built-in attributes. A view never has more readers than its list, and users can write a
/// list only if they can write all of its views.
struct EffectiveRights {
    private(set) var definitions: [AttributeDefinition] = []
    private(set) var elementReaders: [AttributeName: ElementReaders] = [:]

    /// The lists whose elements have readers by type.
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

extension AttributeDefinition {
    func with(readers: Readers, writers: Writers) -> AttributeDefinition {
        var definition = self
        definition.readers = readers
        definition.writers = writers
        return definition
    }

    /// The attributes that decide who can sign in and with which rights. Users never write them.
    private static let neverByPersons: Set<AttributeName> = [
        "emails", "mail", "employeeNumber", "entitlements", "x509Certificates",
    ]

    /// Refuses rights that would reveal a secret, let users change who can sign in, or make an attribute unusable.
    func check(readers: Readers?, writers: Writers?, isDeclared: Bool) throws {
        func refuse(_ problem: String, _ advice: String) -> DirectoryError {
            DirectoryError(.invalidAttribute, "'\(name)' \(problem).", advice: advice, attribute: name)
        }
        if StandardAttributes.isSystem(name, of: entity) {
            throw refuse(
                "is maintained by the directory, so that its readers and writers are fixed", "Choose another attribute."
            )
        }
        if let readers, readers != self.readers, readers == .nobody || self.readers == .nobody {
            throw refuse(
                self.readers == .nobody ? "is a secret and stays one" : "cannot be made a secret",
                "Declare an attribute of your own.")
        }
        if writers == .nobody { throw refuse("would not be writable", "Let administrators write it.") }
        if writers == .person, Self.neverByPersons.contains(name), !isDeclared {
            throw refuse(
                "decides who can sign in, so that users cannot write their own", "Let administrators write it.")
        }
        if entity == .role, writers == .person || readers == .person || readers == .managers {
            throw refuse(
                "belongs to a role, which has no manager and cannot sign in",
                "Roles take the readers administrators and signedIn, and the writers administrators.")
        }
    }
}

extension Vocabulary {
    /// Refuses an attribute that users may write but not read. A client that writes back what it read would delete its
    /// value.
    func checkWhoWrites() throws {
        for definition in definitions() where definition.writers == .person && definition.name != "password" {
            let elements = definition.element == nil ? elementReaders(of: definition.name)?.narrowest : nil
            guard min(definition.readers, elements ?? .signedIn) >= .person || definition.readers == .nobody else {
                throw DirectoryError(
                    .invalidAttribute,
                    "Users can write their own '\(definition.name)', so they must be able to read it.",
                    advice: "Let administrators write it, or let the user read it.", attribute: definition.name)
            }
        }
    }
}
