import Dispatch
import Foundation
import Roster
import Testing
import TestSupport

@Suite("Every call from every callback returns", .timeLimit(.minutes(5)))
struct CallbackMatrixTests {
    /// A place where the directory calls the app's code.
    enum Callback: String, CaseIterable {
        case people, loadProgress, importProgress, transaction, exportPiece, backupProgress

        /// Whether the directory holds its writer, and in memory its only connection, while the app's code runs.
        var isHeld: Bool { ![.exportPiece, .backupProgress].contains(self) }
    }

    /// How the app's code calls the directory, and how the directory was called.
    enum Way: String, CaseIterable { case synchronous, asynchronous }

    /// A call of the directory in both forms.
    private struct Call: Sendable {
        let name: String
        /// Whether the call waits for the writer.
        let isChange: Bool
        let synchronous: @Sendable (Directory, URL) throws -> Void
        let asynchronous: @Sendable (Directory, URL) async throws -> Void

        func code(_ way: Way, _ directory: Directory, _ folder: URL) -> DirectoryError.Code? {
            let copy = folder.appendingPathComponent(UUID().uuidString)
            if way == .synchronous { return TestSupport.code { try synchronous(directory, copy) } }
            let done = DispatchSemaphore(value: 0)
            let found = Gathered<DirectoryError.Code?>()
            Task {
                found.append(await TestSupport.code { try await asynchronous(directory, copy) })
                done.signal()
            }
            done.wait()
            return found.all.first ?? nil
        }
    }

    private static let csv = Data("uid\nimported\n".utf8)

    private static let calls: [Call] = [
        Call(
            name: "look-up", isChange: false,
            synchronous: { directory, _ in _ = try directory.unrestricted.users.user("ada") },
            asynchronous: { directory, _ in _ = try await directory.unrestricted.users.user("ada") }),
        Call(
            name: "search", isChange: false,
            synchronous: { directory, _ in _ = try directory.unrestricted.users.search(Search()) },
            asynchronous: { directory, _ in _ = try await directory.unrestricted.users.search(Search()) }),
        Call(
            name: "question", isChange: false,
            synchronous: { directory, _ in _ = try directory.unrestricted.may(.createUsers) },
            asynchronous: { directory, _ in _ = try await directory.unrestricted.may(.createUsers) }),
        Call(
            name: "roles", isChange: false,
            synchronous: { directory, _ in _ = try directory.unrestricted.roles.search(Search()) },
            asynchronous: { directory, _ in _ = try await directory.unrestricted.roles.search(Search()) }),
        Call(
            name: "changes", isChange: false,
            synchronous: { directory, _ in _ = try directory.unrestricted.changes.since(0) },
            asynchronous: { directory, _ in _ = try await directory.unrestricted.changes.since(0) }),
        Call(
            name: "observation", isChange: false,
            synchronous: { directory, _ in _ = try directory.unrestricted.users.count() },
            asynchronous: { directory, _ in for try await _ in directory.unrestricted.users.observe() { break } }),
        Call(
            name: "follower", isChange: false,
            synchronous: { directory, _ in _ = try directory.unrestricted.changes.lastSequence() },
            asynchronous: { directory, _ in for try await _ in directory.unrestricted.changes.follow(since: 0) { break }
            }),
        Call(
            name: "export", isChange: false,
            synchronous: { directory, _ in try directory.unrestricted.export(.json) { _ in } },
            asynchronous: { directory, _ in try await directory.unrestricted.export(.json) { _ in } }),
        Call(
            name: "backup", isChange: false, synchronous: { directory, copy in try directory.backup(to: copy) },
            asynchronous: { directory, copy in try await directory.backup(to: copy) }),
        Call(
            name: "check", isChange: false, synchronous: { directory, _ in _ = try directory.unrestricted.check() },
            asynchronous: { directory, _ in _ = try await directory.unrestricted.check() }),
        Call(
            name: "handle", isChange: false,
            synchronous: { directory, _ in _ = try directory.unrestricted.users.count() },
            asynchronous: { directory, _ in
                let handle = directory.unrestricted.users.userAsynchronously("ada", deliveringOn: .global())
                while handle.result == nil { try await Task.sleep(for: .milliseconds(1)) }
                _ = try handle.result?.get()
            }),
        Call(
            name: "create", isChange: true,
            synchronous: { directory, copy in try directory.unrestricted.users.create(copy.lastPathComponent) },
            asynchronous: { directory, copy in try await directory.unrestricted.users.create(copy.lastPathComponent) }),
        Call(
            name: "role", isChange: true,
            synchronous: { directory, copy in try directory.unrestricted.roles.create(copy.lastPathComponent) },
            asynchronous: { directory, copy in try await directory.unrestricted.roles.create(copy.lastPathComponent) }),
        Call(
            name: "declare", isChange: true,
            synchronous: { directory, _ in try directory.unrestricted.attributes.declare([AttributeDefinition("badge")])
            },
            asynchronous: { directory, _ in
                try await directory.unrestricted.attributes.declare([AttributeDefinition("badge")])
            }),
        Call(
            name: "transaction", isChange: true,
            synchronous: { directory, _ in _ = try directory.unrestricted.transaction { try $0.users.count() } },
            asynchronous: { directory, _ in _ = try await directory.unrestricted.transaction { try $0.users.count() } }),
        Call(
            name: "load", isChange: true,
            synchronous: { directory, copy in
                try directory.unrestricted.users.load([NewUser(copy.lastPathComponent)])
            },
            asynchronous: { directory, copy in
                try await directory.unrestricted.users.load([NewUser(copy.lastPathComponent)])
            }),
        Call(
            name: "import", isChange: true,
            synchronous: { directory, _ in
                try directory.unrestricted.importPeople(from: csv, named: "a.csv", options: ImportOptions(format: .csv))
            },
            asynchronous: { directory, _ in
                try await directory.unrestricted.importPeople(
                    from: csv, named: "a.csv", options: ImportOptions(format: .csv))
            }),
        Call(
            name: "retention", isChange: true,
            synchronous: { directory, _ in try directory.unrestricted.changes.prune() },
            asynchronous: { directory, _ in try await directory.unrestricted.changes.prune() }),
        Call(
            name: "erasure", isChange: true,
            synchronous: { directory, _ in try directory.unrestricted.users.erase([]) },
            asynchronous: { directory, _ in try await directory.unrestricted.users.erase([]) }),
    ]

