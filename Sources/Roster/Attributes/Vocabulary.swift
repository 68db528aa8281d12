import RosterText

/// The attributes that a directory knows: standard ones and declared ones.
///
/// A vocabulary is a value that later declarations do not change. ``AttributeManager/vocabulary()`` returns the current
/// one.
public struct Vocabulary: Sendable {
    fileprivate struct Names: Sendable {
        var definitions: [AttributeName: AttributeDefinition] = [:]
        /// The stored attribute of each attribute: another one for a part of an element.
        var stored: [AttributeName: AttributeName] = [:]
        var folded: [String: AttributeName] = [:]
        var spaces: [AttributeDefinition.NameSpace: [String: AttributeName]] = [:]
        /// The alternative names by which clients of the profile service ask for attributes. A declared attribute with such a name takes
        /// precedence.
        var aliases: [String: AttributeName] = [:]
    }
    private struct Contents: Sendable {
        var users = Names()
        var roles = Names()
        var declared: [AttributeDefinition] = []
        var rights: [AttributeRights] = []
        var elementReaders: [AttributeName: ElementReaders] = [:]
        var onRequest: [AttributeName] = []
        var hasSecrets = false
        var hasUnique = false
        var builtInRules: [AttributeDefinition] = []
        var indexedBuiltIn: [AttributeDefinition] = []
        var indexedParts: [AttributeName: [IndexedPart]] = [:]
    }
    /// A class makes copies of the vocabulary cheap, because every operation takes one.
    private final class Box: Sendable {
        let contents: Contents
        let selections = SelectionMemory()
        let narrowed = NarrowMemory()
        let identity: Identity
        init(_ contents: Contents, _ identity: Identity = Identity()) {
            (self.contents, self.identity) = (contents, identity)
        }
    }
    /// Marks a vocabulary. The narrowed vocabularies of reading programs keep the mark of the vocabulary from which they are made.
    private final class Identity: Sendable {}
    private var box: Box
    var selections: SelectionMemory { box.selections }

    /// The SCIM schema URN for attributes outside SCIM's own schemas.
    public static let extensionSchema = "urn:roster:params:scim:schemas:extension:directory:2.0:User"

    /// The attributes of every user that are stored outside the attribute set.
    package static let system = Set(StandardAttributes.userSystem.map(\.name))

    /// The declared attributes in the order of their declaration.
    public var declared: [AttributeDefinition] { box.contents.declared }
    /// The changed rights of built-in attributes.
    public var rights: [AttributeRights] { box.contents.rights }
    /// The number of the change that produced this vocabulary. A vocabulary with a higher number replaces it.
    let revision: Int64
    /// The readers of the elements of a list such as `phoneNumbers`; nil if all elements have the same readers.
    func elementReaders(of list: AttributeName) -> ElementReaders? { box.contents.elementReaders[list] }
    /// Whether both are the same instance, not only equal. A narrowed vocabulary counts as the one from which it is made.
    package func isSame(as other: Vocabulary) -> Bool { box.identity === other.box.identity }
    /// The attributes that are fetched only on request.
    var onRequest: [AttributeName] { box.contents.onRequest }
    /// Whether some attributes are secrets.
    var hasSecrets: Bool { box.contents.hasSecrets }

    /// Whether the values of some attributes are unique.
    var hasUnique: Bool { box.contents.hasUnique }
    /// The built-in attributes without an index of their own that were given entries in the table of values, by the attribute that
    /// is stored.
    func indexedParts(of stored: AttributeName) -> [IndexedPart] { box.contents.indexedParts[stored] ?? [] }

    /// The built-in attributes of users that were given an index.
    var indexedBuiltIn: [AttributeDefinition] { box.contents.indexedBuiltIn }

    /// The name of the entries in the table of values for an attribute of users or a part of its elements; nil if there are none.
    func entries(of stored: AttributeName, part: String?) -> String? {
        if UserKeys.indexedLists.contains(stored) { return part == nil || part == "value" ? stored.rawValue : nil }
        if StandardAttributes.isStandardUser(stored) {
            let parts = indexedParts(of: stored)
            return parts.isEmpty ? nil : parts.first { $0.part == (part ?? $0.wholePart) }?.entries
        }
        guard part == nil, let definition = definition(of: stored), definition.isIndexed else { return nil }
        return stored.rawValue
    }

