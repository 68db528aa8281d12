import Foundation
import Roster
import Testing
import TestSupport

@Suite("The directory against a plain model", .timeLimit(.minutes(5)))
struct ModelTests {
    static let fixedSeeds: [UInt64] = [1, 2, 3]

    @Test("Random operations and searches come out as in the model", arguments: Place.allCases, fixedSeeds + [0])
    func randomOperations(place: Place, seed: UInt64) throws {
        // Three seeds are the same every time; one is new. To repeat it, put the printed number into `fixedSeeds`.
        let seed = seed == 0 ? UInt64.random(in: 4..<1_000_000_000) : seed
        print("seed", seed, place)
        let steps = ProcessInfo.processInfo.environment["ROSTER_MODEL_STEPS"].flatMap { Int($0) } ?? 300
        try withDirectory(place) { directory in
            try directory.unrestricted.attributes.declare(RandomChoices.declared)
            var run = Run(view: directory.unrestricted, choices: RandomChoices(numbers: SeededNumbers(seed: seed)))
            for step in 0..<steps {
                run.comment = "seed \(seed), step \(step)"
                try run.change()
                try run.search()
                if step % 10 == 0 { try run.compareAll() }
            }
            #expect(try directory.unrestricted.check() == [], "seed \(seed)")
        }
    }
}

/// One run: a directory and its model, changed together.
struct Run {
    let view: DirectoryView
    var choices: RandomChoices
    var model = Model()
    var comment: Comment = ""

    init(view: DirectoryView, choices: RandomChoices) {
        self.view = view
        self.choices = choices
    }

    // MARK: Changing

    mutating func change() throws {
        let uid = choices.pick(RandomChoices.uids)
        guard let index = model.index(of: uid) else { return try create(uid) }
        switch choices.number(0..<10) {
        case 0: try delete(index)
        case 1, 2: try setManager(of: index)
        case 3, 4: try changeRoles(index)
        default: try modify(index)
        }
    }

    private mutating func create(_ uid: String) throws {
        var attributes: AttributeSet = [:]
        var values: [AttributeName: [AttributeValue]] = [:]
        for name in RandomChoices.single where choices.chance(50) {
            values[name] = [.string(choices.text())]
            attributes[name] = values[name]?.first
        }
        for name in RandomChoices.multiple where choices.chance(40) {
            values[name] = choices.values(of: name)
            attributes[name] = .list(values[name] ?? [])
        }
        if choices.chance(50) {
            values["level"] = [.integer(Int64(choices.number(0..<5)))]
            attributes["level"] = values["level"]?.first
        }
        let isActive = choices.chance(80)
        let user = try view.users.create(uid, attributes: attributes, isActive: isActive)
        model.people.append(Model.Person(id: user.id, uid: uid, isActive: isActive, values: values))
    }

    private mutating func modify(_ index: Int) throws {
        let old = model.people[index]
        var person = old
        var changes: [AttributeChange] = []
        for _ in 0..<choices.number(1..<4) {
            switch choices.number(0..<7) {
            case 0, 1:
                let name = choices.pick(RandomChoices.single)
                let text = choices.text()
                changes.append(.set(name, .string(text)))
                person.values[name] = [.string(text)]
            case 2:
                let name = choices.pick(RandomChoices.single + RandomChoices.multiple + ["level"])
                changes.append(.clear(name))
                person.values[name] = nil
            case 3:
                let name = choices.pick(RandomChoices.multiple)
                let values = choices.values(of: name)
                changes.append(.add(name, values))
                let kept = person.values[name] ?? []
                person.values[name] = kept + values.filter { !kept.contains($0) }
            case 4:
                let name = choices.pick(RandomChoices.multiple)
                let values = choices.values(of: name)
                changes.append(.remove(name, values))
                let kept = (person.values[name] ?? []).filter { !values.contains($0) }
                person.values[name] = kept.isEmpty ? nil : kept
            case 5:
                let level = Int64(choices.number(0..<5))
                changes.append(.set("level", .integer(level)))
                person.values["level"] = [.integer(level)]
            default:
                person.isActive = choices.chance(70)
                changes.append(.set("active", .boolean(person.isActive)))
            }
        }
        let isSame = person.values == old.values && person.isActive == old.isActive
        if !isSame { person.version += 1 }
        if choices.chance(20) {
            let stale = code { try view.users.modify(.id(old.id), changes, ifVersion: old.version + 1) }
            #expect(stale == .versionConflict, comment)
        }
        let user = try view.users.modify(.id(old.id), changes, ifVersion: old.version)
        #expect(user.version == person.version, comment)
        model.people[index] = person
    }

    private mutating func delete(_ index: Int) throws {
        let person = model.people[index]
        let policy = choices.pick(ReporteePolicy.allCases)
        let reportees = model.people.indices.filter { model.people[$0].manager == person.id }
        let result = code { try view.users.delete(.named(person.uid), reportees: policy) }
        if policy == .refuse, !reportees.isEmpty {
            #expect(result == .hasReportees, comment)
            return
        }
        #expect(result == nil, comment)
        for reportee in reportees {
            model.people[reportee].manager = policy == .reassign ? person.manager : nil
            model.people[reportee].version += 1
        }
        model.people.remove(at: index)
        for group in model.groups.indices { model.groups[group].members.remove(person.id) }
    }

