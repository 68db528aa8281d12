import Foundation

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// Prints one line a figure, `name value unit`, as the limits of the machine are printed.
func figure(_ name: String, _ value: Double, _ unit: String) {
    let text = value >= 100 ? String(format: "%.0f", value) : String(format: "%.3f", value)
    FileHandle.standardOutput.write(Data("\(name) \(text) \(unit)\n".utf8))
}

/// How long something takes, in seconds.
func seconds(_ body: () throws -> Void) rethrows -> Double {
    let start = ContinuousClock.now
    try body()
    return (ContinuousClock.now - start) / .seconds(1)
}

/// How long something takes, in seconds.
func seconds(_ body: () async throws -> Void) async rethrows -> Double {
    let start = ContinuousClock.now
    try await body()
    return (ContinuousClock.now - start) / .seconds(1)
}

/// The time that the processors spend on something, on all threads of this process, in seconds.
func processorSeconds(_ body: () throws -> Void) rethrows -> Double {
    let start = clock()
    try body()
    return Double(clock() - start) / Double(CLOCKS_PER_SEC)
}

/// The middle of several measurements.
func median(_ values: [Double]) -> Double {
    let sorted = values.sorted()
    return sorted.isEmpty ? 0 : sorted[sorted.count / 2]
}

/// Asks the same question in two ways in turn, several rounds, and prints both rates and the median of their ratios:
/// machines are noisy, ratios of neighbouring rounds less so.
///
/// - Parameters:
///   - times: How often the question is asked in a round.
///   - ours: Asks it of the directory.
///   - bare: Asks it through bare `sqlite3_*` calls.
func compare(_ name: String, times: Int, rounds: Int = 5, ours: () throws -> Void, bare: () throws -> Void) rethrows {
    var ourTimes: [Double] = []
    var bareTimes: [Double] = []
    try ours()
    try bare()
    for _ in 0..<rounds {
        bareTimes.append(try seconds { try bare() })
        ourTimes.append(try seconds { try ours() })
    }
    print(name, times, ourTimes, bareTimes)
}

/// Prints both rates, and how many times the bare rate ours is.
func print(_ name: String, _ times: Int, _ ourTimes: [Double], _ bareTimes: [Double]) {
    let ratios = zip(bareTimes, ourTimes).map { $0 / $1 }
    figure("roster.\(name)", Double(times) / median(ourTimes), "/s")
    figure("bare.\(name)", Double(times) / median(bareTimes), "/s")
    figure("ratio.\(name)", median(ratios), "x")
}

/// The same numbers in every run.
struct Picks {
    private var seed: UInt64
    init(_ seed: UInt64) { self.seed = seed }
    /// A number from 1 to `count`.
    mutating func next(_ count: Int) -> Int {
        seed = seed &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
        return 1 + Int((seed >> 33) % UInt64(count))
    }
}

/// The memory of this process in kilobytes, by its name in /proc/self/status.
func memory(_ name: String) -> Double {
    guard let status = try? String(contentsOfFile: "/proc/self/status", encoding: .utf8) else { return 0 }
    for line in status.split(separator: "\n") where line.hasPrefix(name + ":") {
        return line.split(whereSeparator: { !$0.isNumber }).first.flatMap { Double($0) } ?? 0
    }
    return 0
}
