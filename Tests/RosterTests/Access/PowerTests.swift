import Foundation
import Roster
import Testing
import TestSupport

@Suite("The powers of the help desk and of people editors, and owners of roles", .timeLimit(.minutes(5)))
struct PowerTests {
    /// Who acts, besides the administrators.
    enum Who: String, CaseIterable, Sendable {
        case helper, nestedHelper, editor, both, owner, innerOwner, person, client
    }

    /// A company in which `desk` and `hr` give a power, `night` is nested in `desk`, `board` owns `desk`, and `crew`, which gives
    /// no power, is owned by `owner` and by the members of `leads`.
    struct Company {
        let directory: Directory
        let clock = SettableClock()
        let administrators: RoleID
        static let powerful = ["root", "helper", "nestedHelper", "editor", "both"]
        static let powerRoles = ["administrators", "desk", "hr", "night", "board"]

        var admin: DirectoryView { directory.unrestricted }

        init() throws {
            let clock = clock
            directory = try emptyDirectory(clock: { clock.now })
            let view = directory.unrestricted
            administrators = try view.write { try $0.asPresentAdministrator(to: "test").powers.administratorsRole().id }
            for name in Self.powerful + ["owner", "innerOwner", "person", "ada", "bob"] {
                try view.users.create(name, attributes: ["mail": .string("\(name)@example.com"), "gender": "f"])
            }
            try view.users.setManager("ada", of: "bob")
            for name in ["desk", "hr", "night", "board", "crew", "leads", "staff"] { try view.roles.create(name) }
            try view.roles.setPower(.helpDesk, of: "desk")
            try view.roles.setPower(.peopleEditor, of: "hr")
            try view.roles.add([.user("root")], to: .id(administrators))
            try view.roles.add([.user("helper"), .user("both"), .role("night")], to: "desk")
            try view.roles.add([.user("nestedHelper")], to: "night")
            try view.roles.add([.user("editor"), .user("both")], to: "hr")
            try view.roles.add([.role("board")], to: "desk", as: .owner)
            try view.roles.add([.user("owner"), .role("leads")], to: "crew", as: .owner)
            try view.roles.add([.user("innerOwner")], to: "leads")
            try view.roles.add([.user("ada")], to: "crew")
        }

        func view(_ who: Who, by presence: Presence = .local) throws -> DirectoryView {
            if who == .client { return directory.acting(as: .provisioning("hr")) }
            return directory.acting(as: .user(try admin.users.user(.named(who.rawValue)).id), by: presence)
        }

        /// Runs an action in a transaction that is rolled back.
        func outcome(_ view: DirectoryView, _ body: @escaping @Sendable (DirectoryView) throws -> Void)
            -> DirectoryError.Code?
        {
            struct Undo: Error {}
            return code {
                do {
                    try view.transaction { inner in
                        try body(inner)
                        throw Undo()
                    }
                } catch is Undo {}
            }
        }
    }

    typealias Attempt = (String, @Sendable (DirectoryView) throws -> Void)
    typealias Action = (name: String, permitted: Set<Who>, run: @Sendable (DirectoryView) throws -> Void)

