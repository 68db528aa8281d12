import Dispatch

/// Runs tasks on a queue of its own, so that they go on while blocked callers occupy all threads of Swift's pool.
package final class QueueExecutor: TaskExecutor {
    private let queue = DispatchQueue(label: "Roster.tasks")

    package init() {}

    package func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        queue.async { [self] in job.runSynchronously(on: asUnownedTaskExecutor()) }
    }
}
