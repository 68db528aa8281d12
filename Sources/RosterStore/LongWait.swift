import Dispatch

/// Tells again and again that something still waits, first after three seconds, and then every 30.
package final class LongWait: Sendable {
    private let timer: any DispatchSourceTimer

    /// - Parameter tell: Called on a thread of its own.
    package init(tell: @escaping @Sendable () -> Void) {
        timer = DispatchSource.makeTimerSource(queue: DispatchQueue(label: "roster.waiting"))
        timer.schedule(deadline: .now() + .seconds(3), repeating: .seconds(30))
        timer.setEventHandler(handler: tell)
        timer.activate()
    }

    deinit { timer.cancel() }

    /// Ends the messages.
    package func end() { timer.cancel() }
}
