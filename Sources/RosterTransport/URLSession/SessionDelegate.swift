#if !os(Linux)
    import Foundation
    import RosterText

    /// Receives the answers of all tasks of a ``SessionEngine``.
    final class SessionDelegate: NSObject, URLSessionDataDelegate, Sendable {
        private struct Transfer {
            let pending: PendingRequest
            let task: URLSessionDataTask
            var response: TransportResponse?
            var body: [UInt8] = []
            /// The bytes that the reader of a stream has not taken yet.
            var waiting: [UInt8] = []
            /// Why the task was cancelled.
            var problem: (any Error)?
            var deadline: Task<Void, Never>?
        }

        private struct State {
            var transfers: [ObjectIdentifier: Transfer] = [:]
            var isClosed = false
        }

        private let state = Locked(State())

        /// Adds a request with its task. Returns false if the engine is closed.
        func add(_ pending: PendingRequest, _ task: URLSessionDataTask) -> Bool {
            let key = ObjectIdentifier(task)
            let isAdded = state.withLock { state in
                guard !state.isClosed else { return false }
                state.transfers[key] = Transfer(pending: pending, task: task)
                return true
            }
            guard isAdded else { return false }
            if !pending.cancellation.onCancel({ [self] in stop(task, CancellationError()) }) {
                stop(task, CancellationError())
            }
            if case .stream(let buffer) = pending.receiver { buffer.onResume { [self] in resume(task) } }
            guard let limit = pending.request.limit else { return true }
            let deadline = Task { [self] in
                guard (try? await Task.sleep(for: limit)) != nil else { return }
                stop(
                    task,
                    TransportError.timedOut(pending.address.host, "did not answer in time.", mayHaveBeenSent: true))
            }
            state.withLock { $0.transfers[key]?.deadline = deadline }
            return true
        }

        func close() {
            let tasks = state.withLock { state in
                state.isClosed = true
                return state.transfers.values.map(\.task)
            }
            for task in tasks { stop(task, TransportError.closed(mayHaveBeenSent: true)) }
        }

        /// Cancels a task; the first reason counts.
        private func stop(_ task: URLSessionTask, _ problem: any Error) {
            state.withLock { state in
                let key = ObjectIdentifier(task)
                if state.transfers[key]?.problem == nil { state.transfers[key]?.problem = problem }
            }
            task.cancel()
        }

        /// Goes on with a stream whose reader has caught up.
        private func resume(_ task: URLSessionDataTask) {
            let (pending, bytes) = state.withLock { state in
                let key = ObjectIdentifier(task)
                defer { state.transfers[key]?.waiting = [] }
                return (state.transfers[key]?.pending, state.transfers[key]?.waiting ?? [])
            }
            if let pending, !bytes.isEmpty { give(bytes, pending, task) }
            task.resume()
        }

        private func give(_ bytes: [UInt8], _ pending: PendingRequest, _ task: URLSessionDataTask) {
            guard case .stream(let buffer) = pending.receiver, !bytes.withUnsafeBytes({ buffer.offer($0) }) else {
                return
            }
            task.suspend()
            state.withLock { $0.transfers[ObjectIdentifier(task)]?.waiting += bytes }
        }

        func urlSession(
            _ session: URLSession, task: URLSessionTask, willPerformHTTPRedirection response: HTTPURLResponse,
            newRequest request: URLRequest, completionHandler: @escaping @Sendable (URLRequest?) -> Void
        ) {
            completionHandler(nil)
        }

        func urlSession(
            _ session: URLSession, task: URLSessionTask, didReceive challenge: URLAuthenticationChallenge,
            completionHandler: @escaping @Sendable (URLSession.AuthChallengeDisposition, URLCredential?) -> Void
        ) {
            let isTLS = challenge.protectionSpace.authenticationMethod == NSURLAuthenticationMethodServerTrust
            completionHandler(isTLS ? .performDefaultHandling : .rejectProtectionSpace, nil)
        }

        func urlSession(
            _ session: URLSession, dataTask: URLSessionDataTask, didReceive response: URLResponse,
            completionHandler: @escaping @Sendable (URLSession.ResponseDisposition) -> Void
        ) {
            guard let response = response as? HTTPURLResponse else { return completionHandler(.cancel) }
            var headers = TransportHeaders()
            for (name, value) in response.allHeaderFields { headers.add("\(name)", "\(value)") }
            let head = TransportResponse(status: response.statusCode, headers: headers, body: [])
            let pending = state.withLock { state -> PendingRequest? in
                let key = ObjectIdentifier(dataTask)
                state.transfers[key]?.response = head
                guard case .stream = state.transfers[key]?.pending.receiver else { return nil }
                // The deadline of a stream ends with the head.
                state.transfers[key]?.deadline?.cancel()
                return state.transfers[key]?.pending
            }
            if case .stream(let buffer) = pending?.receiver { buffer.begin(head) }
            completionHandler(.allow)
        }

        func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) {
            let key = ObjectIdentifier(dataTask)
            guard let pending = state.withLock({ $0.transfers[key]?.pending }) else { return }
            if case .stream = pending.receiver { return give(Array(data), pending, dataTask) }
            let limit = pending.request.maximumBodyBytes
            let isTooLarge = state.withLock { state in
                guard (state.transfers[key]?.body.count ?? 0) + data.count <= limit else { return true }
                state.transfers[key]?.body += data
                return false
            }
            if isTooLarge { stop(dataTask, TransportError.tooLarge(pending.address.host, "body", limit: limit)) }
        }

        func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?) {
            guard let transfer = state.withLock({ $0.transfers.removeValue(forKey: ObjectIdentifier(task)) }) else {
                return
            }
            transfer.deadline?.cancel()
            transfer.pending.cancellation.clear()
            let problem = transfer.problem ?? error.map { SessionFailure.error($0, transfer.pending.address.host) }
            switch (transfer.pending.receiver, transfer.response) {
            case (.stream(let buffer), _):
                if !transfer.waiting.isEmpty { _ = transfer.waiting.withUnsafeBytes { buffer.offer($0) } }
                buffer.end(problem)
            case (.whole(let complete), let head?) where problem == nil:
                complete(.success(TransportResponse(status: head.status, headers: head.headers, body: transfer.body)))
            case (.whole(let complete), _):
                complete(
                    .failure(
                        problem ?? TransportError.interrupted(transfer.pending.address.host, mayHaveBeenSent: true)))
            }
        }
    }
#endif