    private static let actions: [Action] = [
        ("change a title", [.editor, .both, .client], { try $0.users.modify("ada", [.set("title", "T")]) }),
        ("change a mail", [.editor, .both, .client], { try $0.users.modify("ada", [.set("mail", "a@b.c")]) }),
        ("rename", [.editor, .both, .client], { try $0.users.modify("ada", [.set("uid", "ada2")]) }),
        ("disable", [.editor, .both, .client], { try $0.users.modify("ada", [.set("active", false)]) }),
        ("set a manager", [.editor, .both, .client], { try $0.users.setManager("person", of: "ada") }),
        ("create", [.editor, .both, .client], { try $0.users.create("new", attributes: ["title": "T"]) }),
        ("load", [.editor, .both, .client], { try $0.users.load([NewUser("new")]) }),
        ("upsert", [.editor, .both, .client], { try $0.users.upsert("ada", attributes: ["title": "T"]) }),
        ("delete", [.editor, .both, .client], { try $0.users.delete("ada", reportees: .leave) }),
        (
            "set a password", [.helper, .nestedHelper, .both, .client],
            { try $0.users.modify("ada", [.set("password", "$scrypt$x")]) }
        ),
        (
            "set a password and a title", [.both, .client],
            { try $0.users.modify("ada", [.set("password", "$scrypt$x"), .set("title", "T")]) }
        ),
        (
            "create with a password", [.both, .client],
            { try $0.users.create("new", attributes: ["password": "$scrypt$x"]) }
        ),
        (
            "load with a password", [.both, .client],
            { try $0.users.load([NewUser("new", attributes: ["password": "$scrypt$x"])]) }
        ),
        ("set a client's identifier", [.client], { try $0.users.modify("ada", [.set("externalId", "x")]) }),
        ("create with a client's identifier", [.client], { try $0.users.create("n", attributes: ["externalId": "x"]) }),
        (
            "read what administrators read", [.editor, .both, .client],
            {
                guard try $0.users.user("ada")["gender"] != nil else { throw DirectoryError.unreadable }
            }
        ),
        (
            "search by it", [.editor, .both, .client],
            {
                _ = try $0.users.search(Search(.compare(AttributePath("hireDate"), .equal, "2020")))
            }
        ),
        ("add a member", [.owner, .innerOwner, .client], { try $0.roles.add([.user("bob")], to: "crew") }),
        ("add a nested role", [.owner, .innerOwner, .client], { try $0.roles.add([.role("staff")], to: "crew") }),
        ("remove a member", [.owner, .innerOwner, .client], { try $0.roles.remove([.user("ada")], from: "crew") }),
        ("add an owner", [.client], { try $0.roles.add([.user("bob")], to: "crew", as: .owner) }),
        ("remove an owner", [.client], { try $0.roles.remove([.user("owner")], from: "crew", as: .owner) }),
        ("rename a role", [.client], { try $0.roles.modify("crew", [.set("name", "crew2")]) }),
        ("delete a role", [.client], { try $0.roles.delete("crew") }),
        ("create a role", [.client], { try $0.roles.create("new") }),
        ("add a member to another's role", [.client], { try $0.roles.add([.user("bob")], to: "staff") }),
    ]

    @Test("Each may do what the power gives, and nothing else", arguments: Who.allCases)
    func mayDo(who: Who) throws {
        let company = try Company()
        let view = try company.view(who)
        for action in Self.actions {
            let refusal = company.outcome(view, action.run)
            #expect((refusal == nil) == action.permitted.contains(who), "\(who): \(action.name), \(refusal as Any)")
        }
    }

    /// What would give a caller a power, or the account of somebody who has one.
    private static func attempts(on name: String, asClient isClient: Bool) -> [Attempt] {
        let user = UserReference.named(name)
        let changes: [AttributeChange] = [
            .set("password", "$scrypt$x"), .set("uid", "other"), .set("mail", "eve@example.com"),
            .set("emails", ["eve@example.com"]), .add("emails", ["eve@example.com"]), .clear("emails"),
        ]
        // A provisioning client synchronises everyone's other attributes, and disables and deletes who has left.
        let others: [AttributeChange] = [
            .set("title", "T"), .set("active", false), .set("manager", "person"), .set("externalId", "x"),
        ]
        var attempts: [Attempt] = []
        for change in changes + (isClient ? [] : others) {
            attempts.append(("\(change)", { try $0.users.modify(user, [change]) }))
        }
        let address: AttributeValue = .string("\(name.uppercased())@example.com")
        let shared: [Attempt] = [
            ("give the address away", { try $0.users.create("eve", attributes: ["mail": address]) }),
            ("add the address", { try $0.users.modify("ada", [.add("emails", [address])]) }),
            ("load the address", { try $0.users.load([NewUser("eve", attributes: ["mail": address])]) }),
            ("batch", { try $0.perform([.modifyUser(user, [.set("uid", "other")])]) }),
        ]
        let ofPeople: [Attempt] = [
            ("delete", { try $0.users.delete(user, reportees: .leave) }),
            ("upsert", { try $0.users.upsert(name, attributes: ["title": "T"]) }),
            ("move", { try $0.users.setManager("person", of: user) }),
        ]
        return attempts + shared + (isClient ? [] : ofPeople)
    }

    @Test("Nobody but administrators acts on the account of somebody with a power", arguments: Who.allCases)
    func accounts(who: Who) throws {
        let company = try Company()
        let view = try company.view(who)
        // Everyone may write some attributes of their own, and none of these.
        for name in Company.powerful {
            for (action, run) in Self.attempts(on: name, asClient: who == .client) {
                if name == who.rawValue, action.contains("password") { continue }
                #expect(company.outcome(view, run) == .notPermitted, "\(who): \(action) of \(name)")
            }
        }
    }