    private mutating func setManager(of index: Int) throws {
        let person = model.people[index]
        let manager = choices.chance(20) ? nil : choices.pick(model.people)
        let result = code { try view.users.setManager(manager.map { .id($0.id) }, of: .id(person.id)) }
        if let manager, manager.id == person.id || model.chain(of: manager.id).contains(person.id) {
            #expect(result == .circle, comment)
            return
        }
        #expect(result == nil, comment)
        if person.manager != manager?.id {
            model.people[index].manager = manager?.id
            model.people[index].version += 1
        }
    }

    private mutating func changeRoles(_ index: Int) throws {
        let name = choices.pick(RandomChoices.roles)
        guard let group = model.groups.firstIndex(where: { $0.name == name }) else {
            let role = try view.roles.create(name)
            model.groups.append(Model.Group(id: role.id, name: name))
            return
        }
        let (id, user) = (model.groups[group].id, model.people[index].id)
        switch choices.number(0..<6) {
        case 0, 1, 2:
            try view.roles.add([.user(.id(user))], to: .id(id))
            model.groups[group].members.insert(user)
        case 3:
            let result = code { try view.roles.remove([.user(.id(user))], from: .id(id)) }
            #expect(result == (model.groups[group].members.remove(user) == nil ? .notFound : nil), comment)
        case 4:
            let other = choices.pick(model.groups).id
            let result = code { try view.roles.add([.role(.id(other))], to: .id(id)) }
            #expect(result == (model.inside(other).contains(id) ? .circle : nil), comment)
            if result == nil { model.groups[group].roles.insert(other) }
        default:
            guard choices.chance(30) else { return }
            try view.roles.delete(.id(id))
            model.groups.remove(at: group)
            for other in model.groups.indices { model.groups[other].roles.remove(id) }
        }
    }

    // MARK: Asking

    mutating func search() throws {
        let filter = choices.filter()
        let attribute = choices.pick(RandomChoices.single + ["uid", "level", "tags", "mail", "version"])
        let sort = choices.chance(60) ? Search.Sort(attribute, descending: choices.chance(50)) : nil
        let expected = model.search(filter, sortedBy: sort)
        let what: Comment = "\(comment): \(String(describing: filter)) \(String(describing: sort))"
        let all = try view.users.search(Search(filter, sortedBy: sort, pageSize: 1_000, includesTotal: true))
        #expect(all.total == expected.count, what)
        #expect(all.next == nil, what)
        let order = all.elements.map(\.id)
        if sort == nil { #expect(Set(order) == Set(expected), what) } else { #expect(order == expected, what) }

        // Every page by its position, in any order, and all of them by cursors, are the same people.
        let size = choices.number(1..<6)
        for _ in 0..<3 {
            let page = choices.number(0..<order.count / size + 2)
            let found = try view.users.search(
                Search(filter, sortedBy: sort, pageSize: size, from: .page(page + 1), includesTotal: choices.chance(30))
            )
            #expect(found.elements.map(\.id) == Array(order.dropFirst(page * size).prefix(size)), what)
        }
        var walked: [UserID] = []
        var start = Search.Start.page(1)
        while walked.count <= order.count {
            let page = try view.users.search(Search(filter, sortedBy: sort, pageSize: size, from: start))
            walked += page.elements.map(\.id)
            guard let next = page.next else { break }
            start = .cursor(Cursor(next.description))
        }
        #expect(walked == order, what)
    }

    func compareAll() throws {
        #expect(try view.users.count() == model.people.count, comment)
        for person in model.people {
            let user = try view.users.user(.id(person.id))
            #expect(user.uid == person.uid, comment)
            #expect(user.isActive == person.isActive, comment)
            #expect(user.managerID == person.manager, comment)
            #expect(user.version == person.version, comment)
            for entry in user.attributes { #expect(person.values[entry.name] == entry.value.elements, comment) }
            #expect(user.attributes.count == person.values.count, comment)
            #expect(try view.users.chain(of: .id(person.id)).map(\.id) == model.chain(of: person.id), comment)
            let below = model.below(person.id)
            #expect(try view.users.below(.id(person.id)).map(\.user.id) == below, comment)
            let counts = try view.users.reporteeCounts(of: .id(person.id))
            #expect(counts.all == below.count, comment)
            #expect(counts.direct == model.people.count { $0.manager == person.id }, comment)
            let roles = try view.roles.roles(having: .user(.id(person.id))).map(\.id)
            #expect(roles == model.effectiveRoles(of: person.id), comment)
        }
        for group in model.groups {
            #expect(try view.roles.users(of: .id(group.id)).map(\.id) == model.effectiveMembers(of: group.id), comment)
            let direct = try view.roles.users(of: .id(group.id), reach: .direct).map(\.id)
            #expect(Set(direct) == group.members, comment)
            #expect(try view.roles.userCount(of: .id(group.id), reach: .direct) == group.members.count, comment)
        }
    }
}
