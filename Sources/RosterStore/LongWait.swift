import Dispatch
import RosterText

/// Tells again and again that something still waits, first after three seconds, and then every 30.
package final class LongWait: Sendable {
    private let queue = DispatchQueue(label: "roster.waiting")
    private let hasEnded = Locked(false)

    /// - Parameter tell: Called on a thread of its own.
    package init(tell: @escaping @Sendable () -> Void) { tellLater(after: 3, tell) }

    private func tellLater(after seconds: Int, _ tell: @escaping @Sendable () -> Void) {
        queue.asyncAfter(deadline: .now() + .seconds(seconds)) { [weak self] in
            guard let self, !hasEnded.withLock(\.self) else { return }
            tell()
            tellLater(after: 30, tell)
        }
    }

    /// Ends the messages.
    package func end() { hasEnded.withLock { $0 = true } }
}
