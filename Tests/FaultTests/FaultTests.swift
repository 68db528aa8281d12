import CFaults
import Foundation
import Roster
import Testing

/// Fails one call of SQLite to the system after the other. `ROSTER_FAULTS=all` fails every call, and otherwise a part of them.
@Suite("A file whose disk fails", .serialized)
struct FaultTests {
    private static let everyCall = ProcessInfo.processInfo.environment["ROSTER_FAULTS"] == "all"
    /// A prime number, so that the parts of several workloads differ.
    static let stride = everyCall ? 1 : 11

    /// What a workload was told.
    private struct Expectation {
        /// The titles that a user may have: the acknowledged one, and those of later changes that failed.
        var titles: [String: Set<String>] = [:]
        /// The users of whom nothing is known, because a creation or a deletion failed.
        var unknown: Set<String> = []
        var deleted: Set<String> = []
        var acknowledged = 0

        mutating func attempt(
            _ body: () throws -> Void, kept: (inout Expectation) -> Void, failed: (inout Expectation) -> Void
        ) {
            do {
                try body()
                acknowledged += 1
                kept(&self)
            } catch {
                failed(&self)
            }
        }
    }

    @Test("No acknowledged change is lost, and the file stays whole, after an I/O error of any call")
    func error() throws { try failCalls(ROSTER_FAULT_ERROR) }

    @Test("No acknowledged change is lost, and the file stays whole, after a write of any half page")
    func shortWrite() throws { try failCalls(ROSTER_FAULT_SHORT_WRITE) }

    @Test("No acknowledged change is lost, and the file stays whole, when the disk is full from any write on")
    func fullDisk() throws { try failCalls(ROSTER_FAULT_FULL) }

    private func failCalls(_ fault: roster_fault) throws {
        roster_faults_install()
        let folder = try Self.makeFolder()
        defer { try? FileManager.default.removeItem(at: folder) }
        let original = folder.appendingPathComponent("original.db")
        do {
            let directory = try Directory(at: original)
            defer { directory.close() }
            try directory.unrestricted.users.load(
                (0..<200).map { NewUser("known\($0)", attributes: ["title": "known"]) })
        }

        roster_faults_arm(ROSTER_FAULT_NONE, 0)
        _ = try round(original, folder.appendingPathComponent("whole.db"))
        let calls = roster_faults_disarm()
        #expect(calls > 200, "The workload makes too few calls to be a test.")
        var faults = 0
        for number in Swift.stride(from: 1, through: calls, by: Self.stride) {
            let file = folder.appendingPathComponent("\(number).db")
            roster_faults_arm(fault, number)
            let expectation = try round(original, file)
            roster_faults_disarm()
            if roster_faults_happened() != 0 { faults += 1 }
            try check(file, expectation, number)
        }
        #expect(faults > calls / Self.stride / 8, "Too few calls failed.")
    }

    /// A folder whose files the faulty file system keeps.
    static func makeFolder() throws -> URL {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("roster-faults-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        return folder
    }

    /// Copies the original, and makes changes of all kinds in the copy.
    private func round(_ original: URL, _ file: URL) throws -> Expectation {
        try FileManager.default.copyItem(at: original, to: file)
        var expectation = Expectation()
        guard let directory = try? Directory(at: file) else { return expectation }
        defer { directory.close() }
        let users = directory.unrestricted.users
        for number in 0..<6 {
            let uid = "new\(number)"
            expectation.attempt {
                try users.create(uid, attributes: ["title": "new", "mail": .string("\(uid)@example.com")])
            } kept: {
                $0.titles[uid] = ["new"]
            } failed: {
                $0.unknown.insert(uid)
            }
            let known = "known\(number)"
            for title in ["first", "second"] {
                expectation.attempt {
                    try users.modify(.named(known), attributes: ["title": .string(title)])
                } kept: {
                    $0.titles[known] = [title]
                } failed: {
                    $0.titles[known, default: ["known"]].insert(title)
                }
            }
            let leaver = "known\(100 + number)"
            expectation.attempt {
                try users.delete(.named(leaver))
            } kept: {
                $0.deleted.insert(leaver)
            } failed: {
                $0.unknown.insert(leaver)
            }
            let (lead, report) = ("lead\(number)", "report\(number)")
            expectation.attempt {
                try directory.unrestricted.transaction { view in
                    try view.users.create(lead, attributes: ["title": "new"])
                    try view.users.create(report, attributes: ["title": "new"], manager: .named(lead))
                }
            } kept: {
                $0.titles[lead] = ["new"]
                $0.titles[report] = ["new"]
            } failed: {
                $0.unknown.formUnion([lead, report])
            }
            _ = try? users.search(Search(.uid.contains("own"))).elements.count
        }
        expectation.attempt {
            try users.load((0..<600).map { NewUser("loaded\($0)", attributes: ["title": "loaded"]) })
        } kept: {
            $0.titles["loaded599"] = ["loaded"]
        } failed: {
            $0.unknown.insert("loaded599")
        }
        return expectation
    }

    private func check(_ file: URL, _ expectation: Expectation, _ number: Int) throws {
        let directory = try Directory(at: file)
        defer { directory.close() }
        let view = directory.unrestricted
        #expect(try view.check() == [], "call \(number)")
        for (uid, titles) in expectation.titles where !expectation.unknown.contains(uid) {
            let title = try? view.users.user(.named(uid)).title
            #expect(title.map(titles.contains) == true, "call \(number): \(uid) has \(title ?? "no") title")
        }
        for uid in expectation.deleted { #expect((try? view.users.user(.named(uid))) == nil, "call \(number): \(uid)") }
        for number in 0..<6 {
            let lead = try? view.users.user(.named("lead\(number)"))
            let report = try? view.users.user(.named("report\(number)"))
            #expect((lead == nil) == (report == nil), "One of two changes of a transaction was kept.")
        }
        // The directory takes changes again.
        try view.users.create("after")
    }
}
