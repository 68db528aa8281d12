import Foundation

#if canImport(Glibc)
    import Glibc
#endif

/// How long the calling thread computes for some work. This does not grow when other tests or programs use the processor too.
public func processorTime(_ work: () throws -> Void) rethrows -> Duration {
    let start = threadTime()
    try work()
    return threadTime() - start
}

private func threadTime() -> Duration {
    var time = timespec()
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
    return .seconds(time.tv_sec) + .nanoseconds(time.tv_nsec)
}
