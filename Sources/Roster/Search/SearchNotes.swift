import RosterText

/// The filters of a request that had to read everybody, for the log.
package final class SearchNotes: Sendable {
    private let filters = Locked<[String]>([])
    private static let maximum = 4

    package init() {}

    /// The filters without the values that they compare, which can be private; nil if there are none.
    package var text: String? {
        let filters = filters.withLock { $0 }
        return filters.isEmpty ? nil : filters.joined(separator: "; ")
    }

    func add(_ filter: String) {
        filters.withLock { filters in
            if filters.count < Self.maximum, !filters.contains(filter) { filters.append(filter) }
        }
    }
}

extension Filter {
    /// The filter in the form of SCIM's language without the values that it compares, which can be private.
    var outline: String {
        let text = outline(depth: 0)
        return text.utf8.count <= 300 ? text : String(text.prefix(300)) + "…"
    }

    private func outline(depth: Int) -> String {
        guard depth < 8 else { return "…" }
        func list(_ filters: [Filter], _ word: String) -> String {
            let shown = filters.prefix(8).map { $0.outline(depth: depth + 1) }.joined(separator: " \(word) ")
            return "(\(shown)\(filters.count > 8 ? " \(word) …" : ""))"
        }
        switch self {
        case .everything: return "all"
        case .compare(let path, let comparison, _): return "\(path) \(comparison.rawValue) …"
        case .present(let path): return "\(path) present"
        case .element(let name, let filter): return "\(name)[\(filter.outline(depth: depth + 1))]"
        case .and(let filters): return list(filters, "and")
        case .or(let filters): return list(filters, "or")
        case .not(let filter): return "not \(filter.outline(depth: depth + 1))"
        case .below: return "below …"
        }
    }
}
