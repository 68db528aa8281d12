/// The attributes of a user or a role by name.
///
/// A literal makes one: `["givenName": "Ada", "mail": "ada@example.com"]`.
public struct AttributeSet: Sendable, Hashable, Sequence, ExpressibleByDictionaryLiteral {
    /// An attribute and its value.
    public struct Entry: Sendable, Hashable {
        /// The attribute's name.
        public let name: AttributeName
        /// Its value; of a multi-valued one, a ``AttributeValue/list(_:)``.
        public fileprivate(set) var value: AttributeValue

        init(_ name: AttributeName, _ value: AttributeValue) {
            self.name = name
            self.value = value
        }
    }

    private enum Storage: Sendable {
        /// In the order of the names, so that equal sets have equal entries and one JSON form.
        case entries([Entry])
        /// As it is stored: a list shows three attributes of fifteen, and the others need not be decoded for it.
        case record(StoredRecord)
    }
    private var storage: Storage

    /// The record of a list that nobody has decoded or changed; nil for any other set.
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

    /// Of a name that stands twice the last value counts.
    public init(dictionaryLiteral elements: (AttributeName, AttributeValue)...) {
        storage = .entries([])
        for (name, value) in elements { self[name] = value }
    }

    /// Takes over entries that are already in the order of their names and name nothing twice.
    init(sorted entries: [Entry]) { storage = .entries(entries) }

    /// Takes over a stored record as it is, to be decoded when somebody asks.
    init(_ record: StoredRecord) { storage = .record(record) }

    /// The value of an attribute as it is stored, or nil where it has none. Setting nil removes it.
    ///
    /// Views such as `mail` are not stored: read them with ``value(of:)``.
    public subscript(name: AttributeName) -> AttributeValue? {
        get {
            if case .record(let record) = storage { return record.value(of: name) }
            return entries.first { $0.name == name }?.value
        }
        set {
            var entries = entries
            // The entries are not copied where nobody else has them.
            storage = .entries([])
            defer { storage = .entries(entries) }
            let index = entries.firstIndex { !($0.name < name) } ?? entries.endIndex
            let isThere = index < entries.endIndex && entries[index].name == name
            switch (newValue, isThere) {
            case (let value?, true): entries[index].value = value
            case (let value?, false): entries.insert(Entry(name, value), at: index)
            case (nil, true): entries.remove(at: index)
            case (nil, false): break
            }
        }
    }

    /// The value of an attribute, or of a view such as `mail` of a part of one.
    public func value(of name: AttributeName) -> AttributeValue? {
        if let element = StandardAttributes.element(of: name) {
            return self[element.attribute].flatMap { element.read(from: $0) }
        }
        return self[name]
    }

    /// The entries in the order of their names.
    public func makeIterator() -> IndexingIterator<[Entry]> { entries.makeIterator() }
    /// How many attributes there are.
    public var count: Int { entries.count }
    /// Whether there are none.
    public var isEmpty: Bool { entries.isEmpty }

    /// Takes these out, where they are in it.
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

    /// The entries with those of another set, which count where both have one.
    func adding(_ other: AttributeSet) -> AttributeSet {
        var sum = self
        for entry in other { sum[entry.name] = entry.value }
        return sum
    }

    /// The values that `transform` makes of the entries; an entry of which it makes nil is left out.
    func mapped(_ transform: (Entry) -> AttributeValue?) -> AttributeSet {
        AttributeSet(sorted: entries.compactMap { entry in transform(entry).map { Entry(entry.name, $0) } })
    }

    /// The entries that `isIncluded` keeps.
    func filtered(_ isIncluded: (AttributeName) -> Bool) -> AttributeSet {
        AttributeSet(sorted: entries.filter { isIncluded($0.name) })
    }
}

extension AttributeSet {
    /// Sets are equal when they have the same attributes with the same values.
    public static func == (left: AttributeSet, right: AttributeSet) -> Bool { left.entries == right.entries }
    /// By the attributes and their values.
    public func hash(into hasher: inout Hasher) { hasher.combine(entries) }
}

extension AttributeDefinition.Element {
    /// Whether an element of the list is the one that is meant, or could be.
    func selects(_ element: AttributeValue) -> Bool {
        guard let type else { return true }
        // An element without a type counts as a work one: most sources give none.
        guard let own = element.part("type")?.text else { return type == "work" }
        return own.lowercased() == type
    }

    private func index(in elements: [AttributeValue]) -> Int? {
        elements.firstIndex { selects($0) && $0.isPrimary } ?? elements.firstIndex { selects($0) }
    }

    /// The part of the element that is meant.
    func read(from list: AttributeValue) -> AttributeValue? {
        let elements = list.elements
        return index(in: elements).flatMap { elements[$0].part(part) }
    }

    /// The list with the part set in the element that is meant, which is made where there is none; nil clears the
    /// part and drops an element that has nothing else left.
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
    /// The parts of a complex value; a plain value has only `value`.
    var parts: [String: AttributeValue] {
        if case .complex(let parts) = self { return parts }
        return ["value": self]
    }

    /// The short form of an element: plain text where `value` is all it has.
    static func element(_ parts: [String: AttributeValue]) -> AttributeValue {
        if parts.count == 1, let value = parts["value"] { return value }
        return .complex(parts)
    }
}
