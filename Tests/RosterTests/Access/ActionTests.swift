import Foundation
import Roster
import Testing
import TestSupport

@Suite("Asking whether a caller may do an action", .timeLimit(.minutes(5)))
struct ActionTests {
    /// Thrown to roll back a transaction.
    private struct Undo: Error {}

    private struct Company {
        let directory: Directory
        let subjects: [String]
        let roles: [String]
        let callers: [(name: String, view: DirectoryView)]

        init() throws {
            directory = try emptyDirectory()
            let view = directory.unrestricted
            try view.attributes.declare([
                AttributeDefinition("salary", kind: .integer, readers: .managers),
                AttributeDefinition("diary", readers: .person, writers: .person),
                AttributeDefinition("badge", writers: .person), AttributeDefinition("file", readers: .administrators),
                AttributeDefinition("pin", readers: .nobody, writers: .person),
                AttributeDefinition("budget", of: .role, readers: .administrators),
            ])
            let role = try view.write { try $0.asPresentAdministrator(to: "test").powers.administratorsRole() }
            subjects = ["root", "second", "boss", "lead", "ada", "eve", "off", "helper", "editor", "owner"]
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
            for name in ["desk", "hr", "crew"] { try view.roles.create(name) }
            try view.roles.setPower(.helpDesk, of: "desk")
            try view.roles.setPower(.peopleEditor, of: "hr")
            try view.roles.add([.user("helper")], to: "desk")
            try view.roles.add([.user("editor")], to: "hr")
            try view.roles.add([.user("owner")], to: "crew", as: .owner)
            roles = ["staff", "nested", "owning", role.name, "desk", "crew"]
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

        /// A value for a stored attribute; nil for a view of another attribute and for one that the directory maintains.
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

        /// Does several actions in one transaction, and rolls back each of them.
        static func outcomes(
            _ view: DirectoryView, _ bodies: [@Sendable (DirectoryView) throws -> Void]
        ) -> [DirectoryError.Code?] {
            let found = Gathered<DirectoryError.Code?>()
            let refusal = code {
                do {
                    try view.transaction { inner in
                        for body in bodies { found.append(code { try body(inner) }) }
                        throw Undo()
                    }
                } catch is Undo {}
            }
            return refusal == nil ? found.all : bodies.map { _ in refusal }
        }

        /// The answers that differ from the outcome of the action.
        func mismatches() throws -> [String] {
            var mismatches: [String] = []
            func compare(_ may: Bool, _ really: Bool, _ what: @autoclosure () -> String) {
                if may != really { mismatches.append("\(what()): the answer is \(may)") }
            }
            let all = directory.unrestricted
            for (name, view) in callers {
                for subject in subjects {
                    let whole = try all.users.user(.named(subject), attributes: .all)
                    try compareUser(whole, try? view.users.user(.id(whole.id), attributes: .all), name, view, compare)
                }
                for role in roles {
                    let whole = try all.roles.role(.named(role))
                    try compareRole(whole, try? view.roles.role(.id(whole.id)), name, view, compare)
                }
                let actions: [DirectoryAction] = [.createUsers, .createRoles, .administer]
                let outcomes = Self.outcomes(
                    view,
                    [
                        { try $0.users.create("new") }, { try $0.roles.create("new") },
                        { try $0.attributes.declare([AttributeDefinition("own")]) },
                    ])
                for (action, refusal) in zip(actions, outcomes) {
                    compare(try view.may(action), refusal == nil, "\(name): \(action)")
                }
            }
            return mismatches
        }

        private func compareUser(
            _ whole: User, _ seen: User?, _ name: String, _ view: DirectoryView,
            _ compare: (Bool, Bool, @autoclosure () -> String) -> Void
        ) throws {
            let definitions = directory.unrestricted.attributes.vocabulary().definitions()
            let user = UserReference.id(whole.id)
            let refusals = Self.outcomes(
                view,
                definitions.map { definition in
                    let change: AttributeChange =
                        definition.name == "uid" ? .set("uid", .string(whole.uid + "2")) : .clear(definition.name)
                    return { try $0.users.modify(user, [change]) }
                } + [{ try $0.users.delete(user, reportees: .leave) }])
            for (definition, refusal) in zip(definitions, refusals) {
                let attribute = definition.name
                if whole[attribute] != nil || definition.readers == .nobody {
                    let (may, isSeen) = (try view.may(.read(attribute, of: user)), seen?[attribute] != nil)
                    // Each element of a list can have fewer readers than the list.
                    if definition.kind != .complex || !may || isSeen {
                        compare(may, isSeen, "\(name) reads \(attribute) of \(whole.uid)")
                    }
                }
                compare(
                    try view.may(.write(attribute, of: user)), refusal == nil,
                    "\(name) writes \(attribute) of \(whole.uid), \(refusal as Any)")
                let isExpected = [nil, .notPermitted].contains(refusal) || definition.writers == .nobody
                compare(true, isExpected, "\(name) writes \(attribute), \(refusal as Any)")
            }
            compare(try view.may(.delete(user)), refusals.last == .some(nil), "\(name) deletes \(whole.uid)")
        }

        private func compareRole(
            _ whole: Role, _ seen: Role?, _ name: String, _ view: DirectoryView,
            _ compare: (Bool, Bool, @autoclosure () -> String) -> Void
        ) throws {
            let role = RoleReference.id(whole.id)
            let refusals = Self.outcomes(
                view,
                [
                    { try $0.roles.modify(role, attributes: ["description": "x"]) },
                    { try $0.roles.add([.user("eve")], to: role, as: .owner) },
                    { try $0.roles.add([.user("eve")], to: role) },
                ])
            let may = try view.may(.change(role))
            for refusal in refusals.prefix(2) {
                compare(may, refusal == nil, "\(name) changes \(whole.name), \(refusal as Any)")
            }
            compare(
                try view.may(.changeMembers(of: role)), refusals.last == .some(nil),
                "\(name) changes the members of \(whole.name)")
            for definition in directory.unrestricted.attributes.vocabulary().definitions(for: .role) {
                guard whole[definition.name] != nil else { continue }
                compare(
                    try view.may(.readRole(definition.name, of: role)), seen?[definition.name] != nil,
                    "\(name) reads \(definition.name) of \(whole.name)")
            }
        }
    }

    @Test("Each answer agrees with the action, for every caller, attribute, user and role")
    func answers() async throws {
        #expect(try await onThread { try Company().mismatches() } == [])
    }

    @Test("Each answer agrees with the action, whoever may read and write the attributes")
    func answersWithRandomRights() async throws {
        let seed = randomSeed()
        let mismatches = try await onThread { try Self.companyWithRandomRights(seed).mismatches() }
        #expect(mismatches == [], "seed \(seed)")
    }

    private static func companyWithRandomRights(_ seed: UInt64) throws -> Company {
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
        return company
    }

    @Test("An answer changes with the directory, is the same with await, and is given in a transaction")
    func currentAnswers() async throws {
        let directory = try emptyDirectory()
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
        let directory = try emptyDirectory()
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
        try withDirectory(.usual, clock: { clock.now }) { directory in
            let (ada, root) = try directory.unrestricted.write { transaction in
                let role = try transaction.asPresentAdministrator(to: "test").powers.administratorsRole()
                let root = try transaction.asEditor(to: "test").users.create(NewUser("root")).id
                try transaction.asRoleOwner(of: .id(role.id), changing: .member).add([.user(.id(root))])
                return (try transaction.asEditor(to: "test").users.create(NewUser("ada")).id, root)
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
