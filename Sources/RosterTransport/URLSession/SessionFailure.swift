#if !os(Linux)
    import Darwin
    import Foundation

    /// Turns errors of `URLSession` into errors of the transport.
    enum SessionFailure {
        static func error(_ error: any Error, _ host: String) -> TransportError {
            func make(_ kind: TransportError.Code.Kind, _ message: String, _ advice: String) -> TransportError {
                TransportError(kind, message, advice)
            }
            switch (error as? URLError)?.code {
            case .cannotFindHost, .dnsLookupFailed:
                return make(.hostNotFound, "The host '\(host)' is not known.", "Check the name and the network.")
            case .cannotConnectToHost:
                return make(
                    .refused, "'\(host)' refused the connection.", "Check the port, and whether the server runs.")
            case .notConnectedToInternet, .dataNotAllowed, .internationalRoamingOff:
                return make(.unreachable, "'\(host)' cannot be reached.", "Check the network.")
            case .secureConnectionFailed, .serverCertificateUntrusted, .serverCertificateHasUnknownRoot,
                .serverCertificateHasBadDate, .serverCertificateNotYetValid, .clientCertificateRequired,
                .clientCertificateRejected, .appTransportSecurityRequiresSecureConnection:
                return make(
                    .tlsFailed, "TLS with '\(host)' failed.",
                    "Check the server's certificate, and this machine's clock.")
            case .timedOut: return .timedOut(host, "did not answer in time.", mayHaveBeenSent: true)
            case .badServerResponse, .cannotDecodeContentData, .cannotDecodeRawData, .cannotParseResponse:
                return .badAnswer(host, "does not answer with valid HTTP.")
            default: return .interrupted(host, mayHaveBeenSent: true)
            }
        }
    }

    /// Looks up host names before `URLSession` does, so that forbidden addresses are refused.
    enum HostLookup {
        /// Throws if the rule forbids one of the host's addresses.
        static func check(_ host: String, _ rule: @Sendable ([UInt8]) -> Bool) throws {
            var hints = addrinfo()
            hints.ai_socktype = SOCK_STREAM
            var list: UnsafeMutablePointer<addrinfo>?
            guard getaddrinfo(host, nil, &hints, &list) == 0 else {
                throw TransportError(
                    .hostNotFound, "The host '\(host)' is not known.", "Check the name and the network.")
            }
            defer { freeaddrinfo(list) }
            var next = list
            while let entry = next?.pointee {
                guard let address = entry.ai_addr, let bytes = SocketAddress.bytes(address), rule(bytes) else {
                    throw TransportError(
                        .addressNotAllowed, "'\(host)' is at an address that must not be asked.",
                        "Use a host in the public network.")
                }
                next = entry.ai_next
            }
        }
    }

    extension URLParts {
        /// The parts of an absolute URL; nil for other texts.
        init?(_ text: String) {
            guard var parts = URLComponents(string: text, encodingInvalidCharacters: false),
                let scheme = parts.scheme?.lowercased(), let host = parts.host, !host.isEmpty,
                (1...65_535).contains(parts.port ?? 443)
            else { return nil }
            parts.fragment = nil
            guard let url = parts.string else { return nil }
            self.url = url
            self.scheme = scheme
            port = parts.port ?? (scheme == "http" ? 80 : 443)
            self.host = (host.hasPrefix("[") ? String(host.dropFirst().dropLast()) : host).lowercased()
            hasUser = parts.user != nil || parts.password != nil
        }
    }
#endif
