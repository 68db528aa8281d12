import Roster
import RosterFixtures
import Testing

@Suite("Acting on behalf of a caller")
struct ActingAsTests {
    let directory: Directory
    var view: DirectoryView { directory.unrestricted }

    init() throws { directory = try Fixtures.company() }

    @Test("A program with a narrow view")
    func narrow() throws {
        let platform = try directory.unrestricted.roles.role("platform")
        let wiki = directory.acting(as: .reading("wiki", NarrowView(["mail", "memberOf"], membersOf: platform.id)))
        print(try wiki.users.search(Search()).elements.map(\.uid))
        print(try wiki.users.find("kenji.sato") == nil, try wiki.users.user("ren.watanabe")[.title] == nil)
        #expect(try wiki.users.find("kenji.sato") == nil && wiki.users.user("ren.watanabe")[.title] == nil)
    }

    @Test("A program with a narrow view, with await")
    func narrowAwaiting() async throws {
        let platform = try await directory.unrestricted.roles.role("platform")
        let wiki = directory.acting(as: .reading("wiki", NarrowView(["mail", "memberOf"], membersOf: platform.id)))
        print(try await wiki.users.search(Search()).elements.map(\.uid))
        print(try await wiki.users.find("kenji.sato") == nil, try await wiki.users.user("ren.watanabe")[.title] == nil)
    }

    @Test("A view has the rights of its caller")
    func callers() throws {
        let emma = try directory.unrestricted.users.user("emma.mueller")
        let own = directory.acting(as: .user(emma.id))
        let hr = directory.acting(as: .provisioning("hr"))
        let admin = directory.acting(as: .administrator("maintenance"))

        try own.users.modify("emma.mueller", [.set(.nickName, "Em")])
        do {
            try own.users.modify("emma.mueller", [.set(.title, "Chief Executive")])
        } catch let error as DirectoryError where error.code == .notPermitted {
            print(error.message)
        }
        print(try own.users.user("ilse.brandt")[.mobile] == nil)
        #expect(try own.users.user("emma.mueller")[.nickName] == "Em")
        #expect(hr.caller != admin.caller)
    }

    @Test("A view has the rights of its caller, with await")
    func callersAwaiting() async throws {
        let emma = try await directory.unrestricted.users.user("emma.mueller")
        let own = directory.acting(as: .user(emma.id))
        let hr = directory.acting(as: .provisioning("hr"))
        let admin = directory.acting(as: .administrator("maintenance"))

        try await own.users.modify("emma.mueller", [.set(.nickName, "Em")])
        do {
            try await own.users.modify("emma.mueller", [.set(.title, "Chief Executive")])
        } catch let error as DirectoryError where error.code == .notPermitted {
            print(error.message)
        }
        print(try await own.users.user("ilse.brandt")[.mobile] == nil)
        #expect(try await own.users.user("emma.mueller")[.nickName] == "Em")
        #expect(hr.caller != admin.caller)
    }

    @Test("Rights are asked")
    func asking() throws {
        let emma = try view.users.user("emma.mueller")
        let own = directory.acting(as: .user(emma.id))
        let canEdit = try own.may(.write(.title, of: .id(emma.id)))
        let canCall = try own.may(.read(.mobile, of: "ilse.brandt"))
        let canDelete = try own.may(.delete("ilse.brandt"))
        print(canEdit, canCall, canDelete)
        #expect(!canEdit && !canCall && !canDelete)
    }

    @Test("Rights are asked, with await")
    func askingAwaiting() async throws {
        let emma = try await view.users.user("emma.mueller")
        let own = directory.acting(as: .user(emma.id))
        let canEdit = try await own.may(.write(.title, of: .id(emma.id)))
        let canCall = try await own.may(.read(.mobile, of: "ilse.brandt"))
        let canDelete = try await own.may(.delete("ilse.brandt"))
        print(canEdit, canCall, canDelete)
        #expect(!canEdit && !canCall && !canDelete)
    }

    @Test("Readers and writers are set")
    func rights() throws {
        try view.attributes.setRights(of: .mobile, readers: .signedIn)
        try view.attributes.setRights(of: .title, writers: .person)
        try view.attributes.resetRights(of: .mobile)
        #expect(view.attributes.vocabulary().definition(of: .title)?.writers == .person)
    }

    @Test("Readers and writers are set, with await")
    func rightsAwaiting() async throws {
        try await view.attributes.setRights(of: .mobile, readers: .signedIn)
        try await view.attributes.setRights(of: .title, writers: .person)
        try await view.attributes.resetRights(of: .mobile)
        #expect(view.attributes.vocabulary().definition(of: .title)?.writers == .person)
    }

    @Test("A people editor changes a user")
    func editor() throws {
        try view.roles.create("personnel")
        try view.roles.setPower(.peopleEditor, of: "personnel")
        try view.roles.add([.user("emma.mueller")], to: "personnel")
        let emma = try view.users.user("emma.mueller")
        let editor = directory.acting(as: .user(emma.id))
        try editor.users.modify("ren.watanabe", [.set(.title, "Senior engineer")])
        let canSetPassword = try editor.may(.write(.password, of: "ren.watanabe"))
        print(canSetPassword)
        #expect(!canSetPassword)
    }

    @Test("A people editor changes a user, with await")
    func editorAwaiting() async throws {
        try await view.roles.create("personnel")
        try await view.roles.setPower(.peopleEditor, of: "personnel")
        try await view.roles.add([.user("emma.mueller")], to: "personnel")
        let emma = try await view.users.user("emma.mueller")
        let editor = directory.acting(as: .user(emma.id))
        try await editor.users.modify("ren.watanabe", [.set(.title, "Senior engineer")])
        let canSetPassword = try await editor.may(.write(.password, of: "ren.watanabe"))
        print(canSetPassword)
        #expect(!canSetPassword)
    }
}
