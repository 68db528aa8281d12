import RosterText
import Roster

/// A request's target, decoded once and in one way, so that nothing behind it decodes again.
struct RequestTarget: Sendable {
    /// A parameter of the query.
    struct Parameter: Sendable, Hashable {
        let name: String
        let value: String
    }

    /// The segments of the path, decoded. A slash at the end adds none; an encoded slash stays within its segment.
    let segments: [String]
    /// The parameters of the query in order, decoded as forms are (`+` is a space).
    let query: [Parameter]

    /// - Throws: ``RequestError`` 400 for a target that is no origin form, for broken percent-encoding and text that is
    ///   not UTF-8 or has control characters.
    init(_ target: String) throws {
        let utf8 = target.utf8
        guard utf8.first == UInt8(ascii: "/") else {
            throw RequestError(.badRequest, "The request's target must begin with a slash.")
        }
        let end = utf8.firstIndex(of: UInt8(ascii: "?")) ?? utf8.endIndex
        var path = utf8[..<end].split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false).dropFirst()
        if path.last?.isEmpty == true { path.removeLast() }
        segments = try path.map { try Self.decode($0, isForm: false) }
        guard end < utf8.endIndex else {
            query = []
            return
        }
        query = try Self.form(utf8[utf8.index(after: end)...])
    }

    /// The parameters of a query, or of a body in the form of one.
    ///
    /// - Parameter hasLines: Whether values may have line breaks and tabs, as text that people paste into a form does.
    static func form(_ text: Substring.UTF8View, hasLines: Bool = false) throws -> [Parameter] {
        try text.split(separator: UInt8(ascii: "&")).map { pair in
            let sign = pair.firstIndex(of: UInt8(ascii: "="))
            return Parameter(
                name: try decode(pair[..<(sign ?? pair.endIndex)], isForm: true),
                value: try sign.map { try decode(pair[pair.index(after: $0)...], isForm: true, hasLines: hasLines) }
                    ?? "")
        }
    }

    private static func decode(_ text: Substring.UTF8View, isForm: Bool, hasLines: Bool = false) throws -> String {
        // Most of it stands for itself.
        if text.allSatisfy({ (0x21...0x7E).contains($0) && $0 != UInt8(ascii: "%") && $0 != UInt8(ascii: "+") }) {
            return String(Substring(text))
        }
        var bytes: [UInt8] = []
        bytes.reserveCapacity(text.count)
        var iterator = text.makeIterator()
        while let byte = iterator.next() {
            switch byte {
            case UInt8(ascii: "%"):
                guard let high = iterator.next().flatMap(hexDigit), let low = iterator.next().flatMap(hexDigit) else {
                    throw RequestError(.badRequest, "The request's target has broken percent-encoding.")
                }
                bytes.append(high << 4 | low)
            case UInt8(ascii: "+") where isForm: bytes.append(0x20)
            default: bytes.append(byte)
            }
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

    private static func hexDigit(_ byte: UInt8) -> UInt8? {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): byte - UInt8(ascii: "0")
        case UInt8(ascii: "A")...UInt8(ascii: "F"): byte - UInt8(ascii: "A") + 10
        case UInt8(ascii: "a")...UInt8(ascii: "f"): byte - UInt8(ascii: "a") + 10
        default: nil
        }
    }

    /// A segment as it stands in a path.
    static func encode(_ segment: String) -> String {
        var text = ""
        for byte in segment.utf8 {
            switch byte {
            case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"),
                UInt8(ascii: "~"), UInt8(ascii: "@"):
                text.unicodeScalars.append(Unicode.Scalar(byte))
            default:
                let digits = String(byte, radix: 16, uppercase: true)
                text += digits.utf8.count == 1 ? "%0" + digits : "%" + digits
            }
        }
        return text
    }
}
