import Foundation
import Roster
import Testing
import TestSupport

@Suite("Every protocol's name for an attribute is accepted wherever an attribute is named")
struct OneVocabularyTests {
    static let names: [AttributeName] = ["familyName", "lastname", "sn", "name.familyName", "SN", "FAMILYNAME"]

    @Test("Creating, changing, fetching, reading, sorting and searching", arguments: names)
    func everywhere(name: AttributeName) throws {
        try withDirectory(.usual) { directory in
            let users = directory.unrestricted.users
            try users.create("ada", attributes: [name: "Byron"])
            try users.create("bob", attributes: [.familyName: "Abel"])
            let ada = try users.user("ada", attributes: [name])
            #expect(ada[name] == "Byron" && ada.lastName == "Byron")
            #expect(ada.attributes.map(\.name) == [.familyName])
            try users.modify("ada", attributes: [name: "Lovelace"])
            #expect(try users.user("ada").lastName == "Lovelace")
            try users.modify("ada", [.set(name, "King")])
            #expect(try users.find("ada")?[name] == "King")
            let sorted = try users.search(Search(sortedBy: .init(name), attributes: [name])).elements
            #expect(sorted.map(\.uid) == ["bob", "ada"])
            for filter in [.attribute(name).equals("king"), .all(.attribute(name).present, .uid.equals("ada"))]
                as [Filter]
            {
                #expect(try users.search(Search(filter)).elements.map(\.uid) == ["ada"])
            }
            let legacy = try users.search([name.rawValue: "*in*"], isSimpleSearch: true, pageSize: 10, pagePosition: 1)
            #expect(legacy.map(\.uid) == ["ada"])
            try users.modify("ada", [.clear(name)])
            #expect(try users.user("ada")[name] == nil)
        }
    }

    @Test("Names of what the directory keeps in columns, and of roles")
    func system() throws {
        try withDirectory(.usual) { directory in
            let view = directory.unrestricted
            try view.users.create(attributes: ["userName": "grace"])
            let ada = try view.users.create(attributes: ["userName": "ada", "firstname": "Ada", "manager": "grace"])
            #expect(ada["userName"] == "ada" && ada["guid"] == ada["id"])
            #expect(try ada.manager()?.uid == "grace")
            try view.users.modify("ada", [.set("userName", "countess")])
            #expect(try view.users.search(Search(.attribute("userName").equals("countess"))).elements.count == 1)
            let role = try view.roles.create(attributes: ["cn": "staff", "rolecategory": "all"])
            #expect(role.name == "staff" && role[.category] == "all" && role["businessCategory"] == "all")
            try view.roles.modify("staff", [.set("commonname", "people")])
            #expect(try view.roles.exists("people"))
        }
    }

    @Test("The names of OMUser's and OMRole's accessors are names of attributes")
    func accessors() throws {
        try withDirectory(.usual) { directory in
            let view = directory.unrestricted
            try view.users.create("grace")
            try view.users.create("ada", manager: "grace")
            let ada = try view.users.user("ada", attributes: ["uri", "managerURI", "firstName"])
            #expect(ada["uri"] == "/people/ada" && ada["managerURI"] == "/people/ada/manager")
            #expect(ada["reports"] == nil)
            let grace = try view.users.user("grace", attributes: ["reports"], prefetch: .reportees)
            #expect(grace["reports"] == ["ada"] && grace["managerURI"] == nil)
            let role = try view.roles.create(attributes: ["roleName": "staff", "roleDescription": "All of us"])
            #expect(role["roleName"] == "staff" && role["uniquename"] == "staff")
            #expect(role.description == "All of us" && role["roleDescription"] == "All of us")
        }
    }

    @Test("An attribute that was declared with the name of an accessor counts before the accessor")
    func declaredAccessor() throws {
        try withDirectory(.usual) { directory in
            let view = directory.unrestricted
            try view.attributes.declare([AttributeDefinition("uri", kind: .string)])
            let ada = try view.users.create("ada", attributes: ["uri": "https://ada.example"])
            #expect(ada["uri"] == "https://ada.example" && ada.uri == "/people/ada")
            #expect(try view.users.user("ada", attributes: ["uri"])["uri"] == "https://ada.example")
        }
    }

