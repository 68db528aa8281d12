import Foundation
import RosterCrypto
import RosterText

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// A lock across tasks, threads and processes: a `flock` on an own file. The kernel releases the lock when the process
/// ends, however it ends.
struct LockFile {
    private let descriptor: Int32

    /// Takes the lock; nil if somebody has it.
    private init?(attempting path: String) throws {
        while true {
            let descriptor = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NONBLOCK | O_NOFOLLOW, 0o600)
            guard descriptor >= 0 else { throw Self.failure(path) }
            var result = flock(descriptor, LOCK_EX | LOCK_NB)
            while result != 0, errno == EINTR { result = flock(descriptor, LOCK_EX | LOCK_NB) }
            guard result == 0 else {
                let isBusy = errno == EWOULDBLOCK
                defer { close(descriptor) }
                if isBusy { return nil }
                throw Self.failure(path)
            }
            var (locked, named) = (stat(), stat())
            if fstat(descriptor, &locked) == 0, stat(path, &named) == 0, locked.st_ino == named.st_ino,
                locked.st_dev == named.st_dev
            {
                self.descriptor = descriptor
                return
            }
            // Somebody deleted the file in between, so that others lock another file.
            close(descriptor)
        }
    }

    private static func failure(_ path: String) -> SecureStoreError {
        SecureStoreError(
            .storageFailed, "The lock '\(path)' cannot be taken: \(systemFailure).",
            advice: "Keep the secure store in a folder that the app can write to, on a file system that has locks.")
    }

    /// Releases the lock, also for a program that this process is starting and that has the descriptor for a moment.
    func release() {
        _ = flock(descriptor, LOCK_UN)
        close(descriptor)
    }

    /// Takes the lock for a short operation, and blocks the thread for ten seconds at most.
    ///
    /// - Throws: ``SecureStoreError`` `busyStore` or `storageFailed`.
    static func take(_ path: String) throws -> LockFile {
        let end = ContinuousClock.now + .seconds(10)
        var pause: UInt32 = 200
        while ContinuousClock.now < end {
            if let lock = try LockFile(attempting: path) { return lock }
            usleep(pause)
            pause = min(pause * 2, 10_000)
        }
        throw SecureStoreError(
            .busyStore, "Another process has held the lock '\(path)' for ten seconds.",
            advice: "Try again. If the lock stays, end the process that has the file open (see 'lsof').")
    }

    /// Takes the lock, and suspends the task until then. No thread waits.
    ///
    /// - Throws: `CancellationError`; ``SecureStoreError`` `storageFailed`.
    static func wait(_ path: String, isolation: isolated (any Actor)? = #isolation) async throws -> LockFile {
        var pause = 1
        while true {
            try Task.checkCancellation()
            if let lock = try LockFile(attempting: path) { return lock }
            // Waiters do not try at the same moments.
            await QueueTimer.sleep(until: .now + .microseconds(Int.random(in: 500...1_000) * pause))
            pause = min(pause * 2, 20)
        }
    }

    /// The path of a named lock beside a file.
    static func path(beside file: String, name: String) throws -> String {
        "\(file).\(try SHA256.hex(name).prefix(16)).lock"
    }
}
