import Foundation
import Roster
import Testing
import TestSupport

@Suite("Many callers at once", .timeLimit(.minutes(2)))
struct ConcurrencyTests {
    @Test("Of 100 parallel creates of one name one wins and 99 hear that it exists", arguments: Place.allCases)
    func oneNameOnce(place: Place) async throws {
        try await withDirectory(place) { (directory: Directory) async throws in
            let users = directory.unrestricted.users
            let spellings = ["Straße", "STRASSE", "straße", "Strasse", "ＳＴＲＡＳＳＥ"]
            let results = await withTaskGroup(of: DirectoryError.Code?.self) { group in
                for number in 0..<100 {
                    group.addTask { await code { try await users.create(spellings[number % spellings.count]) } }
                }
                return await group.reduce(into: [DirectoryError.Code?]()) { $0.append($1) }
            }
            #expect(results.count { $0 == nil } == 1)
            #expect(results.count { $0 == .alreadyExists } == 99)
            #expect(try await users.count() == 1)
            #expect(try await directory.unrestricted.changes.lastSequence() == 1)
        }
    }

    @Test("The same on threads of one's own, and for the value of a unique attribute", arguments: Place.allCases)
    func uniqueValueOnce(place: Place) async throws {
        try await withDirectory(place) { (directory: Directory) async throws in
            try await directory.unrestricted.attributes.declare([AttributeDefinition("badge", isUnique: true)])
            let users = directory.unrestricted.users
            let results = await inParallel(40) { number in
                code {
                    try users.create("u\(number)", attributes: ["badge": .string(number % 2 == 0 ? "Nr. 7" : "NR. 7")])
                }
            }
            #expect(results.count { $0 == nil } == 1)
            #expect(results.count { $0 == .alreadyExists } == 39)
            #expect(try await users.count() == 1)
        }
    }

    @Test("Managers that change at the same time never close a circle", arguments: Place.allCases)
    func noCircles(place: Place) async throws {
        try await withDirectory(place) { (directory: Directory) async throws in
            let users = directory.unrestricted.users
            let count = 6
            for number in 0..<count { try await users.create("u\(number)") }
            let unexpected = Gathered<String>()
            await withTaskGroup(of: Void.self) { group in
                for number in 0..<240 {
                    group.addTask {
                        let (user, manager) = (number % count, (number * 7 + number / count) % count)
                        let code = await code {
                            try await users.setManager(.named("u\(manager)"), of: .named("u\(user)"))
                        }
                        if let code, code != .circle { unexpected.append("\(code)") }
                    }
                }
            }
            #expect(unexpected.all == [])
            for number in 0..<count {
                let chain = try await users.chain(of: .named("u\(number)")).map(\.uid)
                #expect(!chain.contains("u\(number)"), "u\(number) reports to themselves")
                #expect(Set(chain).count == chain.count)
            }
            #expect(try await users.withoutManager().count >= 1, "somebody is at the top")
            #expect(try await directory.unrestricted.check() == [])
        }
    }

    @Test("Roles that are nested at the same time never close a circle", arguments: Place.allCases)
    func noRoleCircles(place: Place) async throws {
        try await withDirectory(place) { (directory: Directory) async throws in
            let roles = directory.unrestricted.roles
            for name in ["a", "b", "c"] { try await roles.create(name) }
            let pairs = [("a", "b"), ("b", "c"), ("c", "a")]
            for relation in RoleRelation.allCases {
                let codes = await withTaskGroup(of: DirectoryError.Code?.self) { group in
                    for (outer, inner) in pairs {
                        group.addTask {
                            await code { try await roles.add([.role(.named(inner))], to: .named(outer), as: relation) }
                        }
                    }
                    return await group.reduce(into: [DirectoryError.Code?]()) { $0.append($1) }
                }
                #expect(codes.count { $0 == nil } == 2, "\(relation)")
                #expect(codes.count { $0 == .circle } == 1, "\(relation)")
            }
        }
    }

    @Test("Readers see only whole changes", arguments: Place.allCases)
    func wholeChanges(place: Place) async throws {
        try await withDirectory(place) { (directory: Directory) async throws in
            let users = directory.unrestricted.users
            try await users.create("ada", attributes: ["title": "0", "department": "0"])
            try await users.create("bob", manager: "ada")
            let isOver = Flag()
            let torn = Gathered<String>()
            let reads = Gathered<Bool>()
            await withTaskGroup(of: Void.self) { group in
                for _ in 0..<3 {
                    group.addTask {
                        while !isOver.isRaised {
                            guard let ada = try? await users.user("ada", prefetch: .reportees) else { continue }
                            reads.append(true)
                            if ada.title != ada["department"]?.text { torn.append("\(ada.title ?? "-")") }
                            let search = Search(.title.present, includesTotal: true)
                            guard let page = try? await users.search(search) else { continue }
                            if page.total != page.elements.count { torn.append("total") }
                        }
                    }
                }
                group.addTask {
                    for number in 1...150 {
                        let text = AttributeValue.string("\(number)")
                        _ = try? await users.modify("ada", attributes: ["title": text, "department": text])
                        _ = try? await users.modify("bob", attributes: ["title": number % 2 == 0 ? "x" : ""])
                    }
                    isOver.raise()
                }
            }
            #expect(torn.all == [])
            #expect(!reads.all.isEmpty)
            #expect(try await users.user("ada").title == "150")
        }
    }

    @Test("Of many who change one version one wins and nobody's change is lost", arguments: Place.allCases)
    func noLostUpdate(place: Place) async throws {
        try await withDirectory(place) { (directory: Directory) async throws in
            let users = directory.unrestricted.users
            try await directory.unrestricted.attributes.declare([AttributeDefinition("count", kind: .integer)])
            try await users.create("ada", attributes: ["count": 0])
            await withTaskGroup(of: Void.self) { group in
                for _ in 0..<8 {
                    group.addTask {
                        var done = 0
                        while done < 10 {
                            guard let ada = try? await users.user("ada"), case .integer(let count)? = ada["count"]
                            else { return }
                            let result = await code {
                                try await users.modify(
                                    "ada", [.set("count", .integer(count + 1))], ifVersion: ada.version)
                            }
                            if result == nil { done += 1 } else if result != .versionConflict { return }
                        }
                    }
                }
            }
            #expect(try await users.user("ada")["count"] == 80)
            #expect(try await users.user("ada").version == 81)
        }
    }
}
