import Dispatch
import RosterText

/// Calls a function while some work takes long: after three seconds, and then every 30 seconds until the work ends.
package final class LongWait: Sendable {
    private let queue = DispatchQueue(label: "roster.waiting")
    private let hasEnded = Locked(false)

    /// - Parameter tell: The function, which runs on a thread of its own and may block.
    package init(tell: @escaping @Sendable () -> Void) { tellLater(after: 3, tell) }

    private func tellLater(after seconds: Int, _ tell: @escaping @Sendable () -> Void) {
        queue.asyncAfter(deadline: .now() + .seconds(seconds)) { [weak self] in
            guard let self, !hasEnded.withLock(\.self) else { return }
            tell()
            tellLater(after: 30, tell)
        }
    }

    /// Ends the calls. Call this method when the work has ended.
    package func end() { hasEnded.withLock { $0 = true } }
}
