import Foundation
import Roster
import RosterSignIn
import RosterText

/// Documents, tokens and requests as the tests of the exchange make them.
enum IssuerDocuments {
    static let now = Date(timeIntervalSince1970: 1_700_000_000)
    static let backend = ExchangingBackend(name: "FixItFast", version: "1.0", clientID: "client-7")
    static let base = "https://roster.example"
    static let issuerName = "https://idp.example"

    /// A value with other members put in, or taken out where they are `null` in the Swift sense.
    static func merged(_ value: JSONValue, _ changes: [String: JSONValue?]) -> JSONValue {
        var value = value
        for (name, change) in changes { value[name] = change }
        return value
    }

    /// An issuer with the fewest fields, and these.
    static func issuer(_ fields: [String: JSONValue?] = [:]) -> JSONValue {
        merged(["issuerName": .string(issuerName), "certificateSubjectNames": ["CN=idp"]], fields)
    }

    /// An issuer with a key set with these fields.
    static func issuer(jwks fields: [String: JSONValue?]) -> JSONValue {
        issuer([
            "certificateSubjectNames": nil, "jwks": merged(["jwksUri": "https://idp.example/keys"], fields),
        ])
    }

    static func read(_ root: JSONValue) throws -> TrustedIssuers { try TrustedIssuers(document: root.bytes) }

    static func readIssuer(_ fields: [String: JSONValue?] = [:]) throws -> TrustedIssuer {
        try read(["issuers": [issuer(fields)]]).jwtIssuers[0]
    }

    static func readKeySet(_ fields: [String: JSONValue?] = [:]) throws -> KeySetSource? {
        let issuers = try read(["issuers": [issuer(jwks: fields)]])
        guard case .keySet(let source) = issuers.jwtIssuers[0].keys else { return nil }
        return source
    }

    static func readSAML(_ fields: [String: JSONValue?] = [:]) throws -> TrustedIssuer {
        try read(["issuers": [], "samlIssuers": [issuer(fields)]]).samlIssuers[0]
    }

    /// What is wrong with a document; nil where nothing is.
    static func problem(_ root: JSONValue) -> String? { problem(root.bytes) }

    static func problem(_ bytes: [UInt8]) -> String? {
        do {
            _ = try TrustedIssuers(document: bytes)
            return nil
        } catch let error as DirectoryError {
            return error.code == .invalidInput && error.advice != nil ? error.message : "another error: \(error)"
        } catch {
            return "another error: \(error)"
        }
    }

    /// The claims of a token with the fewest claims, and these.
    static func token(_ claims: [String: JSONValue?] = [:]) -> VerifiedToken {
        VerifiedToken(jwt: merged(["iss": .string(issuerName), "sub": "ada"], claims))
    }

    /// What an issuer with these fields decides about a token with these claims.
    static func decision(
        _ fields: [String: JSONValue?] = [:], _ claims: [String: JSONValue?] = [:],
        policy: TokenExchangePolicy = .standard
    ) throws -> ExchangeReport {
        try readIssuer(fields).decide(token(claims), policy)
    }

    /// The rule that refuses; nil where the token is taken.
    static func refusal(
        _ fields: [String: JSONValue?] = [:], _ claims: [String: JSONValue?] = [:]
    ) throws -> ExchangeStep.Rule? {
        try decision(fields, claims).refusal?.rule
    }
}

extension TrustedIssuer {
    /// What the issuer decides about a token for the backend of ``IssuerDocuments``.
    func decide(_ token: VerifiedToken, _ policy: TokenExchangePolicy = .standard) -> ExchangeReport {
        var report = ExchangeReport()
        try? decide(
            token, for: IssuerDocuments.backend, baseURL: IssuerDocuments.base, policy: policy,
            now: IssuerDocuments.now, &report)
        return report
    }
}
