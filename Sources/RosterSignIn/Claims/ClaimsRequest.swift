import Roster
import RosterText

/// The claims that an app asks for by name (OpenID Connect Core, section 5.5), beside those of its scopes.
package struct ClaimsRequest: Sendable, Hashable, Codable {
    /// The names of the claims for the id token.
    let idToken: [String]
    /// The names of the claims for user info.
    let userInfo: [String]
    /// The subjects of whom one has to sign in; empty for anybody.
    let subjects: [String]

    private static let longest = 8_192
    /// The claims that one request may name.
    private static let most = 64

    /// Reads the parameter `claims`.
    ///
    /// - Throws: ``OAuthError`` `invalid_request`, or `unmet_authentication_requirements` for a class of authentication that must be
    ///   met, because the service knows none.
    init(_ text: String) throws {
        let refused = OAuthError(
            .invalidRequest, "'claims' is not a JSON object as in OpenID Connect Core, section 5.5.")
        guard text.utf8.count <= Self.longest, let json = try? JSONValue(strictly: Array(text.utf8)),
            case .object = json
        else { throw refused }
        func names(_ member: String) throws -> [String] {
            switch json[member] {
            case nil, .null?: return []
            case .object(let members)?:
                guard members.count <= Self.most,
                    members.allSatisfy({ if case .object = $0.value { true } else { $0.value.isNull } })
                else { throw refused }
                return members.map(\.name)
            default: throw refused
            }
        }
        (idToken, userInfo) = (try names("id_token"), try names("userinfo"))
        let subject = json["id_token"]?["sub"]
        subjects = (subject?["value"].map { [$0] } ?? subject?["values"]?.elements ?? []).map { $0.text ?? "" }
        let context = json["id_token"]?["acr"]
        if context?["essential"] == true, context?["value"] != nil || context?["values"] != nil {
            throw OAuthError(
                .unmetAuthenticationRequirements, "The service knows no classes of authentication ('acr').")
        }
    }

    /// Reads the form in which grants are stored.
    init?(stored json: JSONValue?) {
        guard let json else { return nil }
        (idToken, userInfo, subjects) = (json["id_token"]?.texts ?? [], json["userinfo"]?.texts ?? [], [])
    }

    /// The form in which grants are stored. The subject is that of the grant.
    var stored: JSONValue { ["id_token": .texts(idToken), "userinfo": .texts(userInfo)] }

    /// The scopes whose claims are asked for, as far as a backend may have these scopes.
    func scopes(for backend: Backend) -> [Scope] {
        var scopes: [Scope] = []
        for name in idToken + userInfo {
            guard let scope = Self.scope(of: name), AuthorizationRequest.isAllowed(scope, backend),
                !scopes.contains(scope)
            else { continue }
            scopes.append(scope)
        }
        return scopes
    }

    /// The scope that asks for a claim; nil for claims that no scope asks for.
    static func scope(of claim: String) -> Scope? { scopesOfClaims[claim] }

    /// All claims that scopes ask for, in the order in which discovery lists them.
    package static let known: [(scope: Scope, claims: [String])] = [
        (
            .profile,
            [
                "preferred_username", "name", "given_name", "family_name", "middle_name", "nickname", "profile",
                "picture", "locale", "zoneinfo", "updated_at",
            ]
        ),
        (.email, ["email", "email_verified"]), (.phone, ["phone_number", "phone_number_verified"]),
        (.address, ["address"]), (.roles, ["roles"]), (.groups, ["groups"]),
    ]
    private static let scopesOfClaims = Dictionary(
        uniqueKeysWithValues: known.flatMap { entry in entry.claims.map { ($0, entry.scope) } })
}
