import CSQLite
import Foundation
import Roster

/// Does the work of Roster's changes and of its bulk load with plain calls on libsqlite3, in files with Roster's own tables, indexes,
/// feed and text index. The values are made before the time is measured.
struct SameWork {
    /// A value to bind; the texts are beside one another in a list of bytes.
    enum Value {
        case null
        case integer(Int64)
        case real(Double)
        case text(start: Int, count: Int)
    }

    /// Rows of values to bind, in the order of the parameters.
    struct Rows {
        private(set) var values: [Value] = []
        private(set) var bytes: [UInt8] = []
        let columns: Int

        init(columns: Int) { self.columns = columns }

        mutating func add(_ number: Int64) { values.append(.integer(number)) }
        mutating func addNull() { values.append(.null) }
        mutating func add(_ text: some Collection<UInt8>) {
            values.append(.text(start: bytes.count, count: text.count))
            bytes.append(contentsOf: text)
        }
        mutating func add(_ text: String) { add(text.utf8) }

        /// Adds the value of a column of the current row.
        mutating func add(_ statement: OpaquePointer, _ column: Int32) {
            switch sqlite3_column_type(statement, column) {
            case SQLITE_INTEGER: add(sqlite3_column_int64(statement, column))
            case SQLITE_FLOAT: values.append(.real(sqlite3_column_double(statement, column)))
            case SQLITE_TEXT: add(Self.text(statement, column))
            default: addNull()
            }
        }

        static func text(_ statement: OpaquePointer, _ column: Int32) -> UnsafeBufferPointer<UInt8> {
            let start = sqlite3_column_blob(statement, column)?.assumingMemoryBound(to: UInt8.self)
            return UnsafeBufferPointer(start: start, count: Int(sqlite3_column_bytes(statement, column)))
        }

        mutating func removeAll() {
            values.removeAll(keepingCapacity: true)
            bytes.removeAll(keepingCapacity: true)
        }

        /// Runs a statement once for each row.
        func run(_ statement: OpaquePointer, on bare: BareSQLite) {
            bytes.withUnsafeBytes { bytes in
                for start in stride(from: 0, to: values.count, by: columns) {
                    bind(start, to: statement, bytes)
                    bare.finish(statement)
                }
            }
        }

        /// Binds the values of a row without copying them.
        @inline(__always)
        func bind(_ start: Int, to statement: OpaquePointer, _ bytes: UnsafeRawBufferPointer) {
            for column in 0..<columns {
                let index = Int32(column + 1)
                switch values[start + column] {
                case .null: sqlite3_bind_null(statement, index)
                case .integer(let number): sqlite3_bind_int64(statement, index, number)
                case .real(let number): sqlite3_bind_double(statement, index, number)
                case .text(let start, let count):
                    let text = bytes.baseAddress?.advanced(by: start).assumingMemoryBound(to: CChar.self)
                    sqlite3_bind_text(statement, index, text, Int32(count), nil)
                }
            }
        }
    }

    let bare: BareSQLite

    /// Opens a file that Roster has made, with the settings of Roster's writer.
    init(_ file: URL) {
        bare = BareSQLite(file.path)
        bare.run(
            """
            PRAGMA foreign_keys = ON; PRAGMA trusted_schema = OFF; PRAGMA wal_autocheckpoint = 4000;
            PRAGMA cache_size = -16000
            """)
        sqlite3_extended_result_codes(bare.handle, 1)
    }

    /// Copies a file that no process has open, unless there is a copy already.
    static func copy(of file: URL) throws -> URL {
        let copy = copyName(of: file)
        if !FileManager.default.fileExists(atPath: copy.path) {
            try FileManager.default.copyItem(at: file, to: copy)
            sync()
        }
        return copy
    }

    static func copyName(of file: URL) -> URL {
        file.deletingLastPathComponent().appendingPathComponent("same-" + file.lastPathComponent)
    }

    static func remove(_ file: URL) {
        for ending in ["", "-wal", "-shm", "-lock", "-key"] {
            try? FileManager.default.removeItem(atPath: file.path + ending)
        }
    }

    // MARK: Changes

