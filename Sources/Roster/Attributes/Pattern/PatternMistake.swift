/// A mistake in a pattern.
struct PatternMistake: Error {
    /// The mistake, worded to follow "the pattern".
    let problem: String
    /// Advice on correcting the mistake.
    let advice: String
}
