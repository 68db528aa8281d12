import Dispatch
import Foundation
import RosterStore
import RosterText

/// Prepares the elements of a sequence on its own thread, while the writer stores the previous ones.
final class Preparation<Prepared: Sendable>: Sendable {
    private struct State {
        var chunks: [Result<[Prepared], any Error>] = []
        var isStopped = false
    }
    private let state = Locked(State())
    private let filled = DispatchSemaphore(value: 0)
    private let free = DispatchSemaphore(value: 0)

    /// The number of elements in each chunk except the last.
    static var chunkSize: Int { 500 }

    /// Starts preparing at once, and stays a few chunks ahead of the writer.
    ///
    /// - Parameters:
    ///   - elements: The sequence, which is iterated once, on the other thread.
    ///   - prepare: Prepares an element. The first error ends the preparation.
    init<Elements: Sequence & Sendable>(
        _ elements: Elements, _ prepare: @escaping @Sendable (Elements.Element) throws -> Prepared
    ) {
        for _ in 0..<4 { free.signal() }
        let held = HeldWork.current
        // A serial queue has its own thread. On Linux, the global queues share theirs with Swift's tasks, and the sequence
        // may wait for a task.
        DispatchQueue(label: "roster.preparation", qos: .userInitiated).async { [self] in
            HeldWork.$current.withValue(held) { fill(elements, prepare) }
        }
    }

    private func fill<Elements: Sequence>(_ elements: Elements, _ prepare: (Elements.Element) throws -> Prepared) {
        var iterator = elements.makeIterator()
        var isOver = false
        while !isOver {
            let result = Result {
                var chunk: [Prepared] = []
                chunk.reserveCapacity(Self.chunkSize)
                while chunk.count < Self.chunkSize, !state.withLock({ $0.isStopped }), let element = iterator.next() {
                    chunk.append(try prepare(element))
                }
                return chunk
            }
            free.wait()
            isOver = state.withLock { state in
                state.chunks.append(result)
                return state.isStopped || ((try? result.get().isEmpty) ?? true)
            }
            filled.signal()
        }
    }

    /// The next chunk; nil at the end. Cancellation ends the wait even if the sequence produces nothing for a long
    /// time.
    func next(on connection: Connection) throws -> [Prepared]? {
        while filled.wait(timeout: .now() + .milliseconds(50)) == .timedOut {
            try connection.checkOpen()
            try connection.cancellation?.check()
        }
        try connection.checkOpen()
        try connection.cancellation?.check()
        let result = state.withLock { $0.chunks.removeFirst() }
        free.signal()
        let chunk = try result.get()
        return chunk.isEmpty ? nil : chunk
    }

    /// Ends the other thread, even if it is waiting.
    func stop() {
        state.withLock { $0.isStopped = true }
        free.signal()
    }
}
