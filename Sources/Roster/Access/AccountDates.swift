package import Foundation
import RosterStore
import RosterText

/// The first and the last moment of an account, from the attributes `activeStartDate` and `activeEndDate`. Before and after them
/// the account counts as disabled.
///
/// Both attributes include what they name: an account whose `activeEndDate` is `2026-12-31` (or `2026-12`, or `2026`) can be used
/// until the end of that day, month or year in UTC. A value with a time of day is that moment.
package struct AccountDates: Sendable, Hashable {
    /// The attributes that set the dates.
    static let attributes: [AttributeName] = ["activeStartDate", "activeEndDate"]

    /// The first moment of the account, in milliseconds since 1970; nil for no limit.
    let starts: Int64?
    /// The first moment at which the account can no longer be used, in milliseconds since 1970; nil for no limit.
    let ends: Int64?

    package init(_ attributes: AttributeSet) {
        starts = attributes.stored("activeStartDate")?.text.flatMap { Self.period($0)?.begin }
        ends = attributes.stored("activeEndDate")?.text.flatMap { Self.period($0)?.end }
    }

    /// Reads two columns with the stored dates.
    init(_ row: borrowing Row, at index: Int32) {
        starts = row.optionalInteger(index)
        ends = row.optionalInteger(index + 1)
    }

    /// Whether the account can be used at a time.
    package func contain(_ time: Date) -> Bool {
        let now = time.milliseconds
        return starts.map { $0 <= now } ?? true && isBeforeEnd(now)
    }

    private func isBeforeEnd(_ now: Int64) -> Bool { ends.map { now < $0 } ?? true }

    /// Whether the account has not ended at a time.
    package func isBeforeEnd(_ time: Date) -> Bool { isBeforeEnd(time.milliseconds) }

    /// The beginning of the year, month, day or moment that a text names, and the beginning of what follows. Nil for texts
    /// that programs stored before such texts were checked.
    private static func period(_ text: String) -> (begin: Int64, end: Int64)? {
        guard let begin = ValueForm.date(text)?.milliseconds else { return nil }
        let day: Int64 = 86_400_000
        let digits = text.utf8.filter { $0 != UInt8(ascii: "-") }
        guard digits.count <= 8 else { return (begin, begin) }
        // 32 days after the first day of a month is in the next month, and 366 days after the first of a year in the next year.
        let (isYear, isMonth) = (digits.count == 4, digits.count == 6)
        let next = Date(milliseconds: begin + day * (isYear ? 366 : isMonth ? 32 : 1))
        let start = Timestamp.text(next).prefix(isYear ? 4 : isMonth ? 7 : 10)
        // After the year 9999 there is no text for the beginning of what follows, or that of another year.
        guard let end = ValueForm.date(String(start))?.milliseconds, end > begin else { return nil }
        return (begin, end)
    }

    /// Stores the dates of existing users in their columns.
    static func store(on connection: Connection) throws {
        var found: [(id: Int64, dates: AccountDates)] = []
        try connection.forEach(UserStatements.withDates, []) { row in
            // A record that cannot be read has no dates; `check` reports the record.
            guard let attributes = try? row.bytes(1, { try AttributeSet(stored: $0) }) else { return }
            found.append((row.integer(0), AccountDates(attributes)))
        }
        for (id, dates) in found {
            try connection.run(UserStatements.setDates, [.integer(id), .integer(dates.starts), .integer(dates.ends)])
        }
    }
}
