import Foundation
import Roster
import Testing
import TestSupport

@Suite("The change feed of callers who are no administrators", .timeLimit(.minutes(2)))
struct ReadableChangesTests {
    /// A directory in which the boss leads the lead, the lead leads Ada, and Eve stands beside.
    private struct Company {
        let directory: Directory
        let ids: [String: UserID]
        /// The number of the last change before the changes under test.
        var start: Int64 = 0

        var admin: DirectoryView { directory.acting(as: .administrator("root")) }
        func view(_ name: String) -> DirectoryView {
            switch name {
            case "hr": directory.acting(as: .provisioning("hr"))
            case "virtual": directory.acting(as: .virtualUser(issuer: "https://idp.example.com", subject: "mira"))
            default: directory.acting(as: ids[name].map { .user($0) } ?? .nobody)
            }
        }
        /// The part of the changes under test that a caller sees.
        func seen(_ name: String) throws -> [Change] { try view(name).changes.since(start) }
        /// The names of the values of one change that each caller sees.
        func names(_ name: String) throws -> Set<AttributeName> {
            Set(try seen(name).flatMap { change in change.before.map(\.name) + change.after.map(\.name) })
        }
        func values(_ name: String) throws -> String {
            try seen(name).map { "\($0.actor) \($0.name) \($0.before.map { $0 }) \($0.after.map { $0 })" }
                .joined(separator: "\n")
        }
    }

    private static func withCompany(_ place: Place, _ body: (inout Company) throws -> Void) throws {
        try withDirectory(place) { directory in
            let view = directory.acting(as: .administrator("root"))
            try view.attributes.declare([
                AttributeDefinition("salary", kind: .integer, readers: .managers),
                AttributeDefinition("diary", readers: .person, writers: .person),
                AttributeDefinition("file", readers: .administrators), AttributeDefinition("pin", readers: .nobody),
                AttributeDefinition("budget", of: .role, readers: .administrators),
            ])
            var ids: [String: UserID] = [:]
            for (name, manager) in [("boss", nil), ("lead", "boss"), ("ada", "lead"), ("eve", nil), ("off", nil)] {
                ids[name] = try view.users.create(name, manager: manager.map { .named($0) }, isActive: name != "off").id
            }
            var company = Company(directory: directory, ids: ids)
            company.start = try view.changes.lastSequence()
            try body(&company)
        }
    }

    private static let callers = ["hr", "boss", "lead", "ada", "eve", "virtual"]

