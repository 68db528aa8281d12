#if os(Linux)
    import CCurl

    /// One request in libcurl. Only the engine's thread uses a transfer.
    final class CurlTransfer {
        let pending: PendingRequest
        let easy: UnsafeMutableRawPointer
        /// When the transfer ends at the latest.
        private(set) var deadline: ContinuousClock.Instant?
        /// Whether the server may have got the request.
        var wasSent: Bool { sendings > 0 }

        private let callbacks: UnsafeMutablePointer<roster_curl_callbacks>
        private let problemText: UnsafeMutablePointer<CChar>
        private var fields: UnsafeMutablePointer<curl_slist>?
        /// The open file that the body is read from; nil if the body is in memory.
        private var file: UnsafeMutablePointer<roster_curl_file>?
        private var head = AnswerHead()
        private var body = BodyPieces()
        private var sendings = 0
        private var wasKeptFromAddress = false
        /// Why a callback stopped the transfer.
        private var problem: TransportError?

        private var request: TransportRequest { pending.request }
        private var host: String { pending.address.host }

        init(_ pending: PendingRequest, _ easy: UnsafeMutableRawPointer) {
            self.pending = pending
            self.easy = easy
            deadline = pending.request.limit.map { .now + $0 }
            callbacks = .allocate(capacity: 1)
            problemText = .allocate(capacity: Int(CURL_ERROR_SIZE))
            problemText.initialize(repeating: 0, count: Int(CURL_ERROR_SIZE))
            callbacks.initialize(
                to: roster_curl_callbacks(
                    context: nil, problem: problemText,
                    head: { bytes, size, count, context in
                        CurlTransfer.with(context) {
                            $0.takeHead(UnsafeRawBufferPointer(start: bytes, count: size * count))
                        }
                    },
                    body: { bytes, size, count, context in
                        CurlTransfer.with(context) {
                            $0.takeBody(UnsafeRawBufferPointer(start: bytes, count: size * count))
                        }
                    },
                    allows: { context, address in CurlTransfer.with(context) { $0.allows(address) ? 1 : 0 } == 1 },
                    sends: { context in CurlTransfer.with(context) { $0.mayBeSent() ? 1 : 0 } == 1 }))
        }

        private static func with(_ context: UnsafeMutableRawPointer?, _ body: (CurlTransfer) -> Int) -> Int {
            guard let context else { return 0 }
            return body(Unmanaged<CurlTransfer>.fromOpaque(context).takeUnretainedValue())
        }

        /// Sets the options; false if libcurl refuses one.
        func prepare(_ settings: TransportSettings) -> Bool {
            callbacks.pointee.context = Unmanaged.passUnretained(self).toOpaque()
            guard roster_curl_set_callbacks(easy, callbacks) == CURLE_OK else { return false }
            var options = CurlOptions(easy)
            options.setConnection(settings, request)
            options.set(CURLOPT_URL, pending.address.url)
            switch pending.receiver {
            // An empty text represents all compressions that libcurl was built with.
            case .whole: options.set(CURLOPT_ACCEPT_ENCODING, "")
            case .stream:
                options.setStream()
                // libcurl would unpack a part of a stream as a whole, however large it becomes.
                fields = curl_slist_append(fields, "Accept-Encoding: identity")
            }
            if let body = pending.body {
                file = .allocate(capacity: 1)
                file?.initialize(to: roster_curl_file(descriptor: body.descriptor, size: body.size, left: body.size))
            }
            options.setRequest(request, file, userAgent: settings.userAgent, &fields)
            return options.areAccepted && fields != nil
        }

        /// Frees the memory of libcurl.
        func release() {
            curl_easy_cleanup(easy)
            curl_slist_free_all(fields)
            file?.deallocate()
            callbacks.deinitialize(count: 1)
            callbacks.deallocate()
            problemText.deallocate()
        }

        // MARK: Callbacks

        private func stop(_ problem: TransportError) -> Int {
            self.problem = self.problem ?? problem
            return 0
        }

        private func allows(_ address: UnsafePointer<sockaddr>?) -> Bool {
            guard mayBeSentAgain() else { return false }
            guard let rule = request.allowsAddress else { return true }
            guard let address, let bytes = SocketAddress.bytes(address), rule(bytes) else {
                wasKeptFromAddress = true
                return false
            }
            return true
        }

        private func mayBeSent() -> Bool {
            guard mayBeSentAgain() else { return false }
            sendings += 1
            return true
        }

        /// libcurl sends a request again if a kept connection turns out to be closed. The server may have executed the first.
        private func mayBeSentAgain() -> Bool {
            if sendings == 0 || request.isSafe { return true }
            problem = problem ?? .interrupted(host, mayHaveBeenSent: true)
            return false
        }

        private func takeHead(_ bytes: UnsafeRawBufferPointer) -> Int {
            guard head.take(bytes) else { return stop(.tooLarge(host, "head", limit: AnswerHead.limit)) }
            extendSilence()
            guard head.hasOneLength else { return stop(.badAnswer(host, "gives its answer no length or several.")) }
            guard head.hasJustEnded, case .stream(let buffer) = pending.receiver else { return bytes.count }
            if let encoding = head.headers["Content-Encoding"], encoding.lowercased() != "identity" {
                return stop(.badAnswer(host, "compresses a stream, which the request did not allow."))
            }
            deadline = request.silenceLimit.map { .now + $0 }
            buffer.begin(TransportResponse(status: head.status, headers: head.headers, body: []))
            return bytes.count
        }

        private func takeBody(_ bytes: UnsafeRawBufferPointer) -> Int {
            switch pending.receiver {
            case .whole:
                guard body.count + bytes.count <= request.maximumBodyBytes else {
                    return stop(.tooLarge(host, "body", limit: request.maximumBodyBytes))
                }
                body.append(bytes)
            case .stream(let buffer):
                guard buffer.offer(bytes) else {
                    // A slow reader is not the server's silence.
                    deadline = nil
                    return Int(CURL_WRITEFUNC_PAUSE)
                }
                extendSilence()
            }
            return bytes.count
        }

        private func extendSilence() {
            guard head.hasEnded, case .stream = pending.receiver else { return }
            deadline = request.silenceLimit.map { .now + $0 }
        }

        /// Goes on with a stream whose reader has caught up.
        func resume() {
            extendSilence()
            curl_easy_pause(easy, CURLPAUSE_CONT)
        }

        // MARK: The end

        var timeout: TransportError {
            let isSilent = head.hasEnded && request.silenceLimit != nil
            return .timedOut(
                host, isSilent ? "was silent for too long." : "did not answer in time.", mayHaveBeenSent: wasSent)
        }

        /// The answer, or the failure that a result of libcurl means.
        func result(_ code: CURLcode) -> Result<TransportResponse, any Error> {
            if let problem { return .failure(problem) }
            guard code == CURLE_OK else {
                var number = 0
                roster_curl_get_number(easy, CURLINFO_OS_ERRNO, &number)
                let failure = CurlFailure(
                    code: code, text: String(cString: problemText), systemError: Int32(clamping: number), host: host,
                    wasSent: wasSent, wasKeptFromAddress: wasKeptFromAddress)
                return .failure(failure.error)
            }
            // libcurl takes a connection that ends within the head for the end of the head.
            guard head.hasEnded else { return .failure(TransportError.interrupted(host, mayHaveBeenSent: true)) }
            guard (200...599).contains(head.status) else {
                return .failure(TransportError.badAnswer(host, "answers with a status that HTTP does not have."))
            }
            return .success(TransportResponse(status: head.status, headers: head.headers, body: body.joined()))
        }
    }
#endif
