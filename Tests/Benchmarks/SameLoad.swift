import CSQLite
import Foundation
import Roster

/// Loads the same users by Roster and by plain calls on libsqlite3 that write the same rows, in turn.
struct SameLoad {
    let people: Int
    let folder: URL
    /// The size of the pages of the files; nil for the usual one.
    let pageSize: Int?
    private let rounds = 3

    /// The rows of so many users are read and written in turn; the time of the writing counts.
    private static let chunk: Int64 = 20_000

    func run() throws {
        let ours = folder.appendingPathComponent("same-load-roster-\(people).db")
        let same = folder.appendingPathComponent("same-load-bare-\(people).db")
        defer { for file in [ours, same] { SameWork.remove(file) } }
        var ourTimes: [Double] = []
        var sameTimes: [Double] = []
        var processor: [Double] = []
        for _ in 0..<rounds {
            processor.append(try processorSeconds { ourTimes.append(try load(into: ours)) })
            sameTimes.append(try copy(ours, into: same))
        }
        figure("roster.load", Double(people) / median(ourTimes), "users/s")
        figure("roster.load_processor", median(processor) * 1_000_000 / Double(people), "us/user")
        figure("same.load", Double(people) / median(sameTimes), "users/s")
        figure("ratio.same_load", median(zip(sameTimes, ourTimes).map { $0 / $1 }), "x")
        for (name, file) in [("roster", ours), ("same", same)] {
            let size = try FileManager.default.attributesOfItem(atPath: file.path)[.size] as? Int
            figure("\(name).load_file", Double(size ?? 0) / 1_048_576, "MB")
        }
    }

    /// Removes a file, and makes an empty one if its pages have another size than usual.
    private func makeEmpty(_ file: URL) {
        SameWork.remove(file)
        guard let pageSize else { return }
        BareSQLite(file.path, pageSize: pageSize).run("VACUUM")
    }

    private func load(into file: URL) throws -> Double {
        makeEmpty(file)
        sync()
        let directory = try Directory(at: file)
        defer { directory.close() }
        let users = directory.unrestricted.users
        return try seconds { try users.load(People(count: people)) }
    }

    /// Writes the rows of the users of a file into an empty one.
    private func copy(_ source: URL, into file: URL) throws -> Double {
        makeEmpty(file)
        try Directory(at: file).close()
        sync()
        let reader = RowReader(BareSQLite(source.path, readOnly: true))
        let writer = SameWork(file).bare
        writer.run("PRAGMA wal_autocheckpoint = 0")
        let indexes = reader.indexes(of: writer)
        let users = writer.prepare(
            """
            INSERT INTO users (
                id, name, name_key, active, manager, version, created, modified, given_name_key, family_name_key,
                common_name_key, display_name_key, title_key, department_key, employee_number_key, attributes, starts, ends
            ) VALUES (?1, ?2, ?3, ?4, ?5, 1, ?6, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16)
            """)
        let values = writer.prepare(
            "INSERT INTO attribute_value (attribute, key, user_id) VALUES (?1, ?2, ?3) ON CONFLICT DO NOTHING")
        let text = writer.prepare(
            """
            INSERT INTO text_index (rowid, name, given_name, family_name, common_name, display_name, mail, phone)
            VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)
            """)
        let changes = writer.prepare(
            """
            INSERT INTO change (sequence, time, actor, kind, entity, id, name, before, after)
            VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9)
            """)
        defer { for statement in [users, values, text, changes] { sqlite3_finalize(statement) } }
        var time = seconds {
            writer.run("BEGIN IMMEDIATE")
            for index in indexes { writer.run("DROP INDEX \(index.name)") }
            writer.run(
                """
                INSERT INTO text_index (text_index, rank) VALUES ('hashsize', 33554432);
                INSERT INTO text_index (text_index, rank) VALUES ('automerge', 0);
                INSERT INTO text_index (text_index, rank) VALUES ('crisismerge', 500);
                PRAGMA cache_size = -49152
                """)
        }
        while reader.read(Self.chunk) {
            // In the order in which Roster writes the rows of 500 users.
            time += seconds {
                for part in reader.parts {
                    part.users.run(users, on: writer)
                    part.values.run(values, on: writer)
                    part.text.run(text, on: writer)
                    part.changes.run(changes, on: writer)
                }
            }
        }
        time += seconds {
            writer.run(
                """
                INSERT INTO text_index (text_index) VALUES ('optimize');
                INSERT INTO text_index (text_index, rank) VALUES ('crisismerge', 16);
                INSERT INTO text_index (text_index, rank) VALUES ('automerge', 4);
                INSERT INTO text_index (text_index, rank) VALUES ('hashsize', 1048576);
                UPDATE directory SET last_id = (SELECT max(id) FROM users)
                """)
            for index in indexes { writer.run(index.sql) }
            writer.run("COMMIT")
        }
        writer.run("PRAGMA wal_checkpoint(TRUNCATE)")
        return time
    }
}