    @Test("A modification shows each caller the attributes that they may read of that user", arguments: Place.allCases)
    func modification(place: Place) throws {
        try Self.withCompany(place) { company in
            try company.admin.users.modify(
                "ada",
                attributes: [
                    "title": "Countess", "salary": 7, "diary": "dear", "file": "f", "pin": "1", "hireDate": "2020",
                    "gender": "f", "mobile": "+3", "telephoneNumber": "+1", "password": "$scrypt$x", "externalId": "x7",
                ])
            let all: Set<AttributeName> = ["title", "phoneNumbers"]
            let managers = all.union(["salary", "hireDate"])
            let person = managers.union(["diary", "gender"])
            #expect(try company.names("hr") == person.union(["file"]))
            for name in ["boss", "lead"] { #expect(try company.names(name) == managers, "\(name)") }
            #expect(try company.names("ada") == person)
            for name in ["eve", "virtual"] { #expect(try company.names(name) == all, "\(name)") }
            let administrator = try #require(try company.admin.changes.since(company.start).first)
            #expect(
                Set(administrator.after.map(\.name))
                    == person.union(["file", "externalId", "passwordChanged"]), "and an administrator sees the rest")
            for name in Self.callers {
                let change = try #require(try company.seen(name).first)
                #expect(change.actor == "" && change.name == "ada" && change.kind == .modified)
                #expect(change.sequence == administrator.sequence && change.time == administrator.time)
                let phones = change.after["phoneNumbers"]?.elements.count
                #expect(phones == (["eve", "virtual"].contains(name) ? 1 : 2), "the mobile phone is not for everyone")
            }
        }
    }

    @Test("A modification of which a caller may read nothing is left out, even if only a hidden element changed")
    func hiddenModification() throws {
        try Self.withCompany(.memory) { company in
            try company.admin.users.modify("ada", attributes: ["telephoneNumber": "+1", "mobile": "+2"])
            company.start += 1
            try company.admin.users.modify("ada", attributes: ["mobile": "+3"])
            try company.admin.users.modify("ada", attributes: ["file": "f"])
            try company.admin.users.modify("ada", attributes: ["password": "$scrypt$x"])
            #expect(try company.seen("eve").isEmpty && company.seen("virtual").isEmpty)
            #expect(try company.names("lead") == ["phoneNumbers"])
            #expect(try company.names("ada") == ["phoneNumbers"], "not even that the password was set")
            #expect(try company.names("hr") == ["phoneNumbers", "file"])
            #expect(try company.view("eve").changes.lastSequence() == company.start + 3)
        }
    }

    @Test(
        "Of a deleted user or role nobody but administrators sees what was not for everyone", arguments: Place.allCases)
    func deletion(place: Place) throws {
        try Self.withCompany(place) { company in
            let secrets: AttributeSet = [
                "salary": 884711, "diary": "884712", "file": "884713", "mobile": "884715",
            ]
            try company.admin.users.modify("ada", attributes: secrets)
            try company.admin.roles.create("staff", attributes: ["budget": "884716", "description": "All"])
            #expect(try company.values("lead").contains("884711") && company.values("hr").contains("884716"))
            try company.admin.users.delete("ada")
            try company.admin.roles.delete("staff")
            for name in Self.callers where name != "ada" {
                #expect(try !company.values(name).contains("88471"), "\(name)")
                let deletions = try company.seen(name).filter { $0.kind == .deleted }
                #expect(deletions.map(\.name) == ["ada", "staff"])
                #expect(deletions.first?.before["uid"] == "ada" && deletions.last?.before["description"] == "All")
            }
            #expect(code { try company.seen("ada") } == .notPermitted)
            #expect(try company.admin.changes.since(company.start).filter { $0.kind == .deleted }.count == 2)
        }
    }

    @Test("Present rights count: a former manager, narrowed readers, and a caller who loses a role")
    func presentRights() throws {
        try Self.withCompany(.memory) { company in
            try company.admin.users.modify("ada", attributes: ["salary": 7, "title": "Countess"])
            #expect(try company.names("lead") == ["salary", "title"])
            try company.admin.users.setManager("eve", of: "ada")
            for name in ["lead", "boss"] { #expect(try !company.names(name).contains("salary")) }
            #expect(try company.names("eve").contains("salary"))
            try company.admin.attributes.setRights(of: "title", readers: .person)
            #expect(try !company.names("eve").contains("title"))
            #expect(try company.names("ada").contains("title"))
            let role = try company.admin.write { try $0.asPresentAdministrator(to: "test").powers.administratorsRole() }
            try company.admin.roles.add([.user("boss"), .user("eve")], to: .id(role.id))
            #expect(try company.seen("eve").contains { $0.entity == .attribute && $0.actor == "root" })
            try company.admin.roles.remove([.user("eve")], from: .id(role.id))
            #expect(try company.seen("eve").allSatisfy { $0.entity != .attribute && $0.actor.isEmpty })
        }
    }

    @Test("Attributes, sign-ins, backends, keys and actors are for administrators only", arguments: Place.allCases)
    func otherEntries(place: Place) async throws {
        try await withDirectory(place) { (directory: Directory) async throws in
            let admin = directory.acting(as: .administrator("root"))
            let ada = try await admin.users.create("ada").id
            try await admin.attributes.declare([AttributeDefinition("badge")])
            let kinds: [Change.Kind] = [
                .signedIn, .refused, .granted, .exchanged, .revoked, .created, .modified, .deleted,
            ]
            for kind in kinds {
                for entity in [Change.Entity.user, .backend, .virtualUser, .signingKey, .attribute] {
                    guard entity != .user || kind.rawValue > 3 else { continue }
                    try await directory.audit([
                        (
                            AuditEntry(
                                kind, entity, id: ada.rawValue, name: "ada", actor: "ada",
                                detail: ["address": "192.0.2.7", "title": "t"]), 1
                        )
                    ])
                }
            }
            try await directory.acting(as: .user(ada)).users.modify("ada", attributes: ["description": "own"])
            try await admin.users.modify("ada", attributes: ["title": "Countess"])
            for caller in [Caller.user(ada), .provisioning("hr"), .virtualUser(issuer: "i", subject: "s")] {
                let seen = try await directory.acting(as: caller).changes.since(0)
                #expect(seen.map(\.kind) == [.created, .modified, .modified] && seen.allSatisfy { $0.entity == .user })
                let own = caller == .user(ada) ? ada.description : ""
                #expect(seen.map(\.actor) == ["", own, ""])
            }
            #expect(try await admin.changes.since(0, limit: 10_000).count > 35)
        }
    }

    @Test("Memberships are shown, and an attribute for administrators of a role is not")
    func roles() throws {
        try Self.withCompany(.memory) { company in
            try company.view("hr").roles.create("staff", attributes: ["budget": "9", "externalId": "x9"])
            try company.admin.roles.add([.user("ada")], to: "staff")
            try company.admin.roles.add([.user("eve")], to: "staff", as: .owner)
            #expect(try company.names("eve") == ["name", "members", "owners"])
            #expect(try company.names("hr") == ["name", "budget", "members", "owners"])
            #expect(try company.seen("hr").map(\.actor) == ["provisioning hr", "", ""])
        }
    }

    @Test("Callers who may not read the directory may not read its feed", arguments: Place.allCases)
    func refused(place: Place) throws {
        try Self.withCompany(place) { company in
            let callers = [Caller.nobody, .monitoring("prometheus"), .user(company.ids["off"] ?? UserID(rawValue: 9))]
            for caller in callers {
                let feed = company.directory.acting(as: caller).changes
                #expect(code { try feed.since(0) } == .notPermitted)
                #expect(code { try feed.lastSequence() } == .notPermitted)
            }
            for name in Self.callers {
                let feed = company.view(name).changes
                #expect(code { try feed.compact(through: 1) } == .notPermitted)
                #expect(code { try feed.prune() } == .notPermitted)
                #expect(code { try feed.retention() } == .notPermitted)
                #expect(code { try feed.setRetention(Retention()) } == .notPermitted)
                #expect(code { try feed.forAdministrators.since(0) } == .notPermitted)
                #expect(code { try feed.forAdministrators.lastSequence() } == .notPermitted)
            }
        }
    }

    @Test(
        "Following goes past any number of entries that the caller may not see, and pages have their size",
        arguments: Place.allCases)
    func following(place: Place) async throws {
        try await withDirectory(place) { (directory: Directory) async throws in
            let admin = directory.unrestricted
            let eve = try await admin.users.create("eve").id
            let feed = directory.acting(as: .user(eve)).changes
            func entry(_ number: Int) -> (AuditEntry, Int) {
                let detail: AttributeSet = ["from": .string("\(number)")]
                return (AuditEntry(.signedIn, .user, id: eve.rawValue, name: "eve", actor: "eve", detail: detail), 1)
            }
            try await directory.audit((0..<4_500).map(entry))
            for number in 0..<5 { try await admin.users.create("u\(number)") }
            #expect(try await feed.since(1).map(\.name) == ["u0", "u1", "u2", "u3", "u4"])
            #expect(try await feed.since(1, limit: 2).map(\.name) == ["u0", "u1"])
            #expect(try await onThread { try feed.since(0, limit: 3).map(\.name) } == ["eve", "u0", "u1"])
            let seen = Gathered<String>()
            let follower = Task { for try await change in feed.follow(since: 1) { seen.append(change.name) } }
            #expect(try await onThread { seen.wait(for: 5).count } == 5)
            try await directory.audit([entry(4_500)])
            try await admin.users.create("last")
            #expect(try await onThread { seen.wait(for: 6).last } == "last")
            try await admin.users.modify("eve", attributes: ["active": false])
            #expect(await code { try await follower.value } == .notPermitted)
            await #expect(throws: DirectoryError.self) {
                for try await _ in directory.acting(as: .nobody).changes.follow() {}
            }
        }
    }

    @Test("Every caller sees that a range was pruned, and that the beginning is gone")
    func pruned() throws {
        let clock = SettableClock()
        try withDirectory(.usual, clock: { clock.now }) { directory in
            let admin = directory.unrestricted
            let eve = try admin.users.create("eve").id
            let feed = directory.acting(as: .user(eve)).changes
            try admin.changes.setRetention(Retention(changes: 1, signIns: nil))
            clock.advance(by: 3 * 86_400)
            try admin.users.create("ada")
            try admin.users.create("bob")
            try admin.changes.prune()
            #expect(code { try feed.since(0) } == .changesCompacted)
            #expect(try feed.since(1).map(\.name) == ["ada", "bob"])
            #expect(code { try feed.since(9) } == .notFound)
        }
        try withDirectory(.usual, clock: { clock.now }) { directory in
            let admin = directory.unrestricted
            let eve = try admin.users.create("eve").id
            let start = try admin.changes.lastSequence()
            try directory.unrestricted.write { transaction in
                for _ in 0..<3 {
                    try transaction.feed.record(
                        .signedIn, .user, id: eve.rawValue, name: "eve", before: nil, after: nil)
                }
            }
            try admin.changes.setRetention(Retention(changes: nil, signIns: 1))
            clock.advance(by: 3 * 86_400)
            try admin.users.create("ada")
            try admin.changes.prune()
            let seen = try directory.acting(as: .user(eve)).changes.since(start)
            #expect(seen.map(\.kind) == [.pruned, .created])
            #expect(seen.first?.first == start + 1 && seen.first?.sequence == start + 3)
        }
    }

    /// Reads the group to which a caller belongs from the model, and the readers of each value from the vocabulary.
    @Test("Whatever was changed, nobody sees a value of the feed that they may not read, and everyone sees the rest")
    func randomChanges() throws {
        let seed = randomSeed()
        let directory = try emptyDirectory()
        let admin = directory.unrestricted
        try admin.attributes.declare(RandomChoices.declared)
        var run = Run(view: admin, choices: RandomChoices(numbers: SeededNumbers(seed: seed)))
        let groups: [AttributeDefinition.Readers] = [.administrators, .person, .managers, .signedIn]
        var readers: [AttributeName: AttributeDefinition.Readers] = [
            "uid": .signedIn, "active": .signedIn, "manager": .signedIn,
        ]
        for name in RandomChoices.single + RandomChoices.multiple + ["level"] {
            let group = run.choices.pick(groups)
            // The attributes that users write themselves stay readable for them.
            let isOwn = ["displayName", "description"].contains(name.rawValue) && group == .administrators
            readers[name] = isOwn ? .person : group
            try admin.attributes.setRights(of: name, readers: readers[name])
        }
        for _ in 0..<150 { try run.change() }
        let all = try admin.changes.since(0, limit: 10_000)
        for person in run.model.people where person.isActive {
            let seen = try directory.acting(as: .user(person.id)).changes.since(0, limit: 10_000)
            let bySequence = Dictionary(uniqueKeysWithValues: seen.map { ($0.sequence, $0) })
            #expect(bySequence.count == seen.count && seen.map(\.sequence) == seen.map(\.sequence).sorted())
            for change in all where change.entity == .user {
                let subject = UserID(change.subjectID).flatMap(run.model.person)
                let group: AttributeDefinition.Readers =
                    subject == nil
                    ? .signedIn
                    : subject?.id == person.id
                        ? .person
                        : subject.map { run.model.chain(of: $0.id).contains(person.id) } == true ? .managers : .signedIn
                func shown(_ set: AttributeSet) -> AttributeSet {
                    var shown: AttributeSet = [:]
                    for entry in set where (readers[entry.name] ?? .nobody) >= group { shown[entry.name] = entry.value }
                    return shown
                }
                let (before, after) = (shown(change.before), shown(change.after))
                let isSeen = change.kind != .modified || !before.isEmpty || !after.isEmpty
                let found = bySequence[change.sequence]
                #expect((found != nil) == isSeen, "seed \(seed), change \(change.sequence)")
                if let found { #expect(found.before == before && found.after == after, "seed \(seed)") }
            }
            #expect(seen.allSatisfy { $0.entity == .user || $0.entity == .role }, "seed \(seed)")
        }
    }
}
