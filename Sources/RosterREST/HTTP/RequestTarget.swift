import Roster
import RosterText

/// A request's target, decoded once and in one way, so that nothing behind it decodes again.
struct RequestTarget: Sendable {
    struct Parameter: Sendable, Hashable {
        let name: String
        let value: String
    }

    /// The segments of the path, decoded. A slash at the end adds none; an encoded slash stays within its segment.
    let segments: [String]
    /// The parameters of the query in order, decoded as forms are (`+` is a space).
    let query: [Parameter]

    /// Reads a target.
    ///
    /// - Throws: ``RequestError`` 400 if the target is not in origin form, has broken percent-encoding, is not UTF-8 or has
    ///   control characters.
    init(_ target: String) throws {
        var target = target
        (segments, query) = try target.withUTF8 { bytes in
            guard bytes.first == UInt8(ascii: "/") else {
                throw RequestError(.badRequest, "The request's target must begin with a slash.")
            }
            var segments: [String] = []
            segments.reserveCapacity(8)
            var start = 1
            for index in 1...bytes.count {
                let byte = index < bytes.count ? bytes[index] : UInt8(ascii: "?")
                guard byte == UInt8(ascii: "/") || byte == UInt8(ascii: "?") else { continue }
                let isLast = byte == UInt8(ascii: "?")
                // A slash at the end adds no segment.
                if !isLast || start < index {
                    segments.append(try Self.decode(bytes[start..<index], isForm: false))
                }
                start = index + 1
                if isLast { break }
            }
            guard start < bytes.count else { return (segments, []) }
            return (segments, try Self.form(bytes[start...]))
        }
    }

    /// The parameters of a query, or of a body in the form of one.
    ///
    /// - Parameter hasLines: Whether values may have line breaks and tabs, as text that people paste into a form does.
    static func form(_ text: Slice<UnsafeBufferPointer<UInt8>>, hasLines: Bool = false) throws -> [Parameter] {
        try text.split(separator: UInt8(ascii: "&")).map { pair in
            let sign = pair.firstIndex(of: UInt8(ascii: "="))
            return Parameter(
                name: try decode(pair[..<(sign ?? pair.endIndex)], isForm: true),
                value: try sign.map { try decode(pair[pair.index(after: $0)...], isForm: true, hasLines: hasLines) }
                    ?? "")
        }
    }

    /// The parameters of a body in the form of a query. Values may have line breaks and tabs.
    static func form(_ body: [UInt8]) throws -> [Parameter] {
        try body.withUnsafeBufferPointer { try form($0[...], hasLines: true) }
    }

    private static func decode(
        _ text: Slice<UnsafeBufferPointer<UInt8>>, isForm: Bool, hasLines: Bool = false
    ) throws -> String {
        // Most text needs no decoding.
        if text.allSatisfy({ (0x21...0x7E).contains($0) && $0 != UInt8(ascii: "%") && $0 != UInt8(ascii: "+") }) {
            return String(decoding: UnsafeBufferPointer(rebasing: text), as: UTF8.self)
        }
        guard let bytes = PercentEncoding.bytes(text, isForm: isForm) else {
            throw RequestError(.badRequest, "The request's target has broken percent-encoding.")
        }
        guard let decoded = String(validating: bytes, as: UTF8.self) else {
            throw RequestError(.badRequest, "The request's target is not UTF-8.")
        }
        guard !decoded.hasEndlessMarks else {
            throw RequestError(.badRequest, "The request has more than 256 combining marks in a row.")
        }
        let isControl: (UInt8) -> Bool = { $0 < 0x20 && !(hasLines && [9, 10, 13].contains($0)) || $0 == 0x7F }
        guard !bytes.contains(where: isControl) else {
            throw RequestError(.badRequest, "The request's target has a control character.")
        }
        return decoded
    }
}
