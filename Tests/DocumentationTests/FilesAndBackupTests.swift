import Foundation
import Roster
import RosterFixtures
import Testing

@Suite("Files, backup and exchange")
struct FilesAndBackupTests: NamesFiles {
    let folder: ExampleFolder

    init() throws { folder = try ExampleFolder() }

    @Test("A second opener reads")
    func reading() throws {
        let directory = try company()
        let reader = try Directory(at: URL(fileURLWithPath: "company.db"), readOnly: true)
        print(try reader.unrestricted.users.count())
        #expect(try directory.unrestricted.users.count() == 40)
    }

    @Test("A second opener reads, with await")
    func readingAwaiting() async throws {
        let directory = try company()
        let reader = try Directory(at: URL(fileURLWithPath: "company.db"), readOnly: true)
        print(try await reader.unrestricted.users.count())
        #expect(try await directory.unrestricted.users.count() == 40)
    }

    @Test("A backup is made and restored")
    func backup() throws {
        let directory = try company()
        try directory.backup(to: URL(fileURLWithPath: "copy.db")) { done in print("\(Int(done * 100)) %") }
        directory.close()
        try Directory.restore(
            from: URL(fileURLWithPath: "copy.db"), to: URL(fileURLWithPath: "company.db"), replacing: true)
        let restored = try Directory(at: URL(fileURLWithPath: "company.db"))
        #expect(try restored.unrestricted.users.count() == 40)
    }

    @Test("A backup is made and restored, with await")
    func backupAwaiting() async throws {
        let directory = try company()
        try await directory.backup(to: URL(fileURLWithPath: "copy.db")) { done in print("\(Int(done * 100)) %") }
        directory.close()
        try await Directory.restore(
            from: URL(fileURLWithPath: "copy.db"), to: URL(fileURLWithPath: "company.db"), replacing: true)
        let restored = try Directory(at: URL(fileURLWithPath: "company.db"))
        #expect(try await restored.unrestricted.users.count() == 40)
    }

    @Test("People are imported")
    func importing() throws {
        let view = try Fixtures.company().unrestricted
        let csv = Data("uid,givenName,manager\nada,Ada,kenji.sato\n".utf8)
        let report = try view.importPeople(
            from: csv, named: "people.csv", options: ImportOptions(format: .csv, onBadRow: .skip))
        print(report.users.created, report.problems.map(\.message), report.ignored)
        #expect(report.users.created == 1 && report.problems.isEmpty)
    }

    @Test("People are imported, with await")
    func importingAwaiting() async throws {
        let view = try Fixtures.company().unrestricted
        let csv = Data("uid,givenName,manager\nada,Ada,kenji.sato\n".utf8)
        let report = try await view.importPeople(
            from: csv, named: "people.csv", options: ImportOptions(format: .csv, onBadRow: .skip))
        print(report.users.created, report.problems.map(\.message), report.ignored)
        #expect(report.users.created == 1 && report.problems.isEmpty)
    }

    @Test("A directory is exported")
    func exporting() throws {
        let view = try Fixtures.company().unrestricted
        let url = URL(fileURLWithPath: "company.ldif")
        try Data().write(to: url)
        let file = try FileHandle(forWritingTo: url)
        try view.export(.ldif) { piece in try file.write(contentsOf: piece) }
        try file.close()
        #expect(try String(contentsOf: url, encoding: .utf8).contains("uid: emma.mueller"))
    }

    @Test("A directory is exported, with await")
    func exportingAwaiting() async throws {
        let view = try Fixtures.company().unrestricted
        let url = URL(fileURLWithPath: "company.ldif")
        try Data().write(to: url)
        let file = try FileHandle(forWritingTo: url)
        try await view.export(.ldif) { piece in try file.write(contentsOf: piece) }
        try file.close()
        #expect(try String(contentsOf: url, encoding: .utf8).contains("uid: emma.mueller"))
    }

    @Test("A file of a personnel system is tried, then imported")
    func personnelFile() throws {
        let view = try Fixtures.company().unrestricted
        var options = ImportOptions(format: .csv, columns: ["uid": "Login", "manager": "Boss", "hireDate": "Hired"])
        options.managersBy = "mail"
        options.dateFormat = DateFormat("DD.MM.YYYY")
        options.leavers = .init(scope: AttributePath("department").equals("Sales"), most: 9)
        let file = Data("Login;Boss;Hired\nvera.neu;kenji.sato@nordwind.example;1.3.2026\n".utf8)

        let preview = try view.previewImport(from: file, named: "hr.csv", options: options)
        for change in preview.changes { print(change.kind, change.name, change.before, change.after) }
        if preview.report.problems.isEmpty { try view.importPeople(from: file, named: "hr.csv", options: options) }
        #expect(try view.users.user("vera.neu")["hireDate"] == "2026-03-01")
        #expect(preview.report.disabled == 9)
    }

    @Test("A file of a personnel system is tried, then imported, with await")
    func personnelFileAwaiting() async throws {
        let view = try Fixtures.company().unrestricted
        var options = ImportOptions(format: .csv, columns: ["uid": "Login", "manager": "Boss", "hireDate": "Hired"])
        options.managersBy = "mail"
        options.dateFormat = DateFormat("DD.MM.YYYY")
        options.leavers = .init(scope: AttributePath("department").equals("Sales"), most: 9)
        let file = Data("Login;Boss;Hired\nvera.neu;kenji.sato@nordwind.example;1.3.2026\n".utf8)

        let preview = try await view.previewImport(from: file, named: "hr.csv", options: options)
        for change in preview.changes { print(change.kind, change.name, change.before, change.after) }
        if preview.report.problems.isEmpty {
            try await view.importPeople(from: file, named: "hr.csv", options: options)
        }
        #expect(try await view.users.user("vera.neu")["hireDate"] == "2026-03-01")
        #expect(preview.report.disabled == 9)
    }
}
