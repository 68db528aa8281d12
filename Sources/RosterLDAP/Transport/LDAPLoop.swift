import Dispatch
import Foundation
import RosterText
import Synchronization

/// A thread that serves connections, and that runs the tasks of brief searches.
final class LDAPLoop: TaskExecutor {
    private enum Event: Sendable {
        case accepted(Int32, PeerAddress, LDAPAddress)
        case finished(connection: Int, message: Int32, LDAPReply)
        case output(connection: Int)
        /// Accepts nothing more, and ends connections on which nothing runs.
        case drain
        case stop
    }

    private let context: LDAPContext
    private let listeners: [Listener]
    /// The loops among which the first one divides the connections.
    private let others = Locked<[LDAPLoop]>([])
    private let mailbox = Locked<[Event]>([])
    /// The parts of tasks that are ready to run on the thread, and whether the thread has ended.
    private let jobs = Locked<(ready: [UnownedJob], hasEnded: Bool)>(([], false))
    private let thread = Atomic<UInt>(0)
    private let wake: (read: Int32, write: Int32)
    private let connectionCount = Atomic<Int>(0)
    private let hasEnded = Atomic(false)

    /// The number of the loop's connections.
    var count: Int { connectionCount.load(ordering: .relaxed) }

    init(_ context: LDAPContext, _ listeners: [Listener]) {
        (self.context, self.listeners) = (context, listeners)
        var ends: [Int32] = [-1, -1]
        pipe(&ends)
        for end in ends { Listener.prepare(end) }
        wake = (ends[0], ends[1])
    }

    deinit {
        close(wake.read)
        close(wake.write)
    }

    /// Starts the thread.
    ///
    /// - Parameter others: The loops that serve connections of this loop's listeners.
    func start(with others: [LDAPLoop]) {
        self.others.withLock { $0 = others }
        let thread = Thread { self.run() }
        thread.name = "roster-ldap"
        thread.stackSize = 1 << 20
        thread.start()
    }

    func drain() { post(.drain) }

    /// Ends the thread and its connections.
    func stop() async {
        post(.stop)
        while !hasEnded.load(ordering: .acquiring) { try? await Task.sleep(for: .milliseconds(2)) }
        others.withLock { $0 = [] }
    }

    private func post(_ event: Event) {
        let isFirst = mailbox.withLock { events in
            defer { events.append(event) }
            return events.isEmpty
        }
        if isFirst { wakeUp() }
    }

    /// The thread looks at its mailbox and at its jobs before it waits, so that it need not wake itself.
    private func wakeUp() {
        if thread.load(ordering: .relaxed) != Self.currentThread { _ = write(wake.write, "!", 1) }
    }

    private static var currentThread: UInt {
        #if canImport(Darwin)
            UInt(bitPattern: pthread_self())
        #else
            UInt(pthread_self())
        #endif
    }

