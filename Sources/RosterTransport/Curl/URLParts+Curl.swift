#if os(Linux)
    import CCurl

    extension URLParts {
        /// The parts of an absolute URL; nil for other texts.
        init?(_ text: String) {
            guard CurlEngine.isReady, let handle = curl_url() else { return nil }
            defer { curl_url_cleanup(handle) }
            let flags = UInt32(CURLU_NON_SUPPORT_SCHEME | CURLU_PATH_AS_IS)
            guard curl_url_set(handle, CURLUPART_URL, text, flags) == CURLUE_OK,
                curl_url_set(handle, CURLUPART_FRAGMENT, nil, 0) == CURLUE_OK
            else { return nil }
            func part(_ name: CURLUPart, _ flags: Int32 = 0) -> String? {
                var found: UnsafeMutablePointer<CChar>?
                guard curl_url_get(handle, name, &found, UInt32(flags)) == CURLUE_OK, let found else { return nil }
                defer { curl_free(found) }
                return String(cString: found)
            }
            guard let url = part(CURLUPART_URL), let scheme = part(CURLUPART_SCHEME), let host = part(CURLUPART_HOST),
                !host.isEmpty, let port = part(CURLUPART_PORT, CURLU_DEFAULT_PORT).flatMap({ Int($0) })
            else { return nil }
            self.url = url
            self.port = port
            self.scheme = scheme.lowercased()
            self.host = (host.hasPrefix("[") ? String(host.dropFirst().dropLast()) : host).lowercased()
            hasUser = part(CURLUPART_USER) != nil || part(CURLUPART_PASSWORD) != nil
        }
    }
#endif
