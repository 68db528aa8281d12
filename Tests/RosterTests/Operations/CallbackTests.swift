import Dispatch
import Foundation
import Roster
import Testing
import TestSupport

@Suite("Calls into the directory from its callbacks", .timeLimit(.minutes(1)))
struct CallbackTests {
    /// People whom an app makes up while they are asked for.
    private struct People: Sequence, Sendable {
        let next: @Sendable (Int) -> NewUser?
        func makeIterator() -> AnyIterator<NewUser> {
            var number = 0
            return AnyIterator {
                defer { number += 1 }
                return next(number)
            }
        }
    }

    /// What came of a call that a callback makes, directly or by way of a task that it waits for.
    enum Way: String, CaseIterable {
        case direct, task

        func ask<Value: Sendable>(
            _ synchronous: () throws -> Value, _ asynchronous: @escaping @Sendable () async throws -> Value
        ) -> DirectoryError.Code? {
            if self == .direct { return code { try synchronous() } }
            let done = DispatchSemaphore(value: 0)
            let found = Gathered<DirectoryError.Code?>()
            Task {
                found.append(await code { try await asynchronous() })
                done.signal()
            }
            done.wait()
            return found.all.first ?? nil
        }
    }

    @Test("An export's receiver reads and changes the directory", arguments: Place.allCases, ExchangeFormat.allCases)
    func exporting(place: Place, format: ExchangeFormat) throws {
        try withDirectory(place) { directory in
            let view = directory.unrestricted
            for number in 0..<300 { try view.users.create("u\(number)") }
            var size = 0
            try view.export(format) { data in
                size += data.count
                _ = try view.users.user("u0")
                try view.users.modify("u1", attributes: ["title": .string("\(size)")])
            }
            #expect(try view.users.user("u1").title == "\(size)")
            var inner = 0
            try view.export(format) { _ in
                if inner == 0 { try view.export(format) { inner += $0.count } }
            }
            #expect(inner > 0)
        }
    }

    @Test("An export with await writes the same bytes, and ends with its task", arguments: Place.allCases)
    func awaitedExport(place: Place) async throws {
        try await withDirectory(place) { (directory: Directory) async throws in
            let view = directory.unrestricted
            try await view.users.load((0..<300).map { NewUser("u\($0)") })
            let (direct, awaited) = (Gathered<Data>(), Gathered<Data>())
            try await onThread { try view.export(.json) { direct.append($0) } }
            try await view.export(.json) { awaited.append($0) }
            #expect(awaited.all.reduce(Data(), +) == direct.all.reduce(Data(), +))
            let pieces = Gathered<Data>()
            let task = Task {
                try await view.export(.json) { piece in
                    pieces.append(piece)
                }
            }
            task.cancel()
            await #expect(throws: CancellationError.self) { try await task.value }
            #expect(pieces.all.count < awaited.all.count)
        }
    }

    @Test("A backup's progress reads and changes the directory", arguments: Place.copied)
    func backingUp(place: Place) async throws {
        try await withDirectory(place) { (directory: Directory) async throws in
            let users = directory.unrestricted.users
            try await users.create("ada")
            try await withFolder { (folder: URL) async throws in
                let calls = Gathered<Int>()
                try await onThread {
                    try directory.backup(to: folder.appendingPathComponent("a.db")) { _ in
                        calls.append((try? users.count()) ?? -1)
                        _ = try? users.create("u\(calls.all.count)")
                    }
                }
                try await directory.backup(to: folder.appendingPathComponent("b.db")) { _ in
                    calls.append((try? users.count()) ?? -1)
                }
                #expect(!calls.all.isEmpty && calls.all.allSatisfy { $0 >= 1 })
            }
        }
    }

    @Test(
        "People to be loaded cannot change the directory, nor read it in memory: the call throws, and the loading goes on",
        arguments: Place.allCases, Way.allCases)
    func loading(place: Place, way: Way) async throws {
        try await withDirectory(place) { (directory: Directory) async throws in
            let users = directory.unrestricted.users
            let reads = Gathered<DirectoryError.Code?>()
            let writes = Gathered<DirectoryError.Code?>()
            @Sendable func ask() {
                reads.append(way.ask({ try users.count() }, { try await users.count() }))
                writes.append(way.ask({ try users.create("x").uid }, { try await users.create("x").uid }))
            }
            func people(_ prefix: String) -> People {
                People { number in
                    if number == 0 { ask() }
                    return number < 3 ? NewUser("\(prefix)\(number)") : nil
                }
            }
            let first = people("a")
            #expect(try await onThread { try users.load(first) { _ in ask() } } == 3)
            #expect(try await users.load(people("b")) { _ in ask() } == 3)
            #expect(reads.all.count >= 4)
            #expect(reads.all.allSatisfy { $0 == (place == .memory ? .reentrantCall : nil) }, "\(reads.all)")
            #expect(writes.all.allSatisfy { $0 == .reentrantCall }, "\(writes.all)")
            #expect(try await users.count() == 6)
            try await users.create("afterwards")
        }
    }

    @Test("An import's progress cannot change the directory either", arguments: Place.allCases)
    func importing(place: Place) async throws {
        try await withDirectory(place) { (directory: Directory) async throws in
            let view = directory.unrestricted
            let rows = "uid\n" + (0..<600).map { "u\($0)\n" }.joined()
            let options = ImportOptions(format: .csv)
            let found = Gathered<DirectoryError.Code?>()
            try await view.importPeople(from: Data(rows.utf8), named: "a.csv", options: options) { _ in
                found.append(code { try view.users.create("x") })
                found.append(code { try view.load(Seed(json: Data("{}".utf8), name: "s")) })
            }
            #expect(found.all.count >= 2 && found.all.allSatisfy { $0 == .reentrantCall }, "\(found.all)")
            #expect(try await view.users.count() == 600)
        }
    }

    @Test("A task that a callback started works once the change is over, and another directory works at once")
    func afterwards() async throws {
        let directory = try emptyDirectory()
        let other = try emptyDirectory()
        let tasks = Gathered<Task<Int, any Error>>()
        let gate = Gate()
        try await directory.unrestricted.users.load([NewUser("ada")]) { _ in
            _ = try? other.unrestricted.users.create("bob")
            tasks.append(
                Task {
                    try await onThread { gate.pass() }
                    return try await directory.unrestricted.users.count()
                })
        }
        gate.open()
        #expect(try await tasks.all.first?.value == 1)
        #expect(try await other.unrestricted.users.count() == 1)
    }
}
