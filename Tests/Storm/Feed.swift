import RosterText

/// The state that the change feed gives, and what is wrong with the feed.
struct Feed {
    private(set) var last: Int64 = 0
    private var names: [String: String] = [:]
    private var values: [String: [String: JSONValue]] = [:]
    private var members: Set<String> = []
    /// The titles that a change has given. Each is given once.
    private var titles: Set<String> = []
    private var role: String?

    /// Takes the next entry.
    mutating func take(_ entry: JSONValue, _ judge: Judge) {
        guard case .integer(let sequence)? = entry["sequence"] else {
            return judge.report("the feed", expected: "an entry", found: "\(entry)")
        }
        var first = sequence
        if case .integer(let number)? = entry["first"] { first = number }
        if first != last + 1 { judge.report("the feed", expected: "entry \(last + 1)", found: "entry \(first)") }
        last = sequence
        guard let id = entry["id"]?.text, let kind = entry["kind"]?.text else { return }
        switch entry["entity"]?.text {
        case "user":
            switch kind {
            case "created", "modified":
                if kind == "created" {
                    if values[id] != nil { judge.report("the feed", expected: "one creation of \(id)", found: "two") }
                    names[id] = entry["name"]?.text
                    values[id] = [:]
                }
                for member in entry["before"]?.members ?? [] { values[id]?[member.name] = nil }
                for member in entry["after"]?.members ?? [] { values[id]?[member.name] = member.value }
                if let title = entry["after"]?["title"]?.text, !titles.insert(title).inserted {
                    judge.report("the feed", expected: "one change to the title \(title)", found: "two")
                }
            case "deleted":
                if values.removeValue(forKey: id) == nil {
                    judge.report("the feed", expected: "one deletion of \(id)", found: "two")
                }
                names[id] = nil
                members.remove(id)
            default: break
            }
        case "role":
            if kind == "created", entry["name"]?.text == Load.role { role = id }
            guard id == role else { return }
            if let removed = entry["before"]?["members"] { members.subtract(removed.texts) }
            if let added = entry["after"]?["members"] { members.formUnion(added.texts) }
        default: break
        }
    }

    /// The people by name.
    var people: [String: Person] {
        var people: [String: Person] = [:]
        for (id, name) in names {
            let manager = values[id]?["manager"]?.text
            people[name] = Person(
                title: values[id]?["title"]?.text, manager: manager.map { names[$0] ?? $0 },
                isMember: members.contains(id))
        }
        return people
    }
}
