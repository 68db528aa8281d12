package import Foundation
import Roster
import RosterStore
package import RosterText

/// A setting of the service that an administrator stored in the directory, in the form of an entry of a document.
package struct StoredSetting: Sendable {
    package enum Kind: String, Sendable, CaseIterable {
        /// An entry of `issuers` in the document of ``TrustedIssuers``.
        case jwtIssuer = "jwt-issuer"
        /// An entry of `samlIssuers` in the same document.
        case samlIssuer = "saml-issuer"
        /// Certificates of issuers: `{"certificate": "-----BEGIN …"}`.
        case certificate
        /// An entry of `oidc.providers` in the document of ``IdentityProviders``.
        case provider
        /// An entry of `social` in the same document.
        case socialProvider = "social-provider"
        /// A policy: `{"value": …}`.
        case policy

        /// The names of the members that lead to the secret of an entry; nil for a kind without a secret.
        var secretPath: [String]? {
            switch self {
            case .jwtIssuer: ["jwks", "authorizationHeader"]
            case .provider: ["validation_key"]
            case .socialProvider: ["app_secret"]
            case .samlIssuer, .certificate, .policy: nil
            }
        }

        /// The parts of an entry that say where its secret is sent. A secret is kept only while they stay the same, so that
        /// nobody can read it by naming a server of their own.
        func destination(of entry: JSONValue) -> [JSONValue?] {
            switch self {
            case .jwtIssuer: ["jwksUri", "discoveryUri"].map { entry["jwks"]?[$0] }
            case .provider: [entry["issuer"], entry["discovery_url"]]
            case .socialProvider: [entry["url"]]
            case .samlIssuer, .certificate, .policy: []
            }
        }
    }

    package let kind: Kind
    package let name: String
    /// The entry without its secret.
    package let value: JSONValue
    /// The encrypted secret; nil for none; empty if the key file was lost.
    let sealedSecret: String?
    /// The time of the last change.
    package let changed: Date

    /// Whether the entry has a secret.
    package var hasSecret: Bool { sealedSecret?.isEmpty == false }

    fileprivate init?(_ row: borrowing Row) throws {
        guard let kind = Kind(rawValue: row.text(0)) else { return nil }
        self.kind = kind
        name = row.text(1)
        value = try JSONValue(strictly: Array(row.text(2).utf8))
        sealedSecret = row.optionalText(3)
        changed = Date(milliseconds: row.integer(4))
    }

    /// The largest number of settings. A service reads all of them when one was changed.
    package static let maximumCount = 1_000

    /// An entry without its secret, and the secret; nil if the entry has none.
    package static func parts(of entry: JSONValue, _ kind: Kind) -> (value: JSONValue, secret: JSONValue?) {
        if kind == .policy { return partsOfPolicy(entry) }
        guard let path = kind.secretPath else { return (entry, nil) }
        return entry.taking(path[...])
    }

    /// The entry with its secret, as a document has it.
    ///
    /// - Throws: `unusableKey` if the secret cannot be decrypted.
    func entry(_ keys: KeyRing) throws -> JSONValue {
        guard let sealedSecret else { return value }
        guard let path = kind.secretPath else {
            guard kind == .policy else { return value }
            return policyEntry(try keys.open(sealedSecret, SealedSecret.Owner.setting(kind, name).context))
        }
        let secret = try keys.open(sealedSecret, SealedSecret.Owner.setting(kind, name).context)
        return value.giving(.string(secret), at: path[...])
    }
}

extension JSONValue {
    /// The value without the member at a path, and that member.
    func taking(_ path: ArraySlice<String>) -> (value: JSONValue, secret: JSONValue?) {
        guard let name = path.first, case .object(var members) = self,
            let index = members.firstIndex(where: { $0.name == name })
        else { return (self, nil) }
        guard path.count > 1 else {
            let taken = members.remove(at: index).value
            return (.object(members), taken)
        }
        let inner = members[index].value.taking(path.dropFirst())
        members[index] = Member(name, inner.value)
        return (.object(members), inner.secret)
    }

    /// The value with another one at a path.
    func giving(_ value: JSONValue, at path: ArraySlice<String>) -> JSONValue {
        guard let name = path.first else { return value }
        var changed = self
        changed[name] = (self[name] ?? [:]).giving(value, at: path.dropFirst())
        return changed
    }
}

extension SignInRecords {
    /// A number that changes with each change of a setting.
    func settingsVersion() throws -> Int64 {
        try directory.store.read { try $0.first(SettingStatements.version) { $0.integer(0) } ?? 0 }
    }

    /// All stored settings.
    func storedSettings() throws -> [StoredSetting] {
        try directory.store.read { connection in
            try connection.all(SettingStatements.select, [.null, .null]) { try StoredSetting($0) }.compactMap { $0 }
        }
    }
}

extension TransactionSettings {
    /// The stored settings of a kind, by name.
    ///
    /// - Throws: `notPermitted` for all but administrators.
    package func all(_ kind: StoredSetting.Kind) throws -> [StoredSetting] {
        try transaction.checkAdministrator(to: "read the settings of the service")
        return try transaction.connection.all(SettingStatements.select, [.text(kind.rawValue), .null]) {
            try StoredSetting($0)
        }
        .compactMap { $0 }
    }

    func setting(_ kind: StoredSetting.Kind, _ name: String) throws -> StoredSetting? {
        try transaction.connection.all(SettingStatements.select, [.text(kind.rawValue), .text(name)]) {
            try StoredSetting($0)
        }
        .compactMap { $0 }.first
    }
}
