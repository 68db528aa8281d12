/// Returns the time since a moment that is fixed while the process runs.
package typealias MonotonicTime = @Sendable () -> Duration

/// The system's clock that cannot be set. It also runs while the system sleeps. A call costs about 50 ns.
package func systemMonotonicTime() -> MonotonicTime {
    let start = ContinuousClock.now
    return { start.duration(to: .now) }
}

/// Adds up the time that passes. A clock that jumps back counts as one that stood still.
struct SteadyClock {
    private var last: Duration?
    private var time = Duration.zero

    /// The time that has passed when the clock shows this.
    mutating func tick(_ shown: Duration) -> Duration {
        if let last, shown > last { time += shown - last }
        last = shown
        return time
    }
}
