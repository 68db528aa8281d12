import CSchema
import Foundation
import RosterStore
import Testing

@testable import Roster

/// The package's own folders, as they were when the tests were compiled.
enum Package {
    static let folder = URL(fileURLWithPath: #filePath)
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()

    /// The files below a folder whose names end so, in the order of their paths.
    static func files(in path: String, endingIn suffix: String) throws -> [URL] {
        let folder = folder.appendingPathComponent(path)
        let all = try #require(FileManager.default.enumerator(at: folder, includingPropertiesForKeys: nil))
        return all.compactMap { $0 as? URL }.filter { $0.lastPathComponent.hasSuffix(suffix) }
            .sorted { $0.path < $1.path }
    }

    static func text(_ url: URL) throws -> String { try String(contentsOf: url, encoding: .utf8) }
}

@Suite("The schema in the folder and in the program")
struct SchemaFolderTests {
    @Test("The program holds the files of Schema byte for byte and in their order")
    func folderIsProgram() throws {
        try expect("Schema/sqlite", schema_file_count(), schema_file_at)
        try expect("Schema/postgresql", schema_postgresql_file_count(), schema_postgresql_file_at)
    }

    private func expect(_ folder: String, _ count: Int, _ fileAt: (Int) -> schema_file) throws {
        let files = try Package.files(in: folder, endingIn: ".sql").filter { $0.lastPathComponent != "current.sql" }
        #expect(files.count == count)
        for (index, file) in files.enumerated() {
            let compiled = fileAt(index)
            #expect(String(cString: compiled.name) == file.lastPathComponent)
            #expect(Array(String(cString: compiled.sql).utf8) == Array(try Data(contentsOf: file)))
            #expect(file.lastPathComponent.hasPrefix(String(format: "%04d_", index + 1)), "they are numbered from 1")
            #expect(try Package.text(file).hasPrefix("-- "), "each begins with what it adds and why")
        }
    }

    @Test("A schema file that does not exist is empty, not a crash")
    func beyondTheEnd() {
        #expect(String(cString: schema_file_at(schema_file_count()).sql) == "")
        #expect(String(cString: schema_file_at(.max).name) == "")
        #expect(String(cString: schema_postgresql_file_at(.max).name) == "")
    }

    /// Once a version is released its file never changes: what is in the field was made by it. Add a line for each
    /// new file; never edit one.
    static let released = [
        "0001_users.sql": "e7a7475bd24cc5dd",
        "0002_roles.sql": "ba0e82b9621e088d",
        "0003_changes.sql": "8c3fd7c20eabe52c",
        "0004_access.sql": "c2474ed81da929d6",
        "0005_sign_in.sql": "3fe0f752a8c948ce",
        "0006_identity_links.sql": "d31acdb7c77dc5c0",
        "0007_privacy.sql": "3bb8fa6653b4fda2",
        "0008_ends.sql": "e05a92c9dde566fa",
        "0009_makers.sql": "aad273e7c8b141f9",
        "0010_epochs.sql": "26d212dc9ac01c4a",
        "0011_order.sql": "26c1d3a6e9561274",
        "0012_idempotent_changes.sql": "685fb57b0e34623a",
        "0013_powers.sql": "4b10c81045467616",
        "0014_sign_ins.sql": "652c504b2ef052b1",
        "0015_account_dates.sql": "61badb10a18e8f68",
        "0016_password_links.sql": "7853f673561639f8",
        "0017_settings.sql": "88b349e682cfbb72",
        "0018_password_link_powers.sql": "d64ebe159c75db40",
        "0019_records.sql": "9fe146ab9319fa8",
        "0020_repeated_sign_ins.sql": "f59781bd17fb6cf3",
        "0021_addresses.sql": "36a0a54d0bc70d7f",
        "0022_sources.sql": "7c5d6aac8bfb3562",
        "0023_values.sql": "6bc09a9f686f8055",
        "0024_filters.sql": "46c1819eebda36b4",
        "0025_apps.sql": "d6a96d310b3026",
        "0026_matching.sql": "d6ce65d1245c31e5",
        "0027_app_passwords.sql": "7272fb90ab5c6c37",
        "0028_change_batches.sql": "771651c3b62814cb",
        "0029_word_changes.sql": "36e71ecc23b0bacd",
        "0030_uses_and_memberships.sql": "48824463beddfb02",
        "0031_narrow_views.sql": "c8e09a9c420cc16a",
        "0032_token_uses.sql": "a2071b3585edd54e",
    ]

    @Test("Released schema files are what they were")
    func releasedFilesArePinned() {
        for step in Migrations.current.steps {
            #expect(Self.released[step.name] == step.checksum, "\(step.name) was changed, or is not pinned yet")
        }
        #expect(Self.released.count == Migrations.current.steps.count)
    }

    @Test("Schema/sqlite/current.sql is the schema of a fresh directory as SQLite prints it")
    func currentSchema() throws {
        let store = try Store(.memory, mappedBytes: 0, now: Date())
        let statements = try store.read { try $0.all(StoreStatements.schema) { $0.text(0) } }
        let printed = statements.map { $0 + ";\n" }.joined(separator: "\n")
        let file = Package.folder.appendingPathComponent("Schema/sqlite/current.sql")
        if ProcessInfo.processInfo.environment["ROSTER_PRINT_SCHEMA"] != nil {
            try Data(printed.utf8).write(to: file)
        }
        #expect(try Package.text(file) == printed, "run the tests with ROSTER_PRINT_SCHEMA=1 and commit the file")
    }

    @Test("No table and no column is called 'user', which another engine takes for the name of the connected role")
    func noReservedNames() throws {
        let schema = try Package.text(Package.folder.appendingPathComponent("Schema/sqlite/current.sql"))
            .replacing(#/--[^\n]*|'[^']*'/#, with: "")
        #expect(schema.contains("users") && !schema.contains(#/\buser\b/#))
    }
}
