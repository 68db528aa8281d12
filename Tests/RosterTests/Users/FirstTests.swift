import Foundation
import Roster
import Testing

@Test func aUserIsCreatedAndFound() throws {
    let directory = try Directory.inMemory()
    let users = directory.unrestricted.users
    try users.create("Ada", attributes: ["givenName": "Ada", "mail": "ada@example.com", "title": "Countess"])
    try users.create("bob", attributes: ["familyName": "Müller"], manager: "ada")
    let ada = try users.user("ADA")
    #expect(ada.mail == "ada@example.com")
    #expect(try users.user("bob").manager()?.uid == "Ada")
    #expect(try users.search(Search(.surname.starts("MÜ"), includesTotal: true)).total == 1)
    #expect(try users.search(Search(.mail.contains("example"))).elements.map(\.uid) == ["Ada"])
    #expect(try directory.unrestricted.changes.since(0).count == 2)
    try users.modify("bob", attributes: ["title": "Builder"])
    #expect(throws: DirectoryError.self) { try users.setManager("bob", of: "ada") }
    try users.delete("bob")
    let roles = directory.unrestricted.roles
    try roles.create("staff")
    try roles.add([.user("ada")], to: "staff")
    #expect(try roles.role("staff").members().map(\.uid) == ["Ada"])
    #expect(try users.search(Search(.memberOf.equals("STAFF"))).elements.count == 1)
}

@Test func aFileIsReopened() async throws {
    let url = FileManager.default.temporaryDirectory.appendingPathComponent("\(UUID()).db")
    do {
        let directory = try Directory(at: url)
        try await directory.unrestricted.users.create("ada")
        #expect(try await directory.unrestricted.users.user("ada").uid == "ada")
        #expect(throws: DirectoryError.self) { _ = try Directory(at: url) }
        directory.close()
    }
    try await Task.sleep(for: .milliseconds(100))
    let again = try Directory(at: url)
    #expect(try await again.unrestricted.users.count() == 1)
}
