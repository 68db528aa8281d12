import CSQLite
import Dispatch
import Foundation
import Roster
import RosterFixtures

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// The everyday questions of a directory, each beside the same question through bare calls.
struct DirectoryBenchmarks {
    let people: Int
    /// A number of this run, since a title that another run has set already would be no change.
    private let run = Int(Date().timeIntervalSince1970) % 100_000
    let file: URL
    let directory: Directory
    let users: UserManager
    let bare: BareSQLite
    /// Whether the files were made by this run.
    let isNew: Bool
    /// A copy of Roster's file, in which plain calls do the same work; nil unless changes are measured.
    private let same: SameWork?

    /// - Parameter only: The names of the parts to run; empty for all.
    init(people: Int, folder: URL, only: Set<String>) throws {
        self.people = people
        let bareFile = folder.appendingPathComponent("bare-\(people).db")
        let hasBare = FileManager.default.fileExists(atPath: bareFile.path)
        bare = BareSQLite(bareFile.path)
        file = folder.appendingPathComponent("roster-\(people).db")
        let hasOurs = FileManager.default.fileExists(atPath: file.path)
        let needsSame = hasBare && hasOurs && (only.isEmpty || only.contains("changes"))
        // The file must be closed while it is copied.
        same = needsSame ? SameWork(try SameWork.copy(of: file)) : nil

        let start = ContinuousClock.now
        let directory = try Directory(at: file)
        let opening = (ContinuousClock.now - start) / .seconds(1)
        figure("roster.open", opening * 1_000, "ms")
        figure("roster.memory_at_rest", memory("VmRSS") / 1_024, "MB")
        self.directory = directory
        users = directory.unrestricted.users
        isNew = !hasBare || !hasOurs

        if isNew {
            SameWork.remove(SameWork.copyName(of: file))
            let bareRate = hasBare ? 0 : bare.fill(people)
            sync()
            let ourRate = try Self.fill(directory, people)
            figure("roster.bulk_load", ourRate, "users/s")
            figure("bare.bulk_load", bareRate, "rows/s")
            if bareRate > 0 { figure("ratio.bulk_load", ourRate / bareRate, "x") }
            // What the system still has to write of both files would be in the way of everything that follows.
            sync()
        }
    }

    private static func fill(_ directory: Directory, _ people: Int) throws -> Double {
        let users = directory.unrestricted.users
        let time = try seconds {
            try users.load(People(count: people))
        }
        // A line of twenty, and a tree of ten thousand below one: what reporting lines are asked for.
        try users.create("deep00")
        for depth in 1...20 {
            try users.create(String(format: "deep%02d", depth), manager: .named(String(format: "deep%02d", depth - 1)))
        }
        try users.create("wide")
        try users.load(
            (1...10_000).map { number in
                NewUser(
                    "wide\(number)", attributes: ["familyName": "Wide"],
                    manager: .named(number <= 10 ? "wide" : "wide\((number - 1) / 10)"))
            })
        return Double(people) / time
    }

    /// - Parameter only: The names of the parts to run; empty for all.
    func run(only: Set<String>) async throws {
        func wants(_ name: String) -> Bool { only.isEmpty || only.contains(name) }
        if wants("lookups") { try lookups() }
        if wants("await") { try await awaited() }
        if wants("reportees") { try reportees() }
        if wants("prefix") { try prefixPages() }
        if wants("positions") { try positions() }
        if wants("contains") { try contains() }
        if wants("lines") { try lines() }
        if wants("changes") { try changes() }
        if wants("fixtures") { try fixtures() }
        figure("roster.memory_at_end", memory("VmRSS") / 1_024, "MB")
        figure("roster.memory_at_end_anonymous", memory("RssAnon") / 1_024, "MB")
    }

    /// Looks at every byte of every attribute, as the bare side looks at every byte of every column.
    @inline(never)
    private func use(_ user: User) -> Int {
        var bytes = user.uid.utf8.count
        for entry in user.attributes { bytes += size(entry.value) }
        return bytes
    }

