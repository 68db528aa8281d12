#if os(Linux)
    import CCurl

    /// Runs all transfers of an engine on the engine's thread, and sleeps while nothing happens.
    final class CurlLoop {
        private let settings: TransportSettings
        private let engine: CurlEngine
        private var transfers: [ObjectIdentifier: CurlTransfer] = [:]
        /// No deadline passes before; nil if no transfer has one.
        private var nextDeadline: ContinuousClock.Instant?

        init(_ settings: TransportSettings, _ engine: CurlEngine) {
            self.settings = settings
            self.engine = engine
        }

        /// Serves the engine until it is closed.
        func run() {
            let multi = CurlEngine.isReady ? curl_multi_init() : nil
            if let multi {
                let perHost = max(1, min(settings.connectionsPerHost, 1_000))
                roster_curl_set_limit(multi, CURLMOPT_MAX_HOST_CONNECTIONS, perHost)
                // Idle connections.
                roster_curl_set_limit(multi, CURLMOPT_MAXCONNECTS, max(32, perHost))
                engine.setHandle(multi)
                serve(multi)
                engine.setHandle(nil)
            } else {
                engine.stop()
            }
            for command in engine.take().commands {
                if case .start(let pending) = command { Self.refuse(pending, TransportError.closed()) }
            }
            if let multi {
                for transfer in Array(transfers.values) {
                    end(transfer, multi, .failure(TransportError.closed(mayHaveBeenSent: transfer.wasSent)))
                }
                curl_multi_cleanup(multi)
            }
        }

        private func serve(_ multi: UnsafeMutableRawPointer) {
            while true {
                let (commands, isClosed) = engine.take()
                for command in commands { obey(command, multi) }
                if isClosed { return }
                var running: Int32 = 0
                curl_multi_perform(multi, &running)
                var waiting: Int32 = 0
                while let message = curl_multi_info_read(multi, &waiting) {
                    guard message.pointee.msg == CURLMSG_DONE,
                        let context = roster_curl_context(message.pointee.easy_handle)
                    else { continue }
                    let transfer = Unmanaged<CurlTransfer>.fromOpaque(context).takeUnretainedValue()
                    end(transfer, multi, transfer.result(roster_curl_result(message)))
                }
                let now = ContinuousClock.now
                expire(multi, now)
                // libcurl's own timers shorten the wait.
                let pause =
                    nextDeadline.map { (now.duration(to: $0) + .milliseconds(1)).milliseconds } ?? Int(Int32.max)
                curl_multi_poll(multi, nil, 0, Int32(clamping: pause), nil)
            }
        }

        private func obey(_ command: CurlEngine.Command, _ multi: UnsafeMutableRawPointer) {
            switch command {
            case .start(let pending):
                // The caller may have given up before this command was posted.
                if pending.cancellation.isCancelled { return Self.refuse(pending, CancellationError()) }
                guard let easy = curl_easy_init() else {
                    return Self.refuse(
                        pending, TransportError.interrupted(pending.address.host, mayHaveBeenSent: false))
                }
                let transfer = CurlTransfer(pending, easy)
                guard transfer.prepare(settings), curl_multi_add_handle(multi, easy) == CURLM_OK else {
                    transfer.release()
                    return Self.refuse(pending, TransportError.badRequest("libcurl does not accept the request."))
                }
                transfers[ObjectIdentifier(pending)] = transfer
                note(transfer.deadline)
            case .cancel(let pending):
                guard let transfer = transfers[ObjectIdentifier(pending)] else { return }
                end(transfer, multi, .failure(CancellationError()))
            case .resume(let pending):
                guard let transfer = transfers[ObjectIdentifier(pending)] else { return }
                transfer.resume()
                note(transfer.deadline)
            }
        }

        private func note(_ deadline: ContinuousClock.Instant?) {
            guard let deadline else { return }
            nextDeadline = nextDeadline.map { min($0, deadline) } ?? deadline
        }

        /// Ends the transfers whose time has passed. Most deadlines move or vanish before, so they are compared only when the earliest
        /// one that was noted has passed.
        private func expire(_ multi: UnsafeMutableRawPointer, _ now: ContinuousClock.Instant) {
            guard let next = nextDeadline, next <= now else { return }
            for transfer in Array(transfers.values) {
                guard let deadline = transfer.deadline, deadline <= now else { continue }
                end(transfer, multi, .failure(transfer.timeout))
            }
            nextDeadline = transfers.values.compactMap(\.deadline).min()
        }

        private func end(
            _ transfer: CurlTransfer, _ multi: UnsafeMutableRawPointer, _ result: Result<TransportResponse, any Error>
        ) {
            // This closes the connection of a transfer that is not complete.
            curl_multi_remove_handle(multi, transfer.easy)
            transfer.release()
            let pending = transfer.pending
            transfers[ObjectIdentifier(pending)] = nil
            pending.cancellation.clear()
            switch (pending.receiver, result) {
            case (.whole(let complete), _): complete(result)
            case (.stream(let buffer), .success): buffer.end(nil)
            case (.stream(let buffer), .failure(let error)): buffer.end(error)
            }
        }

        private static func refuse(_ pending: PendingRequest, _ error: any Error) {
            pending.cancellation.clear()
            pending.receiver.fail(error)
        }
    }

    extension Duration {
        /// Whole milliseconds: 1 to some 24 days.
        var milliseconds: Int {
            let longest = Int64(Int32.max) / 1_000
            guard components.seconds < longest else { return Int(Int32.max) }
            guard components.seconds >= 0 else { return 1 }
            return max(1, Int(components.seconds) * 1_000 + Int(components.attoseconds / 1_000_000_000_000_000))
        }
    }
#endif
