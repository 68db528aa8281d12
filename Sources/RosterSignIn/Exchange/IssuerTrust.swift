package import Foundation
import Roster
package import RosterCrypto
import RosterOpenID
import RosterText

/// The document of trusted issuers, the certificates beside it and the keys that issuers publish. Each is read again at its own
/// intervals.
package actor IssuerTrust {
    /// The places of the document and the certificates.
    package struct Source: Sendable {
        package var document: URL?
        package var certificates: URL?
        /// The PEM file with further certificate authorities for the hosts of issuers and providers; nil for the system's only.
        package var authorities: URL?
        /// The lifetimes of issued tokens for issuers without settings of their own.
        package var policy = TokenExchangePolicy.standard
        /// Called once when the document cannot be read any more, with the reason, and once when it can be read again. The function must
        /// return at once, because tokens wait for it.
        package var notice: @Sendable (String) -> Void = { _ in }

        package init(document: URL? = nil, certificates: URL? = nil, policy: TokenExchangePolicy = .standard) {
            (self.document, self.certificates, self.policy) = (document, certificates, policy)
        }

        /// Checks that the folder of certificates exists. Without it no assertion could be verified, and nobody would know why.
        /// - Throws: `DirectoryError` `fileNotFound`, with the folder's path.
        package func check() throws {
            guard let certificates else { return }
            var isFolder: ObjCBool = false
            guard FileManager.default.fileExists(atPath: certificates.path, isDirectory: &isFolder), isFolder.boolValue
            else {
                throw DirectoryError(
                    .fileNotFound,
                    "The folder of certificates '\(certificates.path)' is not there, or is not a folder.",
                    advice: "Check the path, or make the folder.")
            }
        }
    }

    /// A value that is read again at intervals.
    private struct Kept<Value> {
        var value: Value
        var lastLoad: Date?
        var lastAttempt: Date?

        /// - Returns: Whether the value was due to be read again.
        mutating func refresh(
            _ rule: ReloadRule, isMissing: Bool, now: Date, _ read: () throws -> Value
        ) throws -> Bool {
            guard rule.shouldReload(lastLoad: lastLoad, lastAttempt: lastAttempt, isMissing: isMissing, now: now) else {
                return false
            }
            lastAttempt = now
            value = try read()
            lastLoad = now
            return true
        }
    }

    package nonisolated let source: Source
    /// The entries and certificates that administrators stored, which count beside the document; nil for none.
    private nonisolated let stored: SettingsKeeper?
    private let clock: @Sendable () -> Date
    private let keySets: KeySetCache
    private var document = Kept(value: TrustedIssuers.none)
    private var certificates = Kept(value: [Certificate]())
    /// The problem of the last attempt to read the document. Meanwhile the last good document is in use.
    package private(set) var problem: String?

    package init(
        _ source: Source = Source(), stored: SettingsKeeper? = nil, fetcher: DocumentFetcher = DocumentFetcher(),
        clock: @escaping @Sendable () -> Date = { Date() }
    ) {
        (self.source, self.stored) = (source, stored)
        self.clock = clock
        keySets = KeySetCache(by: fetcher, clock: clock)
    }

    /// Reads the document.
    package static func read(_ url: URL) throws -> TrustedIssuers {
        try TrustedIssuers(document: DocumentObject.bytes(url, "issuers document"))
    }

    /// The lifetimes of issued tokens for issuers without settings of their own.
    nonisolated var policy: TokenExchangePolicy { stored?.current.exchange ?? source.policy }

    /// The issuer with a name; nil if no such issuer is trusted. An entry of the document counts before a stored one.
    package func issuer(named name: String, format: VerifiedToken.Format) -> TrustedIssuer? {
        documentIssuer(named: name, format) ?? stored?.current.issuer(named: name, format: format)
    }

    private func documentIssuer(named name: String, _ format: VerifiedToken.Format) -> TrustedIssuer? {
        guard let url = source.document else { return nil }
        for isMissing in [false, true] {
            do {
                let isRead = try document.refresh(document.value.policyReload, isMissing: isMissing, now: clock()) {
                    try Self.read(url)
                }
                // A document that was not read again has the same problem as before.
                if isRead { note(nil) }
            } catch {
                note("\(error)")
            }
            if let found = document.value.issuer(named: name, format: format) { return found }
        }
        return nil
    }

    /// Stores the problem of the document, and reports where a problem began or ended.
    private func note(_ found: String?) {
        let before = problem
        problem = found
        switch (before, found) {
        case (nil, let found?):
            let rest = document.lastLoad == nil ? "Nobody is trusted until then." : "The last good one stays in use."
            source.notice("The issuers document cannot be used: \(found) \(rest)")
        case (_?, nil): source.notice("The issuers document can be used again.")
        default: break
        }
    }

    var samlIssuers: [TrustedIssuer] {
        let own = document.value.samlIssuers
        return own + (stored?.current.samlIssuers ?? []).filter { other in !own.contains { $0.isNamed(other.name) } }
    }

    /// The intervals for the folder of certificates, from the document that counts.
    private var certificatesReload: ReloadRule {
        (source.document == nil ? stored?.current.issuersDocument : nil)?.certificatesReload
            ?? document.value.certificatesReload
    }

    /// The valid certificates of these subjects.
    package func certificates(of subjects: [String]) -> [Certificate] {
        let now = clock()
        let names = subjects.compactMap { SubjectName($0) }
        func valid(_ certificates: [Certificate]) -> [Certificate] {
            certificates.filter { certificate in
                certificate.validity.contains(now) && names.contains { certificate.subject.matches($0) }
            }
        }
        let ownFound = valid(stored?.current.certificates ?? [])
        guard let folder = source.certificates else { return ownFound }
        for isMissing in [false, true] {
            _ = try? certificates.refresh(certificatesReload, isMissing: isMissing, now: now) {
                try Self.files(in: folder).flatMap(\.certificates)
            }
            let found = valid(certificates.value) + ownFound
            if !found.isEmpty { return found }
        }
        return []
    }

    /// The subjects of the stored certificates, expired or not, and the times at which they expire.
    package func storedCertificates() -> [(subject: String, end: Date)] {
        if let folder = source.certificates {
            _ = try? certificates.refresh(certificatesReload, isMissing: false, now: clock()) {
                try Self.files(in: folder).flatMap(\.certificates)
            }
        }
        return (certificates.value + (stored?.current.certificates ?? [])).map {
            ($0.subjectText, $0.validity.upperBound)
        }
    }

    nonisolated static func files(in folder: URL) throws -> [(name: String, certificates: [Certificate])] {
        let files = try FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: nil)
        return files.sorted { $0.path < $1.path }.prefix(1_000).map { file in
            (file.lastPathComponent, (try? Data(contentsOf: file)).map { Certificate.all(in: $0) } ?? [])
        }
    }

    /// The keys that may have signed a token of an issuer, or the reason why there are none.
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
            let keys = answer.keys ?? VerificationKeySet([])
            return (
                keys, answer.problem ?? keys.problem(with: token) ?? "The issuer publishes no key of that 'kid'."
            )
        }
    }
}

