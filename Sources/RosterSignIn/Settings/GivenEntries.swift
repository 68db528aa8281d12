import Foundation
import Roster
import RosterCrypto
package import RosterText

/// An entry of the documents and options that the service was started with.
package struct GivenEntry: Sendable {
    package let name: String
    /// The entry without its secret.
    package let value: JSONValue
    package let hasSecret: Bool

    package init(_ name: String, value: JSONValue) { (self.name, self.value, hasSecret) = (name, value, false) }

    fileprivate init(_ name: String, _ entry: JSONValue, _ kind: StoredSetting.Kind) {
        let (value, secret) = StoredSetting.parts(of: entry, kind)
        (self.name, self.value, hasSecret) = (name, value, secret != nil)
    }
}

extension SettingsKeeper {
    /// The entries of a kind that the service was started with. Stored settings with the same names have no effect.
    ///
    /// - Throws: `DirectoryError` if the document of issuers cannot be read.
    package func givenEntries(_ kind: StoredSetting.Kind) throws -> [GivenEntry] {
        switch kind {
        case .jwtIssuer: try issuers("issuers", kind)
        case .samlIssuer: try issuers("samlIssuers", kind)
        case .certificate:
            try given.issuers.certificates.map { try IssuerTrust.files(in: $0) }?
                .filter { !$0.certificates.isEmpty }.map { file in
                    GivenEntry(file.name, ["subjects": .texts(file.certificates.map(\.subjectText))], kind)
                } ?? []
        case .provider: entries(given.providers.entries, kind)
        case .socialProvider: entries(given.providers.socialEntries, kind)
        case .policy:
            try (givenPolicies + givenIssuers).map { GivenEntry($0.policy.rawValue, ["value": $0.value], kind) }
        }
    }

    private func entries(_ entries: [String: JSONValue], _ kind: StoredSetting.Kind) -> [GivenEntry] {
        entries.sorted { $0.key < $1.key }.map { GivenEntry($0.key, $0.value, kind) }
    }

    private func issuers(_ list: String, _ kind: StoredSetting.Kind) throws -> [GivenEntry] {
        guard let url = given.issuers.document else { return [] }
        let json = try JSONValue(strictly: DocumentObject.bytes(url, "issuers document"))
        return (json[list]?.elements ?? []).compactMap { entry in
            entry["issuerName"]?.text.map { GivenEntry($0, entry, kind) }
        }
    }

    /// The document of issuers as a policy; nothing without a document.
    private var givenIssuers: [(policy: ServicePolicy, value: JSONValue)] {
        get throws {
            guard let url = given.issuers.document else { return [] }
            return [(.tokenIssuers, try JSONValue(strictly: DocumentObject.bytes(url, "issuers document")))]
        }
    }

    /// The policies whose values at the start were other than the standard ones.
    private var givenPolicies: [(policy: ServicePolicy, value: JSONValue)] {
        let (settings, standard) = (ServiceSettings(given), TokenExchangePolicy.standard)
        var policies: [ServicePolicy] = []
        if given.issuers.policy.lifetime != standard.lifetime { policies.append(.exchangeLifetime) }
        if given.issuers.policy.timeoutPolicy != standard.timeoutPolicy { policies.append(.exchangePolicy) }
        if !given.tokens.members.isEmpty { policies.append(.tokens) }
        if !given.allowsBareBasic { policies.append(.bareBasic) }
        return policies.map { ($0, settings.value(of: $0)) }
    }
}
