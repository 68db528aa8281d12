import Foundation
package import Roster
import RosterOpenID
package import RosterText

/// One finding of a trial of an entry. A trial fetches the documents that the entry names, as the service does once the entry is stored.
package struct TrialFinding: Sendable, Hashable {
    /// The subject of a finding.
    package enum Subject: String, Sendable, Hashable, CaseIterable {
        /// The trial looked at the issuer's discovery document.
        case discovery
        /// The trial looked at the authorization endpoint and the token endpoint, which the discovery document names.
        case endpoints
        /// The trial looked at the key set that the issuer publishes.
        case keys
    }

    package let subject: Subject
    /// The URL that the trial fetched, or for the endpoints the authorization endpoint; nil for none.
    package let url: String?
    /// The problem that the trial found; nil for none.
    package let problem: String?
}

extension RelyingParty {
    /// Tries an entry before an administrator stores the entry: fetches the discovery document and the keys of a provider, or the keys of
    /// an issuer of JWTs. The limits on addresses, sizes and times of stored entries apply. The trial sends no stored secret.
    ///
    /// - Parameter kind: The kind of the entry. Entries of other kinds name no documents, so that the trial checks their form only.
    /// - Returns: The findings in order. The first problem ends the trial.
    /// - Throws: `DirectoryError` `invalidInput`, which names the field; `notPermitted`, `recentSignInRequired`, `appNotPermitted`;
    ///   `CancellationError`.
    package func trial(
        of kind: StoredSetting.Kind, _ entry: JSONValue, in view: DirectoryView
    ) async throws -> [TrialFinding] {
        try view.read { try $0.settings.checkTrial() }
        var notes: [String] = []
        switch kind {
        case .provider:
            let provider = try IdentityProvider(entry, named: "", at: "", notes: &notes)
            return try await asked("\0trial") { try await findings(about: provider) }
        case .jwtIssuer:
            let issuer = try TrustedIssuer(jwt: entry, at: "", notes: &notes)
            guard case .keySet(let source) = issuer.keys else { return [] }
            return try await asked("\0trial") {
                let cache = KeySetCache(by: client.fetcher, clock: clock)
                let problem = await cache.keys(from: source, issuer: issuer.name, isMissing: false).problem
                return [TrialFinding(subject: .keys, url: source.location.url, problem: problem)]
            }
        case .samlIssuer: _ = try TrustedIssuer(saml: entry, at: "", notes: &notes)
        case .socialProvider: _ = try SocialProvider(entry, named: "facebook", at: "")
        case .certificate, .policy: break
        }
        return []
    }

    private func findings(about provider: IdentityProvider) async throws -> [TrialFinding] {
        let fetched: JSONValue
        do { fetched = try await client.document(provider.discoveryURL, of: provider) } catch let problem
            as DocumentFetcher.Problem
        {
            return [.init(subject: .discovery, url: provider.discoveryURL, problem: problem.description)]
        }
        guard let metadata = ProviderMetadata(fetched, issuer: provider.issuer) else {
            let problem =
                fetched["issuer"]?.text.map {
                    "The document is of the issuer '\($0.prefix(200))'. Give exactly this text as the issuer."
                } ?? "The document names no 'issuer'."
            return [.init(subject: .discovery, url: provider.discoveryURL, problem: problem)]
        }
        var findings = [TrialFinding(subject: .discovery, url: provider.discoveryURL, problem: nil)]
        guard let authorization = metadata.authorizationEndpoint, metadata.tokenEndpoint != nil else {
            let missing = metadata.authorizationEndpoint == nil ? "authorization_endpoint" : "token_endpoint"
            let problem = "The document names no '\(missing)' with an https URL."
            return findings + [.init(subject: .endpoints, url: nil, problem: problem)]
        }
        findings.append(.init(subject: .endpoints, url: authorization, problem: nil))
        // Tokens that are signed with the secret need no keys.
        if provider.isSignedWithSecret { return findings }
        guard let url = metadata.keySetURL else {
            let problem = ProviderDocuments.Problem.noKeySet.description
            return findings + [.init(subject: .keys, url: nil, problem: problem)]
        }
        do {
            let keys = VerificationKeySet(try await client.document(url, of: provider))
            let problem =
                switch keys?.keys.isEmpty {
                case nil: ProviderDocuments.Problem.badKeySet.description
                case true?: "The key set has no key that can be used."
                case false?: String?.none
                }
            findings.append(.init(subject: .keys, url: url, problem: problem))
        } catch let problem as DocumentFetcher.Problem {
            findings.append(.init(subject: .keys, url: url, problem: problem.description))
        }
        return findings
    }
}

extension TransactionSettings {
    /// Refuses a trial of a setting by everyone except administrators with a recent sign-in, because the server sends requests for it.
    fileprivate func checkTrial() throws {
        _ = try transaction.asPresentAdministrator(to: "test the settings of the service")
    }
}

extension KeySetSource.Location {
    fileprivate var url: String {
        switch self {
        case .keySet(let url), .discovery(let url): url
        }
    }
}
