import Foundation
import Roster
import RosterREST
import RosterSignIn
import RosterText
import ServiceTestSupport
import Testing
import TestSupport

@Suite("Private data over HTTP", .inBothForms)
struct PrivacyTests {
    /// The engineer's manager sees private data; the director of another department does not.
    private func withPrivateData() async throws -> (ServiceUnderTest, UserID) {
        let service = try await ServiceUnderTest()
        let users = service.directory.unrestricted.users
        try await users.modify(
            .named(ServiceUnderTest.lead),
            attributes: [
                "phoneNumbers": [
                    ["value": "+49 30 100", "type": "work"], ["value": "+49 170 200", "type": "mobile"],
                    ["value": "+49 30 300", "type": "home"],
                ],
                "addresses": [
                    ["type": "work", "locality": "Berlin"],
                    ["type": "home", "formatted": "Elm Street 4711", "locality": "Potsdam"],
                ],
                "emails": [["value": "l@work.example", "type": "work"], ["value": "l@home.example", "type": "home"]],
            ])
        return (service, try await users.user(.named(ServiceUnderTest.lead)).id)
    }

    private static let secrets = ["+49 170 200", "+49 30 300", "Elm Street", "Potsdam", "l@home.example"]

    @Test("No interface shows a colleague's private data, and each shows them to those who may read them")
    func everyInterface() async throws {
        let (service, id) = try await withPrivateData()
        let paths = [
            "/scim/v2/Users/\(id)", "/scim/v2/Users?filter=id%20eq%20%22\(id)%22",
            "/scim/v2/Users?attributes=phoneNumbers,addresses,emails&count=1000", "people/\(ServiceUnderTest.lead)",
            "people/\(ServiceUnderTest.lead)?attrsToFetch=mobile,homephone,homeaddress,mail",
            "people/\(ServiceUnderTest.engineer)/manager", "people/\(ServiceUnderTest.engineer)?prefetch=manager",
        ]
        for path in paths {
            let colleague = await service.request("GET", path, as: .person)
            #expect(colleague.status == 200, "\(path): \(colleague.text)")
            for secret in Self.secrets { #expect(!colleague.text.contains(secret), "\(path): \(secret)") }
        }
        for client in [Client.administrator, .provisioning, .manager] {
            let text = await service.request("GET", "/scim/v2/Users/\(id)", as: client).text
            for secret in Self.secrets { #expect(text.contains(secret), "\(client): \(secret)") }
        }
        let own = await service.request("GET", "/mobile/platform/users/~", as: .manager)
        #expect(own.text.contains("Elm Street"))
    }

    @Test(
        "No filter or order of SCIM or the profile service tells of private data",
        arguments: [
            #"phoneNumbers.value eq "+49 170 200""#, #"phoneNumbers[type eq "mobile" and value sw "+49"]"#,
            #"phoneNumbers.type eq "home""#, #"addresses.locality eq "Potsdam""#, #"emails.value eq "l@home.example""#,
            #"emails co "home.exam""#, #"emails[type eq "home"]"#, #"addresses[type eq "home"].formatted eq "x""#,
        ])
    func filters(_ filter: String) async throws {
        let (service, _) = try await withPrivateData()
        let query = filter.addingPercentEncoding(withAllowedCharacters: .alphanumerics) ?? ""
        for client in [Client.person, .manager] {
            let answer = await service.request("GET", "/scim/v2/Users?filter=\(query)", as: client)
            #expect(answer.status == 400 || answer["totalResults"] == 0, "\(client): \(answer.text)")
        }
        for attribute in ["mobile", "homephone", "homeaddress"] {
            let answer = await service.request("GET", "people?searchparam.\(attribute)=*1*", as: .person)
            #expect(answer.status == 400 || answer.elements.isEmpty, "\(attribute): \(answer.text)")
        }
    }

    @Test("Administrators set readers over HTTP, at once; others may not, and mistakes are refused")
    func rights() async throws {
        let (service, id) = try await withPrivateData()
        func sees() async -> Bool {
            await service.request("GET", "/scim/v2/Users/\(id)", as: .person).text.contains("+49 170 200")
        }
        #expect(await !sees())
        let path = "/admin/attributes/mobile"
        for client in [Client.person, .provisioning, .monitoring] {
            #expect(await service.request("PUT", path, as: client, ["readers": "signedIn"]).status == 403, "\(client)")
        }
        let set = await service.request("PUT", path, as: .administrator, ["readers": "signedIn"])
        #expect(set.status == 200 && set["readers"] == "signedIn", "\(set.text)")
        #expect(await sees())
        #expect(await service.request("DELETE", path).status == 204)
        #expect(await !sees())
        #expect(await service.request("GET", "/admin/attributes", as: .person).status == 403)
        let all = await service.request("GET", "/admin/attributes")
        #expect(all["attributes"]?.elements.contains { $0["name"] == "mobile" && $0["readers"] == "managers" } == true)
        for (name, body) in [
            ("password", ["readers": "signedIn"]), ("mobile", ["readers": "all"]), ("mobile", [:]),
            ("mail", ["writers": "person"]), ("mobile", ["reader": "person"]), ("nosuch", ["readers": "person"]),
        ] as [(String, JSONValue)] {
            #expect(await service.request("PUT", "/admin/attributes/\(name)", body).status == 400, "\(name) \(body)")
        }
    }

    @Test("Retention is set over HTTP; what is gone is 410, what is pruned in between is told")
    func retention() async throws {
        let (service, _) = try await withPrivateData()
        let changes = ServiceUnderTest.base + "/changes"
        let begun = await service.request("GET", "/admin/retention")
        #expect(begun.body == ["change_days": .null, "sign_in_days": 180])
        #expect(await service.request("PUT", "/admin/retention", as: .person, ["change_days": 1]).status == 403)
        #expect(await service.request("PUT", "/admin/retention", ["change_days": 0]).status == 400)
        // The sign-ins of the requests so far are stored first, and a change follows them that is not pruned with them.
        await service.signIn.flush()
        try await service.directory.unrestricted.users.create("before")
        let first = try await service.directory.unrestricted.changes.lastSequence()
        try await service.directory.audit(
            (0..<3).map { (AuditEntry(.signedIn, .user, id: 1, name: "x\($0)", actor: "sign-in", detail: [:]), 1) })
        try await service.directory.unrestricted.users.create("after")
        service.clock.advance(by: 10 * 86_400)
        #expect(await service.request("PUT", "/admin/retention", ["sign_in_days": 5]).status == 200)
        let page = await service.request("GET", "\(changes)?since=\(first)&limit=1")
        let pruned = try #require(page.elements.first, "\(page.text)")
        #expect(pruned["kind"] == "pruned" && pruned["first"] == .integer(first + 1), "\(page.text)")
        #expect(pruned["sequence"] == .integer(first + 3) && page["last"] == .integer(first + 3))
        for headers in [[], [("Accept", "text/event-stream")]] {
            let within = await service.request("GET", "\(changes)?since=\(first + 2)", headers: headers)
            #expect(within.status == 410 && within.text.contains("\(first + 4)"), "\(within.text)")
        }
        #expect(await service.request("PUT", "/admin/retention", ["change_days": 5]).status == 200)
        #expect(await service.request("GET", "\(changes)?since=0").status == 410)
    }

    @Test("Administrators erase a deleted user's history over HTTP")
    func erasing() async throws {
        let (service, id) = try await withPrivateData()
        let path = "/admin/users/\(id)/history"
        let byName = "/admin/users/\(ServiceUnderTest.lead)/history"
        for path in [path, byName] {
            #expect(await service.request("DELETE", path).status == 400, "the user is still there")
        }
        try await service.directory.unrestricted.users.delete(.id(id), reportees: .reassign)
        #expect(await service.request("DELETE", path, as: .provisioning).status == 403)
        #expect(await service.request("DELETE", byName, as: .provisioning).status == 403)
        #expect(await service.request("DELETE", "/admin/users/nobody.at.all/history").status == 404)
        #expect(
            await service.request("GET", ServiceUnderTest.base + "/changes?limit=10000").text.contains("Elm Street"))
        let erased = await service.request("DELETE", path)
        #expect(erased.status == 200 && erased["erased"] != 0, "\(erased.text)")
        let text = await service.request("GET", ServiceUnderTest.base + "/changes?limit=10000").text
        for secret in Self.secrets + [ServiceUnderTest.lead] { #expect(!text.contains(secret), "\(secret)") }
    }

    @Test("A deleted user's history is erased by the name, unless several deleted users had the name")
    func erasingByName() async throws {
        let service = try await ServiceUnderTest()
        let users = service.directory.unrestricted.users
        for name in ["ada", "bob", "bob"] {
            try await users.create(name)
            try await users.delete(.named(name))
        }
        #expect(await service.request("DELETE", "/admin/users/ada/history").status == 200)
        let several = await service.request("DELETE", "/admin/users/bob/history")
        #expect(several.status == 400 && several.text.contains("2 deleted users"), "\(several.text)")
    }
}
