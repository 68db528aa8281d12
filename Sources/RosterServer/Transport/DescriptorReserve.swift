import Foundation

/// Descriptors that are held back while the process has enough, and are free for others as soon as it has not.
///
/// On Linux, libdispatch opens a file for a moment every second, and ends the process if it cannot. Connections and files of the app around
/// the server could use up all descriptors; then the server takes no further connections until there are enough again.
struct DescriptorReserve {
    /// The number of descriptors that are held back.
    static let size = 16
    /// The time between two looks at a process without enough descriptors. Each look takes descriptors for some microseconds.
    private static let pause: Nanoseconds = 1_000_000_000

    private var held: [Int32] = []
    private var limit = Int.max
    private var looked: Nanoseconds = 0
    /// Whether the process had enough descriptors once, and has not now.
    private(set) var isShort = false

    /// Takes descriptors, or gives them back. A process that never had enough goes on without the reserve.
    mutating func renew(at time: Nanoseconds) {
        var limits = rlimit()
        #if canImport(Glibc)
            let isKnown = getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limits) == 0
        #else
            let isKnown = getrlimit(RLIMIT_NOFILE, &limits) == 0
        #endif
        limit = isKnown ? Int(clamping: limits.rlim_cur) : .max
        guard held.isEmpty else {
            if let newest = Self.opened(1).first {
                close(newest)
                if Int(newest) < limit - Self.size { return }
            }
            return release(at: time)
        }
        guard looked == 0 || time &- looked >= Self.pause else { return }
        looked = time
        var taken = Self.opened(2 * Self.size)
        guard taken.count == 2 * Self.size else {
            for descriptor in taken { close(descriptor) }
            return
        }
        while taken.count > Self.size { close(taken.removeLast()) }
        (held, isShort) = (taken, false)
    }

    /// Gives the descriptors back if a new one is among the last ones that the process can have.
    mutating func note(_ descriptor: Int32, at time: Nanoseconds) {
        if !held.isEmpty, Int(descriptor) >= limit - Self.size { release(at: time) }
    }

    mutating func release(at time: Nanoseconds) {
        for descriptor in held { close(descriptor) }
        (held, isShort, looked) = ([], true, time)
    }

    private static func opened(_ count: Int) -> [Int32] {
        var descriptors: [Int32] = []
        while descriptors.count < count {
            let descriptor = open("/dev/null", O_RDONLY | O_CLOEXEC)
            guard descriptor >= 0 else { break }
            descriptors.append(descriptor)
        }
        return descriptors
    }
}
