import Foundation
import Roster
import RosterCrypto
import RosterText

/// The metadata with which an app describes itself (RFC 7591, section 2), as the settings of a backend.
struct ClientMetadata: Sendable {
    let name: String
    let settings: BackendSettings

    /// The scopes that an app may ask for that registered itself.
    private static let scopes: [Scope] = [.openID, .profile, .email, .phone, .address, .offlineAccess]

    /// Reads metadata. Members that are not known are ignored, as the standard wants.
    ///
    /// - Parameters:
    ///   - isTrusted: Whether an administrator registers the app. Other apps get few scopes, and their users are always asked.
    ///   - isPublic: Whether the app has no secret although it does not say so.
    /// - Throws: ``OAuthError`` `invalid_redirect_uri`, `invalid_client_metadata`.
    init(_ json: JSONValue, isTrusted: Bool, isPublic: Bool = false) throws {
        func refuse(_ text: String) -> OAuthError { OAuthError(.invalidClientMetadata, text) }
        guard case .object = json else { throw refuse("The metadata are not a JSON object.") }
        for name in ["jwks_uri", "sector_identifier_uri", "request_object_signing_alg", "software_statement"]
        where json[name] != nil { throw refuse("'\(name)' is not supported here.") }
        func texts(_ name: String) throws -> [String]? {
            guard let value = json[name], !value.isNull else { return nil }
            guard case .array(let elements) = value, elements.count <= 50, elements.allSatisfy({ $0.text != nil })
            else { throw refuse("'\(name)' takes a list of texts.") }
            return elements.compactMap(\.text)
        }
        func text(_ name: String) throws -> String? {
            guard let value = json[name], !value.isNull else { return nil }
            guard let text = value.text, text.utf8.count <= 2_048 else { throw refuse("'\(name)' takes a text.") }
            return text
        }
        let addresses = try texts("redirect_uris") ?? []
        if let bad = addresses.first(where: { RedirectURI.problem(with: $0) != nil }) {
            let problem = RedirectURI.problem(with: bad) ?? ""
            throw OAuthError(.invalidRedirectURI, "An address in 'redirect_uris' cannot be registered: \(problem).")
        }
        guard try texts("response_types") ?? ["code"] == ["code"] else { throw refuse("Only 'code' is answered.") }
        let method = try text("token_endpoint_auth_method") ?? (isPublic ? "none" : "client_secret_basic")
        guard ["none", "client_secret_basic", "client_secret_post", "private_key_jwt"].contains(method),
            !isPublic || method == "none"
        else { throw refuse("That 'token_endpoint_auth_method' is not supported here.") }
        // The document of a backend has the same names for the rest.
        var document: JSONValue = ["public": .boolean(method == "none"), "redirect_uris": .texts(addresses)]
        let grants = try texts("grant_types") ?? ["authorization_code"]
        guard isTrusted || grants.allSatisfy({ ["authorization_code", "refresh_token"].contains($0) }) else {
            throw refuse("Such an app may have the grant types 'authorization_code' and 'refresh_token'.")
        }
        guard !grants.contains("authorization_code") || !addresses.isEmpty else {
            throw OAuthError(.invalidRedirectURI, "'redirect_uris' is missing.")
        }
        document["grant_types"] = .texts(grants)
        document["scope"] = .string(Self.allowed(try text("scope"), isTrusted: isTrusted).text)
        // The standard's default is RS256 (OpenID Connect Dynamic Client Registration, section 2).
        document["id_token_signed_response_alg"] = json["id_token_signed_response_alg"] ?? "RS256"
        document["consent"] = .boolean(!isTrusted)
        document["http_basic"] = false
        for name in [
            "post_logout_redirect_uris", "backchannel_logout_uri", "subject_type", "jwks",
            "require_pushed_authorization_requests", "dpop_bound_access_tokens",
        ] { document[name] = json[name] }
        guard method != "private_key_jwt" || json["jwks"] != nil else { throw refuse("'jwks' is missing.") }
        do {
            settings = try BackendSettings(document)
        } catch let error as DirectoryError {
            throw refuse(error.message.replacing("\"", with: "'").filter(\.isASCII))
        }
        name = try text("client_name").flatMap { $0.isEmpty ? nil : String($0.prefix(64)) } ?? "app"
    }

    private static func allowed(_ text: String?, isTrusted: Bool) -> [Scope] {
        let asked = text?.scopes ?? [.openID, .profile, .email, .offlineAccess]
        let allowed = isTrusted ? scopes + [.roles, .groups, .directory] : scopes
        return asked.filter(allowed.contains)
    }
}
