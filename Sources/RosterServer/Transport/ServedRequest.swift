import Roster
import CMicroHTTPD
import RosterREST
import Synchronization
import RosterText

/// One request and its response. Only the thread of libmicrohttpd that serves the connection touches it.
final class ServedRequest {
    private enum Phase {
        case line
        /// It is being decided whether a large body may come.
        case decision
        case body
        case answer
    }

    private let handle: OpaquePointer
    private let client: ClientConnection
    private let context: TransportContext
    private let target: UnsafePointer<CChar>
    private let targetText: String
    private var phase = Phase.line
    private var request: HTTPRequest?
    private var isHead = false
    private var isChunked = false
    private var isKept = false
    private var body: [UInt8] = []
    private var largestBody = 0
    /// The announced length of the body; nil for a body in chunks.
    private var announced: Int?
    /// Keeps the decision about a large body while it is made; nil if there is nothing to decide.
    private var decision: Locked<LargeBody?>?
    /// How much memory is set aside for a body beyond the usual limit.
    private var reserved = 0
    private var pieces = 0
    private var task: Task<Void, Never>?
    private var delivered: Locked<HTTPResponse?>?

    init(target: UnsafePointer<CChar>, handle: OpaquePointer, client: ClientConnection, context: TransportContext) {
        self.handle = handle
        self.client = client
        self.context = context
        self.target = target
        targetText = String(cString: target)
        roster_mhd_hide_query(target)
    }

    /// Continues with the next phase: the head has arrived, then the body, then the answer. Returns false if the connection
    /// must be closed.
    ///
    /// libmicrohttpd closes the connection after a response that is queued while only the head has arrived, so only
    /// refusals are sent then. Other responses wait for the next call, which comes at once if there is no body.
    func proceed(method: UnsafePointer<CChar>, version: UnsafePointer<CChar>) -> Bool {
        switch phase {
        case .line:
            context.inFlight.add(1, ordering: .relaxed)
            phase = .body
            do throws(RequestHead.Refusal) {
                try readHead(method: method, version: version)
                client.phase = isChunked ? .receivingChunks : .receivingBody
                return true
            } catch {
                return refuseHead(error)
            }
        case .decision:
            // libmicrohttpd tells of the head once more after the connection was suspended, and of the body after that.
            if let refusal = applyBodyDecision() { return refuseHead(refusal) }
            return true
        case .body:
            guard var request = self.request.take() else { return false }
            phase = .answer
            client.phase = .answering
            client.expect(within: nil)
            request.body = body
            guard let request = MultipartForm.unpacked(request, on: handle) else {
                return send(context.failure(400, "The form cannot be read"))
            }
            switch context.handler(request) {
            case .now(let response): return send(response)
            case .later(let work): begin(work)
            }
            return true
        case .answer:
            // There is no response if the server stops before the work is done.
            guard let response = delivered?.withLock({ $0.take() }) else { return false }
            return send(response)
        }
    }

    /// Refuses a request before its body. Returns false if libmicrohttpd does not take the response.
    private func refuseHead(_ refusal: RequestHead.Refusal) -> Bool {
        context.refused.add(1, ordering: .relaxed)
        client.phase = .answering
        client.lingers = true
        return send(context.failure(refusal.status, refusal.reason))
    }

    /// Takes a piece of the body. Returns false, after the answer has been sent, if the body is too long.
    func take(_ piece: Bytes) -> Bool {
        if let refusal = applyBodyDecision() {
            client.refuseBody(refusal.status, refusal.reason)
            return false
        }
        pieces += 1
        // Chunks of a few bytes each, with long extensions, would cost far more than the body that they make.
        let isFlood = pieces > 1024 + body.count / 16
        let count = body.count + piece.count
        guard count <= largestBody, !isFlood else {
            client.refuseBody(413, RequestHead.tooLong)
            return false
        }
        while count > context.bodyBytes + reserved {
            guard reserve(context.bodyBytes) else {
                client.refuseBody(503, RequestHead.noMemory)
                return false
            }
        }
        body.append(contentsOf: piece)
        return true
    }

    private func reserve(_ bytes: Int) -> Bool {
        guard context.reserve(bytes) else { return false }
        reserved += bytes
        return true
    }

