import Dispatch
import RosterText

/// Runs tasks on threads that may wait for a database server. Swift has as few threads of its own as there are processors, so that two
/// requests that wait there could stop all tasks of the process.
final class WaitingThreads: TaskExecutor {
    private struct State {
        var jobs: [UnownedJob] = []
        /// The queues without work. The last queue in the list has worked last, so that its thread still exists.
        var idle: [DispatchQueue]
    }
    private let state: Locked<State>

    /// - Parameter count: The largest number of threads.
    init(count: Int) {
        // Each serial queue gets a thread of its own. On Linux, concurrent queues share threads with Swift's tasks.
        state = Locked(State(idle: (0..<count).map { DispatchQueue(label: "roster.request.\($0)") }))
    }

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        let queue = state.withLock { state -> DispatchQueue? in
            guard let queue = state.idle.popLast() else {
                state.jobs.append(job)
                return nil
            }
            return queue
        }
        if let queue { queue.async { self.run(job, on: queue) } }
    }

    /// Runs a job, and then the waiting ones, on the thread of the queue.
    private func run(_ first: UnownedJob, on queue: DispatchQueue) {
        var job: UnownedJob? = first
        while let next = job {
            next.runSynchronously(on: asUnownedTaskExecutor())
            job = state.withLock { state in
                if !state.jobs.isEmpty { return state.jobs.removeFirst() }
                state.idle.append(queue)
                return nil
            }
        }
    }
}