    @Test("Nobody but administrators changes a role that gives a power, by whatever way", arguments: Who.allCases)
    func roles(who: Who) throws {
        let company = try Company()
        let view = try company.view(who)
        let own = who == .client ? "person" : who.rawValue
        // Whoever owns a role with a power has no power by that.
        for name in Company.powerRoles {
            try company.admin.roles.add([.user("owner"), .user(.named(own))], to: .named(name), as: .owner)
        }
        for name in Company.powerRoles {
            let role = RoleReference.named(name)
            let attempts: [Attempt] = [
                ("join", { try $0.roles.add([.user(.named(own))], to: role) }),
                ("own", { try $0.roles.add([.user("ada")], to: role, as: .owner) }),
                ("nest", { try $0.roles.add([.role("crew")], to: role) }),
                ("own through a role", { try $0.roles.add([.role("crew")], to: role, as: .owner) }),
                ("rename", { try $0.roles.modify(role, [.set("name", "other")]) }),
                ("describe", { try $0.roles.modify(role, [.set("description", "x")]) }),
                ("delete", { try $0.roles.delete(role) }),
                ("disown", { try $0.roles.remove([.user("owner")], from: role, as: .owner) }),
                ("take the power away", { try $0.roles.setPower(nil, of: role) }),
                ("batch", { try $0.perform([.add([.user(.named(own))], to: role)]) }),
            ]
            for (action, run) in attempts {
                #expect(company.outcome(view, run) == .notPermitted, "\(who): \(action) \(name)")
            }
        }
        for power in Power.allCases {
            #expect(company.outcome(view) { try $0.roles.setPower(power, of: "crew") } == .notPermitted)
        }
        #expect(code { try view.roles.power(of: "crew") } == .notPermitted)
    }

