/// The attributes of a user or a role by name.
///
/// A literal makes a set: `["givenName": "Ada", "mail": "ada@example.com"]`. In a literal, a variable is written `"\(name)"`, because all
/// values of a dictionary literal have one type, and Swift converts literals to that type, but no variables. A closure takes variables of
/// all types as they are, and the compiler checks the types: ``init(_:)``.
public struct AttributeSet: Sendable, Hashable, Sequence, ExpressibleByDictionaryLiteral {
    /// An attribute and its value.
    public struct Entry: Sendable, Hashable {
        /// The attribute's name.
        public let name: AttributeName
        /// The value; a ``AttributeValue/list(_:)`` for a multi-valued attribute.
        public fileprivate(set) var value: AttributeValue

        init(_ name: AttributeName, _ value: AttributeValue) {
            self.name = name
            self.value = value
        }
    }

    private enum Storage: Sendable {
        /// Entries in the order of their names, so that equal sets have equal entries and the same JSON form.
        case entries([Entry])
        /// The stored form. A list shows perhaps three attributes of fifteen, and need not decode the others.
        case record(StoredRecord)
    }
    private var storage: Storage

    /// The stored form if it was neither decoded nor changed; nil otherwise.
    var storedRecord: StoredRecord? {
        if case .record(let record) = storage { return record }
        return nil
    }

    private var entries: [Entry] {
        get {
            switch storage {
            case .entries(let entries): entries
            case .record(let record): record.entries
            }
        }
        set { storage = .entries(newValue) }
    }

    /// An empty set.
    public init() { storage = .entries([]) }

    /// Makes a set by the properties of the standard attributes and the app's own ``Attribute``s, such as
    /// `.init { $0.department = department }`.
    public init(_ fill: (inout AttributeSet) throws -> Void) rethrows {
        self.init()
        try fill(&self)
    }

    /// Makes a set. If a name repeats, the last value counts.
    public init(dictionaryLiteral elements: (AttributeName, AttributeValue)...) {
        storage = .entries([])
        for (name, value) in elements { self[name] = value }
    }

    /// Makes a set from entries that are sorted by name and have no duplicates.
    init(sorted entries: [Entry]) { storage = .entries(entries) }

    /// Makes a set from a stored record, which is decoded on first access.
    init(_ record: StoredRecord) { storage = .record(record) }

    /// The value of an attribute, or of a view such as `mail`; nil if there is none. Setting nil removes the attribute.
    public subscript(name: AttributeName) -> AttributeValue? {
        get {
            if let value = stored(name) { return value }
            guard let element = StandardAttributes.element(of: name) else { return nil }
            return stored(element.attribute).flatMap { element.read(from: $0) }
        }
        set {
            var entries = entries
            // Releasing the storage first lets the entries change in place unless they are shared.
            storage = .entries([])
            defer { storage = .entries(entries) }
            let index = entries.place(of: name)
            let isThere = index < entries.endIndex && entries[index].name == name
            switch (newValue, isThere) {
            case (let value?, true): entries[index].value = value
            case (let value?, false): entries.insert(Entry(name, value), at: index)
            case (nil, true): entries.remove(at: index)
            case (nil, false): break
            }
        }
    }

    /// The value of an attribute that is not a view; nil if there is none.
    func stored(_ name: AttributeName) -> AttributeValue? {
        switch storage {
        case .record(let record): record.value(of: name)
        case .entries(let entries):
            if let entry = entries[entries.place(of: name)...].first, entry.name == name { entry.value } else { nil }
        }
    }

    /// The entries in the order of their names.
    public func makeIterator() -> IndexingIterator<[Entry]> { entries.makeIterator() }
    /// The number of attributes.
    public var count: Int { entries.count }
    /// Whether there are no attributes.
    public var isEmpty: Bool { entries.isEmpty }

    /// The same set after decoding its stored form, so that many changes do not decode it again and again.
    var decoded: AttributeSet { AttributeSet(sorted: entries) }

    /// Removes these attributes.
    mutating func leaveOut(_ names: [AttributeName]) {
        switch storage {
        case .record(var record):
            record.leftOut = names
            storage = .record(record)
        case .entries(let entries):
            if entries.contains(where: { names.contains($0.name) }) {
                storage = .entries(entries.filter { !names.contains($0.name) })
            }
        }
    }

