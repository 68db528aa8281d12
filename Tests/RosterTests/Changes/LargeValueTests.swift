import Foundation
import Roster
import Testing
import TestSupport

@Suite("Large values in the change feed")
struct LargeValueTests {
    private static let certificate = String(repeating: "MIIC", count: 400)

    @Test("Bytes and long text are told by their length and a checksum, before and after", arguments: Place.allCases)
    func replaced(place: Place) throws {
        try withDirectory(place) { directory in
            let view = directory.unrestricted
            let photo = Data((0..<5_000).map { UInt8($0 % 251) })
            try view.users.create(
                "ada",
                attributes: [
                    "photo": .binary(photo), "title": "Countess",
                    "description": .string(String(repeating: "x", count: 1_024)),
                    "x509Certificates": [["value": .string(Self.certificate), "display": "card"]],
                ])
            try view.users.modify("ada", attributes: ["photo": .binary(photo + [1])])
            try view.users.modify("ada", attributes: ["description": .string(String(repeating: "y", count: 1_025))])
            try view.users.delete("ada")
            let changes = try view.changes.since(0)
            let created = try #require(changes.first).after
            #expect(created["photo"]?.part("bytes") == .integer(5_000))
            #expect(created["title"] == "Countess")
            #expect(created["description"]?.text?.count == 1_024, "up to 1,024 bytes stand as they are")
            let card = try #require(created["x509Certificates"]?.elements.first)
            #expect(card.part("display") == "card" && card.part("value")?.part("bytes") == .integer(1_600))
            let changed = changes[1]
            #expect(changed.before["photo"] == created["photo"], "the same bytes have the same checksum")
            #expect(changed.after["photo"]?.part("bytes") == .integer(5_001))
            #expect(changed.after["photo"]?.part("fnv1a") != created["photo"]?.part("fnv1a"))
            #expect(changes[2].after["description"]?.part("bytes") == .integer(1_025))
            #expect(changes[3].before["photo"] == changed.after["photo"])
            #expect(try view.changes.since(0).allSatisfy { "\($0)".utf8.count < 4_096 })
        }
    }

    @Test("The value itself stays whole in the directory")
    func stored() throws {
        let view = try emptyDirectory().unrestricted
        try view.users.create("ada", attributes: ["photo": .binary(Data([1, 2, 3]))])
        #expect(try view.users.user("ada", attributes: ["photo"]).photo == Data([1, 2, 3]))
    }
}
