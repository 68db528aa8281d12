package import Roster
import RosterText
import RosterCrypto
import RosterStore

/// The proof by which a client authenticates (RFC 6749, section 2.3; OpenID Connect Core, section 9).
package enum ClientProof: Sendable {
    /// A client secret: `client_secret_basic`, `client_secret_post`, or the mobile cloud's `Bearer base64(id:secret)`.
    case secret(clientID: String, secret: String)
    case named(clientID: String)
    /// `private_key_jwt` (RFC 7523, section 2.2), or a client-credentials token that the mobile cloud's clients send as one.
    case assertion(String, clientID: String?)
    /// The handle of a registered device, by which an app asks about its own users and nothing else.
    case handle(clientID: String, handle: String)
    /// The request neither names a client nor holds a proof.
    case missing
    /// The request holds something that is not a proof; the error says what is wrong with it.
    case unreadable(OAuthError)

    /// A client that sends its secret or the handle of a registered device, or only its name where it has neither. An empty secret
    /// counts as none (RFC 6749, section 2.3.1).
    package init(clientID: String, secret: String?) {
        guard let secret, !secret.isEmpty else {
            self = .named(clientID: clientID)
            return
        }
        // A handle is a JWT; a secret is not.
        let isHandle = secret.hasPrefix("eyJ") && secret.utf8.count { $0 == UInt8(ascii: ".") } == 2
        self =
            isHandle
            ? .handle(clientID: clientID, handle: secret) : .secret(clientID: clientID, secret: secret)
    }

    /// Whether the proof is checked without a write to the directory. An assertion is recorded as used.
    var needsNoWrite: Bool {
        if case .assertion = self { false } else { true }
    }

    /// Whether the client is an app on a registered device.
    var isDevice: Bool {
        if case .handle = self { true } else { false }
    }
}

/// Finds the backend of a client and checks its secret.
package struct ClientDirectory: Sendable {
    let directory: Directory
    private let settings: SettingsKeeper?
    /// The settings of backends and the text that they were read from, because reading takes longer than the look-up.
    private let read = Locked(GenerationalMap<BackendID, (text: String, settings: BackendSettings)>(capacity: 1_000))
    /// The single sign-on agents by their service domains, as of a change of the directory.
    let agents = Locked<(changes: UInt64, byDomain: [String: SignOnAgent])?>(nil)

    package init(_ directory: Directory, _ settings: SettingsKeeper? = nil) {
        self.directory = directory
        self.settings = settings
    }

    /// An enabled backend; nil if there is none.
    package func backend(_ key: Backend.Key) throws -> Backend? {
        try known(key).flatMap { $0.settings.isEnabled ? $0 : nil }
    }

    /// A backend, also a disabled one; nil if there is none.
    func known(_ key: Backend.Key) throws -> Backend? {
        let tokens = settings?.current.tokens ?? TokenSettings()
        return try directory.store.read { connection in
            try connection.first(BackendStatements.select, key.bindings) { row in
                try Backend(row) { try settings(of: $0, in: $1, tokens) }
            }
        }
    }

    /// The number of all backends.
    func count() throws -> Int {
        try directory.store.read { Int(try $0.first(BackendStatements.count) { $0.integer(0) } ?? 0) }
    }

    /// The backends that a statement finds, also disabled ones.
    func all(_ statement: SQL, _ bindings: [Binding]) throws -> [Backend] {
        let tokens = settings?.current.tokens ?? TokenSettings()
        return try directory.store.read { connection in
            try connection.all(statement, bindings) { row in
                try Backend(row) { try settings(of: $0, in: $1, tokens) }
            }
        }
    }

    private func settings(of id: BackendID, in text: String, _ serverTokens: TokenSettings) throws -> BackendSettings {
        var found: BackendSettings
        if let known = read.withLock({ $0.value(id) }), known.text == text {
            found = known.settings
        } else {
            found = try BackendSettings(stored: text)
            read.withLock { [found] in $0.set((text, found), for: id) }
        }
        found.serverTokens = serverTokens
        return found
    }

    /// The backend of a client that proves itself with a secret, or that is public and only names itself.
    ///
    /// - Throws: ``OAuthError`` `invalid_client`, which never says whether the client or the secret was wrong.
    package func authenticate(clientID: String, secret: String?) throws -> Backend {
        let digest = try secret.map { try SHA256.hex($0) }
        guard clientID.utf8.count <= 128, var backend = try backend(.clientID(clientID)) else { throw Self.refused }
        switch (backend.secretDigest, digest) {
        case (let stored?, let given?):
            if constantTimeEqual(stored, given) { break }
            let former = try directory.signInRecords.formerSecrets(of: backend.id)
            guard let known = former.first(where: { constantTimeEqual($0.digest, given) }) else { throw Self.refused }
            // A client that does not know the new secret yet verifies its id tokens with the former one.
            backend.sealedSecret = known.sealed
        case (nil, nil): break
        default: throw Self.refused
        }
        return backend
    }

    static let refused = OAuthError(.invalidClient, "The client is not known, or has not proved who it is.")
}
