import Dispatch
import Foundation
import Roster
import Testing
import TestSupport

@Suite("Closing a directory", .timeLimit(.minutes(1)))
struct ClosingTests {
    /// People who never come.
    private struct Nobody: Sequence, Sendable {
        let gate: Gate
        func makeIterator() -> AnyIterator<NewUser> {
            AnyIterator {
                gate.pass()
                return nil
            }
        }
    }

    @Test(
        "Everything that runs or waits ends with 'closed': changes, reads, handles, followers",
        arguments: Place.allCases)
    func endsAll(place: Place) async throws {
        try await withDirectory(place) { (directory: Directory) async throws in
            let view = directory.unrestricted
            let users = view.users
            try await users.create("ada")
            let gate = Gate()
            defer { gate.open() }
            let follower = Task { () -> Int in
                var count = 0
                for try await _ in view.changes.follow(since: 0) { count += 1 }
                return count
            }
            let load = Task { await code { try await users.load(Nobody(gate: gate)) } }
            let loadOnThread = Task { try await onThread { code { try users.load(Nobody(gate: gate)) } } }
            #expect(try await onThread { gate.waitForArrivals() })
            let write = Task { await code { try await users.create("bob") } }
            let handled = Gathered<DirectoryError.Code?>()
            users.createAsynchronously(attributes: ["uid": "carl"], deliveringOn: DispatchQueue(label: "test")) {
                result, _ in handled.append(code { try result.get() })
            }
            let search = Task { () -> DirectoryError.Code? in
                while true {
                    let found = await code { try await users.search(Search(.everything)) }
                    if let found { return found }
                }
            }
            let began = ContinuousClock.now
            try await onThread { directory.close() }
            #expect(await load.value == .closed)
            #expect(try await loadOnThread.value == .closed)
            #expect(await write.value == .closed)
            #expect(await search.value == .closed)
            #expect(try await onThread { handled.wait(for: 1) } == [.closed])
            _ = try await follower.value
            #expect(ContinuousClock.now - began < .seconds(30))
        }
    }

    @Test("Long work on a snapshot ends, too, and none begins afterwards", arguments: Place.allCases)
    func endsExports(place: Place) throws {
        try withDirectory(place) { directory in
            let view = directory.unrestricted
            for number in 0..<50 { try view.users.create("u\(number)") }
            let error = code { try view.export(.json) { _ in directory.close() } }
            #expect(error == .closed)
            #expect(code { try view.export(.json) { _ in } } == .closed)
            #expect(code { try view.check() } == .closed)
            try withFolder { folder in
                let copy = folder.appendingPathComponent("copy.db")
                #expect(code { try directory.backup(to: copy) } == .closed)
                #expect(!FileManager.default.fileExists(atPath: copy.path))
            }
        }
    }

    @Test("A callback of a change may close the directory: the change ends, and nothing of it is kept")
    func closesItself() throws {
        try withFolder { folder in
            let file = folder.appendingPathComponent("test.db")
            let directory = try Directory(at: file)
            let people = (0..<1_200).map { NewUser("u\($0)") }
            #expect(code { try directory.unrestricted.users.load(people) { _ in directory.close() } } == .closed)
            #expect(code { try directory.unrestricted.users.count() } == .closed)
            #expect(try reopen(file).unrestricted.users.count() == 0)
        }
    }

    @Test("Users and roles that were read do not keep the file open, and say that it was closed")
    func valuesOutliveTheirDirectory() async throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("roster-\(UUID())")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: false)
        defer { try? FileManager.default.removeItem(at: folder) }
        let file = folder.appendingPathComponent("test.db")
        func read() throws -> (User, Role) {
            let view = try Directory(at: file).unrestricted
            try view.users.create("grace")
            return (try view.users.create("ada", manager: "grace"), try view.roles.create("staff"))
        }
        let (ada, staff) = try read()
        // The file is closed beside the caller.
        var directory: Directory?
        for _ in 0..<500 where directory == nil {
            directory = try? Directory(at: file)
            if directory == nil { try await Task.sleep(for: .milliseconds(20)) }
        }
        #expect(try await directory?.unrestricted.users.count() == 2)
        #expect(ada.uid == "ada" && staff.name == "staff")
        #expect(await code { try await ada.manager() } == .closed)
        #expect(await code { try await staff.members() } == .closed)
    }

    @Test("Those who come later are refused, also as followers and handles", arguments: Place.allCases)
    func later(place: Place) async throws {
        try await withDirectory(place) { (directory: Directory) async throws in
            let view = directory.unrestricted
            try await view.users.create("ada")
            let begun = view.changes.follow(since: 0).makeAsyncIterator()
            try await onThread { directory.close() }
            var iterator = begun
            #expect(try await iterator.next() == nil)
            var late = view.changes.follow().makeAsyncIterator()
            #expect(try await late.next() == nil)
            let handled = Gathered<DirectoryError.Code?>()
            AsyncOperationHandle(deliveringOn: DispatchQueue(label: "test")) {
                try await view.users.count()
            } completion: { result, _ in
                handled.append(code { try result.get() })
            }
            #expect(try await onThread { handled.wait(for: 1) } == [.closed])
            #expect(await code { try await view.users.load([NewUser("bob")]) } == .closed)
        }
    }
}
