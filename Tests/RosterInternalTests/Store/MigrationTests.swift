import Foundation
import RosterStore
import Testing
import TestSupport

@testable import Roster

@Suite("Migrations")
struct MigrationTests {
    static let now = Date(timeIntervalSince1970: 1_800_000_000)
    static let steps = Migrations.current.steps

    /// The statements of a script one by one. (No statement of ours has a semicolon inside.)
    static func statements(of sql: String) -> [String] {
        let lines = sql.split(separator: "\n").map { line in
            String(line.firstRange(of: "--").map { line[..<$0.lowerBound] } ?? line)
        }
        return lines.joined(separator: "\n").components(separatedBy: ";")
            .map { $0.trimmingCharacters(in: .whitespacesAndNewlines) + ";" }.filter { $0 != ";" }
    }

    static func connect(_ url: URL) throws -> Connection {
        try Connection(path: url.path, mode: .init(isWriter: true, mappedBytes: 0))
    }

    static func schema(of connection: Connection) throws -> [String] {
        try connection.all(StoreStatements.schema) { $0.text(0) }
    }

    static let schema: [String] = {
        (try? Store(.memory, mappedBytes: 0, now: now).read { try schema(of: $0) }) ?? []
    }()

    /// Makes a file of an older version, with a row in it.
    static func makeFile(_ url: URL, version: Int) throws {
        let connection = try connect(url)
        try connection.run(StoreStatements.useLog)
        guard version > 0 else { return }
        try Migrations(steps: Array(steps.prefix(version))).apply(on: connection, path: url.path, now: now)
        try connection.run(script: "UPDATE directory SET last_id = 4711")
    }

