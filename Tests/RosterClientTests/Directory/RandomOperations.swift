import Foundation
import Roster
import TestSupport

/// An operation with random arguments, whose answer is shown completely.
struct RandomOperation: Sendable {
    let name: String
    let run: @Sendable (DirectoryView) async throws -> String
}

/// Makes operations of all kinds. Names repeat often, so that operations meet.
struct RandomOperations {
    var numbers: SeededNumbers

    private static let users = [
        "ren.watanabe", "haruka.ito", "matthias.schmidt", "emma.mueller", "kenji.sato", "u1", "u2", "u3", "u4",
        "nobody",
        "Haruka.ITO", "bad  name",
    ]
    private static let roles = ["engineers", "managers", "administrators", "r1", "r2", "r3", "none"]
    private static let texts = ["Ada", "Öl", "straße", "", "a\u{0}b", "\u{1F600}", "<b>&\"\\", "x@example.com", "12"]

    private mutating func pick<Value>(_ values: [Value]) -> Value {
        values[Int.random(in: 0..<values.count, using: &numbers)]
    }
    private mutating func chance(_ percent: Int) -> Bool { Int.random(in: 0..<100, using: &numbers) < percent }
    private mutating func user() -> UserReference { chance(80) ? .named(pick(Self.users)) : .either(pick(Self.users)) }
    private mutating func role() -> RoleReference { .named(pick(Self.roles)) }
    private mutating func subject() -> RoleSubject { chance(70) ? .user(user()) : .role(role()) }
    private mutating func limit() -> Int? { pick([nil, 1, 3, 50, 0, 20_000]) }

    private mutating func selection() -> AttributeSelection {
        pick([
            .usual, .usual, .all, .only(["title", "mail"]), .only(["lastname", "memberOf"]), .only(["nothing.such"]),
        ])
    }

    private mutating func value() -> AttributeValue {
        pick([
            .string(pick(Self.texts)), .integer(.max), .decimal(0.1), .boolean(true), .list([]),
            .list([.string("a"), .string("b")]), .time(Date(timeIntervalSince1970: 1.5)), .binary(Data([0, 255, 10])),
            .complex(["value": .string("x@example.com"), "type": .string("home")]),
        ])
    }

    private mutating func changes() -> [AttributeChange] {
        (0..<Int.random(in: 1...3, using: &numbers)).map { _ in
            let name: AttributeName = pick([
                "title", "mail", "emails", "employeeNumber", "uid", "active", "badge", "photo",
            ])
            switch Int.random(in: 0..<4, using: &numbers) {
            case 0: return .clear(name)
            case 1: return .add(name, [value()])
            case 2: return .remove(name, [value()])
            default: return .set(name, value())
            }
        }
    }

    private mutating func filter() -> Filter {
        pick([
            .everything, .compare(AttributePath("title"), .equal, "Engineer"), .present(AttributePath("manager")),
            .active, .member(of: "engineers"),
            .not(.present(AttributePath("title"))), .and([.active, .present(AttributePath("mail"))]), .or([]),
            .compare(AttributePath("nothingSuch"), .equal, "1"), .compare(AttributePath("familyName"), .contains, "a"),
            .element("emails", .compare(AttributePath("type"), .equal, "work")),
        ])
    }

    private mutating func search() -> Search {
        Search(
            filter(),
            sortedBy: pick([
                [], [Search.Sort(.familyName)], [Search.Sort(.familyName, descending: true), Search.Sort(.givenName)],
            ]),
            attributes: selection(), pageSize: pick([0, 1, 7, 50]),
            from: pick([.page(1), .page(2), .page(0), .cursor(Cursor("x"))]),
            prefetch: pick([[], .manager, .reportees]),
            includesTotal: chance(50))
    }

