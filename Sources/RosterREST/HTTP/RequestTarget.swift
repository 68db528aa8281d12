import Roster
import RosterText

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
