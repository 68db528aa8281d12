#if canImport(Glibc)
    public import Glibc
#elseif canImport(Darwin)
    public import Darwin
#endif

/// A value behind a lock, for every module.
///
/// Not `Synchronization.Mutex`: on Linux that is a futex of the standard library's own, which the thread sanitizer does
/// not understand, so that it takes everything behind one for a race.
public final class Locked<Value>: @unchecked Sendable {
    // Unchecked: the value is touched by whoever holds the lock only, which no compiler can see.
    @usableFromInline var value: Value
    @usableFromInline let lock: UnsafeMutablePointer<pthread_mutex_t>

    /// Puts a value behind a lock of its own.
    public init(_ value: sending Value) {
        self.value = value
        lock = .allocate(capacity: 1)
        pthread_mutex_init(lock, nil)
    }

    deinit {
        pthread_mutex_destroy(lock)
        lock.deallocate()
    }

    /// Lets `body` alone have the value.
    @inlinable
    public func withLock<Result>(_ body: (inout Value) throws -> Result) rethrows -> Result {
        pthread_mutex_lock(lock)
        defer { pthread_mutex_unlock(lock) }
        return try body(&value)
    }
}