    /// The same set with the directory's own names in place of protocols' names for attributes.
    func withOwnNames(in vocabulary: Vocabulary, _ entity: AttributeDefinition.Entity) -> AttributeSet {
        var own = self
        for entry in self {
            guard let name = vocabulary.otherName(of: entry.name, for: entity) else { continue }
            own[entry.name] = nil
            own[name] = entry.value
        }
        return own
    }

    /// The union with another set, whose values win.
    func adding(_ other: AttributeSet) -> AttributeSet {
        var sum = self
        for entry in other { sum[entry.name] = entry.value }
        return sum
    }

    /// The entries in which the sets differ: those of this set, and those of the other set.
    func differences(from other: AttributeSet) -> (own: AttributeSet, others: AttributeSet) {
        var (own, others): ([Entry], [Entry]) = ([], [])
        var rest = other.entries[...]
        for entry in entries {
            while let next = rest.first, next.name < entry.name { others.append(rest.removeFirst()) }
            guard let next = rest.first, next.name == entry.name else {
                own.append(entry)
                continue
            }
            rest.removeFirst()
            guard next.value != entry.value else { continue }
            own.append(entry)
            others.append(next)
        }
        return (AttributeSet(sorted: own), AttributeSet(sorted: others + rest))
    }

    /// The entries with transformed values, without those that `transform` maps to nil.
    func mapped(_ transform: (Entry) -> AttributeValue?) -> AttributeSet {
        AttributeSet(sorted: entries.compactMap { entry in transform(entry).map { Entry(entry.name, $0) } })
    }

    /// The entries whose name satisfies `isIncluded`.
    func filtered(_ isIncluded: (AttributeName) -> Bool) -> AttributeSet {
        AttributeSet(sorted: entries.filter { isIncluded($0.name) })
    }
}

extension [AttributeSet.Entry] {
    /// The index of the first entry whose name is not less than a name.
    fileprivate func place(of name: AttributeName) -> Int {
        var (low, high) = (0, count)
        while low < high {
            let middle = (low + high) / 2
            if self[middle].name < name { low = middle + 1 } else { high = middle }
        }
        return low
    }
}

extension AttributeSet {
    /// Sets are equal when they have the same attributes with the same values.
    public static func == (left: AttributeSet, right: AttributeSet) -> Bool { left.entries == right.entries }
    /// Hashes the attributes and their values.
    public func hash(into hasher: inout Hasher) { hasher.combine(entries) }
}

extension AttributeDefinition.Element {
    /// Whether the view selects an element of the list, or may select it.
    func selects(_ element: AttributeValue) -> Bool {
        guard let type else { return true }
        // An element without a type counts as `work`, because most sources give no type.
        guard let own = element.part("type")?.text else { return type == "work" }
        return own.lowercased() == type
    }

    private func index(in elements: [AttributeValue]) -> Int? {
        elements.firstIndex { selects($0) && $0.isPrimary } ?? elements.firstIndex { selects($0) }
    }

    /// The part of the selected element.
    func read(from list: AttributeValue) -> AttributeValue? {
        let elements = list.elements
        return index(in: elements).flatMap { elements[$0].part(part) }
    }

    /// Sets the part of the selected element, which is created if necessary. Nil removes the part, and an element with
    /// nothing else.
    func write(_ value: AttributeValue?, into list: AttributeValue?) -> AttributeValue? {
        var elements = list?.elements ?? []
        if let index = index(in: elements) {
            var parts = elements[index].parts
            parts[part] = value
            let keeps = parts.contains { !["type", "primary", "display"].contains($0.key) }
            if keeps { elements[index] = .element(parts) } else { elements.remove(at: index) }
        } else if let value {
            var parts = [part: value]
            if let type, type != "work" || part != "value" { parts["type"] = .string(type) }
            elements.append(.element(parts))
        }
        return elements.isEmpty ? nil : .list(elements)
    }
}

extension AttributeValue {
    /// The parts of a complex value. A plain value has only `value`.
    var parts: [String: AttributeValue] {
        if case .complex(let parts) = self { return parts }
        return ["value": self]
    }

    /// The short form of an element: plain text if `value` is its only part.
    static func element(_ parts: [String: AttributeValue]) -> AttributeValue {
        if parts.count == 1, let value = parts["value"] { return value }
        return .complex(parts)
    }
}
