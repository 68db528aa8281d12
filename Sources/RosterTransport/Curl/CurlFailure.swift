#if os(Linux)
    import CCurl
    import Glibc

    /// A failed transfer, as libcurl describes it.
    struct CurlFailure {
        let code: CURLcode
        /// libcurl's description. It can quote the server's certificate, so it is untrusted.
        let text: String
        let systemError: Int32
        let host: String
        let wasSent: Bool
        let wasKeptFromAddress: Bool

        var error: TransportError {
            // TLS 1.3 learns only after the handshake that the server refuses the client's certificate.
            if [CURLE_RECV_ERROR, CURLE_SEND_ERROR].contains(code), text.contains(" alert ") { return tls }
            switch code {
            case CURLE_COULDNT_RESOLVE_HOST, CURLE_COULDNT_RESOLVE_PROXY:
                return make(.hostNotFound, "The host '\(host)' is not known.", "Check the name and the network.")
            case CURLE_COULDNT_CONNECT: return connection
            case CURLE_OPERATION_TIMEDOUT:
                return .timedOut(host, "could not be connected to in time.", mayHaveBeenSent: wasSent)
            case CURLE_SSL_CONNECT_ERROR, CURLE_PEER_FAILED_VERIFICATION, CURLE_SSL_CERTPROBLEM, CURLE_SSL_CIPHER,
                CURLE_SSL_CACERT_BADFILE, CURLE_SSL_ISSUER_ERROR, CURLE_SSL_INVALIDCERTSTATUS, CURLE_SSL_CLIENTCERT,
                CURLE_USE_SSL_FAILED, CURLE_SSL_ENGINE_INITFAILED:
                return tls
            case CURLE_WEIRD_SERVER_REPLY, CURLE_UNSUPPORTED_PROTOCOL, CURLE_BAD_CONTENT_ENCODING:
                return .badAnswer(host, "does not answer with valid HTTP.")
            // A header line that is longer than libcurl's buffer.
            case CURLE_OUT_OF_MEMORY: return .tooLarge(host, "head", limit: AnswerHead.limit)
            case CURLE_URL_MALFORMAT: return .badURL("The text is not an absolute URL.")
            case CURLE_PROXY:
                return make(.unreachable, "The proxy refused to connect to '\(host)'.", "Check the proxy's settings.")
            default: return .interrupted(host, mayHaveBeenSent: wasSent)
            }
        }

        private func make(_ kind: TransportError.Code.Kind, _ message: String, _ advice: String) -> TransportError {
            TransportError(kind, message, advice, mayHaveBeenSent: wasSent)
        }

        private var connection: TransportError {
            if wasKeptFromAddress {
                return make(
                    .addressNotAllowed, "'\(host)' is at an address that must not be asked.",
                    "Use a host in the public network.")
            }
            if systemError == ECONNREFUSED {
                return make(
                    .refused, "'\(host)' refused the connection.", "Check the port, and whether the server runs.")
            }
            return make(.unreachable, "'\(host)' cannot be reached.", "Check the network.")
        }

        private var tls: TransportError {
            let printable = String(
                decoding: text.utf8.prefix(200).map { (0x20...0x7E).contains($0) ? $0 : UInt8(ascii: "?") },
                as: UTF8.self)
            let advice =
                if text.contains("expired") || text.contains("not yet valid") {
                    "Check this machine's clock. If it is right, the server needs a new certificate."
                } else if code == CURLE_PEER_FAILED_VERIFICATION {
                    "Check the host's name, and that its certificate is signed by an authority that is trusted here."
                } else if [CURLE_SSL_CERTPROBLEM, CURLE_SSL_CACERT_BADFILE].contains(code) {
                    "Check the files of the client's certificate, its key and the authorities."
                } else {
                    "Check the certificates of both sides, and that both speak TLS 1.2 or 1.3."
                }
            return make(.tlsFailed, "TLS with '\(host)' failed: \(printable)", advice)
        }
    }
#endif
