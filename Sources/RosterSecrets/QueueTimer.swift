import Dispatch

/// Wakes waiting tasks on a queue of its own, also while blocked callers occupy all threads of Swift's pool, on which `Task.sleep` wakes.
package enum QueueTimer {
    private static let queue = DispatchQueue(label: "Roster.timer")

    /// Suspends the task until an instant. A cancelled task waits all the same.
    package static func sleep(until end: ContinuousClock.Instant, isolation: isolated (any Actor)? = #isolation) async {
        let left = (end - .now) / .microseconds(1)
        guard left > 0 else { return }
        await withCheckedContinuation { continuation in
            queue.asyncAfter(deadline: .now() + .microseconds(Int(left.rounded(.up)))) { continuation.resume() }
        }
    }
}
