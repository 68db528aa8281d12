package import Foundation

/// When something that is kept in memory is read again from where it comes from: the issuers document, certificates, or
/// an issuer's keys.
///
/// It is read again when something was not found in it, but not sooner than ``minimumSeconds`` after the last attempt;
/// and always when it is older than ``maximumSeconds``. What could not be read keeps the old one in use, and is tried
/// again not sooner than ``minimumSeconds``: tokens that nobody can verify must not make us ask as often as they come.
package struct ReloadRule: Sendable, Hashable {
    /// The fewest seconds between two attempts.
    package let minimumSeconds: Int
    /// After how many seconds what is kept is too old.
    package let maximumSeconds: Int

    /// Makes a rule.
    package init(minimumSeconds: Int, maximumSeconds: Int) {
        self.minimumSeconds = minimumSeconds
        self.maximumSeconds = maximumSeconds
    }

    /// Whether to read it now.
    ///
    /// A clock that was set back, so that the last attempt lies in the future, is no reason to wait.
    /// - Parameters:
    ///   - lastLoad: When it was last read with success; nil where it never was.
    ///   - lastAttempt: When it was last tried, with or without success; nil where it never was.
    ///   - isMissing: Whether what is needed was not found in it.
    ///   - now: The time.
    package func shouldReload(lastLoad: Date?, lastAttempt: Date?, isMissing: Bool, now: Date) -> Bool {
        // A load is an attempt too, also where the caller has kept only the former.
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
