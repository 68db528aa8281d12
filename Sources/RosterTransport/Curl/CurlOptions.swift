#if os(Linux)
    import CCurl

    /// Sets the options of a transfer.
    struct CurlOptions {
        private let easy: UnsafeMutableRawPointer
        private(set) var areAccepted = true

        init(_ easy: UnsafeMutableRawPointer) { self.easy = easy }

        mutating func set(_ option: CURLoption, _ value: String?) {
            if roster_curl_set_text(easy, option, value) != CURLE_OK { areAccepted = false }
        }

        mutating func set(_ option: CURLoption, _ value: Int) {
            if roster_curl_set_number(easy, option, value) != CURLE_OK { areAccepted = false }
        }

        mutating func setConnection(_ settings: TransportSettings, _ request: TransportRequest) {
            // Signals are process-wide, and the transport is a guest in its process.
            set(CURLOPT_NOSIGNAL, 1)
            // Otherwise a cancelled transfer would hold up the thread until the look-up of its name has ended.
            set(CURLOPT_QUICK_EXIT, 1)
            set(CURLOPT_PROTOCOLS_STR, "http,https")
            set(CURLOPT_PATH_AS_IS, 1)
            set(CURLOPT_HTTP_VERSION, Int(CURL_HTTP_VERSION_2TLS))
            set(CURLOPT_TCP_KEEPALIVE, 1)
            set(CURLOPT_SUPPRESS_CONNECT_HEADERS, 1)
            set(CURLOPT_CONNECTTIMEOUT_MS, request.connectTimeout.milliseconds)
            // An empty text keeps libcurl from the environment's proxies.
            set(CURLOPT_PROXY, settings.proxy ?? "")
            set(CURLOPT_NOPROXY, "localhost,127.0.0.0/8,::1")
            switch request.minimumTLS {
            case .version12: set(CURLOPT_SSLVERSION, Int(CURL_SSLVERSION_TLSv1_2))
            case .version13: set(CURLOPT_SSLVERSION, Int(CURL_SSLVERSION_TLSv1_3))
            }
            if let file = settings.authoritiesFile {
                set(CURLOPT_CAINFO, file)
                // The system's authorities would be accepted beside these.
                set(CURLOPT_CAPATH, nil)
            } else {
                setFurtherAuthorities(settings.furtherAuthoritiesFile)
            }
            if let certificate = settings.clientCertificate {
                set(CURLOPT_SSLCERT, certificate.certificateFile)
                set(CURLOPT_SSLKEY, certificate.keyFile)
                // Without a passphrase, OpenSSL would ask at the terminal.
                set(CURLOPT_KEYPASSWD, certificate.passphrase ?? "")
            }
            if request.allowsAddress != nil {
                set(CURLOPT_FRESH_CONNECT, 1)
                set(CURLOPT_FORBID_REUSE, 1)
            }
        }

        /// Accepts certificates of the authorities in a file. libcurl also accepts those of the authorities in the system's folder.
        mutating func setFurtherAuthorities(_ file: String?) {
            if let file { set(CURLOPT_CAINFO, file) }
        }

        /// Gives a stream a connection of its own. With HTTP/2, libcurl would take and keep 32 MB that nobody reads.
        mutating func setStream() {
            set(CURLOPT_HTTP_VERSION, Int(CURL_HTTP_VERSION_1_1))
            set(CURLOPT_FRESH_CONNECT, 1)
        }

        /// Sets the method, the fields and the body.
        ///
        /// - Parameter file: The open file that the body is read from; nil if the body is in memory.
        mutating func setRequest(
            _ request: TransportRequest, _ file: UnsafeMutablePointer<roster_curl_file>?, userAgent: String,
            _ fields: inout UnsafeMutablePointer<curl_slist>?
        ) {
            let needsBody = ["POST", "PUT", "PATCH"].contains(request.method)
            if let file {
                if roster_curl_set_file(easy, file) != CURLE_OK { areAccepted = false }
            } else if let body = request.body ?? (needsBody ? [] : nil) {
                let code = body.withUnsafeBytes { roster_curl_set_body(easy, $0.baseAddress, $0.count) }
                if code != CURLE_OK { areAccepted = false }
            }
            if request.method == "HEAD" { set(CURLOPT_NOBODY, 1) }
            set(CURLOPT_CUSTOMREQUEST, request.method)
            if request.headers["User-Agent"] == nil { set(CURLOPT_USERAGENT, userAgent) }
            for (name, value) in request.headers.fields {
                // libcurl would leave out a field whose value is empty after a colon.
                add(value.isEmpty ? "\(name);" : "\(name): \(value)", &fields)
            }
            // libcurl must add neither a type to each body nor a wait for "100 Continue".
            if request.headers["Content-Type"] == nil { add("Content-Type:", &fields) }
            add("Expect:", &fields)
            if roster_curl_set_list(easy, CURLOPT_HTTPHEADER, fields) != CURLE_OK { areAccepted = false }
        }

        private mutating func add(_ line: String, _ fields: inout UnsafeMutablePointer<curl_slist>?) {
            guard let longer = curl_slist_append(fields, line) else {
                areAccepted = false
                return
            }
            fields = longer
        }
    }
#endif
