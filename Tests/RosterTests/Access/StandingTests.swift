import Foundation
import Roster
import Testing
import TestSupport

@Suite("Administrators, provisioning clients and watchers")
struct StandingTests {
    /// A directory with an administrator who is a user, and somebody who is not one.
    private func withAdministrator(
        _ body: (Directory, _ admin: UserID, _ ada: UserID, _ role: RoleID) throws -> Void
    ) throws {
        let directory = try emptyDirectory()
        let (admin, ada, role) = try directory.unrestricted.write { session in
            let role = try session.asPresentAdministrator(to: "test").powers.administratorsRole()
            let admin = try session.asEditor(to: "test").users.create(NewUser("root"))
            try session.asRoleOwner(of: .id(role.id), changing: .member).add([.user(.id(admin.id))])
            return (admin.id, try session.asEditor(to: "test").users.create(NewUser("ada")).id, role.id)
        }
        try body(directory, admin, ada, role)
    }

    @Test("Members of the administrators' role may do everything, through nested roles too, and only while they are")
    func membersAdminister() throws {
        try withAdministrator { directory, admin, ada, role in
            try directory.acting(as: .user(admin)).users.create("grace")
            #expect(code { try directory.acting(as: .user(ada)).users.create("mallory") } == .notPermitted)

            let roles = directory.unrestricted.roles
            let nested = try roles.create("helpers").id
            try roles.add([.role(.id(nested))], to: .id(role))
            try roles.add([.user(.id(ada))], to: .id(nested))
            try directory.acting(as: .user(ada)).users.create("linus")
            try roles.remove([.user(.id(ada))], from: .id(nested))
            #expect(code { try directory.acting(as: .user(ada)).users.create("mallory") } == .notPermitted)
        }
    }

    @Test("A role that is merely called administrators gives nobody anything")
    func nameGivesNothing() throws {
        let directory = try emptyDirectory()
        let eve = try directory.unrestricted.users.create("eve").id
        try directory.unrestricted.roles.create("administrators")
        try directory.unrestricted.roles.add([.user(.id(eve))], to: "administrators")
        #expect(code { try directory.acting(as: .user(eve)).users.create("mallory") } == .notPermitted)
        let role = try directory.unrestricted.write {
            try $0.asPresentAdministrator(to: "test").powers.administratorsRole()
        }
        #expect(role.name != "administrators")
        #expect(code { try directory.acting(as: .user(eve)).users.create("mallory") } == .notPermitted)
    }

    @Test("Somebody who can administer always stays, whichever way the last one would go")
    func lastAdministratorStays() throws {
        try withAdministrator { directory, admin, _, role in
            let view = directory.unrestricted
            #expect(code { try view.users.delete(.id(admin)) } == .lastAdministrator)
            #expect(code { try view.users.modify(.id(admin), [.set("active", false)]) } == .lastAdministrator)
            #expect(code { try view.roles.remove([.user(.id(admin))], from: .id(role)) } == .lastAdministrator)
            #expect(code { try view.roles.delete(.id(role)) } == .lastAdministrator)
            let nested = try view.roles.create("nested").id
            try view.roles.add([.role(.id(nested))], to: .id(role))
            let second = try view.users.create("second").id
            try view.roles.add([.user(.id(second))], to: .id(nested))
            try view.users.delete(.id(admin))
            #expect(code { try view.roles.delete(.id(nested)) } == .lastAdministrator)
            #expect(try view.users.user(.id(second)).isActive)
        }
    }

    @Test("A provisioning client keeps users and roles, and cannot make an administrator of anybody")
    func provisioning() throws {
        try withAdministrator { directory, admin, ada, role in
            let client = directory.acting(as: .provisioning("hr"))
            let new = try client.users.create("grace", attributes: ["title": "Engineer"])
            try client.users.modify(.id(ada), [.set("title", "Countess"), .set("password", "$scrypt$x")])
            try client.roles.create("engineers")
            try client.roles.add([.user(.id(new.id))], to: "engineers")
            try client.users.modify(.id(admin), [.set("title", "Root")])

            #expect(code { try client.roles.add([.user(.id(ada))], to: .id(role)) } == .notPermitted)
            #expect(code { try client.roles.add([.role("engineers")], to: .id(role)) } == .notPermitted)
            #expect(code { try client.roles.modify(.id(role), [.set("name", "x")]) } == .notPermitted)
            #expect(code { try client.users.delete(.id(admin)) } == .notPermitted)
            for change in [
                AttributeChange.set("password", "$scrypt$x"), .set("active", false), .set("mail", "eve@example.com"),
                .set("emails", ["eve@example.com"]), .set("uid", "eve"),
            ] {
                #expect(code { try client.users.modify(.id(admin), [change]) } == .notPermitted, "\(change)")
            }
            #expect(code { try client.changes.forAdministrators.since(0) } == .notPermitted)
            #expect(code { try client.attributes.declare([AttributeDefinition("badge")]) } == .notPermitted)
        }
    }