    /// The built-in attributes of users that have rules.
    package var builtInRules: [AttributeDefinition] { box.contents.builtInRules }

    /// Combines the standard attributes, their changed rights and rules, and the declared attributes.
    ///
    /// - Parameters:
    ///   - rules: The rules of built-in attributes of users. `mail` has the rules of `emails`.
    ///   - indexed: The built-in attributes of users that were given an index.
    init(
        declared: [AttributeDefinition] = [], rights: [AttributeRights] = [],
        rules: [AttributeName: AttributeRules] = [:], indexed: Set<AttributeName> = [], revision: Int64 = 0
    ) {
        self.revision = revision
        var contents = Contents()
        let builtIn =
            rules.isEmpty && indexed.isEmpty
            ? StandardAttributes.user
            : StandardAttributes.user.map { definition in
                var definition = definition
                definition.isIndexed = definition.isIndexed || indexed.contains(definition.name)
                definition.rules = rules[definition.name == "mail" ? "emails" : definition.name] ?? definition.rules
                return definition
            }
        contents.builtInRules = builtIn.filter { rules[$0.name].map { $0 != AttributeRules() } ?? false }
        contents.indexedBuiltIn = builtIn.filter { indexed.contains($0.name) }
        for definition in contents.indexedBuiltIn {
            contents.indexedParts[definition.element?.attribute ?? definition.name, default: []]
                .append(IndexedPart(definition))
        }
        contents.hasUnique = contents.builtInRules.contains(where: \.isUnique)
        let users = EffectiveRights(builtIn, rights.filter { $0.entity == .user })
        let roles = EffectiveRights(StandardAttributes.role, rights.filter { $0.entity == .role })
        contents.rights = rights
        contents.elementReaders = users.elementReaders
        for definition in StandardAttributes.userSystem + users.definitions {
            Self.add(definition, to: &contents.users)
        }
        for definition in StandardAttributes.roleSystem + roles.definitions {
            Self.add(definition, to: &contents.roles)
        }
        contents.onRequest = StandardAttributes.user.filter(\.isReturnedOnRequest).map(\.name)
        contents.users.aliases = StandardAttributes.userAliases
        contents.roles.aliases = StandardAttributes.roleAliases
        box = Box(contents)
        for definition in declared { add(definition) }
    }

    mutating func add(_ definition: AttributeDefinition) {
        var contents = box.contents
        contents.declared.append(definition)
        if definition.isReturnedOnRequest { contents.onRequest.append(definition.name) }
        if definition.readers == .nobody { contents.hasSecrets = true }
        if definition.isUnique { contents.hasUnique = true }
        switch definition.entity {
        case .user: Self.add(definition, to: &contents.users)
        case .role: Self.add(definition, to: &contents.roles)
        }
        box = Box(contents)
    }

    /// Makes the vocabulary of a reading program. Everybody who is signed in may read the attributes that the view shows, and no others.
    func narrowed(to view: NarrowView) -> Vocabulary {
        box.narrowed.vocabulary(of: view.attributes) {
            var contents = box.contents
            let all = Array(contents.users.definitions.values)
            for definition in all where definition.readers > .nobody {
                let readers: AttributeDefinition.Readers =
                    view.shows(definition, of: all) ? .signedIn : .administrators
                contents.users.definitions[definition.name] = definition.with(
                    readers: readers, writers: definition.writers)
            }
            for list in contents.elementReaders.keys where !view.attributes.contains(list) {
                let shown = all.filter { $0.element?.attribute == list && view.attributes.contains($0.name) }
                // A view such as `mail`, which has no type, shows the elements that everybody may read.
                if shown.contains(where: { $0.element?.type == nil }) { continue }
                let types = shown.compactMap { $0.element?.type }.map { ($0, AttributeDefinition.Readers.signedIn) }
                contents.elementReaders[list] = ElementReaders(
                    byType: ["work": .administrators].merging(types) { $1 }, others: .administrators)
            }
            for list in view.attributes { contents.elementReaders[list] = nil }
            var narrowed = self
            narrowed.box = Box(contents, box.identity)
            return narrowed
        }
    }

