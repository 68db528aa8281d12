import Foundation
package import Roster
package import RosterCrypto
import RosterStore
package import RosterText

/// The settings that apply to the service now: those that it was started with, and those that administrators stored in the directory.
///
/// A setting of the service's start counts before a stored setting of the same kind and name. A stored setting that cannot be used,
/// such as a provider whose secret was lost, has no effect.
package struct ServiceSettings: Sendable {
    /// The stored document of issuers, which was set whole. It has no effect if the service was started with a document.
    package private(set) var issuersDocument = TrustedIssuers.none
    /// The issuers of JWTs that were stored one by one. Those of the service's document are in ``IssuerTrust``.
    private var jwtIssuers: [TrustedIssuer] = []
    /// The issuers of SAML assertions that were stored one by one.
    private var separateSAMLIssuers: [TrustedIssuer] = []
    /// The stored certificates of issuers.
    package private(set) var certificates: [Certificate] = []
    /// The providers with which people can sign in.
    package private(set) var providers: IdentityProviders
    /// The lifetimes of exchanged tokens, for issuers without settings of their own.
    package private(set) var exchange: TokenExchangePolicy
    /// The token settings of backends without settings of their own.
    package private(set) var tokens: TokenSettings
    /// Whether HTTP Basic is accepted without a backend.
    package private(set) var allowsBareBasic: Bool
    /// Whether addresses that apps register may be in private networks.
    package private(set) var allowsPrivateAddresses = false
    /// Who may register apps by a request.
    package private(set) var registration = RegistrationRule.off
    /// The hosts whose documents describe apps, in small letters.
    package private(set) var documentHosts: Set<String> = []
    /// What pages and mails show of the organization.
    package private(set) var branding = Branding()
    /// The views of the people that everybody can choose, in the order of their names.
    package private(set) var peopleViews: [SavedView] = []
    /// The stored value of `Security_AllowOrigin`; nil for none.
    package private(set) var allowedOrigins: String?
    /// The reasons why stored settings have no effect, by kind and name.
    package private(set) var problems: [String: String] = [:]

    /// The settings that the service was started with.
    package struct Given: Sendable {
        package var issuers = IssuerTrust.Source()
        package var providers = IdentityProviders.none
        package var tokens = TokenSettings()
        package var allowsBareBasic = true
    }

    /// The settings without stored ones.
    init(_ given: Given) {
        providers = given.providers
        exchange = given.issuers.policy
        tokens = given.tokens
        allowsBareBasic = given.allowsBareBasic
    }

    init(_ given: Given, _ stored: [StoredSetting], _ keys: KeyRing) {
        self.init(given)
        for setting in stored {
            do {
                try add(try setting.entry(keys), setting.kind, setting.name, given)
            } catch let error as DirectoryError {
                problems[setting.kind.rawValue + " " + setting.name] = error.message
            } catch {
                problems[setting.kind.rawValue + " " + setting.name] = "\(error)"
            }
        }
    }

    /// Adds an entry of a document.
    ///
    /// - Throws: `DirectoryError` `invalidInput`, which names the field.
    mutating func add(_ entry: JSONValue, _ kind: StoredSetting.Kind, _ name: String, _ given: Given) throws {
        switch kind {
        case .jwtIssuer:
            jwtIssuers.append(try Self.issuer(entry, name) { try TrustedIssuer(jwt: $0, at: "", notes: &$1) })
        case .samlIssuer:
            separateSAMLIssuers.append(try Self.issuer(entry, name) { try TrustedIssuer(saml: $0, at: "", notes: &$1) })
        case .certificate: certificates += try Self.certificates(entry)
        case .provider: providers = try providers.adding(entry, named: name)
        case .socialProvider: providers = try providers.adding(social: entry, named: name)
        case .policy: try set(try ServicePolicy(named: name), try ServicePolicy.value(of: entry), given)
        }
    }

    private static func issuer(
        _ entry: JSONValue, _ name: String, _ read: (JSONValue, inout [String]) throws -> TrustedIssuer
    ) throws -> TrustedIssuer {
        var notes: [String] = []
        let issuer = try read(entry, &notes)
        guard issuer.isNamed(name) else {
            throw DocumentObject.problem("issuerName", "is not the name in the address.", "Make them the same.")
        }
        return issuer
    }

    private static func certificates(_ entry: JSONValue) throws -> [Certificate] {
        var object = try DocumentObject(entry, at: "")
        let text = try object.required(try object.text("certificate"), "certificate")
        try object.finish()
        let found = text.utf8.count <= 1 << 20 ? Certificate.all(in: Data(text.utf8)) : []
        guard !found.isEmpty else {
            throw DocumentObject.problem(
                "certificate",
                "has no certificate whose key is accepted (RSA of 2048 to 8192 bits, P-256, P-384, P-521, Ed25519).",
                "Give one or more certificates in PEM, at most 1 MiB.")
        }
        return found
    }

    private mutating func set(_ policy: ServicePolicy, _ value: JSONValue, _ given: Given) throws {
        switch policy {
        case .allowOrigin: allowedOrigins = try policy.text(value)
        case .exchangeLifetime:
            let lifetime = try policy.seconds(value, in: TokenExchangePolicy.timeoutRange)
            if given.issuers.policy.lifetime == TokenExchangePolicy.standard.lifetime { exchange.lifetime = lifetime }
        case .exchangePolicy:
            let choice = try policy.choice(value, TokenTimeoutPolicy.self)
            if given.issuers.policy.timeoutPolicy == TokenExchangePolicy.standard.timeoutPolicy {
                exchange.timeoutPolicy = choice
            }
        case .tokenIssuers:
            let document = try TrustedIssuers(value)
            if given.issuers.document == nil { issuersDocument = document }
        case .tokens: tokens = given.tokens.completed(by: try TokenSettings(value))
        case .bareBasic: allowsBareBasic = try policy.boolean(value) && given.allowsBareBasic
        case .privateAddresses: allowsPrivateAddresses = try policy.boolean(value)
        case .documentHosts: documentHosts = try policy.hosts(value)
        case .organizationName: branding.name = try policy.organizationName(value)
        case .color: branding.color = try policy.color(value)
        case .logo: branding.logo = try policy.logo(value)
        case .peopleViews: peopleViews = try SavedView.all(value)
        case .registration: registration = try policy.choice(value, RegistrationRule.self)
        }
    }

    /// The stored issuer with a name; nil if there is none. An entry of the stored document counts before one that was stored alone.
    func issuer(named name: String, format: VerifiedToken.Format) -> TrustedIssuer? {
        issuersDocument.issuer(named: name, format: format)
            ?? (format == .jwt ? jwtIssuers : separateSAMLIssuers).first { $0.isNamed(name) }
    }

    /// The stored issuers of SAML assertions.
    package var samlIssuers: [TrustedIssuer] {
        let own = issuersDocument.samlIssuers
        return own + separateSAMLIssuers.filter { other in !own.contains { $0.isNamed(other.name) } }
    }
}

