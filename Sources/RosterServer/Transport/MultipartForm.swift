import CMicroHTTPD
import RosterREST
import RosterText

/// Reads forms of type `multipart/form-data` (RFC 7578), which clients of the mobile cloud send, by libmicrohttpd.
enum MultipartForm {
    private final class Gathered {
        var pairs: [(name: [UInt8], value: [UInt8])] = []
        var hasFile = false
    }

    /// The request with its form in the usual encoding, or unchanged if it has no such form; nil for a form that cannot
    /// be read or has files.
    static func unpacked(_ request: HTTPRequest, on handle: OpaquePointer) -> HTTPRequest? {
        let type = request.headers["Content-Type"]?.lowercased() ?? ""
        guard type.hasPrefix("multipart/form-data") else { return request }
        let gathered = Gathered()
        let processor = MHD_create_post_processor(
            handle, 4_096,
            { context, _, key, file, _, _, data, offset, size in
                guard let context, let key else { return .NO }
                let gathered = Unmanaged<Gathered>.fromOpaque(context).takeUnretainedValue()
                if file != nil { gathered.hasFile = true }
                let bytes = UnsafeRawBufferPointer(start: data, count: size)
                if offset == 0 || gathered.pairs.isEmpty {
                    // A flood of parts costs more than the bytes that it is made of.
                    guard gathered.pairs.count < 100 else { return .NO }
                    gathered.pairs.append((Array(String(cString: key).utf8), Array(bytes)))
                } else {
                    gathered.pairs[gathered.pairs.count - 1].value += bytes
                }
                return .YES
            }, Unmanaged.passUnretained(gathered).toOpaque())
        guard let processor else { return nil }
        let isRead = request.body.withUnsafeBytes { bytes in
            MHD_post_process(processor, bytes.baseAddress?.assumingMemoryBound(to: CChar.self), bytes.count) == .YES
        }
        // A form without its last boundary was cut off.
        let isWhole = MHD_destroy_post_processor(processor) == .YES
        guard isRead, isWhole, !gathered.hasFile else { return nil }
        var unpacked = request
        unpacked.headers = [:]
        for field in request.headers.fields where !HTTPHeaders.isSame(field.name, "Content-Type") {
            unpacked.headers.add(field.name, field.value)
        }
        unpacked.headers.add("Content-Type", "application/x-www-form-urlencoded")
        unpacked.body = Array(
            gathered.pairs.map { "\(PercentEncoding.text($0.name))=\(PercentEncoding.text($0.value))" }.joined(
                separator: "&"
            ).utf8)
        return unpacked
    }
}