    @Test("A view of a list is read in a set as it is of a user, and one that was given is read back")
    func views() throws {
        try withDirectory(.usual) { directory in
            let users = directory.unrestricted.users
            let ada = try users.create("ada", attributes: [.mail: "ada@example.com", .mobile: "1"])
            #expect(ada[.mail] == "ada@example.com" && ada.attributes[.mail] == ada[.mail])
            #expect(ada.attributes[.mobile] == "1" && ada.attributes["emails"] == ["ada@example.com"])
            let given: AttributeSet = [.mail: "x"]
            #expect(given[.mail] == "x")
        }
    }

    @Test("A password by LDAP's name is a password, and is never kept as anything else", arguments: Place.allCases)
    func passwords(place: Place) throws {
        try withDirectory(place) { directory in
            let view = directory.unrestricted
            let ada = try view.users.create("ada", attributes: [.externalId: "HR-7"])
            #expect(code { try view.users.modify("ada", [.set("userPassword", "plain text")]) } == .invalidAttribute)
            let hash = "{SSHA}" + Data(repeating: 7, count: 24).base64EncodedString()
            try view.users.modify("ada", [.set("userPassword", .string(hash))])
            let change = try view.changes.since(0).last
            #expect(change?.after["passwordChanged"] != nil && change?.after[.externalId] == nil)
            #expect(try view.users.count(matching: .attribute(.externalId).equals("HR-7")) == 1)
            let bob = try view.users.create("bob")
            let others = directory.acting(as: .user(bob.id)).users
            #expect(code { try others.modify(.id(ada.id), [.set("USERPASSWORD", .string(hash))]) } == .notPermitted)
        }
    }

    @Test("Rights that are set under a protocol's name hold for the attribute")
    func rights() throws {
        try withDirectory(.usual) { directory in
            let view = directory.unrestricted
            try view.users.create("ada", attributes: [.title: "Lead"])
            let bob = try view.users.create("bob")
            let own = directory.acting(as: .user(bob.id)).users
            #expect(try own.user("ada")[.title] == "Lead")
            try view.attributes.setRights(of: "TITLE", readers: .person)
            #expect(try own.user("ada")[.title] == nil && own.user("ada")["TITLE"] == nil)
            #expect(code { try own.search(Search(.attribute("Title").equals("Lead"))) } == .invalidFilter)
            try view.attributes.resetRights(of: "tItle")
            #expect(try own.user("ada")[.title] == "Lead")
        }
    }

    @Test("An unknown name is refused everywhere")
    func unknown() throws {
        try withDirectory(.usual) { directory in
            let users = directory.unrestricted.users
            try users.create("ada")
            #expect(code { try users.create("bob", attributes: ["nosuch": "x"]) } == .invalidAttribute)
            #expect(code { try users.user("ada", attributes: ["nosuch"]) } == .invalidAttribute)
            #expect(code { try users.modify("ada", attributes: ["nosuch": "x"]) } == .invalidAttribute)
            #expect(code { try users.search(Search(.attribute("nosuch").present)) } == .invalidFilter)
            #expect(code { try users.search(Search(sortedBy: .init("nosuch"))) } != nil)
            #expect(try users.user("ada")["nosuch"] == nil)
            #expect(
                code { try users.search([:], isSimpleSearch: true, pageSize: 0, pagePosition: 1) } == .invalidPage)
        }
    }

    @Test("A star in a dictionary search stands for any text wherever it is")
    func stars() throws {
        try withDirectory(.usual) { directory in
            let users = directory.unrestricted.users
            for uid in ["anna", "anita", "bertha", "an"] { try users.create(uid) }
            for (pattern, expected) in [
                ("a*a", ["anita", "anna"]), ("*n*t*", ["anita"]), ("an*", ["an", "anita", "anna"]),
                ("*a", ["anita", "anna", "bertha"]), ("*", ["an", "anita", "anna", "bertha"]), ("an", ["an"]),
                ("**", ["an", "anita", "anna", "bertha"]), ("b*r*a", ["bertha"]), ("x*", []),
            ] {
                let found = try users.search(
                    ["uid": pattern], isSimpleSearch: true, pageSize: 10, pagePosition: 1)
                #expect(found.map(\.uid).sorted() == expected, "\(pattern)")
            }
        }
    }
}
