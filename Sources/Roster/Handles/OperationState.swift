/// The states of an operation: running, cancelling, and finished.
struct OperationState<Value: Sendable>: Sendable {
    private(set) var result: Result<Value, any Error>?
    private var stop: (@Sendable () -> Void)?
    private var isCancellationAsked = false

    /// Stores the closure that stops the operation's work. Returns true if the operation's cancellation was requested before.
    mutating func begin(stop: @escaping @Sendable () -> Void) -> Bool {
        if result == nil { self.stop = stop }
        return isCancellationAsked
    }

    /// Requests the operation's cancellation. Returns the closure that stops the work; nil if there is no work to stop.
    mutating func cancel() -> (@Sendable () -> Void)? {
        guard result == nil else { return nil }
        isCancellationAsked = true
        return stop
    }

    /// Stores the operation's final result, and returns the result that counts, which is the first one. A committed change is a success,
    /// even if a cancellation was requested later.
    mutating func finish(_ result: Result<Value, any Error>) -> Result<Value, any Error> {
        if let earlier = self.result { return earlier }
        self.result = result
        stop = nil
        return result
    }
}
