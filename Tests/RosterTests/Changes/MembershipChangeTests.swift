import Foundation
import Roster
import RosterStore
import Testing
import TestSupport

@Suite("The changes of a user's roles", .timeLimit(.minutes(5)))
struct MembershipChangeTests {
    private func told(_ view: DirectoryView, _ user: UserReference, limit: Int = 100) throws -> [String] {
        var (all, last): ([String], MembershipChange?) = ([], nil)
        while true {
            let page = try view.changes.memberships(of: user, before: last, limit: limit)
            all += page.map {
                "\($0.kind) \($0.displayName ?? $0.roleName ?? "?")\($0.actor.isEmpty ? "" : " by \($0.actor)")"
            }
            guard page.count == limit else { return all }
            last = page.last
        }
    }

    @Test("They are told latest first, also of a deleted role and in pages of any size", arguments: Place.allCases)
    func history(place: Place) throws {
        try withDirectory(place) { (directory: Directory) throws in
            let view = directory.acting(as: .administrator("root"))
            for name in ["ada", "bob"] { try view.users.create(name) }
            try view.roles.create("team", attributes: ["displayName": "The team"])
            try view.roles.create("crew")
            try view.roles.add([.user("ada"), .user("bob")], to: "team")
            try view.roles.add([.user("ada")], to: "crew")
            try view.roles.add([.user("ada")], to: "crew", as: .owner)
            try view.roles.add([.role("crew")], to: "team")
            try view.roles.remove([.user("ada")], from: "team")
            try view.roles.delete("crew")
            let expected = [
                "ceasedToBeOwner crew by root", "left crew by root", "left The team by root",
                "becameOwner crew by root", "joined crew by root", "joined The team by root",
            ]
            for limit in [1, 2, 5, 100] { #expect(try told(view, "ada", limit: limit) == expected, "\(limit)") }
            let refusal = #expect(throws: DirectoryError.self) { try view.changes.memberships(of: "ada", limit: 0) }
            #expect(refusal?.code == .invalidPage)
            #expect(try told(view, "bob") == ["joined The team by root"])
            let ada = directory.acting(as: .user(try view.users.user("ada").id))
            #expect(
                try told(ada, "ada") == [
                    "ceasedToBeOwner ?", "left ?", "left The team", "becameOwner ?", "joined ?", "joined The team",
                ],
                "neither who did it nor the name of a role that is not there")
            for other in ["bob", "nobody"] {
                #expect(throws: DirectoryError.self) { try told(ada, .named(other)) }
            }
            try view.attributes.setRights(of: "displayName", for: .role, readers: .administrators)
            #expect(try told(ada, "ada").last == "joined team", "a display name that the user may not read")
            #expect(try told(view, "ada").last == "joined The team by root")
        }
    }

    @Test("A removed part of the feed is no part of the history any more", arguments: Place.allCases)
    func compaction(place: Place) throws {
        try withDirectory(place) { (directory: Directory) throws in
            let view = directory.unrestricted
            try view.users.create("ada")
            try view.roles.create("team")
            try view.roles.add([.user("ada")], to: "team")
            let last = try view.changes.lastSequence()
            try view.roles.remove([.user("ada")], from: "team")
            try view.changes.compact(through: last)
            #expect(try told(view, "ada").count == 1)
            try view.changes.compact(through: last + 1)
            #expect(try told(view, "ada").isEmpty)
        }
    }

    @Test("A page takes the same work in a feed of four times as many changes", arguments: Place.allCases)
    func pageWork(place: Place) throws {
        var found: [StatementWork] = []
        for count in [200, 800] {
            try withDirectory(place) { (directory: Directory) throws in
                let view = directory.unrestricted
                try view.users.load((0..<count).map { NewUser("u\($0)") })
                for number in 0..<(count / 10) { try view.roles.create("r\(number)") }
                for number in 0..<(count / 10) {
                    try view.roles.add((0..<count).map { .user(.named("u\($0)")) }, to: .named("r\(number)"))
                }
                func page() throws {
                    let page = try view.read { try $0.feed.membershipChanges(of: "u7", before: nil, limit: 10) }
                    #expect(page.count == 10)
                }
                try page()
                found.append(try work(on: directory) { try page() })
            }
        }
        #expect(found[1].isSame(as: found[0]), "\(found)")
        #expect(found[0].statements > 0)
    }
}