    /// Looks at what a list of people shows. (The bare side looks at every byte of every column here too.)
    @inline(never)
    private func glance(_ user: User) -> Int {
        user.uid.utf8.count + (user.commonName?.utf8.count ?? 0) + (user.title?.utf8.count ?? 0)
    }

    private func size(_ value: AttributeValue) -> Int {
        switch value {
        case .string(let text): text.utf8.count
        case .list(let elements): elements.reduce(0) { $0 + size($1) }
        default: 1
        }
    }

    private func lookups() throws {
        let times = 100_000
        var picks = Picks(1)
        let statement = bare.prepare("SELECT * FROM user WHERE uid=?")
        try compare("lookup_by_name", times: times) {
            for _ in 0..<times { _ = use(try users.user(Person.uid(picks.next(people)))) }
        } bare: {
            for _ in 0..<times {
                bare.bind(statement, 1, Person.uid(picks.next(people)))
                bare.drain(statement)
            }
        }
        sqlite3_finalize(statement)
    }

    private func awaited() async throws {
        let times = 100_000
        var picks = Picks(2)
        var waiting: [Double] = []
        var direct: [Double] = []
        for _ in 0..<5 {
            direct.append(try synchronous(times, &picks))
            let names = (0..<times).map { _ in Person.uid(picks.next(people)) }
            waiting.append(try await seconds { for name in names { _ = use(try await users.user(name)) } })
        }
        figure("roster.lookup_with_await", Double(times) / median(waiting), "/s")
        figure("ratio.await_to_synchronous", median(zip(direct, waiting).map { $0 / $1 }), "x")
    }

    private func synchronous(_ times: Int, _ picks: inout Picks) throws -> Double {
        let names = (0..<times).map { _ in Person.uid(picks.next(people)) }
        return try seconds { for name in names { _ = use(try users.user(name)) } }
    }

    private func reportees() throws {
        let times = 20_000
        var picks = Picks(3)
        let ids = try (1...2_000).map { _ in try users.user(Person.uid(picks.next(people / 8))).id }
        let statement = bare.prepare("SELECT * FROM user WHERE manager=?")
        try compare("eight_reportees", times: times) {
            for index in 0..<times {
                for user in try users.reportees(of: .id(ids[index % ids.count])) { _ = glance(user) }
            }
        } bare: {
            for _ in 0..<times {
                sqlite3_bind_int64(statement, 1, Int64(picks.next(people / 8)))
                bare.drain(statement)
            }
        }
        sqlite3_finalize(statement)
    }

    private func prefixPages() throws {
        let times = 3_000
        var picks = Picks(4)
        let statement = bare.prepare(
            """
            SELECT * FROM user WHERE surname COLLATE NOCASE>=?1 AND surname COLLATE NOCASE<?2
            ORDER BY surname COLLATE NOCASE,id LIMIT 50
            """)
        try compare("prefix_page_of_50", times: times) {
            for _ in 0..<times {
                let page = try users.search(Search(.familyName.starts("sur\(picks.next(4_000))")))
                for user in page.elements { _ = glance(user) }
            }
        } bare: {
            for _ in 0..<times {
                let prefix = "sur\(picks.next(4_000))"
                bare.bind(statement, 1, prefix)
                bare.bind(statement, 2, prefix.dropLast() + String(UnicodeScalar((prefix.utf8.last ?? 48) + 1)))
                bare.drain(statement)
            }
        }
        sqlite3_finalize(statement)
    }

    private func positions() throws {
        let last = min(10_000, people / 50 - 1)
        func search(_ start: Search.Start) -> Search {
            Search(.familyName.present, sortedBy: .init("familyName"), from: start)
        }
        var cursor = try users.search(search(.page(1))).next
        for _ in 2..<last { cursor = try cursor.flatMap { try users.search(search(.cursor($0))).next } }
        guard let cursor else { return }
        let cold = try seconds { _ = try users.search(search(.page(last))) }
        func time(_ start: Search.Start) throws -> Double {
            median(try (0..<200).map { _ in try seconds { _ = try users.search(search(start)) } })
        }
        let first = try time(.page(1))
        let byCursor = try time(.cursor(cursor))
        let byPosition = try time(.page(last))
        figure("roster.page_1", first * 1_000_000, "us")
        figure("roster.page_\(last)_by_cursor", byCursor * 1_000_000, "us")
        figure("roster.page_\(last)_by_position", byPosition * 1_000_000, "us")
        figure("roster.page_\(last)_by_position_first_time", cold * 1_000_000, "us")
        figure("ratio.page_\(last)_to_page_1_by_cursor", byCursor / first, "x")
        figure("ratio.page_\(last)_to_page_1_by_position", byPosition / first, "x")
    }

