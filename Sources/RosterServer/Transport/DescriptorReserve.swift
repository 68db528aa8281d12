import Foundation

/// Keeps descriptors open that the process can do without, and closes them when the process runs out of descriptors.
///
/// On Linux, libdispatch opens a file in `/proc` every second, and ends the process if the system has no descriptor for the file. The
/// server's connections, or the files of the app around the server, can use up all descriptors. Then the reserve is closed, so that
/// libdispatch finds free descriptors, and the ``Acceptor`` takes no further connection until the process can fill the reserve again.
struct DescriptorReserve {
    /// The number of descriptors in a full reserve.
    static let size = 16
    /// The time between two attempts to fill an empty reserve. An attempt takes twice the descriptors of a reserve for some microseconds.
    static let pause: Nanoseconds = 1_000_000_000

    private var held: [Int32] = []
    /// The time of the last attempt to fill the reserve; 0 before the first one.
    private var lastAttempt: Nanoseconds = 0
    /// Whether the process ran out of descriptors and could not fill the reserve since.
    private(set) var isShort = false

    /// Fills an empty reserve, or closes a full one if few further descriptors are free. If a process is too short of descriptors for a
    /// first reserve, the server takes connections without one.
    mutating func renew(at time: Nanoseconds) {
        guard held.isEmpty else {
            if let probe = Self.opened(1).first {
                close(probe)
                if Int(probe) < Self.descriptorLimit - Self.size { return }
            }
            return release(at: time)
        }
        guard lastAttempt == 0 || time &- lastAttempt >= Self.pause else { return }
        lastAttempt = time
        var taken = Self.opened(2 * Self.size)
        guard taken.count == 2 * Self.size else {
            for descriptor in taken { close(descriptor) }
            return
        }
        while taken.count > Self.size { close(taken.removeLast()) }
        (held, isShort) = (taken, false)
    }

    /// Closes the reserve if few descriptors are free. A high number of a new connection's descriptor shows that, because the system gives
    /// each new descriptor the lowest free number.
    mutating func noteConnection(_ descriptor: Int32, at time: Nanoseconds) {
        if !held.isEmpty, Int(descriptor) >= Self.descriptorLimit - Self.size { release(at: time) }
    }

    /// Closes the reserve's descriptors, so that libdispatch and the app around the server can open files.
    mutating func release(at time: Nanoseconds) {
        for descriptor in held { close(descriptor) }
        (held, isShort, lastAttempt) = ([], true, time)
    }

    /// The number of descriptors that the process may have now. An operator can change the limit of a running process.
    private static var descriptorLimit: Int {
        var limits = rlimit()
        #if canImport(Glibc)
            let isKnown = getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limits) == 0
        #else
            let isKnown = getrlimit(RLIMIT_NOFILE, &limits) == 0
        #endif
        return isKnown ? Int(clamping: limits.rlim_cur) : .max
    }

    /// Opens descriptors, and returns fewer than `count` if the system has no more.
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
