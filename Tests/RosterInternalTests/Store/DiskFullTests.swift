import Foundation
import RosterStore
import Testing
import TestSupport

@testable import Roster

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

@Suite("A full disk", .timeLimit(.minutes(2)))
struct DiskFullTests {
    /// Writes until it fails, and returns how many users were created and what the failure was.
    static func fill(_ directory: Directory) -> (created: Int, code: DirectoryError.Code?) {
        let text = AttributeValue.string(String(repeating: "x", count: 20_000))
        for number in 0..<2_000 {
            let result = code { try directory.unrestricted.users.create("u\(number)", attributes: ["title": text]) }
            if result != nil { return (number, result) }
        }
        return (2_000, nil)
    }

    static func expectSound(_ directory: Directory, created: Int, _ location: SourceLocation = #_sourceLocation) throws
    {
        let view = directory.unrestricted
        #expect(try view.users.count() == created, "reading goes on", sourceLocation: location)
        #expect(try view.changes.lastSequence() == Int64(created), sourceLocation: location)
        #expect(
            code { try view.users.user("u\(created)") } == .notFound, "nothing of what failed is kept",
            sourceLocation: location)
        #expect(try view.check() == [], sourceLocation: location)
    }

    @Test(
        "Where the file cannot grow, a change fails as a whole with storageFull, and works again when there is room",
        arguments: Place.allCases)
    func fileCannotGrow(place: Place) throws {
        try withDirectory(place) { directory in
            let store = directory.core.store
            let pages = try store.write { try $0.first("PRAGMA page_count") { $0.integer(0) } ?? 0 }
            try store.write { connection in
                try connection.forEach(dynamic: "PRAGMA max_page_count = \(pages + 100)", []) { _ in true }
            }
            let (created, result) = Self.fill(directory)
            #expect(result == .storageFull)
            #expect(created > 0)
            try Self.expectSound(directory, created: created)
            try store.write { connection in
                try connection.forEach(dynamic: "PRAGMA max_page_count = 1000000", []) { _ in true }
            }
            try directory.unrestricted.users.create("u\(created)")
            try Self.expectSound(directory, created: created + 1)
        }
    }

    @Test("Those who share the commit with a change that finds no room are not hurt")
    func neighboursAreNotHurt() async throws {
        try await withDirectory(.file) { (directory: Directory) async throws in
            let store = directory.core.store
            let pages = try await store.awaitWrite { try $0.first("PRAGMA page_count") { $0.integer(0) } ?? 0 }
            try await store.awaitWrite { connection in
                try connection.forEach(dynamic: "PRAGMA max_page_count = \(pages + 40)", []) { _ in true }
            }
            let users = directory.unrestricted.users
            let big = AttributeValue.string(String(repeating: "x", count: 60_000))
            let gate = Gate()
            let holder = Task { try await store.awaitWrite { _ in gate.pass() } }
            try await onThread { _ = gate.waitForArrivals() }
            let small = (0..<5).map { number in Task { try await users.create("small\(number)") } }
            let large = (0..<5).map { number in
                Task { try await users.create("large\(number)", attributes: ["title": big, "description": big]) }
            }
            let later = (5..<10).map { number in Task { try await users.create("small\(number)") } }
            for _ in 0..<500 { await Task.yield() }
            gate.open()
            try await holder.value
            var created = 0
            for task in small + later {
                #expect(try await task.value.version == 1)
                created += 1
            }
            for task in large {
                switch await task.result {
                case .success: created += 1
                case .failure(let error): #expect((error as? DirectoryError)?.code == .storageFull)
                }
            }
            #expect(created < 15)
            #expect(try await users.count() == created)
            #expect(try await directory.unrestricted.check() == [])
        }
    }

    @Test(
        "On a full file system a change fails as a whole and works again when there is room",
        .enabled(if: geteuid() == 0))
    func fileSystemIsFull() throws {
        try withFolder { folder in
            let mount = folder.appendingPathComponent("small")
            try FileManager.default.createDirectory(at: mount, withIntermediateDirectories: false)
            guard Self.run("/bin/mount", "-t", "tmpfs", "-o", "size=3m", "tmpfs", mount.path) else { return }
            defer { _ = Self.run("/bin/umount", "-l", mount.path) }
            let ballast = mount.appendingPathComponent("ballast")
            try Data(count: 1_000_000).write(to: ballast)
            let url = mount.appendingPathComponent("test.db")
            let directory = try Directory(at: url)
            let (created, result) = Self.fill(directory)
            #expect(result == .storageFull)
            #expect(created > 0)
            try Self.expectSound(directory, created: created)
            let again = code {
                try directory.unrestricted.users.create(
                    "big", attributes: ["title": .string(String(repeating: "y", count: 60_000))])
            }
            #expect(again == .storageFull)
            try FileManager.default.removeItem(at: ballast)
            try directory.unrestricted.users.create("u\(created)")
            try Self.expectSound(directory, created: created + 1)
            directory.close()
            let reopened = try reopen(url)
            try Self.expectSound(reopened, created: created + 1)
            reopened.close()
        }
    }

    private static func run(_ program: String, _ arguments: String...) -> Bool {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: program)
        process.arguments = arguments
        let exit = Gate()
        exit.open()
        process.terminationHandler = { _ in exit.pass() }
        guard (try? process.run()) != nil else { return false }
        exit.waitForArrivals()
        return process.terminationStatus == 0
    }
}
