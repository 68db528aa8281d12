import Foundation

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// A point in time on two clocks: the wall clock, which the user can set, and one that only runs forward, from the start of the
/// device.
package struct Moment: Sendable, Hashable {
    /// Seconds since 1970.
    package var wall: Double
    /// Seconds since the start of the device.
    package var monotonic: Double
    /// The start of the device. Two moments of different starts cannot be compared by the monotonic clock.
    package var boot: String

    package init(wall: Double, monotonic: Double, boot: String) {
        (self.wall, self.monotonic, self.boot) = (wall, monotonic, boot)
    }

    /// The seconds by which a clock may be corrected between two starts of the device.
    private static let correction = 60.0

    /// The seconds from an earlier moment, by the clock that ran more; nil if a clock was set back, so that nobody knows.
    func elapsed(since earlier: Moment) -> Double? {
        let byWall = wall - earlier.wall
        guard boot == earlier.boot else { return byWall >= -Self.correction ? max(byWall, 0) : nil }
        let byMonotonic = monotonic - earlier.monotonic
        return byMonotonic >= 0 ? max(byMonotonic, byWall) : nil
    }

    /// This moment with the wall clock as it would be if nobody had set the clock ahead since an earlier moment, as far as is known.
    func unlessSetAhead(since earlier: Moment) -> Moment {
        guard boot == earlier.boot, monotonic >= earlier.monotonic else { return self }
        return Moment(wall: min(wall, earlier.wall + monotonic - earlier.monotonic), monotonic: monotonic, boot: boot)
    }

    /// The present.
    package static func now() -> Moment {
        var time = timespec()
        #if os(Linux)
            // This clock runs on while the device sleeps.
            clock_gettime(CLOCK_BOOTTIME, &time)
        #else
            clock_gettime(CLOCK_MONOTONIC, &time)
        #endif
        return Moment(
            wall: Date().timeIntervalSince1970, monotonic: Double(time.tv_sec) + Double(time.tv_nsec) / 1e9,
            boot: thisBoot)
    }

    /// On Linux the kernel names the start of the device. Elsewhere each process has a name of its own.
    private static let thisBoot: String = {
        let name = try? String(contentsOfFile: "/proc/sys/kernel/random/boot_id", encoding: .utf8)
        return name.map { String($0.prefix(36)) } ?? UUID().uuidString
    }()
}
