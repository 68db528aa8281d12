import Foundation
import RosterREST
import RosterStore
import RosterText
import ServiceTestSupport
import Testing
import TestSupport

@testable import Roster

@Suite("Users and roles of older directories whose names no address can carry")
struct OldNameTests {
    private func rename(_ service: ServiceUnderTest, _ user: UserID, _ role: RoleID? = nil, to text: String)
        async throws
    {
        let name = try EntityName(text)
        try await service.directory.unrestricted.awaitWrite { transaction in
            let old = try transaction.users.stored(.id(user))
            try transaction.users.update(old, old.attributes, name, old.isActive, old.managerID)
            guard let role else { return }
            try transaction.connection.run(
                dynamic: "UPDATE role SET name = ?2, name_key = ?3 WHERE id = ?1",
                [.integer(role.rawValue), .text(name.text), .text(name.key)])
        }
    }

    @Test(
        "Every interface serves them by identifier, and renames them",
        arguments: [".", "..", "~", "a/b", "a\\b", "a;b", "a%2Fb", "%5C", "%00"])
    func served(name: String) async throws {
        let service = try await ServiceUnderTest()
        let view = service.directory.unrestricted
        let id = try await view.users.user("tom.evans").id
        let role = try await view.roles.create("old")
        try await rename(service, id, role.id, to: name)
        let base = ServiceUnderTest.base
        let person = await service.request("GET", "\(base)/people/\(id)")
        #expect(person.status == 200 && person["uid"]?.text == name)
        #expect(person["uri"]?.text == "\(base)/people/\(id)")
        let group = await service.request("GET", "\(base)/groups/\(role.id)")
        #expect(group.status == 200 && group["uri"]?.text == "\(base)/groups/\(role.id)")
        #expect(await service.request("GET", "/scim/v2/Users/\(id)")["userName"]?.text == name)
        let form = await service.request("GET", "/forms/\(id)")
        #expect(form.status == 200 && form["uid"]?.text == name)
        #expect(await service.request("PUT", "/forms/\(id)", ["title": "Dr."]).status == 200, "the name may stay")
        #expect(
            await service.request("PUT", "/forms/\(id)", ["uid": "..", "title": "x"]).status
                == (name == ".." ? 200 : 400))
        #expect(await service.request("PUT", "/forms/\(id)", ["uid": "tom.evans"]).status == 200)
        #expect(await service.request("PUT", "\(base)/groups/\(role.id)", ["name": "renamed"]).status == 200)
        #expect(await service.request("GET", "\(base)/people/tom.evans")["uid"]?.text == "tom.evans")
    }

    @Test("A form of ~ is never a change of the caller while a user has that name")
    func tilde() async throws {
        let service = try await ServiceUnderTest()
        let users = service.directory.unrestricted.users
        let (own, other) = (try await users.user("ren.watanabe"), try await users.user("tom.evans"))
        #expect(await service.request("PUT", "/forms/~", as: .person, ["mobile": "+1 1"]).status == 200)
        try await rename(service, other.id, to: "~")
        let refused = await service.request("PUT", "/forms/~", as: .person, ["mobile": "+1 2"])
        #expect(refused.status == 400 && refused.text.contains("identifier"), "\(refused.text)")
        #expect(try await users.user(.id(own.id)).mobile == "+1 1")
        #expect(await service.request("PUT", "/forms/\(own.id)", as: .person, ["mobile": "+1 3"]).status == 200)
        #expect(await service.request("PUT", "/forms/\(other.id)", ["uid": "tom.evans"]).status == 200)
        #expect(await service.request("PUT", "/forms/~", as: .person, ["mobile": "+1 4"]).status == 200)
    }

    @Test("No interface makes such a name")
    func refused() async throws {
        let service = try await ServiceUnderTest()
        let base = ServiceUnderTest.base
        let before = try await service.directory.unrestricted.users.count()
        for name in [".", "..", "~", "a/b", "a\\b", "a;b", "a%2Fb", "%5C", "%00"] {
            let text = JSONValue.string(name)
            let user: JSONValue = ["schemas": ["urn:ietf:params:scim:schemas:core:2.0:User"], "userName": text]
            let person: JSONValue = ["people": [["uid": text]]]
            for (method, path, body) in [
                ("POST", "/scim/v2/Users", user),
                ("POST", "\(base)/people", ["uid": text]),
                ("POST", "\(base)/groups", ["name": text]), ("POST", "/forms", ["uid": text]),
                ("PUT", "/forms/tom.evans", ["uid": text]), ("POST", "/admin/seed", person),
            ] {
                let answer = await service.request(method, path, body)
                #expect(answer.status == 400, "\(method) \(path) \(name): \(answer.text)")
            }
        }
        #expect(try await service.directory.unrestricted.users.count() == before)
    }

    @Test(
        "A group of SCIM may be called so by people, and the name that its role gets is one that an address can carry")
    func namesOfGroups() async throws {
        let service = try await ServiceUnderTest()
        for name in [".", "..", "~", "a/b", "a\\b", "a;b", "a%2Fb", "%5C", "%00"] {
            let answer = await service.request(
                "POST", "/scim/v2/Groups",
                ["schemas": ["urn:ietf:params:scim:schemas:core:2.0:Group"], "displayName": .string(name)])
            #expect(answer.status == 201 && answer["displayName"]?.text == name, "\(answer.text)")
            let id = try #require(answer["id"]?.text)
            let group = await service.request("GET", "\(ServiceUnderTest.base)/groups/\(id)")
            let made = try #require(group["commonname"]?.text)
            #expect(await service.request("GET", "\(ServiceUnderTest.base)/groups/\(made)").status == 200, "\(made)")
            #expect(
                await service.request("POST", "\(ServiceUnderTest.base)/groups", ["name": .string(made)]).status == 409)
        }
    }
}
