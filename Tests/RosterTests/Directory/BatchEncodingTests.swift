import Foundation
import Roster
import Testing

@Suite("The encoded form of a batch")
struct BatchEncodingTests {
    private func encoded(_ value: some Encodable) throws -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        return String(decoding: try encoder.encode(value), as: UTF8.self)
    }

    @Test("The keys say what a change does")
    func readable() throws {
        let batch: Batch = [
            .createUser(NewUser("ada", attributes: [.title: "Analyst"], manager: "grace", isActive: false)),
            .modifyUser("ada", [.set(.title, "Lead"), .add(.emails, ["a@b.c"]), .clear(.nickName)], ifVersion: 3),
            .deleteUser(.either("eve"), reportees: .leave), .createRole("staff"),
            .add([.user("ada"), .role("team")], to: "staff", as: .owner), .remove([.user("ada")], from: "staff"),
        ]
        #expect(
            try encoded(batch) == """
                [{"attributes":{"title":"Analyst"},"createUser":"ada","isActive":false,"manager":"grace"},\
                {"changes":[{"set":"title","value":"Lead"},{"add":"emails","values":["a@b.c"]},{"clear":"nickName"}],\
                "ifVersion":3,"modifyUser":"ada"},\
                {"deleteUser":{"either":"eve"},"reportees":"leave"},{"createRole":"staff"},\
                {"add":[{"user":"ada"},{"role":"team"}],"as":"owner","to":"staff"},\
                {"as":"member","from":"staff","remove":[{"user":"ada"}]}]
                """)
    }

    @Test("Every change comes back as it was")
    func roundTrip() throws {
        let users = try Directory.inMemory().unrestricted.users
        let id = try users.create("ada").id
        let role = try users.create("eve")  // An identifier of another user.
        let batch: Batch = [
            .createUser(NewUser("ada")),
            .createUser(NewUser("ada", attributes: [.photo: .binary(Data([1]))], manager: id)),
            .modifyUser(id, [.remove(.emails, ["x"]), .set("n", 5), .set("d", .decimal(1)), .set("b", true)]),
            .modifyUser(role, [], ifVersion: 9), .deleteUser(id), .deleteUser("x", reportees: .reassign, ifVersion: 1),
            .createRole("a", [.displayName: "A"]), .modifyRole("a", [.set(.name, "b")], ifVersion: 1),
            .modifyRole(.either("a"), []), .deleteRole("a"), .deleteRole("a", ifVersion: 2),
            .add([.user(id), .role(.either("z"))], to: .either("a")), .remove([], from: "a", as: .owner),
        ]
        #expect(try JSONDecoder().decode(Batch.self, from: JSONEncoder().encode(batch)) == batch)
    }

    @Test("A batch that an earlier version has encoded is read")
    func old() throws {
        let old = """
            {"operations":[
            {"createUser":{"_0":{"uid":"ada","attributes":{"title":"Analyst"},"manager":{"named":{"_0":"grace"}},"isActive":true}}},
            {"modifyUser":{"_0":{"named":{"_0":"ada"}},"_1":[{"set":{"_0":"title","_1":"Lead"}},{"clear":{"_0":"nickName"}},\
            {"add":{"_0":"emails","_1":["a@b.c"]}}],"ifVersion":3}},
            {"deleteUser":{"_0":{"either":{"_0":"eve"}},"reportees":"leave"}},
            {"createRole":{"_0":"staff","_1":{}}},
            {"modifyRole":{"_0":{"named":{"_0":"staff"}},"_1":[]}},
            {"deleteRole":{"_0":{"named":{"_0":"staff"}},"ifVersion":2}},
            {"add":{"_0":[{"user":{"_0":{"named":{"_0":"ada"}}}},{"role":{"_0":{"named":{"_0":"team"}}}}],\
            "to":{"named":{"_0":"staff"}},"as":"owner"}},
            {"remove":{"_0":[{"user":{"_0":{"named":{"_0":"ada"}}}}],"from":{"named":{"_0":"staff"}},"as":"member"}}
            ]}
            """
        let batch: Batch = [
            .createUser(NewUser("ada", attributes: [.title: "Analyst"], manager: "grace")),
            .modifyUser("ada", [.set(.title, "Lead"), .clear(.nickName), .add(.emails, ["a@b.c"])], ifVersion: 3),
            .deleteUser(.either("eve"), reportees: .leave), .createRole("staff"), .modifyRole("staff", []),
            .deleteRole("staff", ifVersion: 2), .add([.user("ada"), .role("team")], to: "staff", as: .owner),
            .remove([.user("ada")], from: "staff"),
        ]
        #expect(try JSONDecoder().decode(Batch.self, from: Data(old.utf8)) == batch)
        #expect(throws: DecodingError.self) {
            try JSONDecoder().decode(Batch.self, from: Data(#"[{"drop":"everything"}]"#.utf8))
        }
    }
}
