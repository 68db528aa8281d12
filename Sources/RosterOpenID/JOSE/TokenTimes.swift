package import Foundation
package import RosterText

/// The times of a token (RFC 7519, sections 4.1.4 to 4.1.6).
package enum TokenTimes {
    /// The end of the year 9999. Later numbers are mistakes, such as milliseconds.
    private static let latest: Double = 253_402_300_799

    /// A NumericDate (RFC 7519, section 2); nil for any other value.
    package static func seconds(_ value: JSONValue) -> Double? {
        switch value {
        case .integer(let number): Double(number)
        case .decimal(let number): number
        default: nil
        }
    }

    /// The amount by which two clocks differ, for people: in minutes, from two hours on in hours, from two days on in days. The amount
    /// is rounded before the unit is chosen, so that the same difference has the same text in each message.
    package static func amount(_ seconds: Double) -> String {
        func rounded(_ unit: Double) -> Int { Int((min(abs(seconds), 1e12) / unit).rounded()) }
        if rounded(60) < 120 { return "\(rounded(60)) minutes" }
        return rounded(3_600) < 48 ? "\(rounded(3_600)) hours" : "\(rounded(86_400)) days"
    }

    /// The times of a token, and the present time.
    package static func shown(_ claims: JSONValue, now: Date, skew: Double) -> String {
        let times = ["iat", "nbf", "exp"].compactMap { name in
            claims[name].map { value in
                let date = seconds(value).flatMap { (0...latest).contains($0) ? Date(timeIntervalSince1970: $0) : nil }
                return "'\(name)' is \(ShownText.value(value))" + (date.map { " (\(ShownText.time($0)))" } ?? "")
            }
        }
        return (times + ["now is \(ShownText.time(now))"]).joined(separator: ", ")
            + "; clocks may differ by \(Int(skew)) seconds."
    }

    /// The reason why a token is not valid now; nil for a valid token. A token must have an end.
    package static func problem(with claims: JSONValue, now: Date, skew: Double) -> String? {
        func seconds(_ name: String) -> (isGiven: Bool, value: Double?) {
            guard let value = claims[name] else { return (false, nil) }
            return (true, Self.seconds(value).flatMap { (0...latest).contains($0) ? $0 : nil })
        }
        let time = now.timeIntervalSince1970
        for name in ["exp", "nbf", "iat"] {
            let (isGiven, value) = seconds(name)
            guard isGiven == (value != nil) else { return "'\(name)' is not a time in seconds since 1970." }
        }
        guard let end = seconds("exp").value else { return "The token has no 'exp', and would never end." }
        guard time < end + skew else { return "The token has ended ('exp')." }
        if let start = seconds("nbf").value, time < start - skew { return "The token has not begun ('nbf')." }
        if let issued = seconds("iat").value, time < issued - skew { return "The token is from the future ('iat')." }
        return nil
    }
}
