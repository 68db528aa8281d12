import Roster
package import RosterOpenID
import RosterText

/// The issuers whose tokens are exchanged for ours: the document `Security_AuthTokenConfiguration`.
///
/// The fields and their defaults are those of Oracle's reference. Where the reference is silent, these rules apply:
///
/// - A field that is unknown or of another type, also `null`, makes the document wrong, because a mistyped name would leave a rule
///   out. In a filter or an entry of `allowedMbes` it makes only that one wrong, which then refuses tokens, as the reference says of
///   filters.
/// - The same `issuerName` twice in one list makes the document wrong.
/// - An issuer has exactly one of `jwks` and `certificateSubjectNames`. Without them, no token could be verified.
/// - A reload interval that is given alone changes the default of the other.
/// - Versions of TLS before 1.2 are left out with a note. If no other version is left, the document is wrong.
/// - `samlIssuers`, beside `issuers`, is our own: there an administrator registers SAML issuers with `issuerName`,
///   `enabled`, `certificateSubjectNames`, `virtualUserEnabled`, `usernameAttribute`, `userMappingAttribute`,
///   `roleAttributes` (an array of texts, or one text with commas), `roleMappings` and `defaultRoles`.
/// - `userMappingIgnoresCase` and `emailVerificationWaived`, of both kinds of issuers, are our own, too. They loosen how a
///   local user is found: see ``TrustedIssuer/nameComparison`` and ``TrustedIssuer/waivesMailVerification``.
package struct TrustedIssuers: Sendable, Hashable {
    /// The largest size of a document: 1 MiB.
    package static let maximumBytes = 1_048_576

    /// The issuers of JWTs (`issuers`) in the order of the document.
    package let jwtIssuers: [TrustedIssuer]
    /// The issuers of SAML assertions (`samlIssuers`) in the order of the document.
    package let samlIssuers: [TrustedIssuer]
    /// The intervals at which the document is loaded again: `policyMinReloadInterval` 10 s, `policyMaxReloadInterval` 120 s.
    package let policyReload: ReloadRule
    /// The intervals at which stored certificates are loaded again: `certificatesMinReloadInterval` 10 s,
    /// `certificatesMaxReloadInterval` 300 s.
    package let certificatesReload: ReloadRule
    /// Warnings about a document that was accepted, each with the path of a field.
    package let notes: [String]

    package static let none = TrustedIssuers()

    private init() {
        (jwtIssuers, samlIssuers, notes) = ([], [], [])
        (policyReload, certificatesReload) = (Self.policyDefault, Self.certificatesDefault)
    }

    /// Reads a document.
    ///
    /// - Parameter bytes: JSON in UTF-8, at most ``maximumBytes``.
    /// - Throws: `DirectoryError` `invalidInput`, with the line of a syntax error, or with the path of a wrong field, such as
    ///   `issuers[2].jwks.connectTimeout`. The error quotes no text of the document.
    package init(document bytes: [UInt8]) throws {
        guard bytes.count <= Self.maximumBytes else {
            throw DocumentObject.problem(
                "", "is longer than \(Self.maximumBytes) bytes.", "Trust fewer issuers, or write it shorter.")
        }
        try self.init(try JSONValue(strictly: bytes))
    }

    /// Reads a document that is JSON already, as the initializer with bytes does.
    init(_ document: JSONValue) throws {
        var root = try DocumentObject(document, at: "")
        var notes: [String] = []
        let jwt = try root.required(root.array("issuers"), "issuers")
        let saml = try root.array("samlIssuers") ?? []
        policyReload = try ReloadRule(
            &root, minimum: "policyMinReloadInterval", maximum: "policyMaxReloadInterval", least: 0,
            defaults: Self.policyDefault)
        certificatesReload = try ReloadRule(
            &root, minimum: "certificatesMinReloadInterval", maximum: "certificatesMaxReloadInterval", least: 0,
            defaults: Self.certificatesDefault)
        try root.finish()
        jwtIssuers = try jwt.map { try TrustedIssuer(jwt: $0.value, at: $0.path, notes: &notes) }
        samlIssuers = try saml.map { try TrustedIssuer(saml: $0.value, at: $0.path, notes: &notes) }
        try Self.checkNames(jwtIssuers, "issuers")
        try Self.checkNames(samlIssuers, "samlIssuers")
        for (index, issuer) in samlIssuers.enumerated() where jwtIssuers.contains(where: { $0.isNamed(issuer.name) }) {
            notes.append("samlIssuers[\(index)].issuerName: issuers has the same name, so both name the same users.")
        }
        self.notes = notes
    }

    /// The issuer with exactly this name; nil if no such issuer is trusted.
    package func issuer(named name: String, format: VerifiedToken.Format) -> TrustedIssuer? {
        switch format {
        case .jwt: jwtIssuers.first { $0.isNamed(name) }
        case .saml: samlIssuers.first { $0.isNamed(name) }
        }
    }

    /// Warnings about rules that accept more, or less, than they seem to, each with the path of a field.
    package var warnings: [String] {
        jwtIssuers.enumerated().flatMap { index, issuer in
            var warnings: [String] = []
            if issuer.audience.isEmpty {
                warnings.append(
                    "issuers[\(index)].audience is not given: a token that names no audience is accepted, also one that was made "
                        + "for another service. Name the audience that the issuer's tokens for this service have.")
            }
            if issuer.requiresClientAuthenticationAlways {
                warnings.append(
                    "issuers[\(index)].requireClientAuth is written out: GET /mobile/platform/sso/exchange-token, which has no "
                        + "place for a secret, refuses the issuer's tokens. Leave it out to allow GET.")
            }
            return warnings
        }
    }

    private static let policyDefault = ReloadRule(minimumSeconds: 10, maximumSeconds: 120)
    private static let certificatesDefault = ReloadRule(minimumSeconds: 10, maximumSeconds: 300)

    private static func checkNames(_ issuers: [TrustedIssuer], _ list: String) throws {
        var seen: [[UInt8]: Int] = [:]
        for (index, issuer) in issuers.enumerated() {
            if let first = seen.updateValue(index, forKey: Array(issuer.name.utf8)) {
                throw DocumentObject.problem(
                    "\(list)[\(index)].issuerName", "is the same as that of \(list)[\(first)].",
                    "Put both together in one entry.")
            }
        }
    }
}
