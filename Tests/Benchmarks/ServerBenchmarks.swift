import Dispatch
import Foundation
import Roster
import RosterPostgreSQL

/// The everyday questions of a directory on a PostgreSQL server. `shared/bench/pg_limits.sh` measures the server itself.
struct ServerBenchmarks {
    let people: Int
    let directory: Directory
    private var users: UserManager { directory.unrestricted.users }

    init(people: Int, address: String) throws {
        self.people = people
        directory = try Directory(connectedTo: address)
        guard try directory.unrestricted.users.count() == 0 else { return }
        let time = try seconds { try directory.unrestricted.users.load(People(count: people)) }
        figure("roster.pg.bulk_load", Double(people) / time, "users/s")
    }

    /// - Parameter only: The names of the parts to run; empty for all.
    func run(only: Set<String>) throws {
        func wants(_ name: String) -> Bool { only.isEmpty || only.contains(name) }
        let (users, people) = (users, people)
        for callers in [1, 8] where wants("lookups") {
            try report("look_up_by_name", callers, 4_000) { picks in
                _ = try users.user(Person.uid(picks.next(people)))
            }
        }
        for callers in [1, 8] where wants("prefix") {
            try report("prefix_page_of_50", callers, 1_000) { picks in
                _ = try users.search(Search(.familyName.starts("sur\(picks.next(4_000))")))
            }
        }
        if wants("below") {
            try report("below_top_page_of_50", 1, 1_000) { picks in
                _ = try users.below(.named(Person.uid(picks.next(4))), limit: 50)
            }
        }
        for callers in [1, 32] where wants("changes") {
            try report("durable_change", callers, 500) { picks in
                let title = AttributeValue.string("T\(picks.next(1_000_000))")
                _ = try users.modify(.named(Person.uid(picks.next(people))), attributes: ["title": title])
            }
        }
    }

    private func report(
        _ name: String, _ callers: Int, _ times: Int, _ body: @escaping @Sendable (inout Picks) throws -> Void
    ) throws {
        var rates: [Double] = []
        for round in 0..<3 {
            let time = seconds {
                let group = DispatchGroup()
                for caller in 0..<callers {
                    group.enter()
                    let thread = Thread {
                        var picks = Picks(UInt64(round * 100 + caller) + 7)
                        for _ in 0..<times { try? body(&picks) }
                        group.leave()
                    }
                    thread.start()
                }
                group.wait()
            }
            rates.append(Double(callers * times) / time)
        }
        figure("roster.pg.\(name)_\(callers)_callers", median(rates), "/s")
    }
}
