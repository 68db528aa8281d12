import Foundation
import Roster
import RosterFixtures
import Testing

@Suite("The examples in comments of the sources")
struct CommentTests: NamesFiles {
    let folder: ExampleFolder
    let view: DirectoryView

    init() throws {
        folder = try ExampleFolder()
        view = try Directory.inMemory().unrestricted
    }

    @Test("An attribute has a type")
    func attribute() throws {
        try view.attributes.declare([AttributeDefinition("badge", kind: .integer)])
        try view.users.create("ada")
        enum Company {
            static let badge = Attribute<Int>("badge")
        }
        try view.users.modify("ada", [.set(Company.badge, 42)])
        let badge = try view.users.user("ada")[Company.badge]
        #expect(badge == 42)
    }

    @Test("An attribute has a type, with await")
    func attributeAwaiting() async throws {
        try await view.attributes.declare([AttributeDefinition("badge", kind: .integer)])
        try await view.users.create("ada")
        enum Company {
            static let badge = Attribute<Int>("badge")
        }
        try await view.users.modify("ada", [.set(Company.badge, 42)])
        let badge = try await view.users.user("ada")[Company.badge]
        #expect(badge == 42)
    }

    @Test("A batch names what earlier operations create")
    func batch() throws {
        try view.perform([
            .createUser(NewUser("grace")),
            .createUser(NewUser("ada", manager: "grace")),
            .createRole("engineers"),
            .add([.user("ada")], to: "engineers"),
        ])
        #expect(try view.roles.userCount(of: "engineers") == 1)
    }

    @Test("A batch names what earlier operations create, with await")
    func batchAwaiting() async throws {
        try await view.perform([
            .createUser(NewUser("grace")),
            .createUser(NewUser("ada", manager: "grace")),
            .createRole("engineers"),
            .add([.user("ada")], to: "engineers"),
        ])
        #expect(try await view.roles.userCount(of: "engineers") == 1)
    }

    @Test("A transaction reads what it has created")
    func transaction() throws {
        try view.users.create("ada")
        try view.transaction { view in
            let lead = try view.users.create("grace")
            try view.users.modify("ada", [.set(.manager, .string(lead.uid))])
        }
        #expect(try view.users.manager(of: "ada")?.uid == "grace")
    }

    @Test("A transaction reads what it has created, with await")
    func transactionAwaiting() async throws {
        try await view.users.create("ada")
        try await view.transaction { view in
            let lead = try view.users.create("grace")
            try view.users.modify("ada", [.set(.manager, .string(lead.uid))])
        }
        #expect(try await view.users.manager(of: "ada")?.uid == "grace")
    }

    @Test("A directory is opened and read")
    func directory() throws {
        let before = try company()
        try before.unrestricted.users.create("ada", manager: "kenji.sato")
        before.close()
        let directory = try Directory(at: URL(fileURLWithPath: "company.db"))
        let people = directory.unrestricted.users
        let ada = try people.user("ada", attributes: [.mail, .title])
        let boss = try ada.manager()
        #expect(boss?.uid == "kenji.sato")
    }

    @Test("A directory is opened and read, with await")
    func directoryAwaiting() async throws {
        let before = try company()
        try await before.unrestricted.users.create("ada", manager: "kenji.sato")
        before.close()
        let directory = try Directory(at: URL(fileURLWithPath: "company.db"))
        let people = directory.unrestricted.users
        let ada = try await people.user("ada", attributes: [.mail, .title])
        let boss = try await ada.manager()
        #expect(boss?.uid == "kenji.sato")
    }

    @Test("Filters compose")
    func filter() throws {
        let filter: Filter = .all(.familyName.starts("Mü"), .active, .not(.title.present))
        #expect(try view.users.count(matching: filter) == 0)
    }

    @Test("A loop reads all users")
    func all() async throws {
        for try await user in view.users.all(Search(.active)) { print(user.label) }
    }

    @Test("An attribute gets names for people")
    func texts() throws {
        try view.attributes.declare("badge")
        let texts = AttributeTexts(
            labels: ["en": "Badge", "de": "Ausweis"], descriptions: ["en": "On the back of the card."])
        try view.attributes.setTexts(texts, of: "badge")
        #expect(view.attributes.vocabulary().definition(of: "badge")?.texts == texts)
        try view.attributes.changeTexts(labels: ["de": "Ausweis", "fr": nil], of: "badge")
        #expect(view.attributes.vocabulary().definition(of: "badge")?.texts == texts)
    }

    @Test("An attribute gets names for people, with await")
    func textsAwaiting() async throws {
        try await view.attributes.declare("badge")
        let texts = AttributeTexts(
            labels: ["en": "Badge", "de": "Ausweis"], descriptions: ["en": "On the back of the card."])
        try await view.attributes.setTexts(texts, of: "badge")
        #expect(view.attributes.vocabulary().definition(of: "badge")?.texts == texts)
        try await view.attributes.changeTexts(labels: ["de": "Ausweis", "fr": nil], of: "badge")
        #expect(view.attributes.vocabulary().definition(of: "badge")?.texts == texts)
    }

    @Test("An attribute is declared with rules, and changed")
    func rules() throws {
        let attributes = view.attributes
        try attributes.declare("badge", .integer, rules: [.unique, .pattern("[0-9]{4}")])
        try attributes.widen("badge", to: .string)
        try attributes.rename("badge", to: "pass")
        try attributes.setRules(.unique, of: .mail)
        try view.attributes.declare("badge", .integer, rules: [.unique, .pattern("[0-9]{4}")])
        #expect(view.attributes.vocabulary().definition(of: "pass")?.kind == .string)
    }

    @Test("An attribute is declared with rules, and changed, with await")
    func rulesAwaiting() async throws {
        let attributes = view.attributes
        try await attributes.declare("badge", .integer, rules: [.unique, .pattern("[0-9]{4}")])
        try await attributes.widen("badge", to: .string)
        try await attributes.rename("badge", to: "pass")
        try await attributes.setRules(.unique, of: .mail)
        try await view.attributes.declare("badge", .integer, rules: [.unique, .pattern("[0-9]{4}")])
        #expect(view.attributes.vocabulary().definition(of: "pass")?.kind == .string)
    }
}
