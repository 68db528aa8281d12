import Foundation
import Roster
import Testing

@Suite("Empty cells")
struct ClearingTests {
    private func directory(_ people: Int = 1) throws -> Directory {
        let directory = try Directory.inMemory()
        try directory.unrestricted.users.create("boss")
        for number in 0..<people {
            try directory.unrestricted.users.create(
                "p\(number)", attributes: ["title": "Trainee", "activeEndDate": "2030-12-31"], manager: .named("boss"))
        }
        return directory
    }

    @discardableResult
    private func load(
        _ text: String, _ directory: Directory, _ change: (inout ImportOptions) -> Void = { _ in }
    ) throws -> ImportReport {
        var options = ImportOptions(format: .csv)
        change(&options)
        return try directory.unrestricted.importPeople(from: Data(text.utf8), named: "hr.csv", options: options)
    }

    private func table(_ people: Int, cleared: Int) -> String {
        "uid,title\n" + (0..<people).map { "p\($0),\($0 < cleared ? "" : "Trainee")\n" }.joined()
    }

    @Test("An empty cell takes the value away, and the manager; the name, the state and the password stay")
    func clears() throws {
        let directory = try directory()
        let report = try load("uid,title,activeEndDate,manager,active,password\np0,,,,,\n", directory)
        let user = try directory.unrestricted.users.user("p0")
        #expect(user.attributes.isEmpty && user.managerID == nil && user.isActive)
        #expect(report.cleared.map(\.name).sorted() == ["activeEndDate", "manager", "title"])
        #expect(report.cleared.allSatisfy { $0.count == 1 && $0.line == 2 } && report.isComplete)
    }

    @Test("A row that ends early takes nothing away, and the values that it would have cleared are named")
    func shortRows() throws {
        let directory = try directory(2)
        let report = try load("uid,title,manager,nickName\np0\np1,\nnew\n", directory)
        let user = try directory.unrestricted.users.user("p0")
        #expect(user.attributes["title"] == "Trainee" && user.managerID != nil)
        #expect(
            report.problems.map { "\($0.line) \($0.uid) \($0.field)" } == [
                "2 p0 title", "2 p0 manager", "3 p1 manager",
            ])
        #expect(report.problems.allSatisfy { !$0.isRowLeftOut } && !report.isComplete)
        #expect(report.cleared.map(\.name) == ["title"])
        #expect(report.users.created == 1)
    }

    @Test("Columns that the file does not have stay, and so do all values on request")
    func keeps() throws {
        let directory = try directory()
        try load("uid,title\np0,\n", directory) { $0.keepsEmpty = true }
        #expect(try directory.unrestricted.users.user("p0").attributes["title"] == "Trainee")
        try load("uid,title\np0,\n", directory)
        #expect(try directory.unrestricted.users.user("p0").attributes["activeEndDate"] == "2030-12-31")
    }

    @Test("A list keeps the value of its own column beside the empty column of a part")
    func partsOfLists() throws {
        let directory = try directory()
        try load(
            "uid,telephoneNumber,phoneNumbers\np0,,\"[{\"\"value\"\": \"\"1\"\", \"\"type\"\": \"\"work\"\"}]\"\n",
            directory)
        #expect(try directory.unrestricted.users.user("p0").attributes["telephoneNumber"] == "1")
    }

    @Test("More than a tenth of a column is not taken away unless that is allowed", arguments: [false, true])
    func limit(inSteps: Bool) async throws {
        let directory = try directory(40)
        func load(_ cleared: Int, atMost most: Int? = nil) async throws -> ImportReport {
            var options = ImportOptions(format: .csv)
            options.mostCleared = most
            let data = Data(table(40, cleared: cleared).utf8)
            return inSteps
                ? try await directory.unrestricted.importInSteps(from: data, named: "hr.csv", options: options)
                : try await directory.unrestricted.importPeople(from: data, named: "hr.csv", options: options)
        }
        let error = try #require(
            await #expect(throws: DirectoryError.self) { _ = try await load(5) })
        #expect(error.code == .limitExceeded && error.message.contains("'title'") && error.message.contains("5 of 40"))
        #expect(try await directory.unrestricted.users.user("p0").attributes["title"] == "Trainee")
        #expect(try await load(4).cleared.map(\.count) == [4])
        #expect(try await load(20, atMost: 20).cleared.map(\.count) == [16])
    }

    @Test("A preview counts what would go, and keeps it")
    func preview() throws {
        let directory = try directory()
        let preview = try directory.unrestricted.previewImport(
            from: Data("uid,title\np0,\n".utf8), named: "hr.csv", options: .init(format: .csv))
        #expect(preview.report.cleared.map(\.name) == ["title"] && preview.changes.count == 1)
        #expect(try directory.unrestricted.users.user("p0").attributes["title"] == "Trainee")
    }
}
