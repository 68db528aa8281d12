import Foundation

#if canImport(Glibc)
    import Glibc
#endif

/// The figures of this process that Prometheus knows by common names; nil where the system has no `/proc`.
enum ProcessFigures {
    /// The time of the start in seconds since 1970.
    static var start: Double? {
        guard let ticks = field(22), let perSecond = ticksPerSecond, let uptime else { return nil }
        return Date().timeIntervalSince1970 - uptime + ticks / perSecond
    }

    /// The processor time since the start in seconds.
    static var processorTime: Double? {
        guard let user = field(14), let system = field(15), let perSecond = ticksPerSecond else { return nil }
        return (user + system) / perSecond
    }

    /// The memory in RAM in bytes.
    static var residentMemory: Double? { field(24).map { $0 * Double(NSPageSize()) } }

    /// The number of open files and connections.
    static var openFiles: Double? {
        (try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd")).map { Double($0.count) }
    }

    private static var ticksPerSecond: Double? {
        #if canImport(Glibc)
            let ticks = sysconf(Int32(_SC_CLK_TCK))
            return ticks > 0 ? Double(ticks) : nil
        #else
            return nil
        #endif
    }

    /// The seconds since the system's start.
    private static var uptime: Double? {
        #if canImport(Glibc)
            var time = timespec()
            guard clock_gettime(CLOCK_BOOTTIME, &time) == 0 else { return nil }
            return Double(time.tv_sec) + Double(time.tv_nsec) / 1_000_000_000
        #else
            return nil
        #endif
    }

    /// A field of `/proc/self/stat` (proc(5)), counted from 1. The second one is a name in parentheses, which may have spaces.
    private static func field(_ number: Int) -> Double? {
        guard let text = try? String(contentsOfFile: "/proc/self/stat", encoding: .utf8),
            let name = text.lastIndex(of: ")")
        else { return nil }
        let fields = text[text.index(after: name)...].split(separator: " ")
        return fields.indices.contains(number - 3) ? Double(fields[number - 3]) : nil
    }
}
