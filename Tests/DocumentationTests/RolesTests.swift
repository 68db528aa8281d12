import Roster
import RosterFixtures
import Testing

@Suite("Roles")
struct RolesTests {
    let directory: Directory
    var view: DirectoryView { directory.unrestricted }
    var users: UserManager { view.users }
    var roles: RoleManager { view.roles }

    init() throws { directory = try Fixtures.company() }

    @Test("A role gets members and owners")
    func creation() throws {
        try roles.create("night-shift", attributes: [.displayName: "Night shift"])
        try roles.add([.user("emma.mueller"), .role("platform")], to: "night-shift")
        try roles.add([.user("haruka.ito")], to: "night-shift", as: .owner)
        try roles.remove([.user("emma.mueller")], from: "night-shift")
        #expect(try roles.userCount(of: "night-shift") == 8)
    }

    @Test("A role gets members and owners, with await")
    func creationAwaiting() async throws {
        try await roles.create("night-shift", attributes: [.displayName: "Night shift"])
        try await roles.add([.user("emma.mueller"), .role("platform")], to: "night-shift")
        try await roles.add([.user("haruka.ito")], to: "night-shift", as: .owner)
        try await roles.remove([.user("emma.mueller")], from: "night-shift")
        #expect(try await roles.userCount(of: "night-shift") == 8)
    }

    @Test("Members are found directly and through nested roles")
    func members() throws {
        let everyone = try roles.users(of: "engineering")
        let direct = try roles.users(of: "engineering", reach: .direct)
        let number = try roles.userCount(of: "engineering")
        let nested = try roles.roles(of: "engineering")
        let owners = try roles.users(of: "on-call", as: .owner)
        let member = try roles.member("emma.mueller", of: "engineering")
        #expect(everyone.count == number && direct.count < number && nested.count == 2)
        #expect(owners.count == 5 && member.uid == "emma.mueller")
    }

    @Test("Members are found directly and through nested roles, with await")
    func membersAwaiting() async throws {
        let everyone = try await roles.users(of: "engineering")
        let direct = try await roles.users(of: "engineering", reach: .direct)
        let number = try await roles.userCount(of: "engineering")
        let nested = try await roles.roles(of: "engineering")
        let owners = try await roles.users(of: "on-call", as: .owner)
        let member = try await roles.member("emma.mueller", of: "engineering")
        #expect(everyone.count == number && direct.count < number && nested.count == 2)
        #expect(owners.count == 5 && member.uid == "emma.mueller")
    }

    @Test("The roles of a user are found")
    func ofUser() throws {
        let all = try roles.roles(having: .user("emma.mueller"))
        let ownedOnes = try roles.roles(having: .user("yuki.tanaka"), as: .owner)
        let emma = try users.user("emma.mueller", attributes: .all)
        print(all.map(\.name), emma[.memberOf]?.elements ?? [])
        #expect(all.count == 4 && ownedOnes.map(\.name) == ["platform"])
    }

    @Test("The roles of a user are found, with await")
    func ofUserAwaiting() async throws {
        let all = try await roles.roles(having: .user("emma.mueller"))
        let ownedOnes = try await roles.roles(having: .user("yuki.tanaka"), as: .owner)
        let emma = try await users.user("emma.mueller", attributes: .all)
        print(all.map(\.name), emma[.memberOf]?.elements ?? [])
        #expect(all.count == 4 && ownedOnes.map(\.name) == ["platform"])
    }

    @Test("A filter selects the members of a role")
    func filter() throws {
        let onCall = try users.search(Search(.all(.member(of: "on-call"), .active)))
        #expect(onCall.elements.count == 9)
    }

    @Test("A filter selects the members of a role, with await")
    func filterAwaiting() async throws {
        let onCall = try await users.search(Search(.all(.member(of: "on-call"), .active)))
        #expect(onCall.elements.count == 9)
    }

    @Test("A role is changed, renamed and deleted")
    func changes() throws {
        try roles.modify("platform", [.set(.description, "Databases and networks")])
        try roles.modify("platform", [.set(.name, "platform-team")])
        try roles.delete("platform-team")
        #expect(try roles.find("platform") == nil)
    }

    @Test("A role is changed, renamed and deleted, with await")
    func changesAwaiting() async throws {
        try await roles.modify("platform", [.set(.description, "Databases and networks")])
        try await roles.modify("platform", [.set(.name, "platform-team")])
        try await roles.delete("platform-team")
        #expect(try await roles.find("platform") == nil)
    }

    @Test("A role gives a power")
    func powers() throws {
        try roles.create("service-desk")
        try roles.setPower(.helpDesk, of: "service-desk")
        print(try roles.power(of: "service-desk")?.rawValue ?? "none")
        try roles.setPower(nil, of: "service-desk")
        #expect(try roles.power(of: "service-desk") == nil)
    }

    @Test("A role gives a power, with await")
    func powersAwaiting() async throws {
        try await roles.create("service-desk")
        try await roles.setPower(.helpDesk, of: "service-desk")
        print(try await roles.power(of: "service-desk")?.rawValue ?? "none")
        try await roles.setPower(nil, of: "service-desk")
        #expect(try await roles.power(of: "service-desk") == nil)
    }
}