/// Explanations for an administrator at the command line, and for nobody else, because they show the configuration.
extension IssuerTrust {
    /// The reason why no issuer with a name is trusted.
    func explanation(ofUnknown name: String, _ format: VerifiedToken.Format) -> String {
        let (known, others) =
            switch format {
            case .jwt: (document.value.jwtIssuers, document.value.samlIssuers)
            case .saml: (document.value.samlIssuers, document.value.jwtIssuers)
            }
        let list = format == .jwt ? "issuers" : "samlIssuers"
        var text = "The token is of \(ShownText.quoted(name)), which is not among the '\(list)': "
        text += known.isEmpty ? "there are none." : "these are \(Self.listed(known.map(\.name)))."
        if others.contains(where: { $0.isNamed(name) }) {
            text += " It is in the other list, for tokens of another kind."
        }
        return text
    }

    /// The reason why there is no certificate of these subjects.
    func explanation(ofMissing subjects: [String]) -> String {
        guard let folder = source.certificates else { return "No folder of certificates is given." }
        _ = certificates(of: subjects)
        let names = subjects.compactMap { SubjectName($0) }
        let found = certificates.value.filter { certificate in names.contains { certificate.subject.matches($0) } }
        guard found.isEmpty else {
            let times = found.map {
                "\(ShownText.quoted($0.subjectText)) from \(ShownText.time($0.validity.lowerBound)) to "
                    + ShownText.time($0.validity.upperBound)
            }
            return "The certificates of the issuer are not valid now, at \(ShownText.time(clock())), but: "
                + times.prefix(20).joined(separator: ", ") + "."
        }
        let stored = certificates.value.map(\.subjectText)
        let useless = ((try? Self.files(in: folder)) ?? []).filter(\.certificates.isEmpty).map(\.name)
        return "No certificate of \(ShownText.list(subjects)) is stored in '\(folder.path)'. "
            + (stored.isEmpty ? "There is none at all." : "The subjects there are: \(Self.listed(stored)).")
            + (useless.isEmpty
                ? ""
                : " These files have none whose key is accepted (RSA of 2048 to 8192 bits, P-256, P-384, P-521, Ed25519): "
                    + Self.listed(useless) + ".")
    }

    private static func listed(_ names: [String]) -> String {
        ShownText.list(Array(names.prefix(20))) + (names.count > 20 ? " and \(names.count - 20) more" : "")
    }
}
