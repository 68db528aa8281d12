import RosterStore
import Testing

@testable import Roster

@Suite("The text index")
struct TextIndexTests {
    private static let trigrams: SQL = "SELECT count(*) FROM text_index WHERE text_index MATCH ?1"

    private func count(_ text: String, in directory: Directory) throws -> Int64? {
        try directory.unrestricted.read { transaction in
            try transaction.connection.first(Self.trigrams, [.text("\"\(text)\"")]) { $0.integer(0) }
        }
    }

    @Test(
        "Holds names with their accents only, of one user and of many, and nothing of them after a rename and a deletion"
    )
    func folded() async throws {
        let directory = try Directory.inMemory()
        let users = directory.unrestricted.users
        try await users.create("zoë.åkesson")
        try await users.load([NewUser("chloë.åberg")])
        for part in ["zoë", "åke", "chl", "loë", "åbe"] { #expect(try count(part, in: directory) == 1, "\(part)") }
        for part in ["zoe", "ake", "loe", "abe"] { #expect(try count(part, in: directory) == 0, "\(part)") }
        try await users.modify("zoë.åkesson", [.set(.uid, "max")])
        try await users.delete("chloë.åberg")
        for part in ["zoe", "zoë", "ake", "åke", "chl", "loe", "loë", "abe", "åbe"] {
            #expect(try count(part, in: directory) == 0, "\(part)")
        }
        #expect(try count("max", in: directory) == 1)
    }
}
