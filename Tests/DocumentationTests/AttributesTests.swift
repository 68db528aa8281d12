import Roster
import RosterFixtures
import Testing

@Suite("Attributes")
struct AttributesTests {
    let directory: Directory
    var view: DirectoryView { directory.unrestricted }
    var users: UserManager { view.users }

    init() throws { directory = try Fixtures.company() }

    @Test("Standard attributes have constants")
    func standard() throws {
        let emma = try users.user("emma.mueller")
        print(emma[.mail]?.text ?? "-", emma.mail ?? "-", emma[.department]?.text ?? "-")

        try users.modify("emma.mueller", [.set(.title, "Principal Engineer"), .clear(.nickName)])
        try users.modify(
            "emma.mueller", [.add(.phoneNumbers, [["value": "+49 171 5550199", "type": "mobile"]])])
        #expect(try users.user("emma.mueller").mobile == "+49 171 5550199")
    }

    @Test("Standard attributes have constants, with await")
    func standardAwaiting() async throws {
        let emma = try await users.user("emma.mueller")
        print(emma[.mail]?.text ?? "-", emma.mail ?? "-", emma[.department]?.text ?? "-")

        try await users.modify("emma.mueller", [.set(.title, "Principal Engineer"), .clear(.nickName)])
        try await users.modify(
            "emma.mueller", [.add(.phoneNumbers, [["value": "+49 171 5550199", "type": "mobile"]])])
        #expect(try await users.user("emma.mueller").mobile == "+49 171 5550199")
    }

    @Test("Accounts have a first and a last day")
    func dates() throws {
        try users.modify("emma.mueller", [.set(.activeStartDate, "2020-01-01"), .set(.activeEndDate, "2099-12-31")])
        #expect(try users.user("emma.mueller")[.activeEndDate]?.text == "2099-12-31")
    }

    @Test("Accounts have a first and a last day, with await")
    func datesAwaiting() async throws {
        try await users.modify(
            "emma.mueller", [.set(.activeStartDate, "2020-01-01"), .set(.activeEndDate, "2099-12-31")])
        #expect(try await users.user("emma.mueller")[.activeEndDate]?.text == "2099-12-31")
    }

    @Test("All names of an attribute work")
    func names() throws {
        try users.create("ada", attributes: ["firstname": "Ada", "sn": "Lovelace"])
        let ada = try users.user("ada", attributes: .only(["lastname", "name.givenName"]))
        print(ada["sn"]?.text ?? "-", try ada.attribute("firstname")?.text ?? "-")
        #expect(ada.lastName == "Lovelace")
    }

    @Test("All names of an attribute work, with await")
    func namesAwaiting() async throws {
        try await users.create("ada", attributes: ["firstname": "Ada", "sn": "Lovelace"])
        let ada = try await users.user("ada", attributes: .only(["lastname", "name.givenName"]))
        print(ada["sn"]?.text ?? "-", try await ada.attribute("firstname")?.text ?? "-")
        #expect(ada.lastName == "Lovelace")
    }

    @Test("The vocabulary knows all names")
    func vocabulary() throws {
        let vocabulary = view.attributes.vocabulary()
        let definition = vocabulary.definition(named: "sn", in: .ldap)
        print(definition?.name ?? "-", definition?.isIndexed ?? false)
        #expect(definition?.name == .familyName)
    }

    @Test("A value that was not fetched is fetched")
    func fetching() throws {
        let kenji = try users.user("kenji.sato", attributes: .only([.mail]))
        print(kenji[.title] == nil, kenji.isFetched(.title), try kenji.attribute(.title)?.text ?? "-")
        #expect(try kenji.attribute(.title)?.text == "Head of Engineering")
    }

    @Test("A value that was not fetched is fetched, with await")
    func fetchingAwaiting() async throws {
        let kenji = try await users.user("kenji.sato", attributes: .only([.mail]))
        print(kenji[.title] == nil, kenji.isFetched(.title), try await kenji.attribute(.title)?.text ?? "-")
        #expect(try await kenji.attribute(.title)?.text == "Head of Engineering")
    }

    @Test("Variables go into attributes")
    func variables() throws {
        enum Company {
            static let desk = Attribute<Int>("desk")
        }
        try view.attributes.declare(AttributeDefinition(Company.desk))

        let (team, desk) = ("Sales", 43)
        try users.create("vera.neu", attributes: ["department": "\(team)", "title": "Lead"])
        try users.modify(
            "vera.neu",
            attributes: .init {
                $0.department = team
                $0[Company.desk] = desk
            })

        let vera = try users.user("vera.neu")
        #expect(vera.department == team && vera.title == "Lead" && vera[Company.desk] == desk)
    }

    @Test("Variables go into attributes, with await")
    func variablesAwaiting() async throws {
        enum Company {
            static let desk = Attribute<Int>("desk")
        }
        try await view.attributes.declare(AttributeDefinition(Company.desk))

        let (team, desk) = ("Sales", 43)
        try await users.create("vera.neu", attributes: ["department": "\(team)", "title": "Lead"])
        try await users.modify(
            "vera.neu",
            attributes: .init {
                $0.department = team
                $0[Company.desk] = desk
            })

        let vera = try await users.user("vera.neu")
        #expect(vera.department == team && vera.title == "Lead" && vera[Company.desk] == desk)
    }

