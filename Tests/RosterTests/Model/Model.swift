import Foundation
import Roster

/// A directory as plain as it can be: lists, loops and nothing clever. What the library answers is compared with it.
struct Model {
    struct Person {
        let id: UserID
        var uid: String
        var isActive = true
        var manager: UserID?
        var version: Int64 = 1
        /// The values of each attribute, in order; of a single-valued one, one.
        var values: [AttributeName: [AttributeValue]] = [:]
    }
    struct Group {
        let id: RoleID
        var name: String
        var members: Set<UserID> = []
        var roles: Set<RoleID> = []
    }

    /// In the order of creation.
    var people: [Person] = []
    var groups: [Group] = []

    static func fold(_ text: String) -> String { text.lowercased() }

    func index(of uid: String) -> Int? { people.firstIndex { Self.fold($0.uid) == Self.fold(uid) } }
    func person(_ id: UserID) -> Person? { people.first { $0.id == id } }

    // MARK: Reporting

    func chain(of id: UserID) -> [UserID] {
        var chain: [UserID] = []
        var next = person(id)?.manager
        while let manager = next {
            chain.append(manager)
            next = person(manager)?.manager
        }
        return chain
    }

    /// Level by level, in the order of the managers, and for one manager in the order of creation.
    func below(_ id: UserID) -> [UserID] {
        var level = [id]
        var all: [UserID] = []
        while !level.isEmpty {
            level = level.flatMap { manager in people.filter { $0.manager == manager }.map(\.id) }
            all += level
        }
        return all
    }

    // MARK: Roles

    /// The role and all that are nested in it.
    func inside(_ id: RoleID) -> Set<RoleID> {
        var all: Set<RoleID> = [id]
        var isGrowing = true
        while isGrowing {
            let count = all.count
            for group in groups where all.contains(group.id) { all.formUnion(group.roles) }
            isGrowing = all.count > count
        }
        return all
    }

    func effectiveMembers(of id: RoleID) -> [UserID] {
        let groups = inside(id)
        let members = self.groups.filter { groups.contains($0.id) }.reduce(into: Set<UserID>()) {
            $0.formUnion($1.members)
        }
        return people.map(\.id).filter(members.contains)
    }

    func effectiveRoles(of user: UserID) -> [RoleID] {
        groups.map(\.id).filter { effectiveMembers(of: $0).contains(user) }
    }

    // MARK: Search

    func values(of name: AttributeName, _ person: Person) -> [AttributeValue] {
        switch name {
        case "uid": [.string(person.uid)]
        case "active": [.boolean(person.isActive)]
        case "version": [.integer(person.version)]
        case "memberOf": groups.filter { $0.members.contains(person.id) }.map { .string($0.name) }
        case "mail": person.values["emails"] ?? []
        default: person.values[name] ?? []
        }
    }

    func holds(_ filter: Filter, _ person: Person) -> Bool {
        switch filter {
        case .everything: return true
        case .and(let filters): return filters.allSatisfy { holds($0, person) }
        case .or(let filters): return filters.contains { holds($0, person) }
        case .not(let filter): return !holds(filter, person)
        case .element, .below: return false
        case .present(let path):
            if path.attribute == "manager" { return person.manager != nil }
            return !values(of: path.attribute, person).isEmpty
        case .compare(let path, .notEqual, let value): return !holds(.compare(path, .equal, value), person)
        case .compare(let path, let comparison, let operand):
            if path.attribute == "manager" {
                guard let manager = person.manager.flatMap(self.person), let text = operand.text else { return false }
                return Self.fold(manager.uid) == Self.fold(text) || manager.id.description == text
            }
            return values(of: path.attribute, person).contains { Self.compare($0, comparison, operand) }
        }
    }

    /// The key that sorts text: base letters, then accents, then case. The model's values have no letters with accents but
    /// umlauts, é and ß, and the cases differ in whole words only.
    static func sortKey(_ text: String) -> [String] {
        let folded = fold(text)
        let base = folded.decomposedStringWithCanonicalMapping.unicodeScalars.filter {
            $0.value < 0x300 || $0.value > 0x36F
        }
        let cases = text.unicodeScalars.map { $0.properties.isUppercase ? "1" : "0" }.joined()
        return [String(String.UnicodeScalarView(base)), folded, cases]
    }

    /// Whether the first text sorts before the second one, or before all texts that fold like the second one.
    static func precedes(_ left: [String], _ right: [String]) -> Bool {
        for (left, right) in zip(left, right) where !left.utf8.elementsEqual(right.utf8) {
            return left.utf8.lexicographicallyPrecedes(right.utf8)
        }
        return false
    }

    static func compare(_ value: AttributeValue, _ comparison: Filter.Comparison, _ operand: AttributeValue) -> Bool {
        switch (value, operand) {
        case (.string(let left), .string(let right)):
            let keys = (Array(sortKey(left).prefix(2)), Array(sortKey(right).prefix(2)))
            let (left, right) = (Array(fold(left).utf8), Array(fold(right).utf8))
            switch comparison {
            case .equal, .notEqual: return left == right
            case .contains:
                return left.count >= right.count
                    && (0...left.count - right.count).contains { left[$0...].starts(with: right) }
            case .starts: return left.starts(with: right)
            case .ends: return left.reversed().starts(with: right.reversed())
            case .greater: return precedes(keys.1, keys.0)
            case .greaterOrEqual: return !precedes(keys.0, keys.1)
            case .less: return precedes(keys.0, keys.1)
            case .lessOrEqual: return !precedes(keys.1, keys.0)
            }
        case (.integer(let left), .integer(let right)):
            switch comparison {
            case .equal, .notEqual: return left == right
            case .greater: return left > right
            case .greaterOrEqual: return left >= right
            case .less: return left < right
            case .lessOrEqual: return left <= right
            default: return false
            }
        case (.boolean(let left), .boolean(let right)): return left == right
        default: return false
        }
    }

    /// Those who satisfy a filter, in order: without a value last, and everything the other way round when descending.
    func search(_ filter: Filter, sortedBy sort: Search.Sort?) -> [UserID] {
        let found = people.filter { holds(filter, $0) }
        guard let sort else { return found.map(\.id) }
        func precedes(_ left: Person, _ right: Person) -> Bool {
            let keys = (values(of: sort.attribute, left).first, values(of: sort.attribute, right).first)
            switch keys {
            case (nil, nil): return left.id < right.id
            case (nil, _): return false
            case (_, nil): return true
            case (let first?, let second?):
                if case (.string(let first), .string(let second)) = (first, second), sort.attribute != "uid" {
                    let keys = (Self.sortKey(first), Self.sortKey(second))
                    if Self.precedes(keys.0, keys.1) { return true }
                    return !Self.precedes(keys.1, keys.0) && left.id < right.id
                }
                if Self.compare(first, .less, second) { return true }
                return Self.compare(first, .equal, second) && left.id < right.id
            }
        }
        let sorted = found.sorted(by: precedes).map(\.id)
        return sort.isDescending ? sorted.reversed() : sorted
    }
}
