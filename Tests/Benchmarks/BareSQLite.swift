import CSQLite
import Foundation

/// What plain calls on libsqlite3 do: the table and the questions of `limits.sh`, asked from Swift without the library.
final class BareSQLite {
    let handle: OpaquePointer

    /// - Parameter pageSize: The size of the pages of a new file; nil for the usual one.
    init(_ path: String, readOnly: Bool = false, pageSize: Int? = nil) {
        var handle: OpaquePointer?
        let flags = readOnly ? SQLITE_OPEN_READONLY : SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE
        guard sqlite3_open_v2(path, &handle, flags | SQLITE_OPEN_NOMUTEX, nil) == SQLITE_OK, let handle else {
            Self.exit("cannot open \(path)")
        }
        self.handle = handle
        sqlite3_busy_timeout(handle, 10_000)
        if let pageSize { run("PRAGMA page_size=\(pageSize)") }
        if !readOnly { run("PRAGMA journal_mode=WAL; PRAGMA synchronous=FULL") }
        run("PRAGMA mmap_size=4000000000; PRAGMA cache_size=-65536")
    }

    deinit { sqlite3_close_v2(handle) }

    func run(_ sql: String) {
        if sqlite3_exec(handle, sql, nil, nil, nil) != SQLITE_OK { Self.exit(String(cString: sqlite3_errmsg(handle))) }
    }

    func prepare(_ sql: String) -> OpaquePointer {
        var statement: OpaquePointer?
        guard sqlite3_prepare_v2(handle, sql, -1, &statement, nil) == SQLITE_OK, let statement else {
            Self.exit(String(cString: sqlite3_errmsg(handle)))
        }
        return statement
    }

    /// Makes the table of `sqlite_limit.c` with the same people; returns the rows a second.
    func fill(_ people: Int) -> Double {
        run(
            """
            CREATE TABLE user(id INTEGER PRIMARY KEY, uid TEXT NOT NULL UNIQUE COLLATE NOCASE, given TEXT, surname TEXT,
             cn TEXT, mail TEXT, title TEXT, department TEXT, phone TEXT, manager INTEGER, attributes TEXT,
             created INTEGER, modified INTEGER);
            CREATE INDEX user_mail ON user(mail COLLATE NOCASE); CREATE INDEX user_surname ON user(surname COLLATE NOCASE, id);
            CREATE INDEX user_given ON user(given COLLATE NOCASE, id); CREATE INDEX user_manager ON user(manager)
            """)
        let insert = prepare("INSERT INTO user VALUES(?,?,?,?,?,?,?,?,?,?,?,?,?)")
        let time = seconds {
            run("BEGIN")
            for number in 1...people {
                let person = Person(number)
                sqlite3_bind_int64(insert, 1, Int64(number))
                for (index, text) in person.texts.enumerated() { bind(insert, Int32(index + 2), text) }
                if number > 1 {
                    sqlite3_bind_int64(insert, 10, Int64(max(1, number / 8)))
                } else {
                    sqlite3_bind_null(insert, 10)
                }
                bind(insert, 11, "{\"employeeNumber\":\"12345\",\"locale\":\"en-US\"}")
                sqlite3_bind_int64(insert, 12, 1_700_000_000 + Int64(number))
                sqlite3_bind_int64(insert, 13, 1_700_000_000 + Int64(number))
                sqlite3_step(insert)
                sqlite3_reset(insert)
            }
            run("COMMIT")
        }
        sqlite3_finalize(insert)
        run("PRAGMA wal_checkpoint(TRUNCATE)")
        return Double(people) / time
    }

    /// Makes the index that finds contained text, as one would by hand, unless it is there.
    func indexText() {
        run(
            """
            CREATE VIRTUAL TABLE IF NOT EXISTS text_index USING fts5(
             name, given_name, family_name, common_name, display_name, mail,
             content='', columnsize=0, tokenize='trigram case_sensitive 1');
            INSERT INTO text_index(rowid, name, given_name, family_name, common_name, mail)
             SELECT id, lower(uid), lower(given), lower(surname), lower(cn), lower(mail) FROM user
             WHERE NOT EXISTS (SELECT 1 FROM text_index_data LIMIT 1 OFFSET 2);
            PRAGMA wal_checkpoint(TRUNCATE)
            """)
    }

    func bind(_ statement: OpaquePointer, _ index: Int32, _ text: String) {
        _ = text.withCString { roster_sqlite_bind_text(statement, index, $0, Int32(strlen($0))) }
    }

    /// Steps through all rows and looks at every byte of every column, as the limit does.
    @discardableResult
    func drain(_ statement: OpaquePointer) -> Int {
        var rows = 0
        var bytes = 0
        let columns = sqlite3_column_count(statement)
        while sqlite3_step(statement) == SQLITE_ROW {
            rows += 1
            for column in 0..<columns {
                if let text = sqlite3_column_text(statement, column) {
                    bytes += strlen(UnsafeRawPointer(text).assumingMemoryBound(to: CChar.self))
                }
            }
        }
        sqlite3_reset(statement)
        return rows
    }

    private static func exit(_ message: String) -> Never {
        FileHandle.standardError.write(Data("roster-bench: \(message)\n".utf8))
        Foundation.exit(1)
    }
}

/// A person of the limits' table.
struct Person {
    let uid, given, surname, title, department, phone: String

    /// The name of a person. The questions are asked with names alone, so that nobody's other texts are made while time is measured.
    static func uid(_ number: Int) -> String { "user" + padded(number) }

    private static func padded(_ number: Int) -> String {
        let digits = String(number)
        return String(repeating: "0", count: max(0, 7 - digits.count)) + digits
    }

    init(_ number: Int) {
        uid = Self.uid(number)
        given = "Given\(number % 997)"
        surname = "Sur\(number % 49_999)"
        title = "Title \(number % 57)"
        department = "Dept \(number % 211)"
        phone = "+1-555-" + Self.padded(number)
    }

    /// In the order of the table's columns.
    var texts: [String] {
        [uid, given, surname, "\(given) \(surname)", "\(uid)@example.com", title, department, phone]
    }
}