    @Test("A role nested in that of the administrators is theirs as well")
    func nestedRoleIsTheirs() throws {
        try withAdministrator { directory, _, ada, role in
            let nested = try directory.unrestricted.roles.create("helpers").id
            try directory.unrestricted.roles.add([.role(.id(nested))], to: .id(role))
            let client = directory.acting(as: .provisioning("hr"))
            #expect(code { try client.roles.add([.user(.id(ada))], to: .id(nested)) } == .notPermitted)
            #expect(code { try client.roles.delete(.id(nested)) } == .notPermitted)
        }
    }

    @Test("A provisioning client makes nobody an owner of the administrators' role, of a nested one, or through a role")
    func ownersOfAdministrators() throws {
        try withAdministrator { directory, _, ada, role in
            let view = directory.unrestricted
            let nested = try view.roles.create("helpers").id
            let owning = try view.roles.create("board").id
            let inner = try view.roles.create("inner board").id
            try view.roles.add([.role(.id(nested))], to: .id(role))
            try view.roles.add([.role(.id(owning))], to: .id(nested), as: .owner)
            try view.roles.add([.role(.id(inner))], to: .id(owning))
            let client = directory.acting(as: .provisioning("hr"))
            try client.roles.create("hers")
            try client.roles.add([.user(.id(ada))], to: "hers", as: .owner)
            for theirs in [role, nested] {
                for subject in [RoleSubject.user(.id(ada)), .role("hers")] {
                    #expect(code { try client.roles.add([subject], to: .id(theirs), as: .owner) } == .notPermitted)
                }
                #expect(code { try client.roles.remove([.role(.id(owning))], from: .id(theirs), as: .owner) } != nil)
            }
            // The members of a role that owns theirs own theirs.
            for owner in [owning, inner] {
                #expect(code { try client.roles.add([.user(.id(ada))], to: .id(owner)) } == .notPermitted)
                #expect(code { try client.roles.add([.role("hers")], to: .id(owner)) } == .notPermitted)
            }
            for theirs in [role, nested] {
                #expect(try view.roles.users(of: .id(theirs), as: .owner).isEmpty)
            }
            try view.roles.add([.user(.id(ada))], to: .id(nested), as: .owner)
            #expect(try view.roles.users(of: .id(nested), as: .owner).map(\.id) == [ada])
        }
    }

    @Test("A provisioning client gives nobody an administrator's mail address, in any case, primary or not")
    func addressesOfAdministrators() throws {
        try withAdministrator { directory, admin, ada, role in
            let view = directory.unrestricted
            let nested = try view.roles.create("helpers").id
            try view.roles.add([.role(.id(nested))], to: .id(role))
            try view.users.create("second", attributes: ["mail": "second@acme.test"])
            try view.roles.add([.user("second")], to: .id(nested))
            let home: AttributeValue = .complex(["value": "home@acme.test", "type": "home"])
            try view.users.modify(
                .id(admin), [.set("emails", .list([.complex(["value": "root@acme.test", "primary": true]), home]))])
            let client = directory.acting(as: .provisioning("hr"))
            for address in [
                "root@acme.test", "Root@ACME.test", "home@acme.test", "second@acme.test", "ｒoot@acme.test",
            ] {
                let other: AttributeValue = .complex(["value": .string(address), "type": "other"])
                for attributes in [["mail": .string(address)], ["emails": ["x@acme.test", other]]] as [AttributeSet] {
                    #expect(code { try client.users.create("eve", attributes: attributes) } == .notPermitted)
                    #expect(code { try client.users.load([NewUser("eve", attributes: attributes)]) } == .notPermitted)
                    #expect(code { try client.users.modify(.id(ada), attributes: attributes) } == .notPermitted)
                }
                #expect(code { try client.users.modify(.id(ada), [.add("emails", [other])]) } == .notPermitted)
            }
            #expect(try view.users.user(.id(ada)).mail == nil && view.users.count() == 3)
            try client.users.modify(.id(ada), attributes: ["mail": "ada@acme.test"])
            try client.users.create("bob", attributes: ["mail": "ada@acme.test"])
            try view.users.modify(.id(ada), attributes: ["mail": "root@acme.test"])
            try client.users.modify(.id(ada), attributes: ["title": "Countess"])
            #expect(code { try client.users.modify(.id(ada), [.add("emails", ["b@acme.test"])]) } == .notPermitted)
        }
    }

    @Test("A watcher reads the figures and nothing of the directory")
    func monitoring() throws {
        try withAdministrator { directory, _, ada, _ in
            let watcher = directory.acting(as: .monitoring("prometheus"))
            try watcher.checkMonitoring()
            #expect(code { try watcher.users.user(.id(ada)) } == .notPermitted)
            #expect(code { try watcher.users.search(Search()) } == .notPermitted)
            #expect(code { try directory.acting(as: .user(ada)).checkMonitoring() } == .notPermitted)
            #expect(code { try directory.acting(as: .nobody).checkMonitoring() } == .notPermitted)
        }
    }
}
