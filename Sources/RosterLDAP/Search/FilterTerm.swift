import Roster

/// A filter in the three values of LDAP: an entry satisfies it, does not satisfy it, or the filter is Undefined for the entry
/// (RFC 4511, section 4.5.1.7). An Undefined part ends nothing: the other parts decide.
indirect enum FilterTerm: Sendable {
    /// A condition that holds or does not hold.
    case known(Filter)
    case undefined
    case and([FilterTerm])
    case or([FilterTerm])
    case not(FilterTerm)

    static let always = FilterTerm.known(.everything)
    static let never = FilterTerm.known(.or([]))

    /// The filter that selects the entries that satisfy the term.
    var filter: Filter { filter(thatIs: true) }

    /// The filter that selects the entries for which the term is true, or false.
    private func filter(thatIs value: Bool) -> Filter {
        switch self {
        case .known(let filter): value ? filter : Self.negation(filter)
        case .undefined: .or([])
        case .not(let term): term.filter(thatIs: !value)
        case .and(let terms):
            value ? Self.conjunction(terms.map(\.filter)) : Self.disjunction(terms.map { $0.filter(thatIs: false) })
        case .or(let terms):
            value ? Self.disjunction(terms.map(\.filter)) : Self.conjunction(terms.map { $0.filter(thatIs: false) })
        }
    }

    private static func negation(_ filter: Filter) -> Filter {
        switch filter {
        case .everything: .or([])
        case .or([]): .everything
        default: .not(filter)
        }
    }

    private static func conjunction(_ filters: [Filter]) -> Filter {
        if filters.contains(.or([])) { return .or([]) }
        let rest = filters.filter { $0 != .everything }
        return rest.isEmpty ? .everything : rest.count == 1 ? rest[0] : .and(rest)
    }

    private static func disjunction(_ filters: [Filter]) -> Filter {
        if filters.contains(.everything) { return .everything }
        let rest = filters.filter { $0 != .or([]) }
        return rest.count == 1 ? rest[0] : .or(rest)
    }
}
