package import RosterCrypto
package import RosterText

/// A key that verifies signatures. The key decides which algorithms are allowed, never the token.
package struct VerificationKey: Sendable {
    package enum Material: Sendable {
        case asymmetric(KeyHandle)
        case shared([UInt8])
    }

    /// `kid`, by which tokens name it.
    package let id: String?
    package let material: Material
    /// The only algorithm of the key; nil for all algorithms of its kind.
    package let algorithm: SignatureAlgorithm?

    package init(id: String?, _ material: Material, algorithm: SignatureAlgorithm? = nil) {
        (self.id, self.material, self.algorithm) = (id, material, algorithm)
    }

    package init(sharedSecret bytes: [UInt8], id: String? = nil) {
        self.init(id: id, .shared(bytes), algorithm: .hs256)
    }

    /// Reads a JSON Web Key; nil if it cannot be used.
    package init?(_ json: JSONValue) {
        do { try self.init(reading: json) } catch { return nil }
    }

    /// The reason why a published key cannot be used.
    package struct Unusable: Error, Sendable, Hashable {
        package let id: String?
        package let reason: String
    }

    /// Reads a JSON Web Key (RFC 7517, RFC 7518, RFC 8037). Certificates and addresses in it are ignored.
    /// - Throws: ``Unusable`` for a key of an unsupported kind, a key that is not for signatures, or a broken key.
    package init(reading json: JSONValue) throws(Unusable) {
        func unusable(_ reason: String) -> Unusable { Unusable(id: json["kid"]?.text, reason: reason) }
        func shown(_ name: String) -> String { "its '\(name)' is \(json[name].map(ShownText.value) ?? "missing")" }
        if let use = json["use"], use.text != "sig" { throw unusable(shown("use") + ", not for signatures") }
        if let operations = json["key_ops"], !operations.elements.contains(.string("verify")) {
            throw unusable(shown("key_ops") + ", without 'verify'")
        }
        var algorithm: SignatureAlgorithm?
        if let name = json["alg"] {
            guard let known = name.text.flatMap(SignatureAlgorithm.init(named:)) else {
                throw unusable(shown("alg") + ", which is not supported")
            }
            algorithm = known
        }
        if let id = json["kid"], id.text == nil { throw unusable(shown("kid") + ", which is not text") }
        func bytes(_ name: String) throws(Unusable) -> [UInt8] {
            let bytes = json[name]?.text.flatMap { $0.utf8.count <= 2_048 ? Base64URL.bytes($0) : nil }
            guard let bytes else { throw unusable("its '\(name)' is missing or no number in base64url") }
            return bytes
        }
        let key: KeyHandle?
        switch (json["kty"]?.text, json["crv"]?.text) {
        case ("RSA", _):
            let modulus = try bytes("n")
            key = KeyHandle(.rsa, .rsa(modulus: modulus, exponent: try bytes("e")))
            let digits = modulus.drop { $0 == 0 }
            let bits = digits.count * 8 - (digits.first?.leadingZeroBitCount ?? 0)
            guard key != nil || (2_048...8_192).contains(bits) else {
                throw unusable("an RSA key of \(bits) bits, which must have 2048 to 8192")
            }
        case ("EC", let curve?):
            let kinds: [String: KeyHandle.Kind] = ["P-256": .p256, "P-384": .p384, "P-521": .p521]
            guard let kind = kinds[curve] else { throw unusable(shown("crv") + ", which is not supported") }
            key = KeyHandle(kind, .point(x: try bytes("x"), y: try bytes("y")))
        case ("OKP", "Ed25519"?): key = KeyHandle(.ed25519, .edwards(try bytes("x")))
        case ("EC", nil), ("OKP", _): throw unusable(shown("crv") + ", which is not supported")
        default: throw unusable(shown("kty") + ", which is not supported")
        }
        guard let key else { throw unusable("its numbers are none of a sound key") }
        if let algorithm, algorithm.asymmetric?.kind != key.kind {
            throw unusable(shown("alg") + ", which is for keys of another type")
        }
        self.init(id: json["kid"]?.text, .asymmetric(key), algorithm: algorithm)
    }

    /// Whether a signature is valid. It is not if the algorithm is not one of the key's.
    package func verify(_ signature: [UInt8], of message: [UInt8], _ asked: SignatureAlgorithm) throws -> Bool {
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

package struct VerificationKeySet: Sendable {
    package static let maximumKeys = 100

    package let keys: [VerificationKey]
    package let unusable: [VerificationKey.Unusable]

    package init(_ keys: [VerificationKey]) { (self.keys, unusable) = (keys, []) }

    /// Reads a JSON Web Key Set. Unsupported keys are left out, as RFC 7517 requires.
    package init?(_ json: JSONValue) {
        guard case .array(let elements)? = json["keys"] else { return nil }
        var keys: [VerificationKey] = []
        var unusable: [VerificationKey.Unusable] = []
        for element in elements.prefix(Self.maximumKeys) {
            do { keys.append(try VerificationKey(reading: element)) } catch { unusable.append(error) }
        }
        (self.keys, self.unusable) = (keys, unusable)
    }

    /// The reason why the key that a token names cannot be used; nil if no key was left out that the token may mean.
    package func problem(with token: JSONWebToken) -> String? {
        let reasons = unusable.filter { token.keyID == nil || $0.id == token.keyID }.map(\.reason)
        guard !reasons.isEmpty else { return nil }
        let whose = token.keyID == nil ? "A key of the issuer" : "The issuer's key of that 'kid'"
        return "\(whose) cannot be used: \(reasons.prefix(10).joined(separator: "; "))."
    }
}
