package import Foundation
package import Roster
import RosterStore

/// The permanent identifier of a backend.
package typealias BackendID = Identifier<Backend>

/// A backend, the client of OAuth: a row of the table `backend`, with its settings read.
package struct Backend: Sendable, Hashable {
    package let id: BackendID
    /// The name. No other backend has the same name and version.
    package internal(set) var name: String
    /// The version of that name.
    package internal(set) var version: String
    /// `client_id`, which names the backend at the token endpoint.
    package let clientID: String
    /// The text that apps send as `Oracle-Mobile-Backend-ID`.
    package let backendID: String
    /// SHA-256 of the secret, in hexadecimal; nil for a client that cannot keep one.
    package internal(set) var secretDigest: String?
    /// The secret itself, encrypted; nil unless the secret signs tokens.
    var sealedSecret: String?
    /// SHA-256 of the anonymous key, in hexadecimal.
    package internal(set) var anonymousDigest: String?
    package internal(set) var settings: BackendSettings
    package let created: Date
    /// The key of its maker, see ``RemainingAccess``; nil for the command line, a linked app and backends of older versions.
    let maker: String?
    /// The name of its maker; nil for backends of older versions.
    package let makerName: String?
    /// The directory's sign-in epoch, in which the backend's own tokens are good.
    package let epoch: Int64

    /// The columns by which backends are looked up.
    package enum Key: Sendable {
        case all
        case id(BackendID)
        case clientID(String)
        case backendID(String)
        case name(String, version: String)

        /// The values for ``BackendStatements/select``.
        var bindings: [Binding] {
            var bindings = [Binding](repeating: .null, count: 6)
            switch self {
            case .all: bindings.replaceSubrange(0..<2, with: [.integer(Int64(0)), .integer(Int64.max)])
            case .id(let id): bindings.replaceSubrange(0..<2, with: [.integer(id.rawValue), .integer(id.rawValue)])
            case .clientID(let text): bindings[2] = .text(text)
            case .backendID(let text): bindings[3] = .text(text)
            case .name(let name, let version): bindings.replaceSubrange(4..<6, with: [.text(name), .text(version)])
            }
            return bindings
        }
    }

    /// The name and the version, as the log and the change feed show them.
    package var title: String { "\(name) \(version)" }

    /// The audiences of the tokens that a request asks for (RFC 8707). A request that names none gets all that the backend may
    /// have.
    ///
    /// - Throws: ``OAuthError`` `invalid_target`.
    func audiences(_ asked: [String], among allowed: [String]? = nil, issuer: String) throws -> [String] {
        let allowed = allowed ?? settings.audiences
        guard !asked.isEmpty else { return allowed }
        guard asked.allSatisfy((allowed.isEmpty ? [issuer] : allowed).contains) else {
            throw OAuthError(.invalidTarget, "The client may have no tokens for that resource.")
        }
        return allowed.isEmpty ? [issuer] : allowed.filter(asked.contains)
    }
}
