package import Foundation

/// The rule for reading the issuers document, certificates or an issuer's keys again.
///
/// They are read again if something was not found in them, or if they are older than ``maximumSeconds``, but not sooner than
/// ``minimumSeconds`` after the last attempt, so that bad tokens cannot cause a request each. If they cannot be read, the old ones stay
/// in use.
package struct ReloadRule: Sendable, Hashable {
    /// The seconds between two attempts, at least.
    package let minimumSeconds: Int
    /// The age in seconds at which the stored copy is too old.
    package let maximumSeconds: Int

    package init(minimumSeconds: Int, maximumSeconds: Int) {
        self.minimumSeconds = minimumSeconds
        self.maximumSeconds = maximumSeconds
    }

    /// Whether to read the document now.
    ///
    /// If the clock was set back, so that the last attempt lies in the future, the document is read at once.
    /// - Parameters:
    ///   - lastLoad: The time of the last successful attempt; nil for none.
    ///   - lastAttempt: The time of the last attempt; nil for none.
    ///   - isMissing: Whether the stored copy lacks what is needed now.
    ///   - now: The time.
    package func shouldReload(lastLoad: Date?, lastAttempt: Date?, isMissing: Bool, now: Date) -> Bool {
        // A successful attempt counts as an attempt, also if the caller passes only the former.
        let attempts = [lastLoad, lastAttempt].compactMap { $0?.timeIntervalSince1970 }
        if let last = attempts.max() {
            let elapsed = now.timeIntervalSince1970 - last
            guard elapsed < 0 || elapsed >= Double(minimumSeconds) else { return false }
        }
        guard let lastLoad else { return true }
        let age = now.timeIntervalSince(lastLoad)
        return isMissing || age < 0 || age > Double(maximumSeconds)
    }
}
