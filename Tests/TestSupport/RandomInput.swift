import Foundation

/// The seed for the random input of a test. It is printed, so that a failure can be repeated with the environment variable
/// `ROSTER_SEED`; without the variable every run has another seed.
public func randomSeed() -> UInt64 {
    let given = ProcessInfo.processInfo.environment["ROSTER_SEED"].flatMap { UInt64($0) }
    let seed = given ?? UInt64.random(in: 0..<1_000_000_000)
    print("ROSTER_SEED=\(seed)")
    return seed
}

/// A generator of numbers that gives the same ones for the same seed (SplitMix64).
public struct SeededNumbers: RandomNumberGenerator {
    private var state: UInt64
    public init(seed: UInt64) { state = seed }

    public mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var value = state
        value = (value ^ (value >> 30)) &* 0xBF58_476D_1CE4_E5B9
        value = (value ^ (value >> 27)) &* 0x94D0_49BB_1331_11EB
        return value ^ (value >> 31)
    }

    /// A text with one byte of it replaced by one of these; sometimes by the same.
    public mutating func alteration(of text: String, by range: ClosedRange<UInt8>) -> String {
        var bytes = Array(text.utf8)
        bytes[Int.random(in: 0..<bytes.count, using: &self)] = UInt8.random(in: range, using: &self)
        return String(decoding: bytes, as: UTF8.self)
    }
}
