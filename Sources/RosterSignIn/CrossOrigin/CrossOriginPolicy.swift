import Roster

/// Which pages of other sites may call the server from a browser: the policy `Security_AllowOrigin`.
///
/// Either `disallow` or URL patterns with commas between them, such as `https://myexample.com, https://*.example.com:*`.
/// What the reference says of patterns holds; where it is silent, the stricter reading does:
///
/// - The scheme stands in full. `*` stands for any characters, also for none, within one label of the host or within the
///   port, and never for `.`, `/` or `:`.
/// - The port must match. The default port of `http` and `https` may be left out on either side.
/// - A `*` beside other characters in the last label of a host with several, as in `https://*.example.com*`, matches
///   nothing: it would let in `example.community`, which somebody else owns.
/// - Scheme and host are compared without regard to the case of ASCII letters (RFC 6454, section 4). Names in other
///   alphabets are compared as they stand: write them as browsers send them, which is `xn--…`.
package struct CrossOriginPolicy: Sendable, Hashable {
    private let patterns: [OriginPattern]

    /// No other site may.
    package static let disallow = CrossOriginPolicy()

    private init() { patterns = [] }

    /// Reads the value of the policy.
    ///
    /// - Throws: `DirectoryError` `invalidInput` that names the pattern which is wrong: one without a scheme or host,
    ///   with a path or a slash at its end, with a user name, or `null`.
    package init(_ text: String) throws {
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

    /// Whether no site is allowed at all.
    package var allowsNothing: Bool { patterns.isEmpty }

    /// Whether pages of an origin may call.
    ///
    /// - Parameter origin: The value of the `Origin` header as it came. `null`, several origins, and whatever is not
    ///   scheme, host and port alone never match.
    package func allows(origin: String) -> Bool {
        guard origin.utf8.count <= 1_024, let origin = try? WebOrigin(origin) else { return false }
        return patterns.contains { $0.matches(origin) }
    }
}
