import Roster
import RosterREST
import RosterText
import ServiceTestSupport
import Testing
import TestSupport

@Suite("Searching in the profile service", .inBothForms)
struct ProfileSearchTests {
    /// How many the company has, with the administrator.
    static let people = 41

    @Test(
        "Conditions find whom they describe, whatever the case",
        arguments: [
            ("searchparam.uid=REN.watanabe", ["ren.watanabe"]),
            ("searchparam.lastname=M%C3%BCller", ["emma.mueller", "maria.mueller"]),
            ("searchparam.lastname=M%C3%9CLLER", ["emma.mueller", "maria.mueller"]),
            ("searchparam.lastname=M%C3%BC*", ["emma.mueller", "joerg.muench", "maria.mueller"]),
            ("searchparam.uid=*.mueller", ["emma.mueller", "maria.mueller"]),
            ("searchparam.uid=*arku*", []), ("searchparam.uid=*aruk*", ["haruka.ito"]),
            ("searchparam.title=Head%20of%20*&searchparam.country=JP", ["kenji.sato"]),
            ("searchparam.title=Head+of+*&searchparam.country=JP&isSimpleSearch=true", ["kenji.sato"]),
            ("searchparam.uid=kenji.sato&searchparam.uid=owen.clarke", []),
            (
                "searchparam.uid=kenji.sato&searchparam.uid=owen.clarke&isSimpleSearch=false",
                ["kenji.sato", "owen.clarke"]
            ),
            ("searchparam.uid=k*&searchparam.uid=*o", ["kenji.sato"]),
            ("searchparam.manager=ilse.brandt", ["kenji.sato", "maria.mueller", "owen.clarke", "sofia.weiss"]),
            ("searchparam.active=false", ["matthias.schmidt", "post.hr-2"]),
            ("searchparam.badge=5", ["sofia.weiss"]), ("searchparam.vacant=*", ["post.hr-2"]),
            ("searchparam.mail=emma@mueller.example", ["emma.mueller"]),
            ("searchparam.uid=%25", []), ("searchparam.uid=_______", []), ("searchparam.uid=%27+OR+1%3D1+--", []),
            ("searchparam.memberOf=finance", ["helen.ward", "nina.boehm", "owen.clarke", "peter.ng", "uwe.gross"]),
        ])
    func conditions(query: String, names: [String]) async throws {
        let service = try await ServiceUnderTest()
        let answer = await service.request("GET", "people?" + query)
        #expect(answer.status == 200 && answer.names.sorted() == names, "\(answer.text)")
        #expect(answer["uri"]?.text == "\(ServiceUnderTest.base)/people?\(query)")
        #expect(answer["next"] == nil && answer["previous"] == nil)
    }