    // MARK: Tasks

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        let (isFirst, hasEnded) = jobs.withLock { jobs in
            if !jobs.hasEnded { jobs.ready.append(job) }
            return (jobs.ready.count == 1, jobs.hasEnded)
        }
        guard !hasEnded else {
            DispatchQueue.global().async { job.runSynchronously(on: self.asUnownedTaskExecutor()) }
            return
        }
        if isFirst { wakeUp() }
    }

    /// - Returns: Whether there was one.
    private func runJobs() -> Bool {
        let ready = jobs.withLock { jobs in
            defer { jobs.ready = [] }
            return jobs.ready
        }
        for job in ready { job.runSynchronously(on: asUnownedTaskExecutor()) }
        return !ready.isEmpty
    }

    private var hasWork: Bool { mailbox.withLock { !$0.isEmpty } || jobs.withLock { !$0.ready.isEmpty } }

    // MARK: The thread

    private func run() {
        thread.store(Self.currentThread, ordering: .relaxed)
        var connections: [LDAPConnection] = []
        var polled: [pollfd] = []
        var isDraining = false
        var swept = ContinuousClock.now
        // A loop without a descriptor for a new connection would be woken by that connection again and again.
        var acceptsAgain = swept
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 1 << 16, alignment: 16)
        defer { buffer.deallocate() }
        while true {
            polled.removeAll(keepingCapacity: true)
            polled.append(pollfd(fd: wake.read, events: Int16(POLLIN), revents: 0))
            if !isDraining {
                for listener in listeners {
                    let events = acceptsAgain > ContinuousClock.now ? 0 : Int16(POLLIN)
                    polled.append(pollfd(fd: listener.descriptor, events: events, revents: 0))
                }
            }
            let first = polled.count
            var hasUnread = false
            for connection in connections {
                hasUnread = hasUnread || connection.hasUnread
                polled.append(pollfd(fd: connection.descriptor, events: connection.events, revents: 0))
            }
            poll(&polled, nfds_t(polled.count), hasUnread || hasWork ? 0 : 250)
            let time = ContinuousClock.now
            for (index, connection) in connections.enumerated() {
                let events = polled[first + index].revents | (connection.hasUnread ? Int16(POLLIN) : 0)
                if events != 0 { connection.handle(events, at: time, buffer) }
            }
            if polled[0].revents != 0 { emptyWake() }
            // The end of a search can begin the next one of its connection. Those of one connection do not delay the others for long.
            for _ in 0..<8 where runJobs() || hasWork {
                switch takeEvents(&connections, at: time) {
                case .goOn: break
                case .drain:
                    if !isDraining { for listener in listeners { listener.close() } }
                    isDraining = true
                case .stop:
                    for connection in connections { connection.close() }
                    // A second close would end another socket, which got the same number in the meantime.
                    if !isDraining { for listener in listeners { listener.close() } }
                    remove(&connections)
                    jobs.withLock { $0.hasEnded = true }
                    _ = runJobs()
                    hasEnded.store(true, ordering: .releasing)
                    return
                }
            }
            if first > 1, !isDraining {
                for (index, listener) in listeners.enumerated() where polled[1 + index].revents != 0 {
                    if !accept(on: listener) { acceptsAgain = time + .milliseconds(200) }
                }
            }
            if time - swept > .milliseconds(500) || isDraining {
                swept = time
                for connection in connections {
                    connection.check(at: time)
                    if isDraining {
                        connection.drain()
                        connection.flush(at: time)
                    }
                }
            }
            remove(&connections)
        }
    }

    private enum Step {
        case goOn, drain, stop
    }

    private func emptyWake() {
        var bytes: (UInt64, UInt64) = (0, 0)
        _ = withUnsafeMutableBytes(of: &bytes) { read(wake.read, $0.baseAddress, $0.count) }
    }

    private func takeEvents(_ connections: inout [LDAPConnection], at time: ContinuousClock.Instant) -> Step {
        let events = mailbox.withLock { events in
            defer { events = [] }
            return events
        }
        var step = Step.goOn
        var written: [LDAPConnection] = []
        // One call of the system sends all that came together.
        defer { for connection in written where !connection.isClosed { connection.flush(at: time) } }
        func write(_ connection: LDAPConnection) {
            if !written.contains(where: { $0 === connection }) { written.append(connection) }
        }
        for event in events {
            switch event {
            case .accepted(let descriptor, let peer, let address):
                add(descriptor, peer, address, to: &connections)
            case .finished(let number, let message, let reply):
                context.counts.running.subtract(1, ordering: .relaxed)
                guard let connection = Self.find(number, in: connections) else { continue }
                connection.finish(message, reply)
                write(connection)
            case .output(let number):
                if let connection = Self.find(number, in: connections) { write(connection) }
            case .drain: step = .drain
            case .stop: return .stop
            }
        }
        return step
    }

    /// Connections stand in the order of their numbers.
    private static func find(_ number: Int, in connections: [LDAPConnection]) -> LDAPConnection? {
        var (low, high) = (0, connections.count)
        while low < high {
            let middle = (low + high) / 2
            if connections[middle].number < number { low = middle + 1 } else { high = middle }
        }
        guard low < connections.count, connections[low].number == number, !connections[low].isClosed else { return nil }
        return connections[low]
    }

    private func remove(_ connections: inout [LDAPConnection]) {
        let before = connections.count
        connections.removeAll { connection in
            guard connection.isClosed else { return false }
            context.places.leave(connection.number)
            return true
        }
        if connections.count != before { connectionCount.subtract(before - connections.count, ordering: .relaxed) }
    }

    // MARK: New connections

    /// - Returns: False if there is no descriptor for a further connection.
    private func accept(on listener: Listener) -> Bool {
        for _ in 0..<64 {
            switch PeerAddress.accept(listener.descriptor) {
            case .none: return true
            case .noDescriptor: return false
            case .connection(let descriptor, let peer):
                let loops = others.withLock { $0 }
                let loop = loops.min { $0.count < $1.count } ?? self
                loop.connectionCount.add(1, ordering: .relaxed)
                loop.post(.accepted(descriptor, peer, listener.address))
            }
        }
        return true
    }

    private func add(
        _ descriptor: Int32, _ peer: PeerAddress, _ address: LDAPAddress, to connections: inout [LDAPConnection]
    ) {
        guard let number = context.places.enter(peer) else {
            context.counts.refused.add(1, ordering: .relaxed)
            // A connection that is not bound and on which nothing happens gives way to the next one.
            connections.filter { !$0.isBound && $0.isIdle }.min { $0.lastEvent < $1.lastEvent }?.close()
            connectionCount.subtract(1, ordering: .relaxed)
            close(descriptor)
            return
        }
        var yes: Int32 = 1
        setsockopt(descriptor, Int32(IPPROTO_TCP), TCP_NODELAY, &yes, socklen_t(MemoryLayout<Int32>.size))
        let connection = LDAPConnection(
            number: number, descriptor: descriptor, peer: peer, on: address, context: context, executor: self,
            notify: { [weak self] in self?.post(.output(connection: number)) },
            post: { [weak self] in self?.post(.finished(connection: number, message: $0, $1)) })
        guard let connection else {
            context.places.leave(number)
            connectionCount.subtract(1, ordering: .relaxed)
            close(descriptor)
            return
        }
        connections.append(connection)
    }
}
