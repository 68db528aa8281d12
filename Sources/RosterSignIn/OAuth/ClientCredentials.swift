import Foundation
package import Roster
import RosterCrypto
import RosterText

/// How a client proves at the token endpoint who it is (RFC 6749, section 2.3; OpenID Connect Core, section 9).
package enum ClientCredentials: Sendable {
    /// `client_secret_basic`, or the mobile cloud's `Bearer base64(id:secret)`, or `client_secret_post`.
    case secret(clientID: String, secret: String)
    /// A public client, which names itself only.
    case named(clientID: String)
    /// `private_key_jwt` or `client_secret_jwt` (RFC 7523, section 2.2).
    case assertion(String, clientID: String?)

    /// What a request holds of it; nil where it holds nothing.
    ///
    /// - Throws: ``OAuthError`` `invalid_request` where it uses several ways at once, `invalid_client` for what cannot be
    ///   read.
    package init?(authorization: String?, form: Form) throws {
        var found: ClientCredentials?
        if let authorization {
            let parts = authorization.split(separator: " ", maxSplits: 1)
            guard parts.count == 2, ["basic", "bearer"].contains(parts[0].lowercased()),
                let data = Base64.bytes(parts[1]), let text = String(validating: data, as: UTF8.self),
                let colon = text.firstIndex(of: ":"), let id = Self.decoded(text[..<colon]),
                let secret = Self.decoded(text[text.index(after: colon)...])
            else { throw OAuthError(.invalidClient, "The Authorization field holds no client id and secret.") }
            // An empty secret may be left out, and is none (RFC 6749, section 2.3.1).
            found = secret.isEmpty ? .named(clientID: id) : .secret(clientID: id, secret: secret)
        }
        if let assertion = form["client_assertion"] {
            guard found == nil, form["client_secret"] == nil else { throw Self.several }
            guard form["client_assertion_type"] == "urn:ietf:params:oauth:client-assertion-type:jwt-bearer" else {
                throw OAuthError(.invalidClient, "That 'client_assertion_type' is not taken.")
            }
            found = .assertion(assertion, clientID: form["client_id"])
        } else if let secret = form["client_secret"] {
            guard found == nil else { throw Self.several }
            found = .secret(clientID: try form.required("client_id"), secret: secret)
        } else if let id = form["client_id"] {
            switch found {
            case .secret(let clientID, _)?, .named(let clientID)?:
                guard clientID == id else { throw Self.several }
            case .assertion?, nil: found = .named(clientID: id)
            }
        }
        guard let found else { return nil }
        self = found
    }

    private static let several = OAuthError(.invalidRequest, "The client proves itself in several ways at once.")

    /// Both parts are form-encoded before they are put together (RFC 6749, section 2.3.1).
    private static func decoded(_ text: Substring) -> String? {
        // What we make ourselves has nothing to decode.
        guard text.utf8.contains(where: { $0 == UInt8(ascii: "%") || $0 == UInt8(ascii: "+") }) else {
            return String(text)
        }
        return PercentEncoding.bytes(text.utf8, isForm: true).flatMap { String(validating: $0, as: UTF8.self) }
    }
}

/// Finds and checks the backend that a client is.
package struct ClientDirectory: Sendable {
    let directory: Directory
    private let serverTokens: TokenSettings
    /// Backends with their settings read, which takes longer than all the rest.
    private let read = Locked(GenerationalMap<BackendID, Backend>(capacity: 1_000))

    package init(_ directory: Directory, _ serverTokens: TokenSettings = TokenSettings()) {
        self.directory = directory
        self.serverTokens = serverTokens
    }

    /// A backend that may be used; nil where there is none.
    package func backend(_ key: Directory.BackendKey) throws -> Backend? {
        guard let record = try directory.backend(key) else { return nil }
        if let backend = read.withLock({ $0.value(record.id) }), backend.record == record {
            return backend.settings.isEnabled ? backend : nil
        }
        let backend = try Backend(record, serverTokens)
        read.withLock { $0.set(backend, for: record.id) }
        return backend.settings.isEnabled ? backend : nil
    }

    /// The backend of a client that has proved who it is with a secret, or that is public and only says so.
    ///
    /// - Throws: ``OAuthError`` `invalid_client`, which never says whether the client or the secret was wrong.
    package func authenticate(clientID: String, secret: String?) throws -> Backend {
        let digest = try secret.map { try SHA256.hex($0) }
        guard clientID.utf8.count <= 128, let backend = try backend(.clientID(clientID)) else { throw Self.refused }
        switch (backend.record.secretDigest, digest) {
        case (let stored?, let given?):
            guard constantTimeEqual(stored, given) else { throw Self.refused }
        case (nil, nil): break
        default: throw Self.refused
        }
        return backend
    }

    static let refused = OAuthError(.invalidClient, "The client is not known, or has not proved who it is.")
}
