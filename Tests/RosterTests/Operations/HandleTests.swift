import Dispatch
import Foundation
import Roster
import Synchronization
import Testing
import TestSupport

/// A delegate that keeps what it is told.
final class RecordingDelegate: EntityDelegate {
    enum Call: Sendable {
        case entities(Result<[String], any Error>, ObjectIdentifier)
        case finished((any Error)?, ObjectIdentifier)

        var handle: ObjectIdentifier {
            switch self {
            case .entities(_, let handle), .finished(_, let handle): handle
            }
        }
    }
    let calls = Gathered<Call>()
    let isOnQueue = Gathered<Bool>()
    let key: DispatchSpecificKey<Bool>

    init(key: DispatchSpecificKey<Bool>) { self.key = key }

    func didReceive<Value: Sendable>(
        _ entities: Result<Value, any Error>, withHandle handle: AsyncOperationHandle<Value>
    ) {
        isOnQueue.append(DispatchQueue.getSpecific(key: key) == true)
        let names = entities.map { value -> [String] in
            switch value {
            case let user as User: [user.uid]
            case let users as [User]: users.map(\.uid)
            case let role as Role: [role.name]
            default: ["\(value)"]
            }
        }
        calls.append(.entities(names, ObjectIdentifier(handle)))
    }

    func didFinishOperation(error: (any Error)?, withHandle handle: AsyncOperationHandle<Void>) {
        isOnQueue.append(DispatchQueue.getSpecific(key: key) == true)
        calls.append(.finished(error, ObjectIdentifier(handle)))
    }
}

@Suite("Operation handles")
struct HandleTests {
    static func queue() -> (DispatchQueue, DispatchSpecificKey<Bool>) {
        let key = DispatchSpecificKey<Bool>()
        let queue = DispatchQueue(label: "chosen by the test")
        queue.setSpecific(key: key, value: true)
        return (queue, key)
    }

    @Test(
        "A delegate gets users, roles, success and failure, each once and on the chosen queue",
        arguments: Place.allCases)
    func delegates(place: Place) async throws {
        try await withDirectory(place) { directory in
            let (users, roles) = (directory.unrestricted.users, directory.unrestricted.roles)
            try await users.create("ada")
            try await roles.create("staff")
            let (queue, key) = Self.queue()
            let delegate = RecordingDelegate(key: key)
            let calls = delegate.calls
            func next(_ count: Int) async throws -> RecordingDelegate.Call {
                let all = try await onThread { calls.wait(for: count) }
                queue.sync {}
                #expect(calls.all.count == count)
                return try #require(all.last)
            }

            let search = users.searchAsynchronously(
                [:], isSimpleSearch: true, pageSize: 10, pagePosition: 1, deliveringOn: queue,
                completion: delegate.receiving())
            let found = try await next(1)
            #expect(found.handle == ObjectIdentifier(search))
            guard case .entities(.success(["ada"]), _) = found else { throw Unexpected(found) }

            let missing = users.userAsynchronously("nobody", deliveringOn: queue, completion: delegate.receiving())
            let failed = try await next(2)
            #expect(failed.handle == ObjectIdentifier(missing))
            guard case .entities(.failure(let error as DirectoryError), _) = failed else { throw Unexpected(failed) }
            #expect(error.code == .notFound)

            roles.roleAsynchronously("staff", deliveringOn: queue, completion: delegate.receiving())
            guard case .entities(.success(["staff"]), _) = try await next(3) else { throw Unexpected("no role") }

            let change = roles.addAsynchronously(
                "ada", to: "staff", deliveringOn: queue, completion: delegate.finishing())
            let done = try await next(4)
            #expect(done.handle == ObjectIdentifier(change))
            guard case .finished(nil, _) = done else { throw Unexpected(done) }

            users.deleteAsynchronously("nobody", deliveringOn: queue, completion: delegate.finishing())
            guard case .finished(let refused as DirectoryError, _) = try await next(5) else { throw Unexpected("done") }
            #expect(refused.code == .notFound)
            #expect(delegate.isOnQueue.all == [true, true, true, true, true])
        }
    }

    struct Unexpected: Error {
        let what: String
        init(_ what: Any) { self.what = "\(what)" }
    }

