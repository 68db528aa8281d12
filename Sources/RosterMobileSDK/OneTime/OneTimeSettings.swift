import Foundation
import RosterClient
import RosterCrypto
import RosterSecrets

/// The settings that both kinds of one-time passwords share.
struct OneTimeSettings: Sendable, Hashable {
    private let secret: [UInt8]
    private let hash: DigestAlgorithm
    private let digits: Int
    private let hasChecksum: Bool

    /// - Parameter hash: The hash function; nil for SHA-1.
    init(_ secret: some DataProtocol, _ hash: HashAlgorithm?, _ digits: Int, _ hasChecksum: Bool) throws {
        guard (1...1_024).contains(secret.count) else {
            throw ClientError.invalidInput(
                "The shared secret has \(secret.count) bytes.", "Give the secret as bytes; RFC 4226 wants 16 at least.")
        }
        guard (6...8).contains(digits) else {
            throw ClientError.invalidInput("A password of \(digits) digits was asked for.", "Ask for 6 to 8 digits.")
        }
        self.secret = Array(secret)
        self.hash = hash?.digest ?? .sha1
        self.digits = digits
        self.hasChecksum = hasChecksum
    }

    func password(_ counter: UInt64) throws -> String { try password(for: BigEndian.bytes(counter)) }

    func password(for data: some DataProtocol) throws -> String {
        let data = try data.bounded()
        return try ClientError.wrapping {
            try OneTimeCode.password(
                for: data, secret: secret, algorithm: hash, digits: digits, hasChecksum: hasChecksum)
        }
    }
}
