package import Foundation
import Roster
import RosterCrypto
import RosterText

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
        /// Told once when the document cannot be read any more, with what is wrong, and once when it can be again. Must
        /// return at once: tokens wait for it.
        package var notice: @Sendable (String) -> Void = { _ in }

        package init(document: URL? = nil, certificates: URL? = nil, policy: TokenExchangePolicy = .standard) {
            self.document = document
            self.certificates = certificates
            self.policy = policy
        }

        /// Checks that the folder of certificates is there: without it no assertion could be verified, and nobody would
        /// know why.
        /// - Throws: `DirectoryError` `fileNotFound`, with the folder's path.
        package func check() throws {
            guard let certificates else { return }
            var isFolder: ObjCBool = false
            guard FileManager.default.fileExists(atPath: certificates.path, isDirectory: &isFolder), isFolder.boolValue
            else {
                throw DirectoryError(
                    .fileNotFound, "The folder of certificates '\(certificates.path)' is not there, or is no folder.",
                    advice: "Check the path, or make the folder.")
            }
        }
    }

    /// Something that is read again now and then.
    private struct Kept<Value> {
        var value: Value
        var lastLoad: Date?
        var lastAttempt: Date?

        /// - Returns: Whether it was time to read it.
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
                let isRead = try document.refresh(document.value.policyReload, isMissing: isMissing, now: clock()) {
                    try Self.read(url)
                }
                // What is not read again yet is as broken as it was.
                if isRead { note(nil) }
            } catch {
                note("\(error)")
            }
            if let found = document.value.issuer(named: name, format: format) { return found }
        }
        return nil
    }

    /// Keeps what was wrong with the document, and tells where that began or is over.
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

    /// The issuers of SAML assertions.
    var samlIssuers: [TrustedIssuer] { document.value.samlIssuers }

    /// The certificates of these subjects that are valid now.
    func certificates(of subjects: [String]) -> [Certificate] {
        guard let folder = source.certificates else { return [] }
        let now = clock()
        let names = subjects.compactMap { SubjectName($0) }
        for isMissing in [false, true] {
            _ = try? certificates.refresh(document.value.certificatesReload, isMissing: isMissing, now: now) {
                try Self.files(in: folder).flatMap(\.certificates)
            }
            let found = certificates.value.filter { certificate in
                certificate.validity.contains(now) && names.contains { certificate.subject.matches($0) }
            }
            if !found.isEmpty { return found }
        }
        return []
    }

    /// The files of a folder, each with the certificates in it that can be used.
    private static func files(in folder: URL) throws -> [(name: String, certificates: [Certificate])] {
        let files = try FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: nil)
        return files.sorted { $0.path < $1.path }.prefix(1_000).map { file in
            (file.lastPathComponent, (try? Data(contentsOf: file)).map { Certificate.all(in: $0) } ?? [])
        }
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
            let keys = answer.keys ?? VerificationKeySet([])
            return (
                keys, answer.problem ?? keys.problem(with: token) ?? "The issuer publishes no key of that 'kid'."
            )
        }
    }
}

/// What an administrator is told at the command line, and nobody else: it shows what is configured.
extension IssuerTrust {
    /// Why nobody of a name is trusted.
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
            text += " It stands in the other list, for tokens of another kind."
        }
        return text
    }

    /// Why there is no certificate of these subjects.
    func explanation(ofMissing subjects: [String]) -> String {
        guard let folder = source.certificates else { return "No folder of certificates is given: add --certificates." }
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
                : " These files have none whose key is taken (RSA of 2048 to 8192 bits, P-256, P-384, P-521, Ed25519): "
                    + Self.listed(useless) + ".")
    }

    private static func listed(_ names: [String]) -> String {
        ShownText.list(Array(names.prefix(20))) + (names.count > 20 ? " and \(names.count - 20) more" : "")
    }
}
