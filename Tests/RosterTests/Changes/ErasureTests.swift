import Foundation
import Roster
import Testing
import TestSupport

@Suite("Erasing deleted users")
struct ErasureTests {
    private static let secrets = [
        "1990-04-17", "Elm Street 4711", "ada.private@home.example", "ada-lovelace", "198.51.100.77",
        "gadget-note",
        "ada.renamed", "Augusta-Ada",
    ]

    /// A user with a history: created, changed, renamed, signed in, refused, in a role.
    private func live(_ directory: Directory) async throws -> UserID {
        let view = directory.unrestricted
        let id = try await view.users.create(
            "ada-lovelace",
            attributes: [
                "dateOfBirth": "1990-04-17", "givenName": "Augusta-Ada",
                "addresses": [["type": "home", "streetAddress": "Elm Street 4711"]],
                "emails": [["type": "home", "value": "ada.private@home.example"]],
            ]
        ).id
        try await view.users.create("bob")
        try await view.roles.create("staff")
        try await view.roles.add([.user(.id(id))], to: "staff")
        try await view.users.modify(.id(id), attributes: ["description": "gadget-note"])
        try await view.users.modify(.id(id), attributes: ["uid": "ada.renamed"])
        func entry(_ kind: Change.Kind, _ entity: Change.Entity, _ id: Int64, _ name: String) -> (AuditEntry, Int) {
            (AuditEntry(kind, entity, id: id, name: name, actor: "sign-in", detail: ["from": "198.51.100.77"]), 1)
        }
        try await directory.audit([
            entry(.signedIn, .user, id.rawValue, "ada.renamed"), entry(.refused, .user, 0, "ADA-Lovelace"),
            entry(.refused, .backend, 7, "ada.private@home.example"),
        ])
        return id
    }

    /// The file and its log, as bytes.
    private func bytes(_ file: URL) throws -> Data {
        try Data(contentsOf: file) + ((try? Data(contentsOf: URL(fileURLWithPath: file.path + "-wal"))) ?? Data())
    }

