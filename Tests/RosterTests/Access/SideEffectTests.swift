import Foundation
import Roster
import Testing
import TestSupport

@Suite("What changes somebody else by a side effect")
struct SideEffectTests {
    /// `boss` is above `lead`; the administrator `root`, `desk` of the help desk, `editor` and `ada` report to `lead`.
    private func company() throws -> (Directory, editor: DirectoryView, client: DirectoryView) {
        let directory = try emptyDirectory()
        let view = directory.unrestricted
        for (name, manager) in [
            ("boss", nil), ("lead", "boss"), ("root", "lead"), ("desk", "lead"), ("editor", nil), ("ada", "lead"),
        ] as [(String, String?)] {
            try view.users.create(name, manager: manager.map { .named($0) })
        }
        try view.write {
            try $0.asRoleOwner(
                of: .id($0.asPresentAdministrator(to: "test").powers.administratorsRole().id), changing: .member
            ).add([.user("root")])
        }
        for (role, power, member) in [("help", Power.helpDesk, "desk"), ("hr", .peopleEditor, "editor")] {
            try view.roles.create(role)
            try view.roles.setPower(power, of: .named(role))
            try view.roles.add([.user(.named(member))], to: .named(role))
        }
        let editor = directory.acting(as: .user(try view.users.user("editor").id), by: .local)
        return (directory, editor, directory.acting(as: .provisioning("hr")))
    }

    @Test(
        "An editor moves no user with a power to another manager by deleting the manager",
        arguments: [ReporteePolicy.reassign, .leave])
    func deletion(policy: ReporteePolicy) throws {
        let (directory, editor, client) = try company()
        let admin = directory.unrestricted.users
        for name in ["root", "desk"] {
            #expect(code { try editor.users.setManager("boss", of: .named(name)) } == .notPermitted, "as here")
            #expect(code { try editor.users.delete("lead", reportees: policy) } == .notPermitted, "\(name)")
            #expect(
                code { try editor.perform([.deleteUser("lead", reportees: policy)]) } == .notPermitted, "in a batch too"
            )
            #expect(try admin.user(.named(name)).manager()?.uid == "lead")
            try admin.setManager(nil, of: .named(name))
        }
        #expect(try admin.user("ada").manager()?.uid == "lead", "nothing of a refused change is kept")
        try editor.users.delete("lead", reportees: policy)
        #expect(try admin.user("ada").manager()?.uid == (policy == .reassign ? "boss" : nil))
        try admin.setManager("boss", of: "root")
        try client.users.setManager("ada", of: "root")
        try client.users.delete("ada", reportees: policy)
        let manager = policy == .reassign ? "boss" : nil
        #expect(try admin.user("root").manager()?.uid == manager, "a provisioning client sets every manager")
    }

    @Test("No new or renamed user takes the mail address with which another user signs in, whoever asks")
    func names() throws {
        let (directory, editor, client) = try company()
        let admin = directory.unrestricted
        try admin.users.modify("root", attributes: ["mail": "root@example.com"])
        for view in [admin, editor, client] {
            #expect(code { try view.users.create("Root@Example.com") } == .alreadyExists)
            #expect(code { try view.users.create("ROOT@example.com", attributes: ["title": "x"]) } == .alreadyExists)
            #expect(code { try view.users.modify("ada", attributes: ["uid": "root@example.com"]) } == .alreadyExists)
            #expect(code { try view.users.load([NewUser("root@example.com")]) } == .alreadyExists)
            #expect(code { try view.perform([.createUser(NewUser("root@example.com"))]) } == .alreadyExists)
        }
        let message = try #require(throws: DirectoryError.self) { try editor.users.create("root@example.com") }
        #expect("\(message)".contains("mail address with which another user signs in"))
        let csv = Data("uid,mail\nroot@example.com,x@example.com\n".utf8)
        let options = ImportOptions(format: .csv, onBadRow: .skip)
        let report = try admin.importPeople(from: csv, named: "people.csv", options: options)
        #expect(report.leftOut == 1 && report.users.created == 0, "\(report.problems)")
        #expect(try directory.accounts.account(enteredAs: "root@example.com")?.uid == "root")
    }

    @Test("A name may be the user's own address, one that several users have, and one that is given later")
    func allowedNames() throws {
        let (directory, _, _) = try company()
        let users = directory.unrestricted.users
        try users.create("own@example.com", attributes: ["mail": "own@example.com"])
        try users.modify("ada", attributes: ["mail": "ada@example.com"])
        try users.modify("ada", attributes: ["uid": "ada@example.com"])
        try users.modify("desk", attributes: ["mail": "shared@example.com"])
        try users.modify("boss", attributes: ["mail": "shared@example.com"])
        try users.create("shared@example.com")
        try users.create("later@example.com")
        try users.modify("lead", attributes: ["mail": "later@example.com"])
        #expect(try directory.accounts.account(enteredAs: "later@example.com")?.uid == "later@example.com")
        try users.load(
            (0..<2_000).map { NewUser("n\($0)@example.com", attributes: ["mail": .string("n\($0)@example.com")]) })
    }

    @Test("A load into an empty directory notices an address of the same load", arguments: [1, 2_000])
    func load(count: Int) throws {
        let users = try emptyDirectory().unrestricted.users
        let people = (0..<count).map { NewUser("n\($0)", attributes: ["mail": .string("n\($0)@example.com")]) }
        #expect(code { try users.load(people + [NewUser("n0@example.com")]) } == .alreadyExists)
        #expect(try users.count() == 0)
    }
}
