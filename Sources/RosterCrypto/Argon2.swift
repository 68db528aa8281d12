import Foundation

#if canImport(CArgon2)
    import CArgon2
#endif

/// Argon2 (RFC 9106) of version 1.3, for the hashes that come from other directories.
///
/// libargon2 has the function; where it is missing, libcrypto has it since version 3.2.
package enum Argon2 {
    /// The variant of the function.
    package enum Kind: String, Sendable, Hashable, CaseIterable {
        case argon2i, argon2d, argon2id
    }

    /// Whether this build can make the keys of a variant.
    package static func isAvailable(_ kind: Kind) -> Bool {
        #if canImport(CArgon2)
            true
        #else
            NamedDerivation.isAvailable(kind.rawValue.uppercased())
        #endif
    }

    /// Makes the key of a password, on the caller's thread alone.
    ///
    /// - Parameters:
    ///   - salt: At least 8 bytes.
    ///   - memory: KiB, at least 8 for each lane.
    ///   - passes: At least 1.
    ///   - lanes: At least 1.
    ///   - length: The bytes of the key, at least 4.
    /// - Throws: ``CryptoFailure`` for numbers out of these ranges, or too little memory.
    package static func key(
        _ kind: Kind, password: UnsafeRawBufferPointer, salt: [UInt8], memory: Int, passes: Int, lanes: Int, length: Int
    ) throws -> [UInt8] {
        #if canImport(CArgon2)
            let failure = CryptoFailure(operation: "argon2_ctx")
            guard let memory = UInt32(exactly: memory), let passes = UInt32(exactly: passes),
                let lanes = UInt32(exactly: lanes), let size = UInt32(exactly: length),
                let passwordSize = UInt32(exactly: password.count), let saltSize = UInt32(exactly: salt.count)
            else { throw failure }
            // libargon2 only reads the password and the salt, although its declaration is not const.
            let bytes = UnsafeMutableRawPointer(mutating: password.baseAddress)
            var salt = salt
            return try salt.withUnsafeMutableBufferPointer { salt in
                try [UInt8](unsafeUninitializedCapacity: length) { key, used in
                    var context = argon2_context()
                    (context.out, context.outlen) = (key.baseAddress, size)
                    (context.pwd, context.pwdlen) = (bytes?.assumingMemoryBound(to: UInt8.self), passwordSize)
                    (context.salt, context.saltlen) = (salt.baseAddress, saltSize)
                    (context.t_cost, context.m_cost, context.lanes, context.threads) = (passes, memory, lanes, 1)
                    context.version = ARGON2_VERSION_13.rawValue
                    let type =
                        switch kind {
                        case .argon2i: Argon2_i
                        case .argon2d: Argon2_d
                        case .argon2id: Argon2_id
                        }
                    guard argon2_ctx(&context, type) == ARGON2_OK.rawValue else { throw failure }
                    used = length
                }
            }
        #else
            return try NamedDerivation.key(
                kind.rawValue.uppercased(), password: password, salt: salt,
                numbers: [("iter", UInt64(passes)), ("memcost", UInt64(memory)), ("lanes", UInt64(lanes))],
                length: length)
        #endif
    }
}
