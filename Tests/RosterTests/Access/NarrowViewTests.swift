import Foundation
import Roster
import Testing
import TestSupport

@Suite("What reading programs read")
struct NarrowViewTests {
    /// `ada` is in `wiki`, `bob` in `authors`, which is nested in `wiki`, and `eve` in `secret` only. `ada` is in `secret`, too.
    private struct Company {
        let directory: Directory
        let wiki: RoleID
        private let ids: [String: UserID]

        init() throws {
            directory = try emptyDirectory()
            let view = directory.unrestricted
            var ids: [String: UserID] = [:]
            for name in ["ada", "bob", "eve"] {
                ids[name] = try view.users.create(
                    name,
                    attributes: [
                        "displayName": .string("The \(name)"), "title": "Engineer", "department": "Research",
                        "emails": [
                            ["value": .string("\(name)@work.example"), "type": "work"],
                            ["value": .string("\(name)@home.example"), "type": "home"],
                        ],
                        "phoneNumbers": [
                            ["value": "+49 1", "type": "work"], ["value": "+49 2", "type": "mobile"],
                            ["value": "+49 3", "type": "home"],
                        ],
                        "gender": "f",
                    ]
                ).id
            }
            for name in ["wiki", "authors", "secret"] { try view.roles.create(name) }
            try view.roles.add([.user("ada"), .role("authors")], to: "wiki")
            try view.roles.add([.user("bob")], to: "authors")
            try view.roles.add([.user("eve"), .user("ada")], to: "secret")
            try view.roles.add([.user("eve")], to: "wiki", as: .owner)
            for name in ["ada", "bob"] { try view.users.setManager("eve", of: .named(name)) }
            self.ids = ids
            wiki = try view.roles.role("wiki").id
        }

        func id(_ name: String) -> UserID { ids[name] ?? UserID(rawValue: 0) }

        func view(_ attributes: Set<AttributeName>, ofMembers: Bool = true) -> DirectoryView {
            directory.acting(as: .reading("wiki", NarrowView(attributes, membersOf: ofMembers ? wiki : nil)))
        }
    }

    private func names(_ page: Page<User>) -> [String] { page.elements.map(\.uid).sorted() }