    private func contains() throws {
        let times = 500
        bare.indexText()
        let statement = bare.prepare(
            """
            SELECT u.* FROM text_index t JOIN user u ON u.id=t.rowid WHERE t.text_index MATCH ? ORDER BY t.rowid LIMIT 50
            """)
        var picks = Picks(5)
        func needle() -> String { "r\(100 + picks.next(899))" }
        try compare("contains_page_of_50", times: times) {
            for _ in 0..<times {
                for user in try users.search(Search(.familyName.contains(needle()))).elements { _ = glance(user) }
            }
        } bare: {
            for _ in 0..<times {
                bare.bind(statement, 1, "family_name : \"\(needle())\"")
                bare.drain(statement)
            }
        }
        sqlite3_finalize(statement)
    }

    private func lines() throws {
        let ours = BareSQLite(file.path, readOnly: true)
        let deep = try users.user("deep20").id
        let wide = try users.user("wide").id
        func compareList(
            _ name: String, times: Int, of id: UserID, _ sql: String, _ list: () throws -> Void
        ) throws {
            let statement = ours.prepare(sql)
            try compare(name, times: times) {
                for _ in 0..<times { try list() }
            } bare: {
                for _ in 0..<times {
                    sqlite3_bind_int64(statement, 1, id.rawValue)
                    ours.drain(statement)
                }
            }
            sqlite3_finalize(statement)
        }
        try compareList(
            "chain_of_20", times: 2_000, of: deep,
            """
            WITH RECURSIVE c(id,d) AS (SELECT manager,1 FROM users WHERE id=?1 UNION ALL
            SELECT u.manager,d+1 FROM c JOIN users u ON u.id=c.id WHERE u.manager IS NOT NULL)
            SELECT u.* FROM c JOIN users u ON u.id=c.id ORDER BY d
            """
        ) { for user in try users.chain(of: .id(deep)) { _ = glance(user) } }
        let below = """
            WITH RECURSIVE b(id,d) AS (SELECT id,1 FROM users WHERE manager=?1 UNION
            SELECT u.id,d+1 FROM b JOIN users u ON u.manager=b.id ORDER BY 2,1)
            """
        try compareList("first_page_of_10000_below", times: 50, of: wide, below + " SELECT id,d FROM b") {
            for person in try users.below(.id(wide), limit: 50) { _ = glance(person.user) }
        }
        try compareList(
            "all_10000_below", times: 20, of: wide, below + " SELECT u.*,d FROM b JOIN users u USING(id)"
        ) { for person in try users.below(.id(wide)) { _ = glance(person.user) } }
    }