    /// Ends the request: the response was sent, or the connection was closed.
    func end() {
        task?.cancel()
        client.await(.none)
        context.release(reserved)
        if phase != .line { context.inFlight.subtract(1, ordering: .relaxed) }
        client.expect(within: context.idle)
        client.phase = .idle
    }

    private func readHead(method: UnsafePointer<CChar>, version: UnsafePointer<CChar>) throws(RequestHead.Refusal) {
        let methodText = String(cString: method)
        let head = try RequestHead(
            handle: handle, method: method, methodCount: methodText.utf8.count, target: target,
            targetText: targetText, version: version)
        isChunked = head.isChunked
        isHead = methodText == "HEAD"
        let asker = client.isTrustedProxy ? context.trustedProxies.client(in: head.headers) : nil
        let request = HTTPRequest(
            methodText, head.target, headers: head.headers, clientAddress: asker ?? client.clientAddress,
            isConfidential: client.isConfidential)
        self.request = request
        isKept = head.keepsConnection
        (largestBody, announced) = (context.bodyBytes, head.contentLength)
        // The client has only announced the length, so that no more than this is reserved.
        body.reserveCapacity(min(head.contentLength ?? 0, 64 << 10))
        if isChunked || head.contentLength ?? 0 > largestBody {
            let largeBody = context.largeBody(request)
            if case .later = largeBody { return decide(largeBody) }
            try admit(largeBody)
        }
        if head.hasBody { client.expect(within: context.bodyDeadline) }
    }

    // MARK: Large bodies

    /// Waits for the decision about a large body. Nothing of the body is read meanwhile: the system holds a bounded piece of it back.
    private func decide(_ largeBody: LargeBody) {
        let decision = Locked<LargeBody?>(nil)
        (self.decision, phase) = (decision, .decision)
        client.suspend()
        let task = Task { [client] in
            let made = await largeBody.decision()
            decision.withLock { $0 = made }
            client.resume()
        }
        self.task = task
        client.await(.answer(task))
    }

    /// Takes the decision about a large body, which is made by now; returns the refusal if the body may not come.
    private func applyBodyDecision() -> RequestHead.Refusal? {
        guard let decision = self.decision.take() else { return nil }
        phase = .body
        client.await(.none)
        client.expect(within: context.bodyDeadline)
        do throws(RequestHead.Refusal) {
            try admit(decision.withLock { $0 } ?? .refused)
            return nil
        } catch {
            return error
        }
    }

    private func admit(_ largeBody: LargeBody) throws(RequestHead.Refusal) {
        if case .admitted(let bytes, let request) = largeBody {
            largestBody = max(largestBody, bytes)
            self.request = request
        }
        guard let announced else { return }
        guard announced <= largestBody else { throw RequestHead.Refusal(413, RequestHead.tooLong) }
        guard announced <= context.bodyBytes || reserve(announced) else {
            throw RequestHead.Refusal(503, RequestHead.noMemory)
        }
    }

    private func begin(_ work: @escaping @Sendable () async -> HTTPResponse) {
        let delivered = Locked<HTTPResponse?>(nil)
        self.delivered = delivered
        client.suspend()
        let task = Task { [client] in
            let response = await work()
            delivered.withLock { $0 = response }
            client.resume()
        }
        self.task = task
        client.await(.answer(task))
    }

    /// Queues a response. Returns false if libmicrohttpd does not take it.
    private func send(_ response: HTTPResponse) -> Bool {
        if let outgoing = outgoing(response) { return outgoing.queue(on: handle) }
        context.unsendable.add(1, ordering: .relaxed)
        return outgoing(context.failure(500, "The response could not be sent"))?.queue(on: handle) ?? false
    }

    /// A response in the form of libmicrohttpd. The connection ends after a request in chunks: libmicrohttpd accepts bare
    /// line feeds and zero bytes between chunks, so that what follows need not be another request.
    private func outgoing(_ response: HTTPResponse) -> OutgoingResponse? {
        let closes = isChunked || context.isDraining.load(ordering: .relaxed)
        return OutgoingResponse(
            response, toHead: isHead, closes: closes, keeps: isKept && !closes, client: client, context: context)
    }
}
