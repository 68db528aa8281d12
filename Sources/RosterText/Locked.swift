#if canImport(Glibc)
    public import Glibc
#elseif canImport(Darwin)
    public import Darwin
#endif

/// A value behind a lock.
///
/// `Synchronization.Mutex` is not used, because on Linux it uses a futex that the thread sanitizer does not understand,
/// so that the sanitizer would report races.
public final class Locked<Value>: @unchecked Sendable {
    // Unchecked: only the holder of the lock uses the value, which the compiler cannot see.
    @usableFromInline var value: Value
    @usableFromInline let lock: UnsafeMutablePointer<pthread_mutex_t>

    /// Puts a value behind a new lock.
    public init(_ value: sending Value) {
        self.value = value
        lock = .allocate(capacity: 1)
        pthread_mutex_init(lock, nil)
    }

    deinit {
        pthread_mutex_destroy(lock)
        lock.deallocate()
    }

    /// Runs `body` with exclusive access to the value.
    @inlinable
    public func withLock<Result>(_ body: (inout Value) throws -> Result) rethrows -> Result {
        pthread_mutex_lock(lock)
        defer { pthread_mutex_unlock(lock) }
        return try body(&value)
    }
}
