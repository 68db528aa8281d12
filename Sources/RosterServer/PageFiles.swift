import CPage
import RosterREST
import RosterText

/// Serves the files of the page for people from memory. They are compiled into the program.
struct PageFiles: Sendable {
    private struct File: Sendable {
        let headers: HTTPHeaders
        let tag: String
        let bytes: [UInt8]
    }

    private let files: [String: File]

    /// The content security policy of the page: it loads nothing from other origins.
    private static let policy = """
        default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self' data:; \
        base-uri 'none'; form-action 'none'; frame-ancestors 'none'
        """

    /// - Parameter isSecure: Whether browsers are told to use https only.
    init(isSecure: Bool) {
        var files: [String: File] = [:]
        for index in 0..<page_file_count() {
            let file = page_file_at(index)
            let (path, mediaType) = (String(cString: file.path), String(cString: file.media_type))
            var bytes = Array(UnsafeBufferPointer(start: file.bytes, count: file.count))
            if mediaType.hasPrefix("text/javascript") { bytes = ShortPage.module(bytes) }
            if path.hasPrefix("/texts-") { bytes = ShortPage.table(bytes) }
            // The tag only has to change when the file changes, so that it needs no cryptographic hash.
            let tag = "\"\(String(FNV1a(bytes).value, radix: 16))\""
            var headers: HTTPHeaders = [
                "Content-Type": mediaType, "ETag": tag, "Cache-Control": "no-cache",
                "Content-Security-Policy": Self.policy, "X-Content-Type-Options": "nosniff",
                "Referrer-Policy": "no-referrer",
            ]
            if isSecure {
                headers.add(ServiceContext.transportSecurity.name, ServiceContext.transportSecurity.value)
            }
            files[path] = File(headers: headers, tag: tag, bytes: bytes)
        }
        self.files = files
    }

    /// Whether a target names a file.
    @Sendable
    func has(_ target: String) -> Bool { file(at: target) != nil }

    private func file(at target: String) -> File? {
        // The files are in no folder, so that a second slash means another request.
        let path = target.utf8.prefix { $0 != UInt8(ascii: "?") }
        return path.dropFirst().contains(UInt8(ascii: "/")) ? nil : files[String(Substring(path))]
    }

    /// The answer to a request for a file; nil for other requests.
    func response(to request: HTTPRequest) -> HTTPResponse? {
        guard let file = file(at: request.target) else { return nil }
        guard request.method == "GET" || request.method == "HEAD" else {
            return HTTPResponse(405, headers: ["Allow": "GET, HEAD"])
        }
        if request.headers.values(of: "If-None-Match").contains(where: { EntityTag.list($0) { $0 == file.tag } }) {
            return HTTPResponse(304, headers: file.headers)
        }
        return HTTPResponse(200, headers: file.headers, body: .bytes(file.bytes))
    }
}
