import CCrypto

/// scrypt (RFC 7914) from libcrypto.
package enum Scrypt {
    /// The memory of one call in bytes: the large table, its two working blocks and the p blocks.
    package static func memory(logN: Int, r: Int, p: Int) -> Int { 128 * r * ((1 << logN) + 2) + 128 * r * p }

    /// Derives a key from a password.
    ///
    /// Cost: `memory` bytes, and about 0.2 µs for each of N · r · p. The call passes that memory as libcrypto's limit,
    /// whose default of 32 MiB is too low for larger parameters.
    /// - Throws: ``CryptoFailure`` if the parameters violate RFC 7914 or there is no memory.
    package static func key(
        password: UnsafeRawBufferPointer, salt: [UInt8], logN: Int, r: Int, p: Int, length: Int
    ) throws -> [UInt8] {
        guard (1...24).contains(logN), (1...1_024).contains(r), (1...1_024).contains(p), length > 0 else {
            throw CryptoFailure(operation: "EVP_PBE_scrypt")
        }
        return try [UInt8](unsafeUninitializedCapacity: length) { buffer, used in
            let done = EVP_PBE_scrypt(
                password.assumingMemoryBound(to: CChar.self).baseAddress, password.count, salt, salt.count,
                UInt64(1) << UInt64(logN), UInt64(r), UInt64(p), UInt64(memory(logN: logN, r: r, p: p)),
                buffer.baseAddress, length)
            guard done == 1 else { throw CryptoFailure(operation: "EVP_PBE_scrypt") }
            used = length
        }
    }
}

/// PBKDF2 with HMAC (RFC 8018) from libcrypto.
package enum PBKDF2 {
    /// Derives a key from a password. Cost: about 0.2 µs for each iteration and block of the digest's length.
    /// - Throws: ``CryptoFailure`` if a number is out of range.
    package static func key(
        password: UnsafeRawBufferPointer, salt: [UInt8], iterations: Int, algorithm: DigestAlgorithm, length: Int
    ) throws -> [UInt8] {
        guard (1...Int(CInt.max)).contains(iterations), (1...1_024).contains(length) else {
            throw CryptoFailure(operation: "PKCS5_PBKDF2_HMAC")
        }
        return try [UInt8](unsafeUninitializedCapacity: length) { buffer, used in
            let done = PKCS5_PBKDF2_HMAC(
                password.assumingMemoryBound(to: CChar.self).baseAddress, CInt(password.count), salt, CInt(salt.count),
                CInt(iterations), algorithm.evp, CInt(length), buffer.baseAddress)
            guard done == 1 else { throw CryptoFailure(operation: "PKCS5_PBKDF2_HMAC") }
            used = length
        }
    }
}

/// Functions that libcrypto provides by name, so that a newer libcrypto brings more of them without a rebuild.
package enum NamedDerivation {
    /// Whether the installed libcrypto has the function.
    package static func isAvailable(_ name: String) -> Bool {
        guard let function = EVP_KDF_fetch(nil, name, nil) else { return false }
        EVP_KDF_free(function)
        return true
    }

    /// Derives a key from a password, a salt and named whole numbers.
    /// - Throws: ``CryptoFailure`` if libcrypto lacks the function or refuses the numbers.
    package static func key(
        _ name: String, password: UnsafeRawBufferPointer, salt: [UInt8],
        numbers: [(name: StaticString, value: UInt64)], length: Int
    ) throws -> [UInt8] {
        guard let function = EVP_KDF_fetch(nil, name, nil) else { throw CryptoFailure(operation: "EVP_KDF_fetch") }
        defer { EVP_KDF_free(function) }
        guard let context = EVP_KDF_CTX_new(function) else { throw CryptoFailure(operation: "EVP_KDF_CTX_new") }
        defer { EVP_KDF_CTX_free(context) }
        var salt = salt
        return try salt.withUnsafeMutableBytes { salt in
            try withUnsafeTemporaryAllocation(of: UInt64.self, capacity: max(numbers.count, 1)) { values in
                // libcrypto only reads its input, although its declaration is not const.
                var parameters = [
                    OSSL_PARAM_construct_octet_string(
                        text("pass"), UnsafeMutableRawPointer(mutating: password.baseAddress), password.count),
                    OSSL_PARAM_construct_octet_string(text("salt"), salt.baseAddress, salt.count),
                ]
                for (index, number) in numbers.enumerated() {
                    values.initializeElement(at: index, to: number.value)
                    parameters.append(
                        OSSL_PARAM_construct_uint64(text(number.name), values.baseAddress?.advanced(by: index)))
                }
                parameters.append(OSSL_PARAM_construct_end())
                return try [UInt8](unsafeUninitializedCapacity: length) { buffer, used in
                    guard EVP_KDF_derive(context, buffer.baseAddress, length, parameters) == 1 else {
                        throw CryptoFailure(operation: "EVP_KDF_derive")
                    }
                    used = length
                }
            }
        }
    }

    /// A name as a C string that is valid for the life of the process.
    private static func text(_ name: StaticString) -> UnsafePointer<CChar> {
        UnsafeRawPointer(name.utf8Start).assumingMemoryBound(to: CChar.self)
    }
}
