import Foundation
import RosterText

/// The cookie of a copy: which changes the copy has, and of which search it is a copy.
///
/// It has the form of OpenLDAP's cookies, because slapd deletes entries that have gone only if a change sequence number (CSN) of the cookie
/// has grown, and keeps nothing else of it. A CSN is a time, a count, the number of a server, and a number of the modification. Here the
/// time grows with each change by a microsecond, from the year 2000 on, and the last two numbers tell searches apart.
struct SyncCookie {
    /// The number of the last change that the copy has.
    let sequence: Int64
    /// The number that the client has given to its copy; nil for none.
    let copy: String?
    private let search: String

    private static let start = Date(timeIntervalSince1970: 946_684_800)
    private static let microseconds: Int64 = 1_000_000

    /// - Parameters:
    ///   - digest: At least 9 hexadecimal digits that tell searches apart.
    ///   - request: The cookie of the request.
    init(_ sequence: Int64, _ digest: String, request: String?) {
        self.sequence = sequence
        search = Self.numbers(digest)
        copy = request.flatMap(Self.copy)
    }

    /// Reads the cookie of a request; nil if it is not one of this search.
    init?(_ text: String, _ digest: String) {
        let search = Self.numbers(digest)
        let lists = text.split(separator: ",").filter { $0.hasPrefix("csn=") }
        let numbers = lists.flatMap { $0.dropFirst(4).split(separator: ";") }
        guard let own = numbers.first(where: { $0.hasSuffix(search) }),
            let sequence = Self.sequence(String(own.dropLast(search.count)))
        else { return nil }
        (self.sequence, self.search, copy) = (sequence, search, Self.copy(text))
    }

    var text: String { (copy.map { "rid=\($0)," } ?? "") + "csn=" + Self.time(sequence) + search }

    /// The count and the last two numbers of a CSN. slapd uses the server 0 for its own.
    private static func numbers(_ digest: String) -> String {
        let server = digest.prefix(3)
        return "#000000#\(server == "000" ? "001" : server)#\(digest.dropFirst(3).prefix(6))"
    }

    private static func copy(_ text: String) -> String? {
        text.split(separator: ",").first { $0.hasPrefix("rid=") }.map { String($0.dropFirst(4).prefix(3)) }
    }

    private static func time(_ sequence: Int64) -> String {
        let seconds = GeneralizedTime.text(start + Double(sequence / microseconds)).dropLast()
        return seconds + "." + String(microseconds + sequence % microseconds).dropFirst() + "Z"
    }

    private static func sequence(_ time: String) -> Int64? {
        let digits = Array(time.utf8.filter { (0x30...0x39).contains($0) })
        guard digits.count == 20, time.utf8.count == 22 else { return nil }
        func number(_ range: Range<Int>) -> String { String(decoding: digits[range], as: UTF8.self) }
        let date = "\(number(0..<4))-\(number(4..<6))-\(number(6..<8))"
        let day = "\(number(8..<10)):\(number(10..<12)):\(number(12..<14))"
        guard let moment = Timestamp.date("\(date)T\(day)Z"), moment >= start, let rest = Int64(number(14..<20)) else {
            return nil
        }
        let sequence = Int64(moment.timeIntervalSince(start)) * microseconds + rest
        return Self.time(sequence) == time ? sequence : nil
    }
}