    /// Durable changes of one caller and of 32, beside plain calls: on the limits' table, and on a copy of Roster's file.
    private func changes() throws {
        let statement = bare.prepare("UPDATE user SET title=?2, modified=modified+1 WHERE uid=?1")
        var bareRates: [Double] = []
        var (ours, sames): ([Double], [Double]) = ([], [])
        var (single, sameSingle): ([Double], [Double]) = ([], [])
        var (processor, sameProcessor): ([Double], [Double]) = ([], [])
        for round in 0..<5 {
            var picks = Picks(UInt64(round) + 10)
            let time = seconds {
                for number in 0..<2_000 {
                    bare.bind(statement, 1, Person.uid(picks.next(people)))
                    bare.bind(statement, 2, "T\(number)")
                    bare.drain(statement)
                }
            }
            bareRates.append(2_000 / time)
            processor.append(try processorSeconds { ours.append(try thirtyTwoCallers(round)) })
            let together = sameChanges(Self.changes, round, batch: 32)
            sames.append(together.rate)
            sameProcessor.append(together.processor)
            single.append(try oneCaller(round))
            sameSingle.append(sameChanges(1_000, round, batch: 1).rate)
        }
        sqlite3_finalize(statement)
        figure("roster.durable_change_32_callers", median(ours), "/s")
        figure("bare.durable_change_one_at_a_time", median(bareRates), "/s")
        figure("ratio.durable_change", median(zip(ours, bareRates).map { $0 / $1 }), "x")
        figure("roster.durable_change_one_caller", median(single), "/s")
        guard same != nil else { return }
        figure("same.durable_change_32_at_a_time", median(sames), "/s")
        figure("ratio.same_durable_change_32_callers", median(zip(ours, sames).map { $0 / $1 }), "x")
        let microseconds = 1_000_000 / Double(Self.changes)
        figure("roster.durable_change_32_callers_processor", median(processor) * microseconds, "us")
        figure("same.durable_change_32_at_a_time_processor", median(sameProcessor) * microseconds, "us")
        figure("same.durable_change_one_at_a_time", median(sameSingle), "/s")
        figure("ratio.same_durable_change_one_caller", median(zip(single, sameSingle).map { $0 / $1 }), "x")
    }

    private func oneCaller(_ round: Int) throws -> Double {
        var picks = Picks(UInt64(round) + 5_000)
        let time = try seconds {
            for number in 0..<1_000 {
                try users.modify(
                    .named(Person.uid(picks.next(people))),
                    attributes: ["title": .string("S\(number)-\(round)-\(run)")])
            }
        }
        return 1_000 / time
    }

    private func sameChanges(_ count: Int, _ round: Int, batch: Int) -> (rate: Double, processor: Double) {
        guard let same else { return (0, 0) }
        var picks = Picks(UInt64(round) + 9_000)
        return same.changes(
            (0..<count).map { _ in Person.uid(picks.next(people)) },
            titles: (0..<count).map { "T\($0)-\(round)-\(run)" }, batch: batch)
    }

    /// How long a test waits for its directory.
    private func fixtures() throws {
        let first = try seconds { _ = try Fixtures.company() }
        let next = try (0..<200).map { _ in try seconds { _ = try Fixtures.company() } }
        figure("roster.fixture_company_first", first * 1_000, "ms")
        figure("roster.fixture_company", median(next) * 1_000, "ms")
    }

    /// The changes of 32 callers in a round.
    private static let changes = 16_000

    private func thirtyTwoCallers(_ round: Int) throws -> Double {
        let times = Self.changes / 32
        let (users, people, run) = (users, people, run)
        let group = DispatchGroup()
        let time = seconds {
            for caller in 0..<32 {
                let thread = Thread {
                    var picks = Picks(UInt64(round * 32 + caller) + 1_000)
                    for number in 0..<times {
                        _ = try? users.modify(
                            .named(Person.uid(picks.next(people))),
                            attributes: ["title": .string("T\(number)-\(round)-\(run)")])
                    }
                    group.leave()
                }
                group.enter()
                thread.start()
            }
            group.wait()
        }
        return Double(32 * times) / time
    }
}

/// The limits' people as users to create, one at a time: a lazy map would make an array of all of them.
struct People: Sequence, IteratorProtocol, Sendable {
    let count: Int
    private var number = 0

    init(count: Int) { self.count = count }

    mutating func next() -> NewUser? {
        guard number < count else { return nil }
        number += 1
        let person = Person(number)
        return NewUser(
            person.uid,
            attributes: [
                "givenName": .string(person.given), "familyName": .string(person.surname),
                "commonName": .string("\(person.given) \(person.surname)"),
                "mail": .string("\(person.uid)@example.com"), "title": .string(person.title),
                "department": .string(person.department), "telephoneNumber": .string(person.phone),
                "employeeNumber": "12345", "locale": "en-US",
            ], manager: number > 1 ? .named(Person.uid(Swift.max(1, number / 8))) : nil)
    }
}
