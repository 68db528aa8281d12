public import Foundation
import RosterText

extension Administration {
    /// A key that signs tokens, without its private part.
    public struct SigningKey: Sendable, Hashable, Identifiable {
        /// The algorithm of a signature.
        public enum Algorithm: String, Sendable, CaseIterable {
            /// ECDSA with P-256 and SHA-256.
            case es256 = "ES256"
            /// RSASSA-PKCS1-v1_5 with SHA-256.
            case rs256 = "RS256"
            /// EdDSA with Ed25519.
            case edDSA = "EdDSA"
        }

        /// `kid`, which names the key in tokens.
        public let id: String
        /// The algorithm.
        public let algorithm: Algorithm
        /// The time when the key was made.
        public let created: Date
        /// The time when a newer key began to sign; nil for a key that signs, or will sign.
        public let retired: Date?

        init(_ json: AnswerObject) throws {
            (id, algorithm) = (try json.string("id"), try json.choice("algorithm"))
            (created, retired) = (try json.date("created"), try json.optionalDate("retired"))
        }
    }

    /// Lists the keys that sign tokens.
    public func signingKeys() async throws -> [SigningKey] {
        try await ask(ListSigningKeys()).list("keys") { try SigningKey($0) }
    }

    /// Makes a new key, which signs in five minutes, when clients know it. Tokens of the old key stay valid until they expire.
    @discardableResult
    public func makeSigningKey(_ algorithm: SigningKey.Algorithm = .es256) async throws -> SigningKey {
        try SigningKey(try await ask(MakeSigningKey(algorithm.rawValue)))
    }

    /// Removes a key, for example a stolen one. All tokens that it signed become invalid, and the next key signs at once.
    ///
    /// - Parameter id: The identifier of the key.
    public func removeSigningKey(_ id: String) async throws { _ = try await run(RemoveSigningKey(id)) }
}
