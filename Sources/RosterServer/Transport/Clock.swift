import Foundation

/// A point in time on the monotonic clock, in nanoseconds. It is a plain number, because each request reads and stores
/// it several times.
typealias Nanoseconds = UInt64

func now() -> Nanoseconds {
    var time = timespec()
    clock_gettime(CLOCK_MONOTONIC, &time)
    return Nanoseconds(time.tv_sec) * 1_000_000_000 + Nanoseconds(time.tv_nsec)
}

extension Duration {
    var nanoseconds: Nanoseconds {
        let (seconds, attoseconds) = components
        return Nanoseconds(max(seconds, 0)) * 1_000_000_000 + Nanoseconds(max(attoseconds, 0) / 1_000_000_000)
    }
}
