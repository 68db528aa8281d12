import CCrypto

/// Conversions between public keys and their numbers.
extension KeyHandle {
    /// The numbers of a public key.
    package enum PublicNumbers: Sendable, Hashable {
        /// Modulus and exponent, big-endian, without leading zeros.
        case rsa(modulus: [UInt8], exponent: [UInt8])
        /// The coordinates of the point, each as long as the field.
        case point(x: [UInt8], y: [UInt8])
        /// The encoding of RFC 8032.
        case edwards([UInt8])
    }

    /// Makes a public key from its numbers; nil if they are invalid, such as a point off the curve or a modulus of the
    /// wrong size.
    package convenience init?(_ kind: Kind, _ numbers: PublicNumbers) {
        switch numbers {
        case .rsa(let modulus, let exponent):
            // The modulus has 2,048 to 8,192 bits, because larger ones only keep the server busy. Exponents are odd and
            // small.
            guard kind == .rsa, (256...1_024).contains(modulus.count), modulus.first != 0,
                (1...4).contains(exponent.count),
                exponent.first != 0, let last = exponent.last, last % 2 == 1, exponent != [1]
            else { return nil }
            // libcrypto takes numbers in the machine's byte order.
            var (n, e) = (Array(modulus.reversed()), Array(exponent.reversed()))
            let pointer = n.withUnsafeMutableBufferPointer { n in
                e.withUnsafeMutableBufferPointer { e in
                    Self.fromData(
                        "RSA",
                        [
                            OSSL_PARAM_construct_BN(Self.name("n"), n.baseAddress, n.count),
                            OSSL_PARAM_construct_BN(Self.name("e"), e.baseAddress, e.count), OSSL_PARAM_construct_end(),
                        ])
                }
            }
            self.init(checked: pointer, kind)
        case .point(let x, let y):
            guard let group = kind.group, x.count == kind.coordinateLength, y.count == kind.coordinateLength else {
                return nil
            }
            var point = [4] + x + y
            var name = group.utf8CString.map { $0 }
            let pointer = point.withUnsafeMutableBufferPointer { point in
                name.withUnsafeMutableBufferPointer { name in
                    Self.fromData(
                        "EC",
                        [
                            OSSL_PARAM_construct_utf8_string(Self.name("group"), name.baseAddress, 0),
                            OSSL_PARAM_construct_octet_string(Self.name("pub"), point.baseAddress, point.count),
                            OSSL_PARAM_construct_end(),
                        ])
                }
            }
            self.init(checked: pointer, kind)
        case .edwards(let bytes):
            guard kind == .ed25519, bytes.count == 32 else { return nil }
            self.init(
                checked: EVP_PKEY_new_raw_public_key_ex(nil, "ED25519", nil, bytes, bytes.count), kind)
        }
    }

    /// The name of a parameter. libcrypto keeps the pointer.
    private static func name(_ text: StaticString) -> UnsafePointer<CChar> {
        UnsafeRawPointer(text.utf8Start).assumingMemoryBound(to: CChar.self)
    }

    private static func fromData(_ name: String, _ parameters: [OSSL_PARAM]) -> OpaquePointer? {
        guard let context = EVP_PKEY_CTX_new_from_name(nil, name, nil) else { return nil }
        defer { EVP_PKEY_CTX_free(context) }
        var parameters = parameters
        var made: OpaquePointer?
        guard EVP_PKEY_fromdata_init(context) == 1,
            EVP_PKEY_fromdata(context, &made, roster_evp_pkey_public_key, &parameters) == 1
        else { return nil }
        return made
    }

    /// Takes ownership of a public key if libcrypto finds it valid.
    private convenience init?(checked pointer: OpaquePointer?, _ kind: Kind) {
        guard let pointer else { return nil }
        let context = EVP_PKEY_CTX_new_from_pkey(nil, pointer, nil)
        defer { EVP_PKEY_CTX_free(context) }
        guard let context, EVP_PKEY_public_check(context) == 1 else {
            EVP_PKEY_free(pointer)
            return nil
        }
        self.init(kind, checking: pointer)
    }

    package func publicNumbers() throws -> PublicNumbers {
        switch kind {
        case .rsa: return .rsa(modulus: try number("n"), exponent: try number("e"))
        case .ed25519:
            var bytes = [UInt8](repeating: 0, count: 32)
            var count = bytes.count
            guard EVP_PKEY_get_raw_public_key(pointer, &bytes, &count) == 1, count == 32 else {
                throw CryptoFailure(operation: "EVP_PKEY_get_raw_public_key")
            }
            return .edwards(bytes)
        case .p256, .p384, .p521:
            func coordinate(_ name: String) throws -> [UInt8] {
                let bytes = try number(name)
                return [UInt8](repeating: 0, count: max(kind.coordinateLength - bytes.count, 0)) + bytes
            }
            return .point(x: try coordinate("qx"), y: try coordinate("qy"))
        }
    }

    private func number(_ name: String) throws -> [UInt8] {
        var number: OpaquePointer?
        guard EVP_PKEY_get_bn_param(pointer, name, &number) == 1, let number else {
            throw CryptoFailure(operation: "EVP_PKEY_get_bn_param")
        }
        defer { BN_free(number) }
        var bytes = [UInt8](repeating: 0, count: Int(BN_num_bits(number) + 7) / 8)
        guard Int(BN_bn2bin(number, &bytes)) == bytes.count else { throw CryptoFailure(operation: "BN_bn2bin") }
        return bytes
    }
}
