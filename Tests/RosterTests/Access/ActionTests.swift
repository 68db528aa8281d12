import Foundation
import Roster
import Testing
import TestSupport

@Suite("What a caller may do can be asked", .timeLimit(.minutes(5)))
struct ActionTests {
    /// Takes back what a transaction has done.
    private struct Undo: Error {}

    private struct Company {
        let directory: Directory
        let subjects: [String]
        let roles: [String]
        let callers: [(name: String, view: DirectoryView)]

        init() throws {
            directory = try Directory.inMemory()
            let view = directory.unrestricted
            try view.attributes.declare([
                AttributeDefinition("salary", kind: .integer, readers: .managers),
                AttributeDefinition("diary", readers: .person, writers: .person),
                AttributeDefinition("badge", writers: .person), AttributeDefinition("file", readers: .administrators),
                AttributeDefinition("pin", readers: .nobody, writers: .person),
                AttributeDefinition("budget", of: .role, readers: .administrators),
            ])
            let role = try view.write { try $0.administratorsRole() }
            subjects = ["root", "second", "boss", "lead", "ada", "eve", "off"]
            for name in subjects {
                var attributes: AttributeSet = [:]
                for definition in view.attributes.vocabulary().definitions() {
                    attributes[definition.name] = Self.value(of: definition, for: name)
                }
                let manager: UserReference? = name == "lead" ? "boss" : name == "ada" ? "lead" : nil
                try view.users.create(name, attributes: attributes, manager: manager, isActive: name != "off")
            }
            try view.roles.create("staff", attributes: ["budget": "9", "description": "All"])
            try view.roles.create("nested")
            try view.roles.create("owning")
            try view.roles.add(subjects.map { .user(.named($0)) }, to: "staff")
            try view.roles.add([.user("root"), .role("nested")], to: .id(role.id))
            try view.roles.add([.user("second")], to: "nested")
            try view.roles.add([.role("owning")], to: "nested", as: .owner)
            roles = ["staff", "nested", "owning", role.name]
            let gone = try view.users.create("gone").id
            try view.users.delete("gone")
            var callers: [(String, Caller)] = [
                ("administrator", .administrator("x")), ("provisioning", .provisioning("hr")),
                ("monitoring", .monitoring("m")), ("virtual", .virtualUser(issuer: "i", subject: "s")),
                ("nobody", .nobody), ("deleted", .user(gone)),
            ]
            for name in subjects { callers.append((name, .user(try view.users.user(name).id))) }
            let directory = directory
            self.callers = callers.map { ($0.0, directory.acting(as: $0.1)) }
        }

        private static let texts = [
            "dateOfBirth": "1990-01-31", "hireDate": "2020-01-31", "activeStartDate": "2020-01-31",
            "activeEndDate": "2030-01-31", "timezone": "Europe/Berlin", "locale": "de-DE", "preferredLanguage": "de",
            "profileUrl": "https://example.com/v",
        ]

        /// Some value for a stored attribute; nil for a view of another one and for what the directory maintains.
        static func value(of definition: AttributeDefinition, for user: String) -> AttributeValue? {
            let isAside = ["uid", "active", "manager", "password", "externalId"].contains(definition.name.rawValue)
            guard definition.element == nil, !isAside, definition.writers != .nobody else { return nil }
            switch definition.kind {
            case .string: return .string(texts[definition.name.rawValue] ?? "v")
            case .integer: return 1
            case .decimal: return nil
            case .boolean: return true
            case .time: return .time(Date(timeIntervalSince1970: 0))
            case .binary: return .binary(Data([1]))
            case .complex: break
            }
            let parts: [String: AttributeValue] =
                definition.name == "addresses"
                ? [
                    "formatted": "f", "streetAddress": "s", "locality": "l", "region": "r", "postalCode": "p",
                    "country": "DE",
                ]
                : ["value": definition.name == "emails" ? .string("\(user)@example.com") : "v"]
            return .list(
                ["work", "mobile", "home", "fax", "pager"].map { type in
                    .complex(parts.merging(["type": .string(type)]) { $1 })
                })
        }

