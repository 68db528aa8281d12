import RosterCrypto
package import RosterText

/// A signed token in compact form (RFC 7515, RFC 7519). Its form was read strictly; its signature is not verified yet.
package struct JSONWebToken: Sendable {
    package static let maximumLength = 65_536

    /// `alg`. The key decides which algorithms are accepted.
    package let algorithm: SignatureAlgorithm
    /// `typ`, without `application/`.
    package let type: String?
    /// `kid`, which is only compared with the names of known keys.
    package let keyID: String?
    package let claims: JSONValue
    /// `jwk`, a key that the sender chose. Only a proof of that key may use it (RFC 9449).
    package let key: JSONValue?
    private let message: [UInt8]
    private let signature: [UInt8]

    /// The reason why a text is not a token.
    package enum Problem: Error, Sendable, Hashable {
        case tooLong
        case notThreeParts
        case encrypted
        case unsigned
        case notBase64URL(String)
        case notJSON(String)
        case algorithm(String)
        case critical
        case keyID

        /// The text for people. Of the token it shows only the name of the algorithm.
        package var message: String {
            switch self {
            case .tooLong: "The token is longer than \(maximumLength) bytes."
            case .notThreeParts: "The token does not have the three parts of a signed JWT."
            case .encrypted: "The token is encrypted: it has the five parts of a JWE. Only signed tokens are accepted."
            case .unsigned: "The token is not signed ('alg' is 'none'), so that anybody can have made it."
            case .notBase64URL(let part): "The \(part) of the token is not base64url."
            case .notJSON(let part): "The \(part) of the token is not a JSON object in which each name occurs once."
            case .algorithm(let name): "The token is not signed with an algorithm that is accepted here: \(name)."
            case .critical: "The token's header has extensions that must be understood, and are not."
            case .keyID: "The token's 'kid' is not text of up to 512 bytes."
            }
        }
    }

    package init(_ text: String) throws(Problem) {
        guard text.utf8.count <= Self.maximumLength else { throw .tooLong }
        let parts = text.split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count != 5 else { throw .encrypted }
        guard parts.count == 3, !parts[0].isEmpty, !parts[1].isEmpty else { throw .notThreeParts }
        guard let header = Base64URL.bytes(parts[0]) else { throw .notBase64URL("header") }
        let fields = try Self.object(header, "header")
        guard fields["alg"]?.text?.lowercased() != "none" else { throw .unsigned }
        guard !parts[2].isEmpty else { throw .notThreeParts }
        guard let payload = Base64URL.bytes(parts[1]) else { throw .notBase64URL("payload") }
        guard let signature = Base64URL.bytes(parts[2]) else { throw .notBase64URL("signature") }
        guard let name = fields["alg"]?.text, let algorithm = SignatureAlgorithm(named: name) else {
            throw .algorithm(String((fields["alg"]?.text ?? "no algorithm").prefix(16)).filter { $0.isASCII })
        }
        // Extensions are not supported. 'b64' would change the bytes that were signed (RFC 7797).
        guard fields["crit"] == nil, fields["b64"] == nil, fields["zip"] == nil, fields["enc"] == nil else {
            throw .critical
        }
        if let id = fields["kid"] {
            guard let id = id.text, id.utf8.count <= 512 else { throw .keyID }
            keyID = id
        } else {
            keyID = nil
        }
        self.algorithm = algorithm
        key = fields["jwk"]
        type = fields["typ"]?.text.map { text in
            let lower = text.lowercased()
            return lower.hasPrefix("application/") ? String(lower.dropFirst("application/".count)) : lower
        }
        claims = try Self.object(payload, "payload")
        message = Array(text.utf8.prefix(parts[0].utf8.count + 1 + parts[1].utf8.count))
        self.signature = signature
    }

    private static func object(_ bytes: [UInt8], _ part: String) throws(Problem) -> JSONValue {
        // A byte order mark may begin a file, and no token (RFC 8259, section 8.1).
        guard !bytes.starts(with: [0xEF, 0xBB, 0xBF]), let json = try? JSONValue(parsing: bytes), case .object = json
        else { throw .notJSON(part) }
        return json
    }

    /// Whether one of the ``candidates(_:)`` made the signature.
    package func isSigned(by keys: VerificationKeySet, allowing algorithms: Set<SignatureAlgorithm>) throws -> Bool {
        guard algorithms.contains(algorithm) else { return false }
        return try candidates(keys).contains { try $0.verify(signature, of: message, algorithm) }
    }

    /// The keys that may have made the signature: all if the token names none, otherwise those with its name or without a name.
    package func candidates(_ keys: VerificationKeySet) -> [VerificationKey] {
        guard let keyID else { return keys.keys }
        return keys.keys.filter { $0.id == nil || $0.id == keyID }
    }

    /// The kind of a token that was made for another purpose, such as to report a sign-out; nil for an acceptable token. An issuer
    /// signs tokens of all kinds with the same keys (RFC 8725, section 3.11).
    ///
    /// - Parameter kinds: The kinds with a name like `…+jwt` that are acceptable.
    package func kind(otherThan kinds: Set<String>) -> String? {
        // A media type can have parameters after a semicolon.
        guard let kind = type?.split(separator: ";").first?.trimmingSpaces, kind.hasSuffix("+jwt"),
            !kinds.contains(kind)
        else { return nil }
        return kind
    }
}
