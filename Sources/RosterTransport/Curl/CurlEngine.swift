#if os(Linux)
    import CCurl
    import Dispatch
    import Foundation
    import RosterText

    /// Hands requests to a thread that runs libcurl.
    final class CurlEngine: Sendable {
        enum Command: Sendable {
            case start(PendingRequest)
            case cancel(PendingRequest)
            case resume(PendingRequest)
        }

        private struct Inbox {
            var commands: [Command] = []
            /// The thread's multi handle while it can be woken.
            var multi: UnsafeMutableRawPointer?
            var isClosed = false
        }

        /// Whether libcurl could be initialised.
        static let isReady = curl_global_init(Int(CURL_GLOBAL_ALL)) == CURLE_OK

        private let inbox = Locked(Inbox())
        private let hasEnded = DispatchSemaphore(value: 0)

        init(_ settings: TransportSettings) {
            // On the caller's thread, because a process that ends while another thread does this can crash.
            _ = Self.isReady
            let thread = Thread { [self] in
                roster_curl_block_signals()
                CurlLoop(settings, self).run()
                hasEnded.signal()
            }
            thread.name = "roster.http"
            thread.stackSize = 1 << 20
            thread.start()
        }

        func start(_ pending: PendingRequest) {
            if case .stream(let buffer) = pending.receiver {
                buffer.onResume { [self] in post(.resume(pending)) }
            }
            guard pending.cancellation.onCancel({ [self] in post(.cancel(pending)) }) else {
                return pending.receiver.fail(CancellationError())
            }
            if !post(.start(pending)) {
                pending.cancellation.clear()
                pending.receiver.fail(TransportError.closed())
            }
        }

        /// Ends all exchanges, and waits for the thread's end.
        func close() {
            stop()
            hasEnded.wait()
            hasEnded.signal()
        }

        /// Ends all exchanges soon.
        func stop() {
            inbox.withLock { inbox in
                inbox.isClosed = true
                if let multi = inbox.multi { curl_multi_wakeup(multi) }
            }
        }

        /// Gives the thread a command; false if the engine is closed.
        @discardableResult
        private func post(_ command: Command) -> Bool {
            inbox.withLock { inbox in
                guard !inbox.isClosed else { return false }
                inbox.commands.append(command)
                // A thread that has not taken the command before is awake already.
                if inbox.commands.count == 1, let multi = inbox.multi { curl_multi_wakeup(multi) }
                return true
            }
        }

        // MARK: The thread's side

        /// Lets other threads wake this one from now on; no longer if nil.
        func setHandle(_ multi: UnsafeMutableRawPointer?) { inbox.withLock { $0.multi = multi } }

        /// The commands since the last call, and whether the engine is closed.
        func take() -> (commands: [Command], isClosed: Bool) {
            inbox.withLock { inbox in
                defer { inbox.commands = [] }
                return (inbox.commands, inbox.isClosed)
            }
        }
    }
#endif
