import Dispatch
import Foundation
import Roster
import Testing
import TestSupport

@Suite("Every operation on roles exists three ways")
struct RoleOperationTests {
    /// Ada and Bob are in staff; staff is in all; Cleo is in nothing.
    static func withRoles(_ place: Place, _ body: (RoleManager, UserManager) async throws -> Void) async throws {
        try await withDirectory(place) { directory in
            let (roles, users) = (directory.unrestricted.roles, directory.unrestricted.users)
            for uid in ["ada", "bob", "cleo"] { try await users.create(uid, attributes: ["title": "Person"]) }
            try await roles.create("staff", attributes: ["description": "All who work here"])
            try await roles.create("all")
            try await roles.add([.user("ada"), .user("bob")], to: "staff")
            try await roles.add([.role("staff")], to: "all")
            try await body(roles, users)
        }
    }

    @Test("A role is found by its name", arguments: Place.allCases, Form.allCases)
    func byName(place: Place, form: Form) async throws {
        try await Self.withRoles(place) { roles, _ in
            func role(_ name: String) async throws -> Role {
                try await perform(
                    form, synchronous: { try roles.role(name) }, awaited: { try await roles.role(name) },
                    handle: { roles.roleAsynchronously(name, deliveringOn: $0, completion: $1) })
            }
            let staff = try await role("STAFF")
            #expect(staff.name == "staff")
            #expect(staff.description == "All who work here")
            #expect(staff.displayName == "staff")
            #expect(await code { try await role("nothing") } == .notFound)
        }
    }

    @Test("A role is created, modified, renamed and deleted", arguments: Place.allCases, Form.allCases)
    func life(place: Place, form: Form) async throws {
        try await Self.withRoles(place) { roles, _ in
            func create(_ attributes: AttributeSet) async throws {
                try await perform(
                    form, synchronous: { _ = try roles.create(attributes: attributes) },
                    awaited: { _ = try await roles.create(attributes: attributes) },
                    handle: { roles.createAsynchronously(attributes: attributes, deliveringOn: $0, completion: $1) })
            }
            func modify(_ role: RoleReference, _ attributes: AttributeSet) async throws {
                try await perform(
                    form, synchronous: { _ = try roles.modify(role, attributes: attributes) },
                    awaited: { _ = try await roles.modify(role, attributes: attributes) },
                    handle: {
                        roles.modifyAsynchronously(role, attributes: attributes, deliveringOn: $0, completion: $1)
                    })
            }
            func delete(_ role: RoleReference) async throws {
                try await perform(
                    form, synchronous: { try roles.delete(role) }, awaited: { try await roles.delete(role) },
                    handle: { roles.deleteAsynchronously(role, deliveringOn: $0, completion: $1) })
            }
            try await create(["name": "Köche", "description": "They cook", "displayName": "Chefs"])
            #expect(try await roles.role("KÖCHE").displayName == "Chefs")
            #expect(await code { try await create(["name": "köche"]) } == .alreadyExists)
            #expect(await code { try await create(["description": "x"]) } == .invalidAttribute)
            try await modify("köche", ["description": "They bake too"])
            let cooks = try await roles.role("köche")
            #expect(cooks.description == "They bake too")
            #expect(cooks.displayName == "Chefs")
            #expect(cooks.version == 2)
            try await modify("köche", ["name": "kitchen"])
            #expect(try await roles.role("kitchen").id == cooks.id)
            #expect(await code { try await modify("kitchen", ["name": "STAFF"]) } == .alreadyExists)
            #expect(await code { try await modify("kitchen", ["nonsense": "x"]) } == .invalidAttribute)
            try await delete("kitchen")
            #expect(await code { try await roles.role("kitchen") } == .notFound)
            #expect(await code { try await delete("kitchen") } == .notFound)
        }
    }

    @Test("Roles are created and modified with attributes and values as parallel lists", arguments: Place.allCases)
    func parallelLists(place: Place) async throws {
        try await Self.withRoles(place) { roles, _ in
            try await result {
                roles.createAsynchronously(
                    attributes: ["name", "description"], values: ["cooks", "They cook"], deliveringOn: $0,
                    completion: $1)
            }
            try await result {
                roles.modifyAsynchronously(
                    "cooks", attributes: ["displayName"], values: ["Chefs"], deliveringOn: $0, completion: $1)
            }
            let cooks = try await roles.role("cooks")
            #expect(cooks.description == "They cook")
            #expect(cooks.displayName == "Chefs")
            let refused = await code {
                try await result {
                    roles.createAsynchronously(
                        attributes: ["name", "description"], values: ["more"], deliveringOn: $0, completion: $1)
                }
            }
            #expect(refused == .invalidAttribute)
        }
    }

    @Test("Members are added, told of, listed and removed", arguments: Place.allCases, Form.allCases)
    func members(place: Place, form: Form) async throws {
        try await Self.withRoles(place) { roles, _ in
            func add(_ user: UserReference, _ role: RoleReference) async throws {
                try await perform(
                    form, synchronous: { try roles.add([.user(user)], to: role) },
                    awaited: { try await roles.add([.user(user)], to: role) },
                    handle: { roles.addAsynchronously(user, to: role, deliveringOn: $0, completion: $1) })
            }
            func remove(_ user: UserReference, _ role: RoleReference) async throws {
                try await perform(
                    form, synchronous: { try roles.remove([.user(user)], from: role) },
                    awaited: { try await roles.remove([.user(user)], from: role) },
                    handle: { roles.removeAsynchronously(user, from: role, deliveringOn: $0, completion: $1) })
            }
            func member(_ user: UserReference, _ role: RoleReference) async throws -> User {
                try await perform(
                    form, synchronous: { try roles.member(user, of: role, attributes: ["title"]) },
                    awaited: { try await roles.member(user, of: role, attributes: ["title"]) },
                    handle: {
                        roles.memberAsynchronously(
                            user, of: role, attributes: ["title"], deliveringOn: $0, completion: $1)
                    })
            }
            func members(_ role: Role) async throws -> [String] {
                try await perform(
                    form, synchronous: { try role.members() }, awaited: { try await role.members() },
                    handle: { role.membersAsynchronously(deliveringOn: $0, completion: $1) }
                ).map(\.uid)
            }
            let all = try await roles.role("all")
            #expect(try await member("ada", "staff").title == "Person")
            #expect(try await member("ada", "all").uid == "ada", "through the nested role")
            #expect(await code { try await member("cleo", "staff") } == .notFound)
            #expect(await code { try await member("nobody", "staff") } == .notFound)
            try await add("cleo", "all")
            try await add("cleo", "all")
            #expect(try await members(all) == ["ada", "bob", "cleo"], "an added member is there once")
            try await remove("ada", "staff")
            #expect(try await members(all) == ["bob", "cleo"])
            #expect(await code { try await remove("ada", "staff") } == .notFound)
            #expect(await code { try await remove("bob", "all") } == .notFound, "Bob is not a direct member")
            #expect(await code { try await add("nobody", "staff") } == .notFound)
            #expect(await code { try await add("ada", "nothing") } == .notFound)
        }
    }
}