    /// Changes the titles of users durably: finds each by name, changes the row, and adds an entry to the feed.
    ///
    /// - Parameter batch: The number of changes in a commit.
    /// - Returns: The changes a second, and the time of the processor in seconds.
    func changes(_ names: [String], titles: [String], batch: Int) -> (rate: Double, processor: Double) {
        let find = bare.prepare(
            """
            SELECT u.id, u.name, u.active, u.manager, u.version, u.created, u.modified, u.attributes
            FROM users u WHERE u.name_key = ?1
            """)
        let update = bare.prepare(
            "UPDATE users SET active = ?, version = ?, modified = ?, attributes = ?, title_key = ? WHERE id = ?")
        let append = bare.prepare(
            """
            INSERT INTO change (sequence, time, actor, kind, entity, id, name, before, after)
            VALUES (
                max(coalesce((SELECT max(sequence) FROM change), 0), (SELECT compacted FROM directory)) + 1,
                ?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)
            """)
        let wait = bare.prepare("INSERT INTO word_change (user_id, removed, added) VALUES (?1, ?2, ?3)")
        let remove = bare.prepare("INSERT INTO word_index (word_index, rowid, words) VALUES ('delete', ?1, ?2)")
        let add = bare.prepare("INSERT INTO word_index (rowid, words) VALUES (?1, ?3)")
        let empty = bare.prepare("DELETE FROM word_change")
        let (begin, commit) = (bare.prepare("BEGIN IMMEDIATE"), bare.prepare("COMMIT"))
        defer {
            for statement in [find, update, append, wait, remove, add, empty, begin, commit] {
                sqlite3_finalize(statement)
            }
        }
        var keys = Rows(columns: 1)
        var updates = Rows(columns: 6)
        var entries = Rows(columns: 8)
        var words = Rows(columns: 3)
        let began = Int64(Date().timeIntervalSince1970 * 1_000)
        // The numbers of the changes in the order in which the word index takes them, at each 64th change.
        var turns: [(id: Int64, number: Int)] = []
        for (number, (name, title)) in zip(names, titles).enumerated() {
            keys.add(name)
            bare.bind(find, 1, name)
            guard sqlite3_step(find) == SQLITE_ROW else { fatalError("There is no user \(name).") }
            updates.add(find, 2)
            updates.add(sqlite3_column_int64(find, 4) + 1)
            // A time of change that grows, as Roster's does, and so moves the user in the index of these times.
            let time = began + Int64(number / 16)
            updates.add(time)
            let (old, new) = Self.record(Array(Rows.text(find, 7)), title: title)
            updates.add(new.record)
            updates.add(title.lowercased() + "\u{1}\u{1F}")
            updates.add(find, 0)
            entries.add(time)
            entries.add("local")
            entries.add(2)
            entries.add(1)
            entries.add(find, 0)
            entries.add(find, 1)
            entries.add(old)
            entries.add(new.title)
            words.add(find, 0)
            let (was, becomes) = (Self.words(String(decoding: old.dropFirst(2), as: UTF8.self)), Self.words(title))
            words.add(was.filter { !becomes.contains($0) }.joined(separator: " "))
            words.add(becomes.filter { !was.contains($0) }.joined(separator: " "))
            turns.append((sqlite3_column_int64(find, 0), number))
            sqlite3_reset(find)
        }
        for start in stride(from: 0, to: turns.count, by: 64) {
            turns[start..<min(start + 64, turns.count)].sort { $0.id < $1.id }
        }
        bare.finish(empty)
        func writeWords(_ last: Int, _ bytes: UnsafeRawBufferPointer) {
            for turn in turns[(last - 63)...last] {
                for statement in [remove, add] {
                    words.bind(turn.number * words.columns, to: statement, bytes)
                    bare.finish(statement)
                }
            }
            bare.finish(empty)
        }
        func work() {
            keys.bytes.withUnsafeBytes { keyBytes in
                updates.bytes.withUnsafeBytes { updateBytes in
                    entries.bytes.withUnsafeBytes { entryBytes in
                        words.bytes.withUnsafeBytes { wordBytes in
                            for number in names.indices {
                                if number % batch == 0 { bare.finish(begin) }
                                keys.bind(number, to: find, keyBytes)
                                bare.drain(find)
                                updates.bind(number * updates.columns, to: update, updateBytes)
                                bare.finish(update)
                                entries.bind(number * entries.columns, to: append, entryBytes)
                                bare.finish(append)
                                words.bind(number * words.columns, to: wait, wordBytes)
                                bare.finish(wait)
                                if number % 64 == 63 { writeWords(number, wordBytes) }
                                if number % batch == batch - 1 || number == names.count - 1 { bare.finish(commit) }
                            }
                        }
                    }
                }
            }
        }
        var time = 0.0
        let processor = processorSeconds { time = seconds { work() } }
        return (Double(names.count) / time, processor)
    }

    /// The words of a title, as the word index takes them.
    private static func words(_ title: String) -> [Substring] {
        title.lowercased().split { !$0.isLetter && !$0.isNumber }
    }

    /// A record with another title, and the records of the old and the new title alone. An entry of a record is a character, a
    /// number and the text; the numbers of these texts have one or two digits.
    private static func record(_ record: [UInt8], title: String) -> (
        old: [UInt8], new: (record: [UInt8], title: [UInt8])
    ) {
        let count = title.utf8.count << 1 | 1
        let digits = (count >= 64 ? [UInt8(0x20 | count >> 6)] : []) + [UInt8(0x40 | count & 0x3F)]
        let new = [UInt8(ascii: "t")] + digits + Array(title.utf8)
        var offset = 0
        while offset < record.count {
            let start = offset
            var size = 0
            offset += 1
            while record[offset] & 0x40 == 0 {
                size = size << 5 | Int(record[offset] & 0x1F)
                offset += 1
            }
            size = size << 6 | Int(record[offset] & 0x3F)
            offset += 1 + size >> 1
            guard record[start] == UInt8(ascii: "t") else { continue }
            return (Array(record[start..<offset]), (Array(record[..<start] + new + record[offset...]), new))
        }
        return ([], (record + new, new))
    }
}

extension BareSQLite {
    /// Runs a statement without rows.
    @inline(__always)
    func finish(_ statement: OpaquePointer) {
        let result = sqlite3_step(statement)
        guard result == SQLITE_DONE else { fatalError("SQLite: \(String(cString: sqlite3_errmsg(handle)))") }
        sqlite3_reset(statement)
    }
}