    private func expectErased(_ directory: Directory, _ id: UserID, _ count: Int64) async throws {
        let changes = try await directory.unrestricted.changes.since(0)
        #expect(changes.map(\.sequence) == Array(1...count), "the numbers stay")
        let text = "\(changes)"
        for secret in Self.secrets { #expect(!text.contains(secret), "\(secret)") }
        let own = changes.filter { $0.subjectID == id.description }
        #expect(own.map(\.kind).contains(.deleted) && own.map(\.kind).contains(.signedIn), "what happened stays")
        #expect(own.allSatisfy { $0.name.isEmpty && $0.before.isEmpty && $0.after.isEmpty })
        #expect(changes.contains { $0.name == "bob" && !$0.after.isEmpty }, "others stay as they are")
        #expect(try await directory.unrestricted.check().isEmpty)
    }

    @Test(
        "What was told of a deleted user is gone: in the feed and in every byte of the file", arguments: [false, true])
    func erases(_ atDeletion: Bool) async throws {
        try await withFolder { folder in
            let file = folder.appendingPathComponent("d.db")
            let directory = try Directory(at: file)
            defer { directory.close() }
            let id = try await live(directory)
            let users = directory.unrestricted.users
            if atDeletion {
                try await users.delete(.id(id), erasing: true)
            } else {
                try await users.delete(.id(id))
                let feed = try await directory.unrestricted.changes.since(0)
                #expect("\(feed)".contains("1990-04-17"), "a deletion alone keeps them")
                #expect(try await users.deleted("ADA.renamed") == [id])
                #expect(try await users.erase([id]) >= 6)
                #expect(try await users.deleted("ada.renamed").isEmpty)
            }
            try await expectErased(directory, id, try await directory.unrestricted.changes.lastSequence())
            let bytes = try bytes(file)
            for secret in Self.secrets { #expect(bytes.range(of: Data(secret.utf8)) == nil, "\(secret)") }
            #expect(bytes.range(of: Data("bob".utf8)) != nil)
            #expect(try await users.erase([id]) >= 5, "erasing again is no mistake")
        }
    }

    @Test("Nothing is left of people whose rows SQLite has moved from page to page")
    func erasesMovedRows() throws {
        try withFolder { folder in
            let file = folder.appendingPathComponent("d.db")
            let directory = try Directory(at: file)
            defer { directory.close() }
            let users = directory.unrestricted.users
            let seed = randomSeed()
            var numbers = SeededNumbers(seed: seed)
            func secret(_ number: Int) -> String {
                "secret-\(number)-of-\(number)"
                    + String(repeating: "x", count: Int.random(in: 0..<900, using: &numbers))
            }
            let count = 1_500
            let ids = try (0..<count).map { number in
                try users.create(
                    "u\(number)",
                    attributes: [
                        "description": .string(secret(number)),
                        "mail": .string(
                            "\(UInt32.random(in: 0 ... .max, using: &numbers))-secret-\(number)-of@example.com"),
                    ]
                ).id
            }
            for _ in 0..<1_500 {
                let number = Int.random(in: 0..<count, using: &numbers)
                try users.modify(.id(ids[number]), attributes: ["description": .string(secret(number))])
            }
            let gone = (0..<count).filter { $0.isMultiple(of: 7) }
            for number in gone { try users.delete(.id(ids[number])) }
            try users.erase(gone.map { ids[$0] })
            let bytes = try bytes(file)
            let left = gone.filter { bytes.range(of: Data("secret-\($0)-of".utf8)) != nil }
            #expect(left.isEmpty, "seed \(seed)")
            #expect(bytes.range(of: Data("secret-1-of".utf8)) != nil)
            #expect(try directory.unrestricted.check().isEmpty)
        }
    }

    @Test("Others change the directory between the steps in which a file is overwritten")
    func othersGoOn() async throws {
        try await withDirectory(.file) { directory in
            let view = directory.unrestricted
            try await view.users.load(
                (0..<6_000).map { number in
                    NewUser("u\(number)", attributes: ["description": .string(String(repeating: "x", count: 900))])
                })
            let id = try await view.users.user("u1").id
            try await view.users.delete("u1")
            let isErased = Flag()
            async let erasing: Void = {
                try await view.users.erase([id])
                isErased.raise()
            }()
            var changes = 0
            while !isErased.isRaised {
                try await view.users.modify("u2", attributes: ["title": .string("\(changes)")])
                changes += 1
            }
            try await erasing
            #expect(changes >= 2)
            #expect(try await view.check().isEmpty)
        }
    }

    @Test("Everybody else is as before: read, found, and changed after the file was overwritten")
    func othersStay() async throws {
        try await withDirectory(.file) { directory in
            let id = try await live(directory)
            let view = directory.unrestricted
            for number in 0..<200 {
                try await view.users.create("user\(number)", attributes: ["givenName": .string("Given\(number)")])
            }
            try await view.users.delete(.id(id), erasing: true)
            #expect(try await view.users.search(Search(.givenName.contains("iven19"), includesTotal: true)).total == 11)
            #expect(try await view.users.search(Search(.givenName.contains("ugusta"), includesTotal: true)).total == 0)
            try await view.users.create("later")
            #expect(try await view.users.user("later").uid == "later")
            #expect(try await view.check().isEmpty)
        }
    }

    @Test("A user who is still there, or of whom nothing is known, is not erased")
    func refusals() async throws {
        let directory = try emptyDirectory()
        let id = try await live(directory)
        let last = try await directory.unrestricted.changes.lastSequence()
        #expect(code { try directory.unrestricted.users.erase([id]) } == .invalidInput)
        #expect(code { try directory.unrestricted.users.erase([UserID("zzzzzz") ?? id]) } != nil)
        let told = try await directory.unrestricted.changes.since(0)
        #expect("\(told)".contains("Elm Street"))
        #expect(try await directory.unrestricted.changes.lastSequence() == last)
        let hr = directory.acting(as: .provisioning("hr")).users
        #expect(code { try hr.delete(.id(id), erasing: true) } == .notPermitted)
        #expect(try await directory.unrestricted.users.user(.id(id)).uid == "ada.renamed", "all of it or nothing")
    }
}
