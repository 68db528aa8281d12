#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// A point in time that the clock on the wall cannot move, in nanoseconds. A plain number, for it is read and stored
/// several times in a request of ten microseconds.
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
