import Foundation
import Roster

/// The longest life of what programs sign in with.
enum LongestLife {
    private static let days = 36_500

    /// Refuses an end that has passed, or that is too far. The clock of the caller can be an hour ahead.
    ///
    /// - Throws: `DirectoryError` `invalidInput`.
    static func check(_ end: Date?, of subject: String, at now: Date) throws {
        guard let end else { return }
        guard now < end, end <= now.addingTimeInterval(Double(days) * 86_400 + 3_600) else {
            throw DirectoryError(
                .invalidInput, "\(subject) ends in the next 36,500 days, or never.", advice: "Give a time to come.")
        }
    }
}
