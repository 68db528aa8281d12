import RosterText

/// The field by which a request sends a bearer token (RFC 6750, section 2.1).
enum AuthorizationField {
    /// The longest token in bytes.
    static let maximumLength = 16_384

    /// The reason why a request has no token that could be checked.
    struct Problem: Error {
        let code: BearerRefusal.Code
        let reason: String
    }

    /// The token in an `Authorization` field, and whether its scheme is DPoP (RFC 9449).
    ///
    /// - Parameters:
    ///   - fields: The values of all `Authorization` fields.
    ///   - query: The query of the request's URL, which must not hold a token, because logs keep URLs.
    static func token(fields: [String], query: some StringProtocol) throws(Problem)
        -> (token: String, isBound: Bool)
    {
        guard !hasToken(query) else {
            throw Problem(code: .invalidRequest, reason: "The request has an access token in its query.")
        }
        guard fields.count <= 1 else {
            throw Problem(code: .invalidRequest, reason: "The request has several Authorization fields.")
        }
        guard let field = fields.first else {
            throw Problem(code: .missingToken, reason: "The request has no Authorization field.")
        }
        let end = field.utf8.firstIndex(of: UInt8(ascii: " ")) ?? field.endIndex
        let scheme = field[..<end].lowercased()
        guard ["bearer", "dpop"].contains(scheme) else {
            throw Problem(
                code: .missingToken,
                reason: "The request's Authorization field has another scheme than Bearer and DPoP.")
        }
        let token = field.utf8[end...].drop { $0 == UInt8(ascii: " ") }
        guard !token.isEmpty else {
            throw Problem(code: .invalidRequest, reason: "The request's Authorization field has no token.")
        }
        guard token.count <= maximumLength else {
            throw Problem(code: .invalidToken, reason: "The token is longer than \(maximumLength) bytes.")
        }
        guard isToken(token) else {
            throw Problem(code: .invalidToken, reason: "The token has characters that no bearer token has.")
        }
        return (String(Substring(token)), scheme == "dpop")
    }

    /// Whether bytes are `b64token`: letters, digits and some punctuation, with equals signs at the end only.
    private static func isToken(_ bytes: Substring.UTF8View) -> Bool {
        let body = bytes.prefix { $0 != UInt8(ascii: "=") }
        let isSound = body.allSatisfy { byte in
            switch byte {
            case 0x30...0x39, 0x41...0x5A, 0x61...0x7A: true
            default: "-._~+/".utf8.contains(byte)
            }
        }
        return isSound && !body.isEmpty && bytes[body.endIndex...].allSatisfy { $0 == UInt8(ascii: "=") }
    }

    /// Whether a query has the parameter `access_token`, also percent-encoded or in capitals.
    private static func hasToken(_ query: some StringProtocol) -> Bool {
        query.utf8.split(separator: UInt8(ascii: "&")).contains { pair in
            // One part at a time, because another part with broken encoding must not hide the token.
            let name = String(decoding: pair.prefix { $0 != UInt8(ascii: "=") }, as: UTF8.self)
            return FormEncoding.parameters(name)?.first?.name.lowercased() == "access_token"
        }
    }
}