    /// A sequence of people that the app produces on demand.
    private struct People: Sequence, Sendable {
        let ask: @Sendable () -> Void
        func makeIterator() -> AnyIterator<NewUser> {
            var isFirst = true
            return AnyIterator {
                guard isFirst else { return nil }
                isFirst = false
                ask()
                return NewUser("loaded")
            }
        }
    }

    /// Makes the directory call `body` once, in a call of the given form.
    private static func run(
        _ callback: Callback, _ way: Way, _ directory: Directory, _ folder: URL, _ body: @escaping @Sendable () -> Void
    ) async throws {
        let view = directory.unrestricted
        let called = Flag()
        @Sendable func once() {
            if called.isRaised { return }
            called.raise()
            body()
        }
        let copy = folder.appendingPathComponent("outer")
        let people = [NewUser("loaded")]
        let options = ImportOptions(format: .csv)
        switch (callback, way) {
        case (.people, .synchronous): try await onThread { _ = try view.users.load(People(ask: once)) }
        case (.people, .asynchronous): try await view.users.load(People(ask: once))
        case (.loadProgress, .synchronous): try await onThread { _ = try view.users.load(people) { _ in once() } }
        case (.loadProgress, .asynchronous): try await view.users.load(people) { _ in once() }
        case (.importProgress, .synchronous):
            try await onThread {
                _ = try view.importPeople(from: csv, named: "a.csv", options: options) { _ in once() }
            }
        case (.importProgress, .asynchronous):
            try await view.importPeople(from: csv, named: "a.csv", options: options) { _ in once() }
        case (.transaction, .synchronous): try await onThread { try view.transaction { _ in once() } }
        case (.transaction, .asynchronous): try await view.transaction { _ in once() }
        case (.exportPiece, .synchronous): try await onThread { try view.export(.json) { _ in once() } }
        case (.exportPiece, .asynchronous): try await view.export(.json) { _ in once() }
        case (.backupProgress, .synchronous): try await onThread { try directory.backup(to: copy) { _ in once() } }
        case (.backupProgress, .asynchronous): try await directory.backup(to: copy) { _ in once() }
        }
        #expect(called.isRaised, "\(callback)")
    }