    @Test(
        "Interrupted at any statement, the old version is intact and the new one complete the next time",
        arguments: 0..<steps.count)
    func interrupted(version: Int) throws {
        // The first and the last step of the migration are interrupted, and each in a long run.
        let isLong = ProcessInfo.processInfo.environment["ROSTER_FAULTS"] == "all"
        for broken in version..<Self.steps.count where isLong || broken == version || broken == Self.steps.count - 1 {
            let statements = Self.statements(of: Self.steps[broken].sql)
            // The program does the work of this step.
            #expect(!statements.isEmpty || Self.steps[broken].name == "0011_order.sql")
            // A later step of the same migration is interrupted at its end, and at any statement in a long run.
            let isEach = broken == version || isLong
            for count in isEach ? Array(0...statements.count) : [statements.count] {
                try withFolder { folder in
                    let url = folder.appendingPathComponent("test.db")
                    try Self.makeFile(url, version: version)
                    let before = version == 0 ? [] : try Self.schema(of: Self.connect(url))
                    // What is missing of the step fails, as if the process had been stopped there.
                    let half = (statements.prefix(count) + ["SELECT stopped FROM here;"]).joined(separator: "\n")
                    var steps = Self.steps
                    steps[broken] = Migrations.Step(number: broken + 1, name: steps[broken].name, sql: half)
                    do {
                        let connection = try Self.connect(url)
                        #expect(throws: StoreError.self) {
                            try Migrations(steps: steps).apply(on: connection, path: url.path, now: Self.now)
                        }
                        #expect(connection.engine.isOutsideTransaction)
                        #expect(try Self.schema(of: connection) == before)
                        #expect(
                            try Migrations.current.inspect(connection, path: url.path)
                                == (version == 0 ? .empty : .version(version)))
                    }
                    let store = try Store(.file(url.path, readOnly: false), mappedBytes: 0, now: Self.now)
                    defer { store.close() }
                    #expect(try store.read { try Self.schema(of: $0) } == Self.schema)
                    #expect(
                        try store.read { try $0.first(DirectoryStatements.lastID) { $0.integer(0) } }
                            == (version == 0 ? 0 : 4711))
                    #expect(
                        try store.read { try $0.all(StoreStatements.migrations) { $0.integer(0) } }
                            == Array(1...Int64(Self.steps.count)))
                }
            }
        }
    }

    /// What a file's first bytes and companions are, to see whether somebody touched it.
    static func bytes(_ url: URL) throws -> [Data?] {
        ["", "-wal"].map { try? Data(contentsOf: URL(fileURLWithPath: url.path + $0)) }
    }

    static func refusal(_ url: URL, readOnly: Bool) -> DirectoryError.Code? {
        code { try Store(.file(url.path, readOnly: readOnly), mappedBytes: 0, now: now) }
    }

    /// Makes a file by other steps, and expects that it is refused and not touched.
    static func expectRefused(
        _ url: URL, made steps: [Migrations.Step], _ readOnly: Bool, _ code: DirectoryError.Code
    ) throws {
        do {
            let connection = try connect(url)
            try connection.run(StoreStatements.useLog)
            try Migrations(steps: steps).apply(on: connection, path: url.path, now: now)
        }
        let before = try bytes(url)[0]
        #expect(refusal(url, readOnly: readOnly) == code)
        #expect(try bytes(url)[0] == before)
    }

    @Test("A newer file is refused and not touched", arguments: [true, false])
    func newer(readOnly: Bool) throws {
        try withFolder { folder in
            let url = folder.appendingPathComponent("test.db")
            let more =
                Self.steps + [
                    Migrations.Step(
                        number: Self.steps.count + 1, name: "9999_future.sql", sql: "CREATE TABLE future (x);")
                ]
            try Self.expectRefused(url, made: more, readOnly, .newerFile)
        }
    }

    @Test("An older file is not opened for reading only, and not touched")
    func olderReadOnly() throws {
        try withFolder { folder in
            let url = folder.appendingPathComponent("test.db")
            try Self.makeFile(url, version: 1)
            let before = try Self.bytes(url)[0]
            #expect(Self.refusal(url, readOnly: true) == .readOnly)
            #expect(try Self.bytes(url)[0] == before)
        }
    }

    @Test("A file whose migrations were not these is refused", arguments: [true, false])
    func checksum(readOnly: Bool) throws {
        try withFolder { folder in
            let url = folder.appendingPathComponent("test.db")
            var edited = Self.steps
            edited[0] = Migrations.Step(number: 1, name: edited[0].name, sql: edited[0].sql + "\n-- edited")
            try Self.expectRefused(url, made: edited, readOnly, .damaged)
        }
    }

    @Test(
        "Another program's database is refused and its bytes stay, also those in its log", arguments: [true, false],
        ["DELETE", "WAL"])
    func foreign(readOnly: Bool, mode: String) throws {
        try withFolder { folder in
            let url = folder.appendingPathComponent("test.db")
            let theirs = folder.appendingPathComponent("theirs.db")
            let connection = try Self.connect(theirs)
            try connection.run(
                script: "PRAGMA journal_mode = \(mode); CREATE TABLE thing (x); INSERT INTO thing VALUES (1), (2);")
            // A copy taken while it is open, as a crash of that program would leave it.
            for ending in ["", "-wal"] where FileManager.default.fileExists(atPath: theirs.path + ending) {
                try FileManager.default.copyItem(atPath: theirs.path + ending, toPath: url.path + ending)
            }
            let before = try Self.bytes(url)
            #expect((before[1]?.isEmpty == false) == (mode == "WAL"))
            #expect(Self.refusal(url, readOnly: readOnly) == .notADirectory)
            #expect(try Self.bytes(url) == before)
        }
    }

    @Test("A fresh file of nothing, and one that another program only made, become a directory or are refused whole")
    func emptyFile() throws {
        try withFolder { folder in
            let url = folder.appendingPathComponent("test.db")
            try Data().write(to: url)
            #expect(Self.refusal(url, readOnly: true) != nil)
            #expect(try Data(contentsOf: url).isEmpty)
            let store = try Store(.file(url.path, readOnly: false), mappedBytes: 0, now: Self.now)
            #expect(try store.read { try Self.schema(of: $0) } == Self.schema)
            store.close()
        }
    }
}
