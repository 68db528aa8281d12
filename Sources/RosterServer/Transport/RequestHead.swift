import CMicroHTTPD
import Roster
import RosterREST
import RosterText

/// Reads the head of a request from what libmicrohttpd parsed, and refuses what it lets pass but RFC 9112 forbids, for
/// where two servers on a way read a request differently, one of them can be deceived.
///
/// libmicrohttpd forgives a bare LF, folded lines and spaces around the parts of the request line, and does not tell.
/// But it leaves each part where it was received and hands out pointers to them. So every part must begin where the one
/// before it and exactly one separator end: a line end that is too short, a fold, more spaces or a zero byte within a
/// text (which would end it early) all move the next part away from there. Only a zero byte in the place of the CR of a
/// line end looks like one, and is taken for it.
struct RequestHead {
    /// Why a request is refused.
    struct Refusal: Error {
        let status: Int
        let reason: String

        init(_ status: Int, _ reason: String) {
            self.status = status
            self.reason = reason
        }
    }

    static let tooLong = "The body is too long"
    static let noMemory = "The server receives as many large bodies as it can hold"

    private(set) var headers = HTTPHeaders()
    /// The target in origin form, or `*`.
    private(set) var target: String
    /// The length of the body; nil if the body comes in chunks or there is none.
    private(set) var contentLength: Int?
    private(set) var hasBody = false

    private var refusal: Refusal?
    private var next: UnsafePointer<CChar>
    private var hosts = 0
    /// Whether the body comes in chunks.
    private(set) var isChunked = false
    private let isVersion11: Bool
    /// Whether the client wants to keep the connection, as clients of HTTP/1.1 do where they say nothing else.
    var keepsConnection: Bool {
        isVersion11 && !headers.values(of: "Connection").contains { $0.lowercased().contains("close") }
    }

    /// The head that is at these places. Of the target the text counts, for libmicrohttpd has cut up the query.
    init(
        handle: OpaquePointer, method: UnsafePointer<CChar>, methodCount: Int, target: UnsafePointer<CChar>,
        targetText: String, version: UnsafePointer<CChar>
    ) throws(Refusal) {
        let digit = UInt8(bitPattern: version[7])
        // A higher minor version is answered as the highest that the server has (RFC 9110, section 2.5).
        guard version[5] == 0x31, (0x30...0x39).contains(digit) else { throw Refusal(505, "Unknown version of HTTP") }
        isVersion11 = digit != 0x30
        self.target = targetText
        next = version + 8 + 2
        guard method + methodCount + 1 == target, target + targetText.utf8.count + 1 == version else {
            throw Refusal(400, "Malformed request line")
        }
        guard Characters.areToken(Bytes(method, count: methodCount)) else { throw Refusal(400, "Malformed method") }
        let isOptions = Bytes(method, count: methodCount).elementsEqual("OPTIONS".utf8)
        let authority = try readTarget(isOptions: isOptions)

        withUnsafeMutablePointer(to: &self) { head in
            _ = MHD_get_connection_values_n(
                handle, .HEADER_KIND,
                { head, _, name, nameCount, value, valueCount in
                    guard let head = head?.assumingMemoryBound(to: RequestHead.self), let name, let value else {
                        return .NO
                    }
                    return head.pointee.take(name, nameCount, value, valueCount) ? .YES : .NO
                }, head)
        }
        if let refusal { throw refusal }
        guard next + 2 == method + roster_mhd_head_size(handle) else { throw Refusal(400, "Malformed header") }
        try checkWhole()
        if let authority { replaceHost(by: authority) }
    }

    /// Puts the target into origin form.
    ///
    /// - Returns: The host and port of a target in absolute form (RFC 9112, section 3.2.2); nil for other targets.
    private mutating func readTarget(isOptions: Bool) throws(Refusal) -> String? {
        guard Characters.areVisible(target.utf8) else { throw Refusal(400, "Malformed target") }
        if target.utf8.first == 0x2F || (isOptions && target == "*") { return nil }
        let parts = target.split(separator: "://", maxSplits: 1, omittingEmptySubsequences: false)
        guard parts.count == 2, ["http", "https"].contains(parts[0].lowercased()) else {
            throw Refusal(400, "The target must be a path or an address of http or https")
        }
        let authority = parts[1].prefix { $0 != "/" && $0 != "?" }
        guard Characters.areHost(authority.utf8) else { throw Refusal(400, "Malformed host in the target") }
        let rest = parts[1][authority.endIndex...]
        target = rest.isEmpty && isOptions ? "*" : rest.hasPrefix("/") ? String(rest) : "/" + rest
        return String(authority)
    }

    /// Puts the host of the target in the place of `Host`, which counts for nothing beside it.
    private mutating func replaceHost(by authority: String) {
        let others = headers.fields.filter { !HTTPHeaders.isSame($0.name, "Host") }
        headers = ["Host": authority]
        for field in others { headers.add(field.name, field.value) }
    }

    /// Takes a field; false at the first one that is refused.
    private mutating func take(
        _ namePointer: UnsafePointer<CChar>, _ nameCount: Int, _ valuePointer: UnsafePointer<CChar>, _ valueCount: Int
    ) -> Bool {
        let name = Bytes(namePointer, count: nameCount)
        var value = Bytes(valuePointer, count: valueCount)
        guard namePointer == next, Characters.areToken(name), Characters.areValue(value) else {
            refusal = Refusal(400, "Malformed header")
            return false
        }
        next = valuePointer + valueCount + 2
        while let last = value.last, last == 0x20 || last == 0x09 { value = Bytes(rebasing: value.dropLast()) }
        refusal = check(name, value)
        let text = String(decoding: value, as: UTF8.self)
        // A name in a cookie may be of any script, but nothing that is compared may hold a thread for seconds.
        if text.hasEndlessMarks {
            refusal = Refusal(400, "A header field has more than 256 combining marks in a row")
        }
        headers.add(String(decoding: name, as: UTF8.self), text)
        return refusal == nil
    }

    /// Looks at the fields that say where the request ends or whom it is for.
    private mutating func check(_ name: Bytes, _ value: Bytes) -> Refusal? {
        switch name.count {
        case 4 where name.isWord("host"):
            hosts += 1
            return hosts == 1 && Characters.areHost(value) ? nil : Refusal(400, "A request has one Host")
        case 6 where name.isWord("expect"):
            return value.isWord("100-continue") ? nil : Refusal(417, "Unknown expectation")
        case 14 where name.isWord("content-length"):
            guard contentLength == nil else { return Refusal(400, "A request has one Content-Length") }
            contentLength = Int(String(decoding: value, as: UTF8.self))
            guard let contentLength, contentLength >= 0, value.first != 0x2B else {
                return Refusal(400, "Malformed Content-Length")
            }
            hasBody = hasBody || contentLength > 0
        case 16 where name.isWord("content-encoding"):
            return value.isWord("identity") ? nil : Refusal(415, "A body is sent as it is, without encoding")
        case 17 where name.isWord("transfer-encoding"):
            guard !isChunked, value.isWord("chunked") else {
                return Refusal(400, "The only transfer encoding is chunked")
            }
            isChunked = true
            hasBody = true
        default: break
        }
        return nil
    }

    private func checkWhole() throws(Refusal) {
        if isVersion11 && hosts == 0 { throw Refusal(400, "A request has one Host") }
        if isChunked && contentLength != nil { throw Refusal(400, "A body has one length") }
        if isChunked && !isVersion11 { throw Refusal(400, "HTTP/1.0 has no chunks") }
    }
}
