import Foundation
import Roster

/// People of whom a test knows everything, and a plain scan of them, which decides what a filter finds without the directory.
struct PlainScan {
    struct Person {
        let uid: String
        var title: String?
        var department: String?
        var mails: [String] = []
        var tags: [String] = []
        var level: Int64?
        var country: String?
        /// A number at work, and for some people a mobile one.
        var phone = ""
        var mobile: String?
        var isActive = true
        /// The number of the manager.
        var manager: Int?
        /// The roles that the person is a direct member of.
        var roles: Set<String> = []
    }

    var people: [Person] = []
    /// The roles that each role contains.
    var nested: [String: Set<String>] = [:]

    /// Some thousand people: titles and departments that many share, values that few have or lack, a tree with eight reportees each, and
    /// roles within roles.
    static func make(_ count: Int) -> PlainScan {
        var scan = PlainScan()
        scan.nested = ["staff": ["engineering", "sales"], "engineering": ["platform"]]
        for number in 0..<count {
            var person = Person(uid: "u\(number)")
            person.title = number % 997 == 5 ? nil : "title \(number % 3)"
            person.department = number % 2 == 0 ? "research" : "dept\(number % 11)"
            person.mails = number % 601 == 7 ? [] : ["u\(number)@example.com"]
            if number % 10 == 0 { person.mails.append("shared\(number % 50)@example.com") }
            if number % 5 == 0 { person.tags = ["red", "tag\(number % 7)"] }
            person.level = number % 4 == 0 ? Int64(number % 100) : nil
            person.country = number % 300 == 1 ? "AQ" : number % 2 == 0 ? "DE" : nil
            person.phone = "+1 555 \(number)"
            person.mobile = number % 7 == 0 ? "0171/\(number % 30)" : nil
            person.isActive = number % 13 != 0
            person.manager = number == 0 || number % 1_009 == 8 ? nil : (number - 1) / 8
            if number % 2 == 1 { person.roles.insert("large") }
            if number == 17 { person.roles.insert("small") }
            if number % 40 == 3 { person.roles.insert("platform") }
            if number % 50 == 4 { person.roles.insert("sales") }
            if number % 70 == 5 { person.roles.insert("engineering") }
            scan.people.append(person)
        }
        return scan
    }

    static let roles = ["large", "small", "staff", "engineering", "platform", "sales"]

    func fill(_ directory: Directory) throws {
        let view = directory.unrestricted
        try view.attributes.declare([
            AttributeDefinition("tags", isMultiValued: true), AttributeDefinition("level", kind: .integer),
        ])
        try view.users.load(
            people.map { person in
                var attributes: AttributeSet = [:]
                attributes["title"] = person.title.map { .string($0) }
                attributes["department"] = person.department.map { .string($0) }
                attributes["familyName"] = .string("Family \(person.uid.hashed % 40)")
                if !person.mails.isEmpty {
                    attributes["emails"] = .list(person.mails.map { ["value": .string($0), "type": "work"] })
                }
                if !person.tags.isEmpty { attributes["tags"] = .list(person.tags.map { .string($0) }) }
                attributes["level"] = person.level.map { .integer($0) }
                attributes["country"] = person.country.map { .string($0) }
                attributes["phoneNumbers"] = .list(
                    [["value": .string(person.phone), "type": "work"]]
                        + (person.mobile.map { [["value": .string($0), "type": "mobile"]] } ?? []))
                return NewUser(
                    person.uid, attributes: attributes, manager: person.manager.map { .named("u\($0)") },
                    isActive: person.isActive)
            })
        for role in Self.roles {
            try view.roles.create(role)
            let members = people.filter { $0.roles.contains(role) }.map { RoleSubject.user(.named($0.uid)) }
            if !members.isEmpty { try view.roles.add(members, to: .named(role)) }
        }
        for (role, inner) in nested { try view.roles.add(inner.map { .role(.named($0)) }, to: .named(role)) }
    }

    // MARK: The scan

    /// The numbers of the people whom a filter finds.
    func found(_ filter: Filter) -> [Int] { people.indices.filter { holds(filter, $0) } }

    /// The people whom a filter finds.
    func names(_ filter: Filter) -> [String] { found(filter).map { people[$0].uid } }

    private func holds(_ filter: Filter, _ number: Int) -> Bool {
        switch filter {
        case .everything: return true
        case .and(let filters): return filters.allSatisfy { holds($0, number) }
        case .or(let filters): return filters.contains { holds($0, number) }
        case .not(let filter): return !holds(filter, number)
        case .present(let path): return !values(path, number).isEmpty
        case .compare(let path, .notEqual, let value): return !holds(.compare(path, .equal, value), number)
        case .compare(let path, let comparison, let value):
            return values(path, number).contains { Self.compares($0, comparison, value) }
        case .below(.named(let top), let levels), .below(.either(let top), let levels):
            return isBelow(number, top, levels ?? .max)
        case .below(.id, _), .element: return false
        }
    }

    private func values(_ path: AttributePath, _ number: Int) -> [AttributeValue] {
        let person = people[number]
        func one(_ text: String?) -> [AttributeValue] { text.map { [.string($0)] } ?? [] }
        switch path.description {
        case "uid": return [.string(person.uid)]
        case "title": return one(person.title)
        case "department": return one(person.department)
        case "mail", "emails": return person.mails.map { .string($0) }
        case "tags": return person.tags.map { .string($0) }
        case "level": return person.level.map { [.integer($0)] } ?? []
        case "country", "addresses.country": return one(person.country)
        case "phoneNumbers", "phoneNumbers.value": return [.string(person.phone)] + one(person.mobile)
        case "mobile": return one(person.mobile)
        case "active": return [.boolean(person.isActive)]
        case "manager": return one(person.manager.map { people[$0].uid })
        case "memberOf": return person.roles.sorted().map { .string($0) }
        case "memberOf.effective": return Self.roles.filter { isMember(number, $0) }.map { .string($0) }
        default: return []
        }
    }

    private static func compares(_ found: AttributeValue, _ comparison: Filter.Comparison, _ value: AttributeValue)
        -> Bool
    {
        if case .boolean(let found) = found, case .boolean(let value) = value { return found == value }
        if case .integer(let found) = found, case .integer(let value) = value {
            return compares(found, comparison, value)
        }
        guard let found = found.text?.lowercased(), let value = value.text?.lowercased() else { return false }
        switch comparison {
        case .contains: return found.contains(value)
        case .starts: return found.hasPrefix(value)
        case .ends: return found.hasSuffix(value)
        default: return compares(found, comparison, value)
        }
    }

    private static func compares<Value: Comparable>(
        _ found: Value, _ comparison: Filter.Comparison, _ value: Value
    ) -> Bool {
        switch comparison {
        case .equal: found == value
        case .greater: found > value
        case .greaterOrEqual: found >= value
        case .less: found < value
        case .lessOrEqual: found <= value
        default: false
        }
    }

    func isMember(_ number: Int, _ role: String) -> Bool {
        people[number].roles.contains(role) || (nested[role] ?? []).contains { isMember(number, $0) }
    }

    func isBelow(_ number: Int, _ top: String, _ levels: Int) -> Bool {
        var (current, depth) = (people[number].manager, 1)
        while let manager = current, depth <= levels {
            if people[manager].uid == top { return true }
            (current, depth) = (people[manager].manager, depth + 1)
        }
        return false
    }
}

extension String {
    /// A number of the text that is the same in every run.
    fileprivate var hashed: Int { utf8.reduce(7) { ($0 * 31 + Int($1)) % 10_007 } }
}
