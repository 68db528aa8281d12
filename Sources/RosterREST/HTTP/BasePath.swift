import RosterText

/// The path of the public address, below which a proxy serves everything: `/roster`; empty for none.
///
/// Some proxies take the path away before they ask the server, others leave it.
package struct BasePath: Sendable {
    package let text: String

    /// The path of an address without a slash at its end.
    init(of url: String) {
        let parts = url.split(separator: "/", maxSplits: 3, omittingEmptySubsequences: false)
        text = parts.count == 4 ? "/" + parts[3] : ""
    }

    /// A target without the path; nil if the path is not at its beginning.
    func removed(from target: String) -> String? {
        guard !text.isEmpty else { return nil }
        if target.utf8.starts(with: text.utf8) {
            let rest = target[target.utf8.index(target.startIndex, offsetBy: text.utf8.count)...]
            if rest.isEmpty || rest.hasPrefix("?") { return "/" + rest }
            return rest.hasPrefix("/") ? String(rest) : nil
        }
        // The documents about the server itself are before the path (RFC 8414, section 3.1).
        return target.hasPrefix("/.well-known/") && target.hasSuffix(text) ? String(target.dropLast(text.count)) : nil
    }
}
