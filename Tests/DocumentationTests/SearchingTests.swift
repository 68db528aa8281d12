import Roster
import RosterFixtures
import Testing

@Suite("Searching")
struct SearchingTests {
    let directory: Directory
    var view: DirectoryView { directory.unrestricted }
    var users: UserManager { view.users }

    init() throws { directory = try Fixtures.company() }

    @Test("A search has a filter and an order")
    func search() throws {
        let search = Search(.all(.familyName.starts("Mü"), .active), sortedBy: .init(.givenName))
        let page = try users.search(search)
        print(page.elements.map(\.label))
        #expect(page.elements.map(\.uid) == ["emma.mueller", "joerg.muench", "maria.mueller"])
    }

    @Test("A search has a filter and an order, with await")
    func searchAwaiting() async throws {
        let search = Search(.all(.familyName.starts("Mü"), .active), sortedBy: .init(.givenName))
        let page = try await users.search(search)
        print(page.elements.map(\.label))
        #expect(page.elements.map(\.uid) == ["emma.mueller", "joerg.muench", "maria.mueller"])
    }

    @Test("Several attributes sort")
    func sorting() throws {
        let order = [Search.Sort(.familyName), Search.Sort(.givenName), Search.Sort(.created, descending: true)]
        print(try users.search(Search(.active, sortedBy: order)).elements.map(\.label))
        #expect(try users.search(Search(.active, sortedBy: order)).elements.count > 20)
    }

    @Test("Several attributes sort, with await")
    func sortingAwaiting() async throws {
        let order = [Search.Sort(.familyName), Search.Sort(.givenName), Search.Sort(.created, descending: true)]
        print(try await users.search(Search(.active, sortedBy: order)).elements.map(\.label))
        #expect(try await users.search(Search(.active, sortedBy: order)).elements.count > 20)
    }

    @Test("Filters compose")
    func filters() throws {
        let leads: Filter = .any(.title.contains("lead"), .title.starts("Head of"))
        let abroad: Filter = .all(leads, .not(.attribute(.country).equals("DE")), .attribute(.mail).present)
        let inEngineering: Filter = .all(abroad, .member(of: "engineering"))
        #expect(try users.count(matching: inEngineering) > 0)
    }

    @Test("Filters compose, with await")
    func filtersAwaiting() async throws {
        let leads: Filter = .any(.title.contains("lead"), .title.starts("Head of"))
        let abroad: Filter = .all(leads, .not(.attribute(.country).equals("DE")), .attribute(.mail).present)
        let inEngineering: Filter = .all(abroad, .member(of: "engineering"))
        #expect(try await users.count(matching: inEngineering) > 0)
    }

    @Test("People are found by words")
    func matching() throws {
        let matches = try users.matching("okafor gr")
        for match in matches { print(match.user.label, match.attributes.map(\.rawValue)) }
        #expect(matches.map(\.user.uid) == ["grace.okafor"])
        for words in ["Okafor, Grace", "okafro"] {
            #expect(try users.matching(words).map(\.user.uid) == ["grace.okafor"])
        }
        for words in ["müller", "muller", "mueller"] {
            #expect(try users.matching(words).map(\.user.uid).contains("emma.mueller"))
        }
    }

    @Test("People are found by words, with await")
    func matchingAwaiting() async throws {
        let matches = try await users.matching("okafor gr")
        for match in matches { print(match.user.label, match.attributes.map(\.rawValue)) }
        #expect(matches.count == 1)
    }

    @Test("Users are counted and read together")
    func verbs() throws {
        let number = try users.count(matching: .department.equals("Sales"))
        let isThere = try users.exists("kenji.sato")
        let maybe = try users.find("nobody.here")
        let some = try users.users(["kenji.sato", "nobody.here", "ilse.brandt"])
        print(number, isThere, maybe?.label ?? "-", some.map { $0?.label ?? "-" })
        #expect(number > 0 && isThere && maybe == nil && some.count == 3 && some[1] == nil)
    }

    @Test("Users are counted and read together, with await")
    func verbsAwaiting() async throws {
        let number = try await users.count(matching: .department.equals("Sales"))
        let isThere = try await users.exists("kenji.sato")
        let maybe = try await users.find("nobody.here")
        let some = try await users.users(["kenji.sato", "nobody.here", "ilse.brandt"])
        print(number, isThere, maybe?.label ?? "-", some.map { $0?.label ?? "-" })
        #expect(number > 0 && isThere && maybe == nil && some.count == 3 && some[1] == nil)
    }

    @Test("A loop reads all results")
    func all() async throws {
        for try await user in users.all(Search(.active, pageSize: 500)) { print(user.label) }
    }

    @Test("A cursor leads to the next page")
    func pages() throws {
        var search = Search(.active, sortedBy: .init(.familyName), pageSize: 10)
        var page = try users.search(search)
        while let next = page.next {
            search.start = .cursor(next)
            page = try users.search(search)
        }
        #expect(page.next == nil && !page.elements.isEmpty)
    }

    @Test("A cursor leads to the next page, with await")
    func pagesAwaiting() async throws {
        var search = Search(.active, sortedBy: .init(.familyName), pageSize: 10)
        var page = try await users.search(search)
        while let next = page.next {
            search.start = .cursor(next)
            page = try await users.search(search)
        }
        #expect(page.next == nil && !page.elements.isEmpty)
    }

    @Test("Other filter languages are read")
    func languages() throws {
        let vocabulary = view.attributes.vocabulary()
        let scim = try Filter(scim: #"name.familyName sw "Mü" and active eq true"#, vocabulary: vocabulary)
        let ldap = try Filter(ldap: "(&(sn=Mü*)(!(title=Director*)))", vocabulary: vocabulary)
        print(try users.count(matching: scim), try users.count(matching: ldap))

        let found = try users.search(
            ["lastname": "M*", "title": "*Head*"], isSimpleSearch: true, pageSize: 20, pagePosition: 1)
        print(found.map(\.label))
        #expect(found.map(\.uid) == ["maria.mueller"])
    }

    @Test("Other filter languages are read, with await")
    func languagesAwaiting() async throws {
        let vocabulary = view.attributes.vocabulary()
        let scim = try Filter(scim: #"name.familyName sw "Mü" and active eq true"#, vocabulary: vocabulary)
        let ldap = try Filter(ldap: "(&(sn=Mü*)(!(title=Director*)))", vocabulary: vocabulary)
        print(try await users.count(matching: scim), try await users.count(matching: ldap))

        let found = try await users.search(
            ["lastname": "M*", "title": "*Head*"], isSimpleSearch: true, pageSize: 20, pagePosition: 1)
        print(found.map(\.label))
        #expect(found.map(\.uid) == ["maria.mueller"])
    }

    @Test("The attributes that are needed are fetched")
    func selection() throws {
        let page = try users.search(Search(.active, attributes: .only([.mail, .title]), prefetch: .manager))
        for user in page.elements { print(user[.mail]?.text ?? "-", try user.manager()?.label ?? "-") }
        #expect(page.elements.first?[.displayName] == nil)
    }

    @Test("The attributes that are needed are fetched, with await")
    func selectionAwaiting() async throws {
        let page = try await users.search(Search(.active, attributes: .only([.mail, .title]), prefetch: .manager))
        for user in page.elements { print(user[.mail]?.text ?? "-", try await user.manager()?.label ?? "-") }
        #expect(page.elements.first?[.displayName] == nil)
    }
}
