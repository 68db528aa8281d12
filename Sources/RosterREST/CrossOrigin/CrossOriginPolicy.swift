import Roster
import RosterSignIn
package import RosterText

/// The policy `Security_AllowOrigin`: the pages of other sites that may call the server from a browser.
///
/// Its value is `disallow`, or URL patterns with commas between them, such as `https://myexample.com, https://*.example.com:*`.
/// Patterns have the meaning of Oracle's reference. Where it says nothing, the stricter meaning applies:
///
/// - The scheme is in full. `*` matches any characters, also for none, within one label of the host or within the
///   port, and never for `.`, `/` or `:`.
/// - The port must match. The default port of `http` and `https` may be left out on either side.
/// - A `*` beside other characters in the last label of a host with several, as in `https://*.example.com*`, matches
///   nothing: it would let in `example.community`, which somebody else owns.
/// - Scheme and host are compared without regard to the case of ASCII letters (RFC 6454, section 4). Names in other
///   alphabets are compared as they stand: write them as browsers send them, which is `xn--…`.
package struct CrossOriginPolicy: Sendable, Hashable {
    private let patterns: [OriginPattern]
    /// The value as it was written.
    let text: String

    /// No other site may call.
    package static let disallow = CrossOriginPolicy()

    private init() { (patterns, text) = ([], "disallow") }

    /// Reads the value of the policy.
    ///
    /// - Throws: `DirectoryError` `invalidInput`, which names the wrong pattern: one without a scheme or host, with a path or a
    ///   slash at its end, with a user name, or `null`.
    package init(_ text: String) throws {
        self.text = text
        let parts = text.split(separator: ",", omittingEmptySubsequences: false).map(\.trimmingSpaces)
        if parts.count == 1, parts[0].lowercased() == "disallow" {
            patterns = []
            return
        }
        patterns = try parts.map { part in
            do throws(OriginProblem) {
                return try OriginPattern(part)
            } catch {
                throw DirectoryError(
                    .invalidInput, "Security_AllowOrigin: the pattern \(ShownText.quoted(part)) \(error.problem).",
                    advice: "Give disallow alone, or patterns such as https://*.example.com:8443 with commas between.")
            }
        }
    }

    /// Refuses a wrong value of the policy `Security_AllowOrigin`; accepts all other policies.
    package static func check(_ policy: JSONValue.Member) throws {
        guard policy.name == ServicePolicy.allowOrigin.rawValue, let text = policy.value.text else { return }
        _ = try CrossOriginPolicy(text)
    }

    /// Whether no site may call.
    package var allowsNothing: Bool { patterns.isEmpty }

    /// Whether pages of an origin may call.
    ///
    /// - Parameter origin: The value of the `Origin` header. Only a scheme, a host and a port can match; `null` and several origins
    ///   never do.
    package func allows(origin: String) -> Bool {
        guard origin.utf8.count <= 1_024, let origin = try? WebOrigin(origin) else { return false }
        return patterns.contains { $0.matches(origin) }
    }
}
