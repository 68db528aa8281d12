import Foundation
import Roster
import Testing
import TestSupport

@Suite("Cycles", .timeLimit(.minutes(1)))
struct CycleTests {
    @Test("A cycle of reporting lines, members or owners is refused with one message, whichever call would close it")
    func oneMessage() throws {
        let view = try Directory.inMemory().unrestricted
        try view.users.create("ada")
        try view.users.create("bob", manager: "ada")
        for name in ["a", "b"] { try view.roles.create(name) }
        try view.roles.add([.role("b")], to: "a")
        try view.roles.add([.role("b")], to: "a", as: .owner)
        func message(_ code: DirectoryError.Code = .circle, _ body: () throws -> Void) throws -> String {
            let error = try #require(throws: DirectoryError.self) { try body() }
            #expect(error.code == code)
            return error.problem
        }
        let reporting = "'ada' would report to themselves, directly or through others."
        #expect(try message { try view.users.setManager("bob", of: "ada") } == reporting)
        #expect(try message { try view.users.setManager("ada", of: "ada") } == reporting)
        #expect(try message { try view.users.modify("ada", [.set("manager", "bob")]) } == reporting)
        let seed = try Seed(json: Data(#"{"people": [{"uid": "ada", "manager": "bob"}]}"#.utf8), name: "s")
        #expect(try message(.invalidInput) { try view.load(seed) } == reporting)
        #expect(
            try message { try view.roles.add([.role("a")], to: "b") }
                == "'b' would contain itself, directly or through others.")
        #expect(
            try message { try view.roles.add([.role("a")], to: "b", as: .owner) }
                == "'b' would own itself, directly or through others.")
    }
}