    private static func add(_ definition: AttributeDefinition, to names: inout Names) {
        names.definitions[definition.name] = definition
        names.stored[definition.name] = definition.element?.attribute ?? definition.name
        names.folded[definition.name.rawValue.lowercased()] = definition.name
        for (space, name) in definition.names {
            names.spaces[space, default: [:]][space == .profile ? name : name.lowercased()] = definition.name
        }
    }

    private func names(of entity: AttributeDefinition.Entity) -> Names {
        entity == .user ? box.contents.users : box.contents.roles
    }

    /// The definition of an attribute by its exact name in the directory's vocabulary, or else by any protocol's name for it.
    public func definition(of name: AttributeName, for entity: AttributeDefinition.Entity = .user)
        -> AttributeDefinition?
    {
        let own =
            switch entity {
            case .user: box.contents.users.definitions[name]
            case .role: box.contents.roles.definitions[name]
            }
        return own ?? definition(named: name.rawValue, for: entity)
    }

    /// The definition of an attribute by its name in a protocol, or else by its own name.
    ///
    /// - Parameters:
    ///   - name: A name such as `firstname`, `sn` or `name.familyName`. Only
    ///     ``AttributeDefinition/NameSpace/profile`` is case-sensitive.
    ///   - space: The protocol; nil to try the directory's own names and then those of every protocol, without regard
    ///     to case.
    ///   - entity: Whether it is an attribute of users or of roles.
    public func definition(
        named name: String, in space: AttributeDefinition.NameSpace? = nil,
        for entity: AttributeDefinition.Entity = .user
    ) -> AttributeDefinition? {
        let names = names(of: entity)
        let lowered = name.lowercased()
        if let space {
            let alias = space == .profile ? names.aliases[name] : nil
            let found = names.spaces[space]?[space == .profile ? name : lowered] ?? names.folded[lowered] ?? alias
            return found.flatMap { names.definitions[$0] }
        }
        if let own = names.folded[lowered] { return names.definitions[own] }
        for space in AttributeDefinition.NameSpace.allCases {
            if let found = names.spaces[space]?[name] ?? names.spaces[space]?[lowered] {
                return names.definitions[found]
            }
        }
        return (names.aliases[name] ?? names.aliases[lowered]).flatMap { names.definitions[$0] }
    }

    /// The directory's own name for an attribute that a protocol names differently; nil if `name` is the own name or unknown.
    func otherName(of name: AttributeName, for entity: AttributeDefinition.Entity) -> AttributeName? {
        guard names(of: entity).stored[name] == nil else { return nil }
        return definition(named: name.rawValue, for: entity)?.name
    }

    /// The stored attribute that has the value of an attribute, by a name that ``definition(of:for:)`` takes; nil for an unknown name.
    /// Cheaper than the definition, which has many parts to copy.
    func storedName(of name: AttributeName, for entity: AttributeDefinition.Entity) -> AttributeName? {
        let names = names(of: entity)
        return names.stored[name] ?? definition(named: name.rawValue, for: entity).flatMap { names.stored[$0.name] }
    }

    /// All attributes of users or of roles, in the order of their names.
    public func definitions(for entity: AttributeDefinition.Entity = .user) -> [AttributeDefinition] {
        names(of: entity).definitions.values.sorted { $0.name < $1.name }
    }
}

/// A built-in attribute, or a part of its elements, that has entries in the table of values.
struct IndexedPart: Sendable, Hashable {
    /// The part of the elements; nil for an attribute without parts.
    let part: String?
    /// The name of the entries.
    let entries: String
    /// The part that the attribute as a whole represents; nil for an attribute without parts.
    var wholePart: String? { part.map { _ in "value" } }

    init(_ definition: AttributeDefinition) {
        part = definition.element?.part ?? (definition.kind == .complex ? "value" : nil)
        entries = definition.entries
    }
}

/// Remembers the latest vocabularies of reading programs, which have some hundred definitions to change.
private final class NarrowMemory: Sendable {
    private static let most = 16
    private let latest = Locked<[Set<AttributeName>: Vocabulary]>([:])

    func vocabulary(of attributes: Set<AttributeName>, _ make: () -> Vocabulary) -> Vocabulary {
        if let known = latest.withLock({ $0[attributes] }) { return known }
        let made = make()
        latest.withLock { latest in
            if latest.count == Self.most { latest = [:] }
            latest[attributes] = made
        }
        return made
    }
}