/// Reads the rows that a load has written.
private final class RowReader {
    struct Part {
        var users = SameWork.Rows(columns: 16)
        var values = SameWork.Rows(columns: 3)
        var text = SameWork.Rows(columns: 7)
        var changes = SameWork.Rows(columns: 9)
    }

    private let bare: BareSQLite
    private(set) var parts: [Part] = []
    private var last: Int64 = 0

    init(_ bare: BareSQLite) { self.bare = bare }

    func indexes(of writer: BareSQLite) -> [(name: String, sql: String)] {
        let statement = writer.prepare(
            """
            SELECT name, sql FROM sqlite_schema WHERE type = 'index' AND tbl_name = 'users' AND name <> 'user_name'
            ORDER BY rowid
            """)
        defer { sqlite3_finalize(statement) }
        var indexes: [(String, String)] = []
        while sqlite3_step(statement) == SQLITE_ROW {
            indexes.append((Self.text(statement, 0), Self.text(statement, 1)))
        }
        return indexes
    }

    private static func text(_ statement: OpaquePointer, _ column: Int32) -> String {
        String(decoding: SameWork.Rows.text(statement, column), as: UTF8.self)
    }

    /// The text of a key, which ends before the marks of accents and case. (The users of the benchmarks have no accents.)
    private static func folded(_ statement: OpaquePointer, _ column: Int32) -> Slice<UnsafeBufferPointer<UInt8>>? {
        guard sqlite3_column_type(statement, column) != SQLITE_NULL else { return nil }
        let text = SameWork.Rows.text(statement, column)
        return text.prefix { $0 != 1 }
    }

    /// Reads the rows of the next users.
    ///
    /// - Returns: Whether there are any.
    func read(_ count: Int64) -> Bool {
        parts.removeAll(keepingCapacity: true)
        let users = bare.prepare(
            """
            SELECT id, name, name_key, active, manager, created, given_name_key, family_name_key, common_name_key,
                display_name_key, title_key, department_key, employee_number_key, attributes, starts, ends,
                (SELECT key FROM attribute_value WHERE attribute = 'emails' AND user_id = id
                    AND key = name_key || '@example.com')
            FROM users WHERE id > ?1 AND id <= ?2 ORDER BY id
            """)
        let changes = bare.prepare(
            """
            SELECT sequence, time, actor, kind, entity, id, name, before, after FROM change
            WHERE sequence > ?1 AND sequence <= ?2 ORDER BY sequence
            """)
        defer { for statement in [users, changes] { sqlite3_finalize(statement) } }
        for statement in [users, changes] {
            sqlite3_bind_int64(statement, 1, last)
            sqlite3_bind_int64(statement, 2, last + count)
        }
        var number = 0
        while sqlite3_step(users) == SQLITE_ROW {
            if number % 500 == 0 { parts.append(Part()) }
            add(users, to: &parts[parts.count - 1])
            number += 1
        }
        number = 0
        while sqlite3_step(changes) == SQLITE_ROW {
            for column in 0..<9 { parts[number / 500].changes.add(changes, Int32(column)) }
            number += 1
        }
        last += count
        return !parts.isEmpty
    }

    private func add(_ row: OpaquePointer, to part: inout Part) {
        for column in 0..<16 { part.users.add(row, Int32(column)) }
        let id = sqlite3_column_int64(row, 0)
        let mail = SameWork.Rows.text(row, 16)
        part.values.add("emails")
        part.values.add(mail)
        part.values.add(id)
        part.text.add(id)
        part.text.add(SameWork.Rows.text(row, 2))
        for column in 6..<10 {
            if let text = Self.folded(row, Int32(column)) { part.text.add(text) } else { part.text.addNull() }
        }
        part.text.add(mail)
    }
}
