import Foundation
import Roster
import RosterCrypto
import RosterText

/// An opaque refresh token: the number of a grant, a generation, and a code that only this directory can compute.
///
/// No token is stored, not even as a hash. The code is an HMAC over the numbers and the grant's random salt, with a key that is not in the
/// file. So a used token of any generation is still recognized, and no token can be guessed.
enum RefreshToken {
    static let prefix = "rrt_"

    static func text(_ number: Int64, generation: Int64, salt: String, key: [UInt8]) throws -> String {
        prefix + Base64URL.text(bytes(number) + bytes(generation) + (try code(number, generation, salt, key)))
    }

    /// The content of a token, whose code is not verified yet.
    struct Claim {
        let number: Int64
        let generation: Int64
        private let code: [UInt8]

        init?(_ text: String) {
            guard text.hasPrefix(prefix), text.utf8.count <= 128,
                let bytes = Base64URL.bytes(text.dropFirst(prefix.count)), bytes.count == 48
            else { return nil }
            number = RefreshToken.number(bytes[0..<8])
            generation = RefreshToken.number(bytes[8..<16])
            code = Array(bytes[16...])
            guard number > 0, generation > 0 else { return nil }
        }

        /// Whether the token was given for a grant with that salt.
        func isGenuine(salt: String, key: [UInt8]) throws -> Bool {
            constantTimeEqual(code, try RefreshToken.code(number, generation, salt, key))
        }
    }

    private static func code(_ number: Int64, _ generation: Int64, _ salt: String, _ key: [UInt8]) throws -> [UInt8] {
        try HMACSHA256.code(
            for: Array("refresh\0".utf8) + bytes(number) + bytes(generation) + Array(salt.utf8), key: key)
    }

    private static func bytes(_ number: Int64) -> [UInt8] { withUnsafeBytes(of: number.bigEndian) { Array($0) } }

    private static func number(_ bytes: ArraySlice<UInt8>) -> Int64 {
        bytes.reduce(0) { $0 << 8 | Int64($1) }
    }
}