    @Test("Declared attributes are read without casts")
    func declared() throws {
        enum Company {
            static let desk = Attribute<Int>("desk")
            static let skills = Attribute<[String]>("skills")
        }
        try view.attributes.declare([
            AttributeDefinition(Company.desk, isUnique: true, readers: .managers),
            AttributeDefinition(Company.skills, writers: .person),
        ])
        try users.modify("emma.mueller", [.set(Company.desk, 42), .set(Company.skills, ["Swift", "SQL"])])

        let found = try users.search(Search(.attribute(Company.skills).equals("swift")))
        let desk: Int? = try users.user("emma.mueller")[Company.desk]
        print(found.elements.map(\.label), desk ?? 0)
        #expect(desk == 42 && found.elements.count == 1)
    }

    @Test("Declared attributes are read without casts, with await")
    func declaredAwaiting() async throws {
        enum Company {
            static let desk = Attribute<Int>("desk")
            static let skills = Attribute<[String]>("skills")
        }
        try await view.attributes.declare([
            AttributeDefinition(Company.desk, isUnique: true, readers: .managers),
            AttributeDefinition(Company.skills, writers: .person),
        ])
        try await users.modify("emma.mueller", [.set(Company.desk, 42), .set(Company.skills, ["Swift", "SQL"])])

        let found = try await users.search(Search(.attribute(Company.skills).equals("swift")))
        let desk: Int? = try await users.user("emma.mueller")[Company.desk]
        print(found.elements.map(\.label), desk ?? 0)
        #expect(desk == 42 && found.elements.count == 1)
    }

    @Test("An attribute is widened, renamed and undeclared")
    func life() throws {
        enum Lockers { static let locker = Attribute<Int>("locker") }

        let attributes = view.attributes
        try attributes.declare(AttributeDefinition(Lockers.locker, rules: [.unique, .pattern("[0-9]{4}")]))
        try view.users.create("ada", attributes: [Lockers.locker.name: 1234, .mail: "ada@example.com"])
        try attributes.widen("locker", to: .string)
        try attributes.setRules([.unique, .pattern("[A-Z]?[0-9]{4}")], of: "locker")
        try attributes.rename("locker", to: "cabinet")
        try attributes.setRules(.unique, of: .mail)
        try attributes.undeclare("cabinet", removingValues: true)
        #expect(view.attributes.vocabulary().definition(of: "cabinet") == nil)
    }

    @Test("An attribute is widened, renamed and undeclared, with await")
    func lifeAwaiting() async throws {
        enum Lockers { static let locker = Attribute<Int>("locker") }

        let attributes = view.attributes
        try await attributes.declare(AttributeDefinition(Lockers.locker, rules: [.unique, .pattern("[0-9]{4}")]))
        try await view.users.create("ada", attributes: [Lockers.locker.name: 1234, .mail: "ada@example.com"])
        try await attributes.widen("locker", to: .string)
        try await attributes.setRules([.unique, .pattern("[A-Z]?[0-9]{4}")], of: "locker")
        try await attributes.rename("locker", to: "cabinet")
        try await attributes.setRules(.unique, of: .mail)
        try await attributes.undeclare("cabinet", removingValues: true)
        #expect(view.attributes.vocabulary().definition(of: "cabinet") == nil)
    }

    @Test("An attribute has names for people")
    func texts() throws {
        let texts = AttributeTexts(
            labels: ["en": "Badge number", "de": "Ausweisnummer"],
            descriptions: ["en": "On the back of the card."])
        try view.attributes.declare("pass", .integer)
        try view.attributes.setTexts(texts, of: "pass")
        let label = view.attributes.vocabulary().definition(of: "pass")?.texts.label(in: "de-AT")  // Ausweisnummer
        try view.attributes.changeTexts(labels: ["fr": "Numéro de badge", "de": nil], of: "pass")
        #expect(label == "Ausweisnummer")
        let labels = view.attributes.vocabulary().definition(of: "pass")?.texts.labels
        #expect(labels == ["en": "Badge number", "fr": "Numéro de badge"])
    }

    @Test("An attribute has names for people, with await")
    func textsAwaiting() async throws {
        let texts = AttributeTexts(
            labels: ["en": "Badge number", "de": "Ausweisnummer"],
            descriptions: ["en": "On the back of the card."])
        try await view.attributes.declare("pass", .integer)
        try await view.attributes.setTexts(texts, of: "pass")
        let label = view.attributes.vocabulary().definition(of: "pass")?.texts.label(in: "de-AT")  // Ausweisnummer
        try await view.attributes.changeTexts(labels: ["fr": "Numéro de badge", "de": nil], of: "pass")
        #expect(label == "Ausweisnummer")
        let labels = view.attributes.vocabulary().definition(of: "pass")?.texts.labels
        #expect(labels == ["en": "Badge number", "fr": "Numéro de badge"])
    }
}