    @Test("Neither a seed nor an import nor a declaration is for those with a lesser power", arguments: Who.allCases)
    func otherWays(who: Who) throws {
        let company = try Company()
        let view = try company.view(who)
        let seed = try Seed(json: Data(#"{"roles": [{"name": "desk", "members": ["ada"]}]}"#.utf8), name: "s")
        let csv = Data("uid,memberOf\nada,desk\n".utf8)
        let attempts: [Attempt] = [
            ("seed", { try $0.load(seed) }),
            ("import", { try $0.importPeople(from: csv, named: "x", options: ImportOptions(format: .csv)) }),
            ("declare", { try $0.attributes.declare([AttributeDefinition("own")]) }),
            ("open", { try $0.attributes.setRights(of: "title", writers: .person) }),
            ("all changes", { _ = try $0.changes.forAdministrators.since(0) }),
            ("erase", { try $0.users.delete("ada", reportees: .leave, erasing: true) }),
        ]
        for (action, run) in attempts {
            let refusal = code { try run(view) }
            #expect([.notPermitted, .invalidInput].contains(refusal), "\(who): \(action), \(refusal as Any)")
        }
        #expect(try company.admin.users.exists("ada"))
    }

    @Test("A document gives a power only where it may make administrators")
    func documents() throws {
        let company = try Company()
        func load(_ grants: Grants) throws {
            var options = ImportOptions(format: .csv)
            options.grants = grants
            try company.admin.importPeople(from: Data("uid,memberOf\nada,night\n".utf8), named: "x", options: options)
        }
        let error = #expect(throws: DirectoryError.self) { try load(.roles) }
        #expect(error?.description.contains("Grants.administrators") == true)
        try load(.administrators)
        let ada = try company.admin.users.user("ada").id
        #expect(try company.directory.acting(as: .user(ada)).may(.write(.password, of: "bob")))
    }

    @Test("A role that gets a power is closed to its owner at once, and opens when the power is taken away")
    func ownedRoleWithPower() throws {
        let company = try Company()
        let owner = try company.view(.owner)
        #expect(try owner.may(.changeMembers(of: "crew")) && !owner.may(.change("crew")))
        try company.admin.roles.setPower(.helpDesk, of: "crew")
        #expect(code { try owner.roles.add([.user("owner")], to: "crew") } == .notPermitted)
        try company.admin.roles.setPower(nil, of: "crew")
        try owner.roles.add([.user("bob")], to: "crew")
        try company.admin.roles.add([.role("crew")], to: "night")
        #expect(code { try owner.roles.add([.user("owner")], to: "crew") } == .notPermitted, "nested in one now")
        try company.admin.roles.remove([.role("crew")], from: "night")
        try company.admin.roles.add([.role("crew")], to: "hr", as: .owner)
        #expect(code { try owner.roles.add([.user("owner")], to: "crew") } == .notPermitted, "it owns one now")
        try company.admin.users.modify("owner", [.set("active", false)])
        #expect(code { try owner.roles.add([.user("owner")], to: "staff") } == .notPermitted)
    }

    @Test("A power is given and taken away at once, told in the change feed, and ends with its role")
    func lifeOfPower() async throws {
        let company = try Company()
        let (admin, person) = (company.admin, try company.view(.person))
        #expect(try await admin.roles.power(of: "desk") == .helpDesk)
        #expect(try await admin.roles.power(of: "night") == nil, "a nested role gives it only by the role around it")
        #expect(try await admin.roles.power(of: .id(company.administrators)) == .administrator)
        #expect(try await !person.may(.write(.title, of: "ada")))
        try await admin.roles.add([.user("person")], to: "hr")
        #expect(try await person.may(.write(.title, of: "ada")))
        let before = try await admin.roles.role("hr").version
        #expect(try await admin.roles.setPower(.peopleEditor, of: "hr").version == before, "no change")
        #expect(try await admin.roles.setPower(.helpDesk, of: "hr").version == before + 1)
        let change = try #require(try await admin.changes.since(0, limit: 10_000).last)
        #expect(change.before["power"] == "people-editor" && change.after["power"] == "help-desk")
        #expect(try await person.may(.write(.password, of: "ada")))
        #expect(try await !person.may(.write(.title, of: "ada")))
        try await admin.roles.delete("hr")
        #expect(try await !person.may(.write(.password, of: "ada")))
        try await admin.roles.create("hr")
        try await admin.roles.add([.user("person")], to: "hr")
        #expect(try await admin.roles.power(of: "hr") == nil)
        #expect(try await !person.may(.write(.password, of: "ada")))
        for (power, role) in [(Power?.none, "administrators"), (.helpDesk, "administrators"), (.administrator, "hr")] {
            #expect(await code { try await admin.roles.setPower(power, of: .named(role)) } == .invalidInput)
        }
        #expect(await code { try await admin.roles.setPower(.helpDesk, of: "nothing") } == .notFound)
    }

    @Test("What could take over an account needs a recent sign-in of whoever has a power, and no app does it")
    func presence() throws {
        let company = try Company()
        let recent = Presence.person(PersonalSignIn(time: company.clock.now, hasSecondFactor: false))
        let old = Presence.person(PersonalSignIn(time: company.clock.now - 3_600, hasSecondFactor: false))
        for (presence, expected) in [
            (Presence.local, nil), (recent, nil), (old, .recentSignInRequired), (.app, .appNotPermitted),
        ] as [(Presence, DirectoryError.Code?)] {
            let (helper, editor) = (try company.view(.helper, by: presence), try company.view(.editor, by: presence))
            let root = company.directory.acting(as: .user(try company.admin.users.user("root").id), by: presence)
            let password = company.outcome(helper) { try $0.users.modify("ada", [.set("password", "$scrypt$x")]) }
            #expect(password == expected)
            #expect(try helper.may(.resetSignIn(of: "ada")) == (expected == nil))
            #expect(try !helper.may(.resetSignIn(of: "editor")) && !editor.may(.resetSignIn(of: "ada")))
            for change in [AttributeChange.set("active", false), .set("uid", "a2"), .set("mail", "a2@example.com")] {
                #expect(company.outcome(editor) { try $0.users.modify("ada", [change]) } == expected, "\(change)")
                #expect(company.outcome(root) { try $0.users.modify("helper", [change]) } == expected, "\(change)")
            }
            #expect(company.outcome(editor) { try $0.users.modify("ada", [.set("title", "T")]) } == nil)
            #expect(company.outcome(root) { try $0.roles.setPower(.helpDesk, of: "crew") } == expected)
            #expect(company.outcome(root) { try $0.roles.add([.user("ada")], to: "night") } == expected)
        }
    }

    @Test("A disabled holder of a power has none")
    func disabled() throws {
        let company = try Company()
        let helper = try company.view(.helper)
        try company.admin.users.modify("helper", [.set("active", false)])
        #expect(try !helper.may(.write(.password, of: "ada")))
        #expect(code { try helper.users.user("ada") } == .notPermitted)
    }
}

extension DirectoryError {
    fileprivate static let unreadable = DirectoryError(.notPermitted, "The value is not readable.")
}
