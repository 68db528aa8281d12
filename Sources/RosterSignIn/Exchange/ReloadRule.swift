package import Foundation

/// When something that is kept in memory is read again from where it comes from: the issuers document, certificates, or
/// an issuer's keys.
///
/// It is read again when something was not found in it, but not sooner than ``minimumSeconds`` after the last attempt;
/// and always when it is older than ``maximumSeconds``. What could not be read keeps the old one in use, and is tried
/// again not sooner than ``minimumSeconds``: tokens that nobody can verify must not make us ask as often as they come.
package struct ReloadRule: Sendable, Hashable {
    /// The time in seconds that must pass between two attempts to load the key set.
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
