import Dispatch
import Foundation
import Roster
import Synchronization
import Testing
import TestSupport

/// A delegate that keeps what it is told.
final class RecordingDelegate: EntityDelegate {
    enum Call: Sendable {
        case entities(Result<[String], any Error>, EntitySource, ObjectIdentifier)
        case finished((any Error)?, EntitySource, ObjectIdentifier)

        var handle: ObjectIdentifier {
            switch self {
            case .entities(_, _, let handle), .finished(_, _, let handle): handle
            }
        }

        /// The object that answered.
        var source: String {
            switch self {
            case .entities(_, let source, _), .finished(_, let source, _):
                switch source {
                case .users(let users): "users, delegate \(users.delegate == nil ? "gone" : "there")"
                case .roles: "roles"
                case .user(let user): user.uid
                case .role(let role): role.name
                }
            }
        }
    }
    let calls = Gathered<Call>()
    let isOnQueue = Gathered<Bool>()
    let key: DispatchSpecificKey<Bool>

    init(key: DispatchSpecificKey<Bool>) { self.key = key }

    func didReceive<Value: Sendable>(
        _ entities: Result<Value, any Error>, from source: EntitySource, withHandle handle: AsyncOperationHandle<Value>
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
        calls.append(.entities(names, source, ObjectIdentifier(handle)))
    }

    func didFinishOperation(
        error: (any Error)?, by source: EntitySource, withHandle handle: AsyncOperationHandle<Void>
    ) {
        isOnQueue.append(DispatchQueue.getSpecific(key: key) == true)
        calls.append(.finished(error, source, ObjectIdentifier(handle)))
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
            var (users, roles) = (directory.unrestricted.users, directory.unrestricted.roles)
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

            users.delegate = delegate
            roles.delegate = delegate
            let search = users.searchAsynchronously(
                [:], isSimpleSearch: true, pageSize: 10, pagePosition: 1, deliveringOn: queue)
            let found = try await next(1)
            #expect(found.handle == ObjectIdentifier(search) && found.source == "users, delegate there")
            guard case .entities(.success(["ada"]), _, _) = found else { throw Unexpected(found) }

            let missing = users.userAsynchronously("nobody", deliveringOn: queue)
            let failed = try await next(2)
            #expect(failed.handle == ObjectIdentifier(missing))
            guard case .entities(.failure(let error as DirectoryError), _, _) = failed else { throw Unexpected(failed) }
            #expect(error.code == .notFound)

            roles.roleAsynchronously("staff", deliveringOn: queue)
            let role = try await next(3)
            #expect(role.source == "roles")
            guard case .entities(.success(["staff"]), _, _) = role else { throw Unexpected(role) }

            let change = roles.addAsynchronously("ada", to: "staff", deliveringOn: queue)
            let done = try await next(4)
            #expect(done.handle == ObjectIdentifier(change) && done.source == "roles")
            guard case .finished(nil, _, _) = done else { throw Unexpected(done) }

            users.deleteAsynchronously("nobody", deliveringOn: queue)
            let refusal = try await next(5)
            guard case .finished(let refused as DirectoryError, _, _) = refusal else { throw Unexpected(refusal) }
            #expect(refused.code == .notFound)

            let ada = try await users.user("ada")
            ada.attributeAsynchronously("title", deliveringOn: queue, completion: delegate.receiving(from: .user(ada)))
            #expect(try await next(6).source == "ada")
            let staff = try await roles.role("staff")
            staff.membersAsynchronously(deliveringOn: queue, completion: delegate.receiving(from: .role(staff)))
            let members = try await next(7)
            guard case .entities(.success(["ada"]), _, _) = members else { throw Unexpected(members) }
            #expect(members.source == "staff")

            // A completion takes the place of the delegate.
            let completed = Gathered<String>()
            users.userAsynchronously("ada", deliveringOn: queue) { result, _ in
                completed.append((try? result.get().uid) ?? "none")
            }
            #expect(try await onThread { completed.wait(for: 1) } == ["ada"])
            users.delegate = nil
            let silent = users.userAsynchronously("ada", deliveringOn: queue)
            _ = try await onThread { waitUntil { silent.result != nil } }
            queue.sync {}
            #expect(calls.all.count == 7)
            #expect(delegate.isOnQueue.all == Array(repeating: true, count: 7))
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
        var users = try emptyDirectory().unrestricted.users
        let handle: AsyncOperationHandle<Void>
        do {
            let delegate = RecordingDelegate(key: key)
            gone = delegate
            handle = AsyncOperationHandle(
                deliveringOn: queue, operation: { try await onThread { gate.pass() } },
                completion: delegate.finishing(by: .users(users)))
            users.delegate = delegate
            #expect(users.delegate === delegate)
        }
        #expect(gone == nil && users.delegate == nil)
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
        let directory = try emptyDirectory()
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
