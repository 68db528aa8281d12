import Roster
import RosterCrypto
import RosterText

extension TrustedIssuer {
    /// Whether the entry is about tokens with this issuer.
    func isNamed(_ name: String) -> Bool { self.name.hasSameBytes(as: name) }

    /// Reads an issuer of JWTs.
    init(jwt value: JSONValue, at path: String, notes: inout [String]) throws {
        var object = try DocumentObject(value, at: path)
        let name = try object.required(object.text("issuerName"), "issuerName")
        let keySet = object.value("jwks")
        let certificates = try Self.certificates(&object)
        let keys: KeySource
        switch (keySet, certificates) {
        case (let keySet?, nil):
            keys = .keySet(try KeySetSource(keySet, at: object.path(of: "jwks"), notes: &notes))
        case (nil, let names?): keys = .certificates(subjectNames: names)
        case (nil, nil):
            throw DocumentObject.problem(
                path, "has neither jwks nor certificateSubjectNames, so no token could be verified.", "Add one of them."
            )
        case (_?, _?):
            throw DocumentObject.problem(
                path, "has both jwks and certificateSubjectNames.", "Keep the one that its keys come from.")
        }
        self.init(format: .jwt, name: name, keys: keys)
        audience = try object.texts("audience") ?? []
        let requirement = try object.boolean("requireClientAuth")
        requiresClientAuthentication = requirement ?? true
        requiresClientAuthenticationAlways = requirement ?? false
        takesTokensOnce = try object.boolean("tokenUsedOnce") ?? false
        clientIDAttribute = try object.text("clientIdAttribute")
        timeoutSeconds = try object.integer("tokenTimeoutSeconds", in: TokenExchangePolicy.timeoutRange)
        timeoutPolicy = try object.choice("tokenTimeoutPolicy", TokenTimeoutPolicy.self)
        filters = try object.array("filters")?.map { IssuerFilter($0.value, at: $0.path) } ?? []
        allowedBackends = try object.array("allowedMbes")?.map { AllowedBackend($0.value, at: $0.path) }
        issuerRoles = try object.texts("issuerRoles") ?? []
        roleAttributes = try object.texts("roleAttributes") ?? []
        try readCommon(&object)
        try object.finish()
        appendNotes(at: path, to: &notes)
    }

    /// Reads an issuer of SAML assertions.
    init(saml value: JSONValue, at path: String, notes: inout [String]) throws {
        var object = try DocumentObject(value, at: path)
        let name = try object.required(object.text("issuerName"), "issuerName")
        let names = try object.required(Self.certificates(&object), "certificateSubjectNames")
        self.init(format: .saml, name: name, keys: .certificates(subjectNames: names))
        roleAttributes = try object.names("roleAttributes") ?? []
        try readCommon(&object)
        try object.finish()
        appendNotes(at: path, to: &notes)
    }

    private init(format: VerifiedToken.Format, name: String, keys: KeySource) {
        (self.format, self.name, self.keys) = (format, name, keys)
    }

    private static func certificates(_ object: inout DocumentObject) throws -> [String]? {
        let names = try object.texts("certificateSubjectNames")
        if let names, names.isEmpty {
            throw DocumentObject.problem(
                object.path(of: "certificateSubjectNames"), "is empty, so no token could be verified.",
                "Name at least one certificate.")
        }
        return names
    }

    /// Reads the fields that both kinds of issuers have.
    private mutating func readCommon(_ object: inout DocumentObject) throws {
        isEnabled = try object.boolean("enabled") ?? true
        hasVirtualUsers = try object.boolean("virtualUserEnabled") ?? false
        usernameAttribute = try object.text("usernameAttribute")
        userMapping = try object.choice("userMappingAttribute", UserMapping.self) ?? .name
        nameComparison = try object.boolean("userMappingIgnoresCase") == true ? .ignoringASCIICase : .exact
        waivesMailVerification = try object.boolean("emailVerificationWaived") ?? false
        defaultRoles = try object.texts("defaultRoles") ?? []
        roleMappings =
            try object.array("roleMappings")?.map { element in
                var mapping = try DocumentObject(element.value, at: element.path)
                let tokenRole = try mapping.required(mapping.text("tokenRole"), "tokenRole")
                let roles = try mapping.required(mapping.texts("mappedRoles"), "mappedRoles")
                try mapping.finish()
                guard !roles.isEmpty else {
                    throw DocumentObject.problem(
                        mapping.path(of: "mappedRoles"), "is empty.", "Name at least one role.")
                }
                return RoleMapping(tokenRole: tokenRole, mappedRoles: roles)
            } ?? []
    }

    private func appendNotes(at path: String, to notes: inout [String]) {
        for case .malformed(let reason) in filters {
            notes.append("\(path).filters: every token is refused, for a filter is wrong: \(reason)")
        }
        for case .malformed(let reason) in allowedBackends ?? [] {
            notes.append("\(path).allowedMbes: an entry allows no backend, for it is wrong: \(reason)")
        }
        if case .certificates(let names) = keys {
            for (index, name) in names.enumerated() where SubjectName(name) == nil {
                notes.append(
                    "\(path).certificateSubjectNames[\(index)]: no certificate is found by it, for it is not a name such as "
                        + "CN=idp.example.com,O=Example.")
            }
        }
        if format == .saml, !hasVirtualUsers, userMapping == .mail, !waivesMailVerification {
            notes.append(
                "\(path).userMappingAttribute: assertions rarely say 'email_verified'; the others are refused unless "
                    + "emailVerificationWaived is true.")
        }
        if waivesMailVerification, hasVirtualUsers || userMapping != .mail {
            notes.append("\(path).emailVerificationWaived: means nothing unless local users are found by 'mail'.")
        }
        if allowedBackends?.isEmpty == true {
            notes.append("\(path).allowedMbes: the list is empty, so no backend may use the issuer.")
        }
    }
}
