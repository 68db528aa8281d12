package import Foundation
import Roster
import RosterWire

/// Whose tokens are believed: the document of trusted issuers, the certificates beside it and the keys that issuers publish,
/// each read again by its own intervals.
package actor IssuerTrust {
    /// Where the document and the certificates are.
    package struct Source: Sendable {
        /// The document; nil where nobody is trusted.
        package var document: URL?
        /// The folder of certificates in PEM or DER.
        package var certificates: URL?
        /// The lifetimes of issued tokens where an issuer says nothing.
        package var policy = TokenExchangePolicy.standard

        package init(document: URL? = nil, certificates: URL? = nil, policy: TokenExchangePolicy = .standard) {
            self.document = document
            self.certificates = certificates
            self.policy = policy
        }
    }

    /// Something that is read again now and then.
    private struct Kept<Value> {
        var value: Value
        var lastLoad: Date?
        var lastAttempt: Date?

        mutating func refresh(
            _ rule: ReloadRule, isMissing: Bool, now: Date, _ read: () throws -> Value
        ) throws {
            guard rule.shouldReload(lastLoad: lastLoad, lastAttempt: lastAttempt, isMissing: isMissing, now: now) else {
                return
            }
            lastAttempt = now
            value = try read()
            lastLoad = now
        }
    }

    package nonisolated let source: Source
    private let clock: @Sendable () -> Date
    private let keySets: KeySetCache
    private var document = Kept(value: TrustedIssuers.none)
    private var certificates = Kept(value: [Certificate]())
    /// What was wrong when the document was last read; the one before is in use then.
    package private(set) var problem: String?

    package init(_ source: Source = Source(), clock: @escaping @Sendable () -> Date = { Date() }) {
        self.source = source
        self.clock = clock
        keySets = KeySetCache(clock: clock)
    }

    /// Reads the document, and says what is wrong with it.
    package static func read(_ url: URL) throws -> TrustedIssuers {
        guard let data = try? Data(contentsOf: url) else {
            throw DirectoryError(
                .fileNotFound, "The issuers document '\(url.path)' cannot be read.", advice: "Check the path.")
        }
        return try TrustedIssuers(document: Array(data))
    }

    /// The issuer of a name; nil where nobody of that name is trusted.
    package func issuer(named name: String, format: VerifiedToken.Format) -> TrustedIssuer? {
        guard let url = source.document else { return nil }
        for isMissing in [false, true] {
            do {
                try document.refresh(document.value.policyReload, isMissing: isMissing, now: clock()) {
                    try Self.read(url)
                }
                problem = nil
            } catch {
                problem = "\(error)"
            }
            if let found = document.value.issuer(named: name, format: format) { return found }
        }
        return nil
    }

    /// The names of all issuers; nil where the document has never been read well.
    func issuerNames() -> [String]? {
        guard source.document != nil else { return [] }
        _ = issuer(named: "", format: .jwt)
        guard document.lastLoad != nil else { return nil }
        return (document.value.jwtIssuers + document.value.samlIssuers).map(\.name)
    }

    /// The issuers of SAML assertions.
    var samlIssuers: [TrustedIssuer] { document.value.samlIssuers }

    /// The certificates of these subjects that are valid now.
    func certificates(of subjects: [String]) -> [Certificate] {
        guard let folder = source.certificates else { return [] }
        let now = clock()
        let names = subjects.compactMap { SubjectName($0) }
        for isMissing in [false, true] {
            try? certificates.refresh(document.value.certificatesReload, isMissing: isMissing, now: now) {
                let files = try FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: nil)
                return files.sorted { $0.path < $1.path }.prefix(1_000).flatMap { file in
                    (try? Data(contentsOf: file)).map { Certificate.all(in: $0) } ?? []
                }
            }
            let found = certificates.value.filter { certificate in
                certificate.validity.contains(now) && names.contains { certificate.subject.matches($0) }
            }
            if !found.isEmpty { return found }
        }
        return []
    }

    /// The keys that may have signed a token of an issuer, or why there are none.
    func keys(
        of issuer: TrustedIssuer, for token: JSONWebToken
    ) async -> (keys: VerificationKeySet, problem: String?) {
        switch issuer.keys {
        case .certificates(let subjects):
            let keys = certificates(of: subjects).map { VerificationKey(id: nil, .asymmetric($0.key)) }
            return (
                VerificationKeySet(keys), keys.isEmpty ? "No certificate of these subjects is stored and valid." : nil
            )
        case .keySet(let source):
            var answer: (keys: VerificationKeySet?, problem: String?) = (nil, nil)
            for isMissing in [false, true] {
                answer = await keySets.keys(from: source, issuer: issuer.name, isMissing: isMissing)
                if let keys = answer.keys, !token.candidates(keys).isEmpty { return (keys, nil) }
            }
            return (
                answer.keys ?? VerificationKeySet([]), answer.problem ?? "The issuer publishes no key of that 'kid'."
            )
        }
    }
}
