import RosterCrypto
import RosterText

/// A key that signs tokens of ours.
struct SigningKey: Sendable {
    private enum Material: Sendable {
        case asymmetric(KeyHandle, KeyHandle.Scheme)
        case shared([UInt8])
    }

    let algorithm: SignatureAlgorithm
    /// `kid`: the thumbprint of RFC 7638; nil for a shared secret.
    let id: String?
    private let material: Material

    /// A new key.
    init(generating algorithm: SignatureAlgorithm) throws {
        guard let (kind, _) = algorithm.asymmetric else { throw CryptoFailure(operation: "generating a shared secret") }
        try self.init(algorithm, try KeyHandle.generate(kind))
    }

    /// A key of PKCS #8 in DER.
    init(_ algorithm: SignatureAlgorithm, pkcs8: [UInt8]) throws {
        guard let (kind, _) = algorithm.asymmetric, let key = KeyHandle(kind, pkcs8: pkcs8) else {
            throw CryptoFailure(operation: "reading a private key")
        }
        try self.init(algorithm, key)
    }

    /// A secret that is shared with whoever verifies.
    init(sharedSecret: [UInt8]) {
        algorithm = .hs256
        id = nil
        material = .shared(sharedSecret)
    }

    private init(_ algorithm: SignatureAlgorithm, _ key: KeyHandle) throws {
        guard let (_, scheme) = algorithm.asymmetric else { throw CryptoFailure(operation: "choosing an algorithm") }
        self.algorithm = algorithm
        id = try Self.thumbprint(Self.publicMembers(key))
        material = .asymmetric(key, scheme)
    }

    /// The private key as PKCS #8 in DER; nil for a shared secret.
    func pkcs8() throws -> [UInt8]? {
        if case .asymmetric(let key, _) = material { return try key.pkcs8() }
        return nil
    }

    /// The public key as it is published; nil for a shared secret.
    func publicKey() throws -> JSONValue? {
        guard case .asymmetric(let key, _) = material, let id else { return nil }
        return .object(
            try Self.publicMembers(key) + [
                .init("kid", .string(id)), .init("alg", .string(algorithm.rawValue)), .init("use", "sig"),
            ])
    }

    /// The members of the public key that its thumbprint is made of, in their order (RFC 7638, section 3.2).
    private static func publicMembers(_ key: KeyHandle) throws -> [JSONValue.Member] {
        func text(_ bytes: [UInt8]) -> JSONValue { .string(Base64URL.text(bytes)) }
        switch try key.publicNumbers() {
        case .rsa(let modulus, let exponent):
            return [.init("e", text(exponent)), .init("kty", "RSA"), .init("n", text(modulus))]
        case .point(let x, let y):
            return [
                .init("crv", .string(key.kind.group ?? "")), .init("kty", "EC"), .init("x", text(x)),
                .init("y", text(y)),
            ]
        case .edwards(let bytes):
            return [.init("crv", "Ed25519"), .init("kty", "OKP"), .init("x", text(bytes))]
        }
    }

    private static func thumbprint(_ members: [JSONValue.Member]) throws -> String {
        Base64URL.text(try SHA256.digest(JSONValue.object(members).bytes))
    }

    /// A signed token (RFC 7515, section 7.1).
    ///
    /// - Parameter type: `typ`, such as `at+jwt`.
    func sign(_ claims: [JSONValue.Member], type: String) throws -> String {
        var header: [JSONValue.Member] = [
            .init("alg", .string(algorithm.rawValue)), .init("typ", .string(type)),
        ]
        if let id { header.append(.init("kid", .string(id))) }
        let text = Base64URL.text(JSONValue.object(header).bytes) + "." + Base64URL.text(JSONValue.object(claims).bytes)
        let message = Array(text.utf8)
        let signature =
            switch material {
            case .asymmetric(let key, let scheme): try key.sign(message, scheme)
            case .shared(let secret): try HMACSHA256.code(for: message, key: secret)
            }
        return text + "." + Base64URL.text(signature)
    }
}