    mutating func next() -> RandomOperation {
        let (user, other, role) = (user(), user(), role())
        let (selection, limit, search, filter) = (selection(), limit(), search(), filter())
        let prefetch: Prefetch = pick([[], [], .manager, .reportees])
        let subjects = (0..<Int.random(in: 0...2, using: &numbers)).map { _ in subject() }
        let relation: RoleRelation = pick([.member, .owner])
        let reach: Reach = pick([.direct, .effective])
        let version: Int64? = pick([nil, nil, nil, 1, 99])
        let changes = changes()
        let newName = pick(["u1", "u2", "u3", "u4", "bad  name", ""])
        let newRole = pick(["r1", "r2", "r3"])
        let attributes: AttributeSet = pick([
            [:], ["title": "Engineer"], ["mail": "a@example.com"], ["nothing.such": "1"],
        ])
        let policy: ReporteePolicy = pick([.refuse, .reassign, .leave])
        let power: Power? = pick([nil, .helpDesk, .peopleEditor, .administrator])
        let batch = Batch([
            .createUser(NewUser(newName, attributes: attributes, manager: user)), .createRole(newRole),
            .add([.user(.named(newName))], to: .named(newRole)), .modifyUser(other, changes),
        ])
        switch Int.random(in: 0..<31, using: &numbers) {
        case 0:
            return .init(name: "user") {
                Shown.user(try await $0.users.user(user, attributes: selection, prefetch: prefetch))
            }
        case 1:
            return .init(name: "find") {
                (try await $0.users.find(user, attributes: selection)).map(Shown.user) ?? "nil"
            }
        case 2: return .init(name: "exists") { "\(try await $0.users.exists(user))" }
        case 3:
            return .init(name: "users") {
                try await $0.users.users([user, other], attributes: selection).map { $0.map(Shown.user) ?? "nil" }
                    .joined()
            }
        case 4:
            return .init(name: "count") {
                "\(try await $0.users.count(matching: filter)) \(try await $0.users.count())"
            }
        case 5, 6: return .init(name: "search") { Shown.page(try await $0.users.search(search)) }
        case 7:
            return .init(name: "simple search") {
                Shown.list(
                    try await $0.users.search(
                        ["lastname": "*a*", "title": "E*"], isSimpleSearch: limit == nil, attributes: selection,
                        pageSize: 5,
                        pagePosition: limit ?? 1))
            }
        case 8:
            return .init(name: "manager") {
                (try await $0.users.manager(of: user, attributes: selection)).map(Shown.user) ?? "nil"
            }
        case 9:
            return .init(name: "reportees") {
                Shown.list(try await $0.users.reportees(of: user, attributes: selection, limit: limit))
            }
        case 10:
            return .init(name: "chain") {
                Shown.list(
                    try await $0.users.chain(
                        of: user, attributes: selection, levels: limit, upTo: version == 1 ? .title("CEO") : nil))
            }
        case 11:
            return .init(name: "below") {
                try await $0.users.below(user, attributes: selection, levels: 2, limit: limit, offset: 1)
                    .map { "\($0.depth) \(Shown.user($0.user))" }.joined(separator: "\n")
            }
        case 12:
            return .init(name: "reporteeCounts") {
                "\(try await $0.users.reporteeCounts(of: user)) \(try await $0.users.isBelow(user, other))"
                    + " \(try await $0.users.count(matching: .below(other, levels: limit)))"
            }
        case 13:
            return .init(name: "lowestCommonManager") {
                (try await $0.users.lowestCommonManager(of: [user, other])).map(Shown.user) ?? "nil"
            }
        case 14:
            return .init(name: "withoutManager") {
                Shown.list(try await $0.users.withoutManager(attributes: selection, limit: limit))
            }
        case 15:
            return .init(name: "setManager") {
                Shown.user(try await $0.users.setManager(version == 1 ? nil : other, of: user, ifVersion: version))
            }
        case 16, 17:
            return .init(name: "create") {
                Shown.user(
                    try await $0.users.create(newName, attributes: attributes, manager: version == nil ? nil : user))
            }
        case 18:
            return .init(name: "upsert") {
                let (user, wasCreated) = try await $0.users.upsert(newName, attributes: attributes)
                return "\(wasCreated) \(Shown.user(user))"
            }
        case 19, 20:
            return .init(name: "modify") { Shown.user(try await $0.users.modify(user, changes, ifVersion: version)) }
        case 21:
            return .init(name: "delete") {
                try await $0.users.delete(.named(newName), reportees: policy, ifVersion: version)
                return "deleted"
            }
        case 22:
            return .init(name: "create role") {
                Shown.role(try await $0.roles.create(newRole, attributes: ["description": "x"]))
            }
        case 23:
            return .init(name: "modify role") {
                Shown.role(try await $0.roles.modify(role, [.set("description", .string("ö"))], ifVersion: version))
            }
        case 24:
            return .init(name: "add") {
                try await $0.roles.add(subjects, to: role, as: relation, ifVersion: version)
                return "added"
            }
        case 25:
            return .init(name: "remove") {
                try await $0.roles.remove(subjects, from: role, as: relation)
                return "removed"
            }
        case 26:
            return .init(name: "role users") {
                Shown.list(
                    try await $0.roles.users(of: role, as: relation, reach: reach, attributes: selection, limit: limit))
                    + "\(try await $0.roles.userCount(of: role, as: relation, reach: reach))"
            }
        case 27:
            return .init(name: "roles") {
                Shown.list(try await $0.roles.roles(of: role, as: relation, reach: reach))
                    + Shown.list(try await $0.roles.roles(having: .user(user), as: relation, reach: reach))
                    + Shown.page(try await $0.roles.search(Search(pageSize: 3, includesTotal: true)))
                    + ((try await $0.roles.find(role)).map(Shown.role) ?? "nil")
                    + ((try? await $0.roles.member(user, of: role)).map(Shown.user) ?? "none")
            }
        case 28:
            return .init(name: "power") {
                let old = "\(try await $0.roles.power(of: role)?.rawValue ?? "none")"
                return old + Shown.role(try await $0.roles.setPower(power, of: role))
            }
        case 29:
            return .init(name: "perform") { view in
                let outcomes = try await view.perform(batch)
                return outcomes.map { outcome in
                    switch outcome {
                    case .user(let user): Shown.user(user)
                    case .role(let role): Shown.role(role)
                    case .none: "none"
                    }
                }.joined(separator: "\n")
            }
        default:
            return .init(name: "may") {
                "\(try await $0.may(.write(.title, of: user))) \(try await $0.may(.delete(user)))"
            }
        }
    }
}