        /// Does something in a transaction, and takes it back.
        static func outcome(
            _ view: DirectoryView, _ body: @escaping @Sendable (DirectoryView) throws -> Void
        ) -> DirectoryError.Code? {
            code {
                do {
                    try view.transaction { inner in
                        try body(inner)
                        throw Undo()
                    }
                } catch is Undo {}
            }
        }
    }

    /// Compares each answer with what happens when it is done.
    private func compare(_ company: Company, _ comment: Comment) throws {
        let definitions = company.directory.unrestricted.attributes.vocabulary().definitions()
        for (name, view) in company.callers {
            for subject in company.subjects {
                let whole = try company.directory.unrestricted.users.user(.named(subject), attributes: .all)
                let seen = try? view.users.user(.named(subject), attributes: .all)
                for definition in definitions {
                    let attribute = definition.name
                    if whole[attribute] != nil {
                        let may = try view.may(.read(attribute, of: .named(subject)))
                        #expect(
                            may == (seen?[attribute] != nil), "\(name) reads \(attribute) of \(subject), \(comment)")
                    }
                    if definition.readers == .nobody {
                        #expect(try !view.may(.read(attribute, of: .named(subject))), "\(attribute) is a secret")
                    }
                    let may = try view.may(.write(attribute, of: .named(subject)))
                    let change: AttributeChange =
                        attribute == "uid" ? .set("uid", .string(subject + "2")) : .clear(attribute)
                    let refusal = Company.outcome(view) { try $0.users.modify(.named(subject), [change]) }
                    #expect(
                        may == (refusal == nil),
                        "\(name) writes \(attribute) of \(subject): \(refusal as Any), \(comment)")
                    if !may { #expect(refusal == .notPermitted || definition.writers == .nobody, "\(attribute)") }
                }
                let deletion = Company.outcome(view) { try $0.users.delete(.named(subject), reportees: .leave) }
                #expect(
                    try view.may(.delete(.named(subject))) == (deletion == nil),
                    "\(name) deletes \(subject): \(deletion as Any)")
            }
            for role in company.roles {
                let refusals = [
                    Company.outcome(view) { try $0.roles.modify(.named(role), attributes: ["description": "x"]) },
                    Company.outcome(view) { try $0.roles.add([.user("eve")], to: .named(role)) },
                    Company.outcome(view) { try $0.roles.add([.user("eve")], to: .named(role), as: .owner) },
                ]
                let may = try view.may(.change(.named(role)))
                #expect(
                    refusals.allSatisfy { $0 == (may ? nil : .notPermitted) }, "\(name) changes \(role): \(refusals)")
                for definition in company.directory.unrestricted.attributes.vocabulary().definitions(for: .role) {
                    let whole = try company.directory.unrestricted.roles.role(.named(role))
                    guard whole[definition.name] != nil else { continue }
                    let seen = try? view.roles.role(.named(role))
                    let may = try view.may(.readRole(definition.name, of: .named(role)))
                    #expect(may == (seen?[definition.name] != nil), "\(name) reads \(definition.name) of \(role)")
                }
            }
            let others: [(DirectoryAction, DirectoryError.Code?)] = [
                (.createUsers, Company.outcome(view) { try $0.users.create("new") }),
                (.createRoles, Company.outcome(view) { try $0.roles.create("new") }),
                (.administer, Company.outcome(view) { try $0.attributes.declare([AttributeDefinition("own")]) }),
            ]
            for (action, refusal) in others {
                #expect(try view.may(action) == (refusal == nil), "\(name): \(action)")
                #expect(refusal == nil || refusal == .notPermitted)
            }
        }
    }

    @Test("Each answer is what happens, for every caller, attribute, user and role")
    func answers() throws { try compare(Company(), "built-in rights") }

    @Test("Each answer is what happens, whoever may read and write the attributes")
    func answersWithRandomRights() throws {
        let seed = randomSeed()
        var numbers = SeededNumbers(seed: seed)
        let company = try Company()
        let attributes = company.directory.unrestricted.attributes
        for definition in attributes.vocabulary().definitions() {
            let readers = [AttributeDefinition.Readers.administrators, .person, .managers, .signedIn]
                .randomElement(using: &numbers)
            let writers = [AttributeDefinition.Writers.administrators, .person].randomElement(using: &numbers)
            // Some combinations are refused, and then the attribute keeps its rights.
            _ = code { try attributes.setRights(of: definition.name, readers: readers, writers: writers) }
        }
        try compare(company, "seed \(seed)")
    }

    @Test("An answer changes with the directory, is the same with await, and is given in a transaction")
    func currentAnswers() async throws {
        let directory = try Directory.inMemory()
        let admin = directory.unrestricted
        let lead = try await admin.users.create("lead").id
        try await admin.users.create("ada", manager: "lead")
        let view = directory.acting(as: .user(lead))
        #expect(try await view.may(.read(.mobile, of: "ada")))
        #expect(try await view.may(.write(.mobile, of: .id(lead))))
        #expect(try await !view.may(.write(.mobile, of: "ada")))
        #expect(try await view.may(.read("homephone", of: "ada")), "any protocol's name will do")
        let answers = try await admin.transaction { inner in
            try inner.users.setManager(nil, of: "ada")
            return [try inner.may(.write(.manager, of: "ada")), try inner.may(.delete("ada"))]
        }
        #expect(answers == [true, true])
        #expect(try await !view.may(.read(.mobile, of: "ada")))
        try await admin.users.modify("lead", attributes: ["active": false])
        #expect(try await !view.may(.read(.title, of: .id(lead))))
    }

    @Test("A question about a user, role or attribute that does not exist is an error, as the action is")
    func unknown() throws {
        let directory = try Directory.inMemory()
        let ada = try directory.unrestricted.users.create("ada").id
        for view in [directory.unrestricted, directory.acting(as: .user(ada))] {
            #expect(code { try view.may(.read(.title, of: "nobody")) } == .notFound)
            #expect(code { try view.may(.write(.title, of: "nobody")) } == .notFound)
            #expect(code { try view.may(.read("nosuch", of: "ada")) } == .invalidAttribute)
            #expect(code { try view.may(.write("nosuch", of: "ada")) } == .invalidAttribute)
            #expect(code { try view.may(.readRole("nosuch", of: "staff")) } == .invalidAttribute)
            #expect(code { try view.may(.readRole("name", of: "staff")) } == .notFound)
        }
        #expect(code { try directory.unrestricted.may(.delete("nobody")) } == .notFound)
        #expect(try !directory.acting(as: .user(ada)).may(.delete("nobody")), "a user deletes nobody, known or not")
    }

    @Test("An old sign-in may not do what needs a recent one, and an app never")
    func presence() throws {
        let clock = SettableClock()
        try withDirectory(.memory, clock: { clock.now }) { directory in
            let (ada, root) = try directory.unrestricted.write { transaction in
                let role = try transaction.administratorsRole()
                let root = try transaction.create(NewUser("root")).id
                try transaction.add([.user(.id(root))], to: .id(role.id), as: .member, ifVersion: nil)
                return (try transaction.create(NewUser("ada")).id, root)
            }
            func may(_ user: UserID, _ action: DirectoryAction, _ presence: Presence) throws -> Bool {
                try directory.acting(as: .user(user), by: presence).may(action)
            }
            let recent = Presence.person(PersonalSignIn(time: clock.now, hasSecondFactor: false))
            let old = Presence.person(PersonalSignIn(time: clock.now - 3_600, hasSecondFactor: false))
            for (presence, expected) in [(Presence.local, true), (recent, true), (old, false), (.app, false)] {
                #expect(try may(ada, .write(.password, of: .id(ada)), presence) == expected)
                #expect(try may(root, .delete(.id(root)), presence) == expected)
                #expect(try may(ada, .write(.mobile, of: .id(ada)), presence))
            }
        }
    }
}