    @Test("Groups are searched in the same way")
    func groups() async throws {
        let service = try await ServiceUnderTest()
        #expect(
            Set(await service.request("GET", "groups?searchparam.commonname=P*").names) == [
                "platform", "products", "people",
            ])
        #expect(await service.request("GET", "groups?searchparam.description=*night*").names == ["on-call"])
        let either = "groups?searchparam.commonname=sales&searchparam.displayname=Finance&isSimpleSearch="
        #expect(Set(await service.request("GET", either + "false").names) == ["sales", "finance"])
        #expect(await service.request("GET", either + "true").names == [])
    }

    @Test("Attributes and relations are picked, and related entities come along")
    func selection() async throws {
        let service = try await ServiceUnderTest()
        let picked = await service.request("GET", "people?searchparam.uid=haruka.ito&attrsToFetch=uid,title,%20reports")
        #expect(picked.elements.first?.names == ["uid", "title", "uri", "reports"])
        let all = await service.request(
            "GET", "people?searchparam.uid=haruka.ito&attrsToFetch=uid&prefetch=manager,reports,memberOf,ownerOf")
        let element = try #require(all.elements.first)
        #expect(element["manager"]?["elements"]?.elements.map { $0["uid"]?.text } == ["yuki.tanaka"])
        #expect(
            element["reports"]?["elements"]?.elements.map { $0["uid"]?.text } == [
                "ren.watanabe", "emma.mueller", "jack.brown",
            ])
        #expect(element["memberOf"]?["elements"]?.elements.map { $0["commonname"]?.text } == ["platform"])
        #expect(element["ownerOf"]?["elements"]?.elements.isEmpty == true)
        let group = await service.request("GET", "groups/everyone?prefetch=members,personOwner,groupMembers")
        #expect(group["groupMembers"]?["elements"]?.elements.count == 4)
        #expect(group["members"]?["elements"]?.elements.count == 5)
        #expect(group["personOwner"]?["elements"]?.elements.first?["uid"] == "sofia.weiss")
    }

    @Test("Limits of pages are kept, and what is no number, or given twice, is refused")
    func limits() async throws {
        let service = try await ServiceUnderTest()
        for query in [
            "pagesize=0", "pagesize=1001", "pagesize=-1", "pagesize=ten", "pagesize=", "pagesize=99999999999999999999",
            "pagepos=0", "pagepos=-1", "pagepos=x", "pagepos=9999999999999999999", "pagesize=10&pagesize=10",
            "pagepos=1&pagepos=2", "pagepos=1&pageposition=2", "attrsToFetch=uid&attrsToFetch=mail",
            "prefetch=manager&prefetch=reports", "isSimpleSearch=1", "isSimpleSearch=true&isSimpleSearch=false",
            "cursor=a&cursor=b",
        ] {
            let answer = await service.request("GET", "people?" + query)
            #expect(answer.status == 400 && answer.isProfileError, "\(query): \(answer.text)")
        }
        #expect(await service.request("GET", "people?pagesize=1000").elements.count == Self.people)
        #expect(await service.request("GET", "people?pagepos=1000000000&pagesize=1000").elements.isEmpty)
        #expect(await service.request("GET", "people?pageposition=2&pagesize=40").elements.count == Self.people - 40)
        #expect(await service.request("GET", "groups/sales?scope=all&scope=all").status == 200)
        #expect(await service.request("GET", "people/tom.evans/manager?scope=sideways").status == 400)
        #expect(await service.request("GET", "people/tom.evans/manager?scope=all&scope=all").status == 400)
    }

    @Test("The links lead to the end and back, with everything in between once", arguments: [1, 2, 7, 40, 41, 42])
    func links(size: Int) async throws {
        let service = try await ServiceUnderTest()
        for path in ["people?pagesize=\(size)", "people?pagesize=\(size)&attrsToFetch=uid&searchparam.uid=*"] {
            let pages = try await service.pages(path)
            #expect(pages.flatMap { $0 }.count == Self.people && pages.count == (Self.people - 1 + size) / size)
            #expect(Set(pages.flatMap { $0 }.map(\.["uid"])).count == Self.people)
            var answer = await service.request("GET", "\(path)&pagepos=\(pages.count)")
            for page in pages.reversed() {
                #expect(answer.elements == page)
                guard let previous = answer["previous"]?.text else { break }
                answer = await service.request("GET", previous)
            }
            #expect(answer["previous"] == nil && answer.elements == pages.first)
        }
    }

    @Test("Nobody who stays is skipped or repeated while others come and go", arguments: [1, 2, 3, 4] as [UInt64])
    func movingPages(seed: UInt64) async throws {
        let service = try await ServiceUnderTest()
        var numbers = SeededNumbers(seed: seed)
        let leavers = (0..<20).map { "leaver\($0)" }
        for name in leavers { _ = await service.request("POST", "people", ["uid": .string(name)]) }
        let stayers = Set(await service.request("GET", "people?pagesize=1000").names).subtracting(leavers)
        var left = leavers
        let query = ["", "&searchparam.uid=*e*", "&searchparam.country=*"].randomElement(using: &numbers) ?? ""
        let expected = Set(await service.request("GET", "people?pagesize=1000" + query).names).intersection(stayers)
        let pages = try await service.pages("people?pagesize=3" + query) { page in
            if !left.isEmpty {
                let name = left.remove(at: Int.random(in: 0..<left.count, using: &numbers))
                _ = await service.request("DELETE", "people/\(name)")
            }
            if page < 15 { _ = await service.request("POST", "people", ["uid": .string("comer\(page)")]) }
        }
        let seen = pages.flatMap { $0 }.compactMap { $0["uid"]?.text }
        #expect(Set(seen).count == seen.count, "seed \(seed)")
        #expect(expected.isSubset(of: seen), "seed \(seed)")
    }

    @Test("A cursor that was altered, or is another list's, is refused")
    func cursors() async throws {
        let service = try await ServiceUnderTest()
        func cursor(_ path: String) async throws -> String {
            let next = try #require(await service.request("GET", path)["next"]?.text)
            return try #require(parameters(of: next).first { $0.name == "cursor" }?.value)
        }
        let lists = [
            "people?pagesize=2", "people?pagesize=2&searchparam.country=DE", "groups?pagesize=2",
            "groups/platform/members?pagesize=2", "groups/sales/members?pagesize=2",
            "groups/everyone/members?pagesize=2&scope=all", "groups/everyone/members?pagesize=2",
            "people/tom.evans/manager?scope=toTop&pagesize=1", "people/ilse.brandt/reports?pagesize=1",
            "people/ilse.brandt/reports?pagesize=1&scope=all",
        ]
        var cursors: [String] = []
        for list in lists { cursors.append(try await cursor(list)) }
        for (index, list) in lists.enumerated() {
            for (other, cursor) in cursors.enumerated() {
                let answer = await service.request("GET", list + "&cursor=" + PercentEncoding.segment(cursor))
                #expect(answer.status == (index == other ? 200 : 400), "\(list) with the cursor of \(lists[other])")
            }
        }
        let genuine = cursors[0]
        var numbers = SeededNumbers(seed: 7)
        for _ in 0..<200 {
            var bytes = Array(genuine.utf8)
            let place = Int.random(in: 0..<bytes.count, using: &numbers)
            bytes[place] = UInt8.random(in: 0x21...0x7E, using: &numbers)
            let altered = String(decoding: bytes, as: UTF8.self)
            if altered == genuine { continue }
            let answer = await service.request("GET", "people?pagesize=2&cursor=" + PercentEncoding.segment(altered))
            #expect(answer.status == 400 && answer.isProfileError, "seed 7: \(altered)")
        }
        for text in ["", ".", "a", "0_0_g", genuine + "x", String(genuine.dropLast())] {
            #expect(
                await service.request("GET", "people?pagesize=2&cursor=" + PercentEncoding.segment(text)).status == 400)
        }
    }

    @Test("Filters that are too many are refused", .inProcess("The server refuses so long a target itself."))
    func tooMany() async throws {
        let service = try await ServiceUnderTest()
        let conditions = (0..<1_500).map { "searchparam.uid=a\($0)" }.joined(separator: "&")
        let answer = await service.request("GET", "people?isSimpleSearch=false&" + conditions)
        #expect(answer.status == 400 && answer.isProfileError)
        let long = await service.request("GET", "people?searchparam.uid=" + String(repeating: "*a", count: 30_000))
        #expect(long.status == 200 || long.status == 400)
    }
}
