#if !os(Linux)
    import Foundation
    import RosterText

    /// Sends requests with `URLSession`. This part is for Apple platforms, and is not compiled on Linux.
    ///
    /// It differs from the part for Linux: addresses are checked before `URLSession` looks them up again, and requests fail if the
    /// settings have an authority, a client certificate or a proxy.
    final class SessionEngine: Sendable {
        private let settings: TransportSettings
        private let delegate = SessionDelegate()
        /// A session has one minimum version of TLS.
        private let sessions: [TransportRequest.TLSVersion: URLSession]

        init(_ settings: TransportSettings) {
            self.settings = settings
            var sessions: [TransportRequest.TLSVersion: URLSession] = [:]
            for version in [TransportRequest.TLSVersion.version12, .version13] {
                let configuration = URLSessionConfiguration.ephemeral
                configuration.httpCookieStorage = nil
                configuration.httpShouldSetCookies = false
                configuration.urlCredentialStorage = nil
                configuration.urlCache = nil
                configuration.requestCachePolicy = .reloadIgnoringLocalCacheData
                configuration.connectionProxyDictionary = [:]
                configuration.httpMaximumConnectionsPerHost = max(1, settings.connectionsPerHost)
                configuration.tlsMinimumSupportedProtocolVersion = version == .version13 ? .TLSv13 : .TLSv12
                sessions[version] = URLSession(configuration: configuration, delegate: delegate, delegateQueue: nil)
            }
            self.sessions = sessions
        }

        func start(_ pending: PendingRequest) {
            guard settings.authoritiesFile == nil, settings.clientCertificate == nil, settings.proxy == nil else {
                return pending.receiver.fail(
                    TransportError.badRequest("This platform takes no files of certificates and no proxy."))
            }
            guard let rule = pending.request.allowsAddress else { return begin(pending) }
            // The look-up of a name blocks.
            DispatchQueue.global().async { [self] in
                do {
                    try HostLookup.check(pending.address.host, rule)
                    begin(pending)
                } catch { pending.receiver.fail(error) }
            }
        }

        private func begin(_ pending: PendingRequest) {
            let request = pending.request
            guard let url = URL(string: pending.address.url), let session = sessions[request.minimumTLS] else {
                return pending.receiver.fail(TransportError.badURL("The text is not an absolute URL."))
            }
            var message = URLRequest(url: url)
            message.httpMethod = request.method
            message.httpShouldHandleCookies = false
            // Foundation takes zero for a minute.
            message.timeoutInterval = (request.silenceLimit ?? request.limit)?.interval ?? .greatestFiniteMagnitude
            message.setValue(settings.userAgent, forHTTPHeaderField: "User-Agent")
            if case .stream = pending.receiver { message.setValue("identity", forHTTPHeaderField: "Accept-Encoding") }
            for field in request.headers.fields { message.addValue(field.value, forHTTPHeaderField: field.name) }
            if let value = request.headers["User-Agent"] { message.setValue(value, forHTTPHeaderField: "User-Agent") }
            if let body = request.body { message.httpBody = Data(body) }
            if let file = request.bodyFile, let body = pending.body {
                message.httpBodyStream = InputStream(url: file)
                message.setValue(String(body.size), forHTTPHeaderField: "Content-Length")
            }
            let task = session.dataTask(with: message)
            guard delegate.add(pending, task) else {
                task.cancel()
                return pending.receiver.fail(TransportError.closed())
            }
            task.resume()
        }

        /// Ends all exchanges.
        func close() { stop() }

        func stop() {
            delegate.close()
            for session in sessions.values { session.invalidateAndCancel() }
        }
    }

    extension Duration {
        /// Seconds, as `URLRequest` takes them.
        var interval: TimeInterval { TimeInterval(components.seconds) + TimeInterval(components.attoseconds) * 1e-18 }
    }
#endif