extension TransactionSettings {
    /// The stored policies, without those that have a secret. Unlike ``SettingsKeeper/current``, this needs no key file.
    ///
    /// - Throws: `notPermitted` for all but administrators.
    package func policies() throws -> ServiceSettings {
        var settings = ServiceSettings(.init())
        for setting in try all(.policy) where !setting.hasSecret {
            try settings.add(setting.value, .policy, setting.name, .init())
        }
        return settings
    }
}

/// Keeps the settings that apply, and reads them again when an administrator has changed one.
package final class SettingsKeeper: Sendable {
    private struct Known: Sendable {
        var changes: UInt64
        let version: Int64
        let settings: ServiceSettings
    }

    /// The read that ``current`` makes after a change of the directory.
    package static let expectation = Expectation.other(ExpectedRead(SettingStatements.version, []))

    package let given: ServiceSettings.Given
    private let directory: Directory
    private let keys: KeyRing
    private let known = Locked<Known?>(nil)

    package init(_ directory: Directory, keys: KeyRing, given: ServiceSettings.Given = .init()) {
        (self.directory, self.keys, self.given) = (directory, keys, given)
    }

    /// The settings that apply now. Cost: nothing while the directory does not change, one look-up after a change, and the
    /// reading of all settings after a change of a setting. While the directory cannot be read, the last settings apply.
    package var current: ServiceSettings {
        let changes = directory.commitCount
        let last = known.withLock { $0 }
        if let last, last.changes == changes { return last.settings }
        guard let version = try? directory.signInRecords.settingsVersion() else {
            return last?.settings ?? ServiceSettings(given)
        }
        if var last, last.version == version {
            last.changes = changes
            known.withLock { [last] in $0 = last }
            return last.settings
        }
        guard let stored = try? directory.signInRecords.storedSettings() else {
            return last?.settings ?? ServiceSettings(given)
        }
        let settings = stored.isEmpty ? ServiceSettings(given) : ServiceSettings(given, stored, keys)
        known.withLock { $0 = Known(changes: changes, version: version, settings: settings) }
        return settings
    }

    /// Checks and stores a setting. It applies at once.
    ///
    /// - Parameter entry: The entry as a document has it. Without its secret, the stored secret stays.
    /// - Returns: Whether the setting is new.
    /// - Throws: `DirectoryError` `invalidInput`, which names the field; `alreadyExists` if the service was started with an entry of the
    ///   same kind and name; `limitExceeded`, `notPermitted`, `recentSignInRequired`, `appNotPermitted`.
    package func store(
        _ kind: StoredSetting.Kind, _ name: String, _ entry: JSONValue, in view: DirectoryView
    ) async throws -> Bool {
        guard (1...1_024).contains(name.utf8.count) else {
            throw DirectoryError(
                .invalidName, "The name is empty, or longer than 1,024 bytes.", advice: "Choose another one.")
        }
        try checkIsOpen(kind, name)
        let entry = kind == .policy ? try ServicePolicy.storedForm(of: entry, named: name) : entry
        return try await view.awaitWrite { [self] in
            try store(
                kind, name, entry, in: $0.asPresentAdministrator(to: "change the settings of the service").settings)
        }
    }

    /// Checks and stores several policies in one transaction: all of them apply, or none.
    ///
    /// - Parameter values: The values by the names of the policies; null gives a policy its standard value again.
    /// - Throws: As ``store(_:_:_:in:)``. An `invalidInput` begins with the name of the policy.
    package func store(policies values: [JSONValue.Member], in view: DirectoryView) async throws {
        let entries = try values.map { member -> (name: String, entry: JSONValue?) in
            _ = try ServicePolicy(named: member.name)
            try checkIsOpen(.policy, member.name)
            guard member.value != .null else { return (member.name, nil) }
            return (member.name, try ServicePolicy.storedForm(of: ["value": member.value], named: member.name))
        }
        try await view.awaitWrite { [self] transaction in
            // A standard value that no policy replaces is not stored and not deleted.
            let settings = try transaction.asPresentAdministrator(to: "change the settings of the service").settings
            for (name, entry) in entries {
                guard let entry else {
                    if try transaction.settings.setting(.policy, name) != nil {
                        try settings.delete(.policy, name)
                    }
                    continue
                }
                do {
                    _ = try store(.policy, name, entry, in: settings)
                } catch let error as DirectoryError where error.code == .invalidInput {
                    throw DirectoryError(.invalidInput, "\(name): \(error.message)", advice: error.advice)
                }
            }
        }
    }

    func store(
        _ kind: StoredSetting.Kind, _ name: String, _ entry: JSONValue, in settings: AdministratorSettings
    ) throws -> Bool {
        let transaction = settings.transaction
        let isNew = try settings.store(kind, name, entry, keys)
        guard let stored = try transaction.settings.setting(kind, name) else { return isNew }
        // The others are there so that two providers with the same issuer and client are refused.
        let others = try transaction.settings.all(kind).filter { $0.name != name }
        var settings = ServiceSettings(given, others, keys)
        try settings.add(stored.entry(keys), kind, name, given)
        return isNew
    }

    /// Refuses a name that an entry of the service's own documents has, because that entry counts.
    private func checkIsOpen(_ kind: StoredSetting.Kind, _ name: String) throws {
        guard try givenEntries(kind).contains(where: { $0.name.hasSameBytes(as: name) }) else { return }
        throw DirectoryError(
            .alreadyExists, "The server was started with an entry of that name, which counts.",
            advice: "Change it in the server's file or options, or take it out there first.")
    }
}
