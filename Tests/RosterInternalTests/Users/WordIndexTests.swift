import Foundation
import RosterStore
import TestSupport
import Testing

@testable import Roster

@Suite("The word index")
struct WordIndexTests {
    private static let holders: SQL = "SELECT rowid FROM word_index WHERE word_index MATCH ?1 ORDER BY rowid"
    private static let waiting: SQL = "SELECT count(*) FROM word_change"

    private func holders(of word: String, in directory: Directory) throws -> [Int64] {
        try directory.unrestricted.read { transaction in
            try transaction.connection.all(Self.holders, [.text("\"\(word)\"")]) { $0.integer(0) }
        }
    }

    private func waiting(in directory: Directory) throws -> Int64 {
        try directory.unrestricted.read { transaction in
            try transaction.connection.first(Self.waiting) { $0.integer(0) } ?? 0
        }
    }

    @Test("Takes changes 64 at a time, so that a change of a title does not write to the index")
    func waits() throws {
        let directory = try Directory.inMemory()
        let users = directory.unrestricted.users
        try users.create("ada", attributes: ["title": "Engineer"])
        for number in 1...63 {
            try users.modify("ada", attributes: ["title": .string("Chief \(number)x")])
            #expect(try waiting(in: directory) == Int64(number))
        }
        #expect(try holders(of: "engineer", in: directory).count == 1)
        #expect(try users.matching("63x").map(\.user.uid) == ["ada"] && users.matching("62x").isEmpty)
        try users.modify("ada", attributes: ["title": "Admiral"])
        #expect(try waiting(in: directory) == 0)
        #expect(try holders(of: "engineer", in: directory).isEmpty && holders(of: "63x", in: directory).isEmpty)
        #expect(try holders(of: "admiral", in: directory).count == 1)
        #expect(try users.matching("admiral").map(\.user.uid) == ["ada"])
    }

    @Test("Finds people by waiting words together with words of the index, in all scripts")
    func finds() throws {
        let directory = try Directory.inMemory()
        let users = directory.unrestricted.users
        try users.create("ada", attributes: ["givenName": "Ada", "familyName": "Müller", "title": "Clerk"])
        try users.modify("ada", attributes: ["title": "Größe 部長"])
        for question in ["ada groesse", "mueller grosse", "長", "部長 muller", "gr"] {
            #expect(try users.matching(question).map(\.user.uid) == ["ada"], "\(question)")
        }
        #expect(try users.matching("clerk").isEmpty)
    }

    @Test("Has the words of all users, and no others, after random changes")
    func random() throws {
        let seed = randomSeed()
        var random = SeededNumbers(seed: seed)
        let words = [
            "alpha", "beta", "gamma", "delta", "Ämter", "übung", "部長", "omega", String(repeating: "long", count: 9),
        ]
        func text() -> AttributeValue {
            // Some texts are longer than the words of a user may be together.
            let count = Int.random(in: 0...9, using: &random) == 0 ? 200 : Int.random(in: 1...3, using: &random)
            return .string(
                (0..<count).map { index in count > 100 ? "w\(index)z" : words.randomElement(using: &random) ?? "" }
                    .joined(separator: " "))
        }
        let directory = try Directory.inMemory()
        let users = directory.unrestricted.users
        var names: [String] = []
        for step in 0..<600 {
            switch Int.random(in: 0...9, using: &random) {
            case 0...1:
                names.append("user\(step)")
                try users.create("user\(step)", attributes: ["title": text(), "familyName": text()])
            case 2 where names.count > 3:
                try users.delete(.named(names.remove(at: Int.random(in: 0..<names.count, using: &random))))
            default:
                guard let index = names.indices.randomElement(using: &random) else { continue }
                let attribute = ["title", "familyName", "department"].randomElement(using: &random) ?? "title"
                try users.modify(.named(names[index]), attributes: [AttributeName(attribute): text()])
                if Int.random(in: 0...9, using: &random) == 0 {
                    try users.modify(.named(names[index]), [.set(.uid, .string("beta\(step)"))])
                    names[index] = "beta\(step)"
                }
            }
        }
        _ = try directory.unrestricted.changes.prune()
        #expect(try waiting(in: directory) == 0)
        var expected: [String: [Int64]] = [:]
        for user in try users.search(Search(pageSize: 1_000)).elements {
            for word in UserWords(name: user.uid, attributes: user.attributes).words {
                expected[word, default: []].append(user.id.rawValue)
            }
        }
        let all = Set(words.flatMap { UserWords(name: $0, attributes: [:]).words } + (0..<200).map { "w\($0)z" })
        for word in all.union(expected.keys) {
            #expect(try holders(of: word, in: directory) == (expected[word] ?? []).sorted(), "\(word)")
        }
    }

    @Test("Keeps no word of an erased person, while changes wait")
    func erases() throws {
        let directory = try Directory.inMemory()
        let users = directory.unrestricted.users
        try users.create("ada", attributes: ["title": "Engineer"])
        try users.create("max", attributes: ["title": "Engineer"])
        try users.modify("ada", attributes: ["title": "Admiral"])
        try users.modify("max", attributes: ["title": "Clerk"])
        let id = try users.user("ada").id
        try users.delete("ada")
        try users.erase([id])
        #expect(try waiting(in: directory) == 1)
        #expect(try holders(of: "engineer", in: directory).count == 1 && holders(of: "admiral", in: directory).isEmpty)
        #expect(try users.matching("clerk").map(\.user.uid) == ["max"] && users.matching("engineer").isEmpty)
    }
}
