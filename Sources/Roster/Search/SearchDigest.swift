import RosterText

/// The hash of a search. It is the same in every process, because cursors outlive the process that made them.
extension FNV1a {
    private mutating func combine(byte: UInt8) { combine(CollectionOfOne(byte)) }

    mutating func combine(_ text: String) {
        combine(text.utf8)
        combine(byte: 0xFF)
    }

    mutating func combine(_ filter: Filter) {
        func list(_ filters: [Filter]) {
            for filter in filters { combine(filter) }
            combine(byte: 0xFE)
        }
        switch filter {
        case .everything: combine(byte: 1)
        case .compare(let path, let comparison, let value):
            combine(byte: 2)
            combine(path)
            combine(comparison.rawValue)
            var bytes: [UInt8] = []
            JSONText.append(value, to: &bytes)
            combine(bytes)
        case .present(let path):
            combine(byte: 3)
            combine(path)
        case .element(let name, let inner):
            combine(byte: 4)
            combine(name.rawValue)
            combine(inner)
        case .and(let filters):
            combine(byte: 5)
            list(filters)
        case .or(let filters):
            combine(byte: 6)
            list(filters)
        case .not(let inner):
            combine(byte: 7)
            combine(inner)
        case .below(let top, let levels):
            combine(byte: 8)
            switch top {
            case .named(let name): combine("n" + name)
            case .id(let id): combine("i" + id.description)
            case .either(let text): combine("e" + text)
            }
            combine(levels.map(String.init) ?? "")
        }
    }

    private mutating func combine(_ path: AttributePath) {
        combine(path.attribute.rawValue)
        combine(path.part ?? "")
    }
}