    @Test("A delegate is not kept alive by what it waits for")
    func delegatesAreWeak() async throws {
        let (queue, key) = Self.queue()
        let gate = Gate()
        weak var gone: RecordingDelegate?
        let handle: AsyncOperationHandle<Void>
        do {
            let delegate = RecordingDelegate(key: key)
            gone = delegate
            handle = AsyncOperationHandle(
                deliveringOn: queue, operation: { try await onThread { gate.pass() } }, completion: delegate.finishing()
            )
        }
        #expect(gone == nil)
        gate.open()
        try await onThread { _ = waitUntil { handle.result != nil } }
        #expect(handle.result != nil)
    }

    @Test("Cancelling before completion ends as cancelled, once, and leaves nothing", arguments: Place.allCases)
    func cancelBefore(place: Place) async throws {
        try await withDirectory(place) { directory in
            let users = directory.unrestricted.users
            let (queue, key) = Self.queue()
            let gate = Gate()
            let calls = Gathered<(Bool, Bool)>()
            let handle = AsyncOperationHandle<Void>(
                deliveringOn: queue,
                operation: {
                    try await onThread { gate.pass() }
                    try await users.create("never")
                },
                completion: { result, _ in
                    var isCancelled = false
                    if case .failure(let error) = result { isCancelled = error is CancellationError }
                    calls.append((isCancelled, DispatchQueue.getSpecific(key: key) == true))
                })
            #expect(handle.result == nil)
            #expect(!handle.isCancelled)
            handle.cancel()
            handle.cancel()
            gate.open()
            let arrived = try await onThread { calls.wait(for: 1) }
            queue.sync {}
            #expect(arrived.first?.0 == true)
            #expect(arrived.first?.1 == true)
            #expect(calls.all.count == 1)
            #expect(handle.isCancelled)
            handle.cancel()
            #expect(await code { try await users.user("never") } == .notFound)
            #expect(try await directory.unrestricted.changes.lastSequence() == 0)
            try await users.create("after")
            #expect(try await users.count() == 1)
        }
    }

    @Test("Cancelling after completion changes nothing", arguments: Place.allCases)
    func cancelAfter(place: Place) async throws {
        try await withDirectory(place) { directory in
            let users = directory.unrestricted.users
            let (queue, _) = Self.queue()
            let calls = Gathered<Bool>()
            let handle = users.createAsynchronously(attributes: ["uid": "ada"], deliveringOn: queue) { _, handle in
                calls.append(true)
                handle.cancel()
            }
            _ = try await onThread { calls.wait(for: 1) }
            handle.cancel()
            queue.sync {}
            #expect(calls.all.count == 1)
            #expect(!handle.isCancelled)
            guard case .success? = handle.result else { throw Unexpected(String(describing: handle.result)) }
            #expect(try await users.user("ada").uid == "ada")
        }
    }

    @Test("A tag that is set is found again when the result arrives")
    func tags() async throws {
        let directory = try Directory.inMemory()
        try await directory.unrestricted.users.create("ada")
        let gate = Gate()
        let tags = Gathered<String?>()
        let queue = DispatchQueue(label: "chosen by the test")
        let handle = AsyncOperationHandle<Void>(
            deliveringOn: queue, operation: { try await onThread { gate.pass() } },
            completion: { _, handle in tags.append(handle.tag as? String) })
        #expect(handle.tag == nil)
        handle.tag = "row 7"
        gate.open()
        #expect(try await onThread { tags.wait(for: 1) } == ["row 7"])
    }

    @Test(
        "However a cancellation races with the work, the completion comes once and says what is stored",
        arguments: Place.allCases)
    func races(place: Place) async throws {
        let seed = randomSeed()
        var numbers = SeededNumbers(seed: seed)
        try await withDirectory(place) { directory in
            let users = directory.unrestricted.users
            let (queue, _) = Self.queue()
            let results = Gathered<(String, Bool)>()
            let count = 200
            for number in 0..<count {
                let uid = "u\(number)"
                let handle = users.createAsynchronously(
                    attributes: ["uid": .string(uid)], deliveringOn: queue
                ) { result, _ in
                    if case .success = result { results.append((uid, true)) } else { results.append((uid, false)) }
                }
                switch Int.random(in: 0..<4, using: &numbers) {
                case 0: handle.cancel()
                case 1:
                    for _ in 0..<Int.random(in: 0..<200, using: &numbers) { await Task.yield() }
                    handle.cancel()
                default: break
                }
            }
            let all = try await onThread { results.wait(for: count) }
            queue.sync {}
            #expect(results.all.count == count)
            for (uid, isCreated) in all {
                #expect(await code { try await users.user(uid) } == (isCreated ? nil : .notFound), "seed \(seed)")
            }
            #expect(try await users.count() == all.count { $0.1 })
        }
    }
}
