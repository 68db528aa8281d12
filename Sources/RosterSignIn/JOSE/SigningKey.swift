package import Foundation
import Roster
import RosterCrypto
package import RosterOpenID
import RosterStore
package import RosterText

/// A key that signs tokens of ours: a row of the table `signing_key`, whose private part is encrypted with a key that is not in
/// the file.
package struct SigningKey: Sendable {
    /// `kid`: the thumbprint of RFC 7638.
    package let id: String
    package let algorithm: SignatureAlgorithm
    /// The public part, as it is published.
    package let publicKey: JSONValue
    /// The private part, encrypted; nil for a key that is not stored.
    package let sealedKey: String?
    package let created: Date
    /// The time from which it signs no more, which may lie ahead; nil for a key that is not retired.
    package let retired: Date?
    /// The private part; nil until it was decrypted.
    private var handle: KeyHandle?

    package init(generating algorithm: SignatureAlgorithm) throws {
        guard let (kind, _) = algorithm.asymmetric else { throw CryptoFailure(operation: "generating a shared secret") }
        try self.init(algorithm, KeyHandle.generate(kind))
    }

    package init(_ algorithm: SignatureAlgorithm, pkcs8: [UInt8]) throws {
        try self.init(algorithm, Self.handle(algorithm, pkcs8))
    }

    private init(_ algorithm: SignatureAlgorithm, _ handle: KeyHandle) throws {
        let members = try Self.publicMembers(handle)
        id = Base64URL.text(try SHA256.digest(JSONValue.object(members).bytes))
        publicKey = .object(
            members + [.init("kid", .string(id)), .init("alg", .string(algorithm.rawValue)), .init("use", "sig")])
        (self.algorithm, self.handle) = (algorithm, handle)
        (sealedKey, created, retired) = (nil, Date(), nil)
    }

    init?(_ row: borrowing Row) throws {
        guard let algorithm = SignatureAlgorithm(rawValue: row.text(1)) else { return nil }
        id = row.text(0)
        self.algorithm = algorithm
        publicKey = try JSONValue(text: row.text(2))
        sealedKey = row.text(3)
        created = Date(milliseconds: row.integer(4))
        retired = row.optionalInteger(5).map { Date(milliseconds: $0) }
    }

    /// The same key with its private part, which was decrypted.
    func opened(_ pkcs8: [UInt8]) throws -> SigningKey {
        var key = self
        key.handle = try Self.handle(algorithm, pkcs8)
        return key
    }

    private static func handle(_ algorithm: SignatureAlgorithm, _ pkcs8: [UInt8]) throws -> KeyHandle {
        guard let (kind, _) = algorithm.asymmetric, let handle = KeyHandle(kind, pkcs8: pkcs8) else {
            throw CryptoFailure(operation: "reading a private key")
        }
        return handle
    }

    package func pkcs8() throws -> [UInt8] {
        guard let handle else { throw CryptoFailure(operation: "reading an encrypted key") }
        return try handle.pkcs8()
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

    /// A signed token.
    ///
    /// - Parameter type: `typ`, such as `at+jwt`.
    package func sign(_ claims: [JSONValue.Member], type: String) throws -> String {
        guard let handle, let (_, scheme) = algorithm.asymmetric else {
            throw CryptoFailure(operation: "signing with an encrypted key")
        }
        return try Self.signed(claims, type: type, algorithm, id: id) { try handle.sign($0, scheme) }
    }

    /// A token that is signed with a secret, which those who verify it know as well (HS256).
    package static func sign(_ claims: [JSONValue.Member], type: String, sharedSecret: [UInt8]) throws -> String {
        try signed(claims, type: type, .hs256, id: nil) { try HMACSHA256.code(for: $0, key: sharedSecret) }
    }

    /// The compact form of a token (RFC 7515, section 7.1).
    private static func signed(
        _ claims: [JSONValue.Member], type: String, _ algorithm: SignatureAlgorithm, id: String?,
        _ signature: ([UInt8]) throws -> [UInt8]
    ) throws -> String {
        var header: JSONValue = ["alg": .string(algorithm.rawValue), "typ": .string(type)]
        header["kid"] = id.map { .string($0) }
        let text = Base64URL.text(header.bytes) + "." + Base64URL.text(JSONValue.object(claims).bytes)
        return text + "." + Base64URL.text(try signature(Array(text.utf8)))
    }
}

extension SigningKey {
    /// The key as administrators see it, without its private part.
    package var json: JSONValue {
        [
            "id": .string(id), "algorithm": .string(algorithm.rawValue), "created": .time(created),
            "retired": .time(retired),
        ]
    }
}

extension SignInRecords {
    package func signingKeys() throws -> [SigningKey] {
        try directory.store.read { try $0.all(GrantStatements.keys) { try SigningKey($0) }.compactMap { $0 } }
    }
}

extension TransactionKeys {
    package func all() throws -> [SigningKey] {
        try transaction.checkAdministrator(to: "manage keys")
        return try transaction.connection.all(GrantStatements.keys) { try SigningKey($0) }.compactMap { $0 }
    }
}