    @Test(
        "A change, and in memory every call, from within a change throws 'reentrantCall'; every other call works",
        arguments: Place.allCases, Callback.allCases)
    func matrix(place: Place, callback: Callback) async throws {
        if place == .server, callback == .backupProgress { return }
        for outer in Way.allCases {
            for inner in Way.allCases {
                try await withFolder { (folder: URL) async throws in
                    try await withDirectory(place) { (directory: Directory) async throws in
                        try await directory.unrestricted.users.create("ada")
                        let found = Gathered<(call: Call, code: DirectoryError.Code?)>()
                        // An erasure waits half a minute for the export or backup that it is called from, so that one time is enough.
                        let calls = Self.calls.filter {
                            $0.name != "erasure" || callback.isHeld || outer == inner && inner == .synchronous
                        }.filter { place != .server || $0.name != "backup" }
                        try await Self.run(callback, outer, directory, folder) {
                            for call in calls { found.append((call, call.code(inner, directory, folder))) }
                        }
                        #expect(found.all.count == calls.count)
                        for (call, code) in found.all {
                            let isRefused = callback.isHeld && (call.isChange || place == .memory)
                            // The export or the backup reads the file as it was before.
                            let isKept = !callback.isHeld && call.name == "erasure" && place == .file
                            #expect(
                                code == (isRefused ? .reentrantCall : isKept ? .overloaded : nil),
                                "\(outer) \(callback): \(inner) \(call.name)")
                        }
                        try await directory.unrestricted.users.create("afterwards")
                    }
                }
            }
        }
    }

    @Test(
        "Closing the directory in a callback returns, and ends the call with 'closed'", arguments: Place.allCases,
        Callback.allCases)
    func closing(place: Place, callback: Callback) async throws {
        if place == .server, callback == .backupProgress { return }
        for outer in Way.allCases {
            try await withFolder { (folder: URL) async throws in
                try await withDirectory(place) { (directory: Directory) async throws in
                    let began = ContinuousClock.now
                    let end = await code {
                        try await Self.run(callback, outer, directory, folder) { directory.close() }
                    }
                    #expect(end == .closed, "\(outer) \(callback)")
                    #expect(ContinuousClock.now - began < .seconds(30))
                    #expect(!FileManager.default.fileExists(atPath: folder.appendingPathComponent("outer").path))
                }
            }
        }
    }

    @Test(
        "A callback that waits for the call of another thread returns when the directory closes",
        arguments: Place.allCases,
        Callback.allCases.filter(\.isHeld))
    func closingFrees(place: Place, callback: Callback) async throws {
        try await withFolder { (folder: URL) async throws in
            try await withDirectory(place) { (directory: Directory) async throws in
                let waiting = Gate()
                waiting.open()
                let outer = Task {
                    await code {
                        try await Self.run(callback, .synchronous, directory, folder) {
                            let done = DispatchSemaphore(value: 0)
                            // The thread does not inherit the mark of the change, so that nothing can refuse its call.
                            Thread.detachNewThread {
                                waiting.pass()
                                #expect(code { try directory.unrestricted.users.create("x") } == .closed)
                                done.signal()
                            }
                            done.wait()
                        }
                    }
                }
                _ = try await onThread { waiting.waitForArrivals() }
                try await Task.sleep(for: .milliseconds(50))
                let began = ContinuousClock.now
                try await onThread { directory.close() }
                #expect(await outer.value == .closed)
                #expect(ContinuousClock.now - began < .seconds(30))
            }
        }
    }
}
