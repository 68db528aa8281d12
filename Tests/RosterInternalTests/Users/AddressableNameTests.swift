import Foundation
import RosterStore
import Testing
import TestSupport

@testable import Roster

@Suite("Names that no address can carry")
struct AddressableNameTests {
    static let names = [
        ".", "..", "~", "a/b", "/", "a\\b", "a;b", "a%2Fb", "a%2fb", "%5C", "a%5cb", "%00", "．．", "～", "‥", "a／b",
        "℅ ada", "ａ％２Ｆｂ",
    ]

    /// Gives a user and a role a name that older versions allowed.
    private static func rename(_ directory: Directory, _ user: UserID, _ role: RoleID, to text: String) throws {
        let name = try EntityName(text)
        try directory.unrestricted.write { transaction in
            let old = try transaction.users.stored(.id(user))
            try transaction.users.update(old, old.attributes, name, old.isActive, old.managerID)
            try transaction.connection.run(
                dynamic: "UPDATE role SET name = ?2, name_key = ?3 WHERE id = ?1",
                [.integer(role.rawValue), .text(name.text), .text(name.key)])
        }
    }

    @Test("No new user or role, and no renamed one, gets such a name", arguments: names)
    func refused(name: String) throws {
        try withDirectory(.usual) { directory in
            let view = directory.unrestricted
            try view.users.create("ada")
            try view.roles.create("staff")
            #expect(code { try view.users.create(name) } == .invalidName)
            #expect(code { try view.roles.create(name) } == .invalidName)
            #expect(code { try view.users.modify("ada", attributes: ["uid": .string(name)]) } == .invalidName)
            #expect(code { try view.roles.modify("staff", attributes: ["name": .string(name)]) } == .invalidName)
            for kind in ["people", "roles"] {
                let field = kind == "people" ? "uid" : "name"
                let seed = try Data("{\"\(kind)\": [{\"\(field)\": \(JSONEncoder().encode(name).text)}]}".utf8)
                let found = code { try view.load(Seed(json: seed, name: "seed.json")) }
                #expect(found == .invalidName || found == .invalidInput, "\(kind)")
            }
            #expect(try view.users.count() == 1 && view.roles.count() == 1)
        }
    }

    @Test("A user and a role of an older directory keep such a name, are addressed by identifier, and can be renamed")
    func existing() throws {
        for place in Place.allCases {
            for name in Self.names {
                try withDirectory(place) { directory in
                    let view = directory.unrestricted
                    let (user, role) = (try view.users.create("ada"), try view.roles.create("staff"))
                    try Self.rename(directory, user.id, role.id, to: name)
                    #expect(try view.users.user(.either(name)).uri == "/people/\(user.id)")
                    #expect(try view.users.modify(.named(name), attributes: ["title": "Dr."]).title == "Dr.")
                    #expect(try view.users.modify(.id(user.id), attributes: ["uid": "ada"]).uid == "ada")
                    #expect(try view.roles.modify(.named(name), attributes: ["name": "staff"]).name == "staff")
                    #expect(try view.users.user("ada").uri == "/people/ada")
                }
            }
        }
    }
}

extension Data {
    fileprivate var text: String { String(decoding: self, as: UTF8.self) }
}
