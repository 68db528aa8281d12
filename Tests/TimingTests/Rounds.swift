import Testing
import TestSupport

/// Measures until a figure is as promised, for a few rounds at most, and fails with the figures of all rounds if it never is.
///
/// Whatever else the machine does can only make a round worse, so one good round shows what the program does by itself. A
/// program that breaks the promise breaks it in every round.
func expectWithinRounds(
    _ what: String, rounds: Int = 5, sourceLocation: SourceLocation = #_sourceLocation,
    _ round: () async throws -> (isGood: Bool, figures: String)
) async rethrows {
    var all: [String] = []
    for _ in 0..<rounds {
        let (isGood, figures) = try await round()
        all.append(figures)
        if isGood {
            print("\(what): \(figures)")
            return
        }
    }
    Issue.record("\(what): \(all.joined(separator: "; "))", sourceLocation: sourceLocation)
}

/// The time of some work.
func time(_ work: () async throws -> Void) async rethrows -> Duration {
    try await ContinuousClock().measure { try await work() }
}

extension [Duration] {
    /// The one in the middle.
    var median: Duration { sorted()[count / 2] }
}

/// Whether two kinds of work cannot be told apart by their medians: they differ by less than a quarter, or less than a
/// client can measure over a network.
func areAlike(_ first: [Duration], _ second: [Duration]) -> (isGood: Bool, figures: String) {
    let difference = abs((first.median - second.median) / .microseconds(1))
    return (
        difference < max(0.25 * (second.median / .microseconds(1)), 60), "\(first.median) and \(second.median)"
    )
}
