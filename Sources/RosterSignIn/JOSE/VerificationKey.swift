package import RosterWire

/// A key that verifies signatures, with the algorithms that it may be used with: which those are is the key's to say, never
/// the token's.
package struct VerificationKey: Sendable {
    enum Material: Sendable {
        case asymmetric(KeyHandle)
        case shared([UInt8])
    }

    /// `kid`, by which tokens name it.
    package let id: String?
    let material: Material
    /// The one algorithm that the key is for; nil for those of its kind.
    let algorithm: SignatureAlgorithm?

    init(id: String?, _ material: Material, algorithm: SignatureAlgorithm? = nil) {
        self.id = id
        self.material = material
        self.algorithm = algorithm
    }

    /// A shared secret, for HS256.
    package init(sharedSecret bytes: [UInt8], id: String? = nil) {
        self.init(id: id, .shared(bytes), algorithm: .hs256)
    }

    /// Reads a JSON Web Key (RFC 7517, RFC 7518, RFC 8037); nil where it is of a kind that is not taken here, is not for
    /// signatures, or is not sound. Certificates and addresses in it are passed over.
    package init?(_ json: JSONValue) {
        if let use = json["use"], use.text != "sig" { return nil }
        if let operations = json["key_ops"], !operations.elements.contains(.string("verify")) { return nil }
        var algorithm: SignatureAlgorithm?
        if let name = json["alg"] {
            guard let known = name.text.flatMap(SignatureAlgorithm.init(named:)) else { return nil }
            algorithm = known
        }
        if let id = json["kid"], id.text == nil { return nil }
        func bytes(_ name: String) -> [UInt8]? {
            json[name]?.text.flatMap { $0.utf8.count <= 2_048 ? Base64URL.bytes($0) : nil }
        }
        let key: KeyHandle?
        switch (json["kty"]?.text, json["crv"]?.text) {
        case ("RSA", _):
            guard let modulus = bytes("n"), let exponent = bytes("e") else { return nil }
            key = KeyHandle(.rsa, .rsa(modulus: modulus, exponent: exponent))
        case ("EC", let curve?):
            let kinds: [String: KeyHandle.Kind] = ["P-256": .p256, "P-384": .p384, "P-521": .p521]
            guard let kind = kinds[curve], let x = bytes("x"), let y = bytes("y") else { return nil }
            key = KeyHandle(kind, .point(x: x, y: y))
        case ("OKP", "Ed25519"?):
            guard let x = bytes("x") else { return nil }
            key = KeyHandle(.ed25519, .edwards(x))
        default: return nil
        }
        guard let key else { return nil }
        if let algorithm, algorithm.asymmetric?.kind != key.kind { return nil }
        self.init(id: json["kid"]?.text, .asymmetric(key), algorithm: algorithm)
    }

    /// Whether a signature is good. An algorithm that is not the key's never is.
    func verify(_ signature: [UInt8], of message: [UInt8], _ asked: SignatureAlgorithm) throws -> Bool {
        guard algorithm == nil || algorithm == asked else { return false }
        switch (material, asked.asymmetric) {
        case (.asymmetric(let key), let (kind, scheme)?):
            return key.kind == kind && key.verify(signature, of: message, scheme)
        case (.shared(let secret), nil):
            return constantTimeEqual(signature, try HMACSHA256.code(for: message, key: secret))
        default: return false
        }
    }
}

/// The keys of an issuer (RFC 7517, section 5).
package struct VerificationKeySet: Sendable {
    /// How many keys are read at most.
    static let maximumKeys = 100

    package let keys: [VerificationKey]

    package init(_ keys: [VerificationKey]) { self.keys = keys }

    /// Reads a JSON Web Key Set. Keys of kinds that are not taken here are left out, as the specification wants it.
    package init?(_ json: JSONValue) {
        guard case .array(let elements)? = json["keys"] else { return nil }
        keys = elements.prefix(Self.maximumKeys).compactMap { VerificationKey($0) }
    }
}