    @Test("A program finds the members of its role, through nested roles, too, and nobody else by any way")
    func members() throws {
        let company = try Company()
        let view = company.view(["mail", "title"])
        #expect(names(try view.users.search(Search())) == ["ada", "bob"])
        #expect(try view.users.count() == 2)
        for filter in [
            Filter.active, Filter.title.equals("Engineer"), Filter.mail.starts("e"), .not(Filter.uid.equals("ada")),
            .present(Filter.title),
        ] {
            let found = try view.users.search(Search(filter, includesTotal: true))
            #expect(!found.elements.contains { $0.uid == "eve" }, "\(filter)")
            #expect(found.total == found.elements.count, "\(filter)")
        }
        #expect(names(try view.users.search(Search(Filter.uid.equals("eve")))) == [])
        #expect(
            names(
                try view.users.search(Search(.or([Filter.uid.equals("eve"), Filter.mail.equals("bob@work.example")]))))
                == ["bob"])
        #expect(names(try view.users.search(Search(sortedBy: .init("title"), pageSize: 1))) == ["ada"])
        #expect(try view.users.find("eve") == nil)
        #expect(try view.users.find(.id(company.id("eve"))) == nil)
        #expect(try view.users.find(.either("eve")) == nil)
        #expect(try !view.users.exists("eve"))
        #expect(try view.users.exists("bob"))
        #expect(try view.users.users(["ada", "eve", "bob"]).map { $0?.uid } == ["ada", nil, "bob"])
        #expect(code { _ = try view.users.user("eve") } == .notFound)
        #expect(try view.users.search(["uid": "eve"], isSimpleSearch: true, pageSize: 5, pagePosition: 1).isEmpty)
    }

    @Test("A program reads the listed attributes, and neither shows, finds nor sorts by another one")
    func attributes() throws {
        let company = try Company()
        let view = company.view(["title", "mobile"])
        let ada = try view.users.user("ada", attributes: .all)
        #expect(Set(ada.attributes.map(\.name)) == ["title", "phoneNumbers"])
        #expect(ada.attributes["phoneNumbers"]?.elements.compactMap { $0.part("type")?.text } == ["mobile"])
        #expect((ada.uid, ada.label, ada.managerID, ada.isActive) == ("ada", "ada", nil, true))
        for filter in [
            Filter.department.equals("Research"), AttributePath("emails").present,
            Filter.mail.equals("ada@work.example"),
            AttributePath("gender").equals("f"), Filter.manager.equals("eve"), Filter.below("eve"),
            Filter.memberOf.equals("secret"), .member(of: "wiki"), AttributePath("telephoneNumber").equals("+49 1"),
            AttributePath("displayName").present,
        ] {
            #expect(code { _ = try view.users.search(Search(filter)) } == .invalidFilter, "\(filter)")
            #expect(code { _ = try view.users.search(Search(.not(filter))) } == .invalidFilter, "\(filter)")
            #expect(code { _ = try view.users.count(matching: filter) } == .invalidFilter, "\(filter)")
        }
        #expect(code { _ = try view.users.search(Search(sortedBy: .init("department"))) } == .invalidFilter)
        #expect(names(try view.users.search(Search(AttributePath("mobile").equals("+49 2")))) == ["ada", "bob"])
    }

    @Test("A whole list shows all its elements; 'mail' shows those that everybody sees")
    func lists() throws {
        let company = try Company()
        func mails(_ name: AttributeName) throws -> [String] {
            try company.view([name]).users.user("bob").attributes["emails"]?.elements.compactMap {
                $0.part("value")?.text
            } ?? []
        }
        #expect(try mails("emails") == ["bob@work.example", "bob@home.example"])
        #expect(try mails("mail") == ["bob@work.example"])
        #expect(try mails("title") == [])
        let gender = try company.view(["gender"]).users.user("bob").attributes["gender"]
        #expect(gender == "f", "an administrator can list what people do not show each other")
    }

    @Test("With 'memberOf' a program reads its role and the roles in it; without it reads no roles")
    func roles() throws {
        let company = try Company()
        let view = company.view(["memberOf"])
        #expect(try view.users.user("ada", attributes: .all).memberOf == ["wiki"])
        #expect(try view.roles.search(Search()).elements.map(\.name) == ["wiki", "authors"])
        #expect(try view.roles.count() == 2)
        #expect(try view.roles.find("secret") == nil)
        #expect(try view.roles.users(of: "wiki", as: .member, reach: .effective).map(\.uid) == ["ada", "bob"])
        #expect(try view.roles.users(of: "wiki", as: .owner, reach: .direct).isEmpty)
        #expect(try view.roles.userCount(of: "wiki", as: .owner, reach: .direct) == 0)
        #expect(try view.roles.roles(of: "wiki", as: .member, reach: .direct).map(\.name) == ["authors"])
        #expect(try view.roles.roles(having: .user("ada"), as: .member, reach: .effective).map(\.name) == ["wiki"])
        #expect(code { _ = try view.roles.roles(having: .user("eve"), as: .member, reach: .direct) } == .notFound)
        #expect(code { _ = try view.roles.contains("secret", "ada") } == .notFound)
        #expect(try view.roles.contains("wiki", "bob"))
        #expect(names(try view.users.search(Search(.member(of: "secret")))) == [])
        #expect(names(try view.users.search(Search(.not(.member(of: "secret"))))) == ["ada", "bob"])
        #expect(names(try view.users.search(Search(.member(of: "authors", .direct)))) == ["bob"])
        #expect(names(try view.users.search(Search(AttributePath("memberOf").present))) == ["ada", "bob"])

        let without = company.view(["mail"])
        #expect(try without.users.user("ada", attributes: .all).memberOf == nil)
        #expect(try without.roles.search(Search()).elements.isEmpty)
        #expect(try without.roles.find("wiki") == nil)
        #expect(code { _ = try without.roles.contains("wiki", "ada") } == .notFound)
    }

    @Test("A view without a role has all users, and all roles with 'memberOf'")
    func everybody() throws {
        let company = try Company()
        let view = company.view(["manager", "memberOf"], ofMembers: false)
        #expect(names(try view.users.search(Search())) == ["ada", "bob", "eve"])
        #expect(try view.users.user("ada").managerID == company.id("eve"))
        #expect(names(try view.users.search(Search(.below("eve")))) == ["ada", "bob"])
        #expect(try view.users.user("ada", attributes: .all).memberOf == ["secret", "wiki"])
        #expect(try view.roles.count() == 3)
        #expect(try view.users.user("ada", prefetch: .manager).manager()?.uid == "eve")
        let narrow = company.view(["manager"])
        let ada = try narrow.users.user("ada", prefetch: .manager)
        #expect(ada.managerID == company.id("eve"))
        #expect(try ada.manager() == nil, "the manager is none of the members")
    }

    @Test("A program changes nothing, and reads no feed, no lines and no attributes of others")
    func nothingElse() throws {
        let company = try Company()
        let view = company.view(["uid", "mail", "manager", "memberOf"], ofMembers: false)
        let refused: [(String, (DirectoryView) throws -> Void)] = [
            ("create", { try $0.users.create("x") }),
            ("modify", { try $0.users.modify("ada", [.set("title", "x")]) }),
            ("delete", { try $0.users.delete("ada") }),
            ("add", { try $0.roles.add([.user("eve")], to: "wiki") }), ("transaction", { try $0.transaction { _ in } }),
            ("chain", { _ = try $0.users.chain(of: "ada") }), ("top", { _ = try $0.users.withoutManager() }),
            ("changes", { _ = try $0.changes.since(0) }), ("matching", { _ = try $0.users.matching("ada") }),
            ("isBelow", { _ = try $0.users.isBelow("ada", "eve") }),
            ("explain", { _ = try $0.users.explain(Search()) }),
        ]
        for (what, body) in refused { #expect(code { try body(view) } == .notPermitted, "\(what)") }
        #expect(try !view.may(.createUsers))
    }

    @Test("After its role was deleted, a program reads nobody; changes of members count at once")
    func changes() throws {
        let company = try Company()
        let view = company.view(["mail"])
        let admin = company.directory.unrestricted
        try admin.roles.add([.user("eve")], to: "authors")
        #expect(try view.users.find("eve") != nil)
        try admin.roles.remove([.role("authors")], from: "wiki")
        #expect(names(try view.users.search(Search())) == ["ada"])
        try admin.roles.delete("wiki")
        #expect(try view.users.search(Search()).elements.isEmpty)
        #expect(try view.users.find("ada") == nil)
    }

    @Test("A page continues where it ended, and a cursor of another view is refused")
    func pages() throws {
        let company = try Company()
        let view = company.view(["mail"])
        let first = try view.users.search(Search(pageSize: 1, includesTotal: true))
        #expect((first.elements.map(\.uid), first.total) == (["ada"], 2))
        let next = try #require(first.next)
        let second = try view.users.search(Search(pageSize: 1, from: .cursor(next)))
        #expect((second.elements.map(\.uid), second.next) == (["bob"], nil))
        let other = company.view(["mail"], ofMembers: false)
        #expect(code { _ = try other.users.search(Search(pageSize: 1, from: .cursor(next))) } == .invalidCursor)
    }
}
