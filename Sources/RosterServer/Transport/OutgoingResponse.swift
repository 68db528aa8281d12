import CMicroHTTPD
import RosterREST
import Synchronization

/// A response in the form that libmicrohttpd sends.
struct OutgoingResponse: ~Copyable {
    private let response: OpaquePointer
    private let status: UInt32

    /// Returns nil if a field has a character that HTTP does not allow, or if the status is out of range.
    ///
    /// - Parameters:
    ///   - closes: Whether the connection ends with the response.
    ///   - keeps: Whether the client is told how long the connection is kept.
    init?(
        _ response: HTTPResponse, toHead isHead: Bool, closes: Bool, keeps: Bool, client: ClientConnection,
        context: TransportContext
    ) {
        guard (200...599).contains(response.status), response.headers.fields.allSatisfy(Self.isSendable) else {
            return nil
        }
        let created: OpaquePointer?
        var sendsNoChunks = false
        switch response.body {
        case .bytes(let bytes):
            created = bytes.withUnsafeBytes {
                MHD_create_response_from_buffer(
                    $0.count, UnsafeMutableRawPointer(mutating: $0.baseAddress), .RESPMEM_MUST_COPY)
            }
            client.expect(within: context.sendDeadline)
        case .stream(let stream):
            created = Self.begin(StreamBody(stream, client: client, sendDeadline: context.sendDeadline), client)
            sendsNoChunks = isHead || response.status == 204 || response.status == 304
        case .document(let stream):
            created = Self.begin(StreamBody(stream, client: client, sendDeadline: context.sendDeadline), client)
            sendsNoChunks = isHead || response.status == 204 || response.status == 304
        }
        guard let created else { return nil }
        for field in response.headers.fields where !Self.isTransport(field.name) {
            // `withCString` passes the bytes of a text. A String that is passed as an argument is copied to an array first.
            field.name.withCString { name in
                field.value.withCString { value in _ = MHD_add_response_header(created, name, value) }
            }
        }
        roster_mhd_set_options(created, sendsNoChunks, keeps)
        if closes { MHD_add_response_header(created, "Connection", "close") }
        if keeps { MHD_add_response_header(created, "Keep-Alive", context.keepAlive) }
        self.response = created
        status = UInt32(response.status)
    }

    deinit { MHD_destroy_response(response) }

    private static func begin(_ body: StreamBody, _ client: ClientConnection) -> OpaquePointer? {
        client.await(.piece(body))
        return body.makeResponse()
    }

    /// Queues the response. Returns false if the connection does not take it.
    consuming func queue(on handle: OpaquePointer) -> Bool { MHD_queue_response(handle, status, response) == .YES }

    private static func isSendable(_ field: HTTPHeaders.Field) -> Bool {
        Characters.areToken(field.name.utf8) && Characters.areValue(field.value.utf8)
    }

    /// Whether libmicrohttpd writes the field itself.
    private static func isTransport(_ name: String) -> Bool {
        switch name.utf8.count {
        case 4: isSame(name, "date")
        case 10: isSame(name, "connection") || isSame(name, "keep-alive")
        case 14: isSame(name, "content-length")
        case 17: isSame(name, "transfer-encoding")
        default: false
        }
    }

    private static func isSame(_ name: String, _ word: StaticString) -> Bool {
        var name = name
        return name.withUTF8 { Bytes($0).isWord(word) }
    }
}
