import Foundation
import Roster
package import RosterOpenID
package import RosterSignIn
import RosterText

/// The endpoints of OAuth and OpenID Connect for programs: tokens, introspection, keys, and discovery.
enum OAuthAPI {
    static let base = "/oauth2"

    static let token = Endpoint("Get tokens (RFC 6749, section 3.2).", body: form) { call in
        let (form, proof) = try call.clientForm()
        var asked = TokenRequest(form)
        asked.possession = try call.possession()
        let (request, oauth, origin) = (asked, call.oauth, call.origin)
        if let tokens = try oauth.tokenEndpoint.tokensAtOnce(request, by: proof, from: origin) {
            return .now(.json(tokens.json, headers: ["Pragma": "no-cache"]))
        }
        return .later {
            .json(
                try await oauth.tokenEndpoint.tokens(request, by: proof, from: origin).json,
                headers: ["Pragma": "no-cache"])
        }
    }

    static let pushed = Endpoint(
        "Push the parameters of an authorization request (RFC 9126).", body: form, answer: .init(status: 201)
    ) { call in
        let (form, proof) = try call.clientForm()
        let possession = try call.possession()
        return .later {
            let (uri, lifetime) = try await call.oauth.pushedAuthorization.push(
                form.pairs, AuthorizationParameters(form), by: proof, possession: possession)
            return .json(
                ["request_uri": .string(uri), "expires_in": .integer(lifetime)], status: 201,
                headers: ["Cache-Control": "no-store"])
        }
    }

    static let register = Endpoint(
        "Register an app (RFC 7591), where the policy dynamic_registration allows it.", body: .object,
        answer: .init(status: 201)
    ) { call in
        let (oauth, context, body) = (call.oauth, call.context, try call.json())
        let rule = oauth.settings.current.registration
        guard rule != .off else { throw RequestError(.notFound, "Apps are registered by an administrator here.") }
        return .later {
            var registrar: DirectoryView?
            if rule == .administrators || call.request.headers["Authorization"] != nil {
                let identity = try await context.signIn(call.request).identity()
                registrar = context.directory.acting(as: identity.caller, by: identity.presence)
            }
            return .json(
                try await oauth.clientRegistration.registerClient(body, by: registrar, from: call.origin), status: 201,
                headers: ["Cache-Control": "no-store"])
        }
    }

    static let introspect = Endpoint("Ask whether a token is alive, and what it says (RFC 7662).", body: form) { call in
        let (form, proof) = try call.clientForm()
        let (token, oauth) = (form["token"], call.oauth)
        if let status = try oauth.introspection.introspectAtOnce(token, by: proof) { return .now(.json(status.json)) }
        return .later { .json(try await oauth.introspection.introspect(token, by: proof).json) }
    }

    static let revoke = Endpoint("End a token (RFC 7009).", body: form, answer: .init(schema: nil)) { call in
        let (form, proof) = try call.clientForm()
        return .later {
            try await call.oauth.introspection.revoke(form["token"], by: proof, from: call.origin)
            return HTTPResponse(200)
        }
    }

    static let deviceAuthorization = Endpoint(
        "Begin to sign in on a device without a browser (RFC 8628).", body: form
    ) { call in
        let (form, proof) = try call.clientForm()
        return .later {
            let authorization = try await call.oauth.deviceFlow.deviceAuthorization(
                scope: form["scope"], resources: form.all("resource"), by: proof, from: call.origin)
            return .json(authorization.json)
        }
    }

    static let keys = Endpoint("The keys that check tokens.") { call in
        .now(
            .json(
                call.oauth.keys.published, type: "application/jwk-set+json",
                headers: ["Cache-Control": "public, max-age=\(Int(KeyRing.notice))"]))
    }

    /// - Parameter isForm: Whether the token may also come in a form.
    static func userInfo(isForm: Bool = false) -> Endpoint {
        Endpoint("Who is signed in (OpenID Connect Core, section 5.3).", body: isForm ? form : nil) { call in
            guard let (token, proof) = try call.boundToken() else {
                return .now(.json(try call.oauth.introspection.userInfo(try call.accessToken(), isBound: false).json))
            }
            return .later {
                do {
                    try await call.oauth.credentials.prove(proof, with: token)
                } catch let error as OAuthError where [.invalidDPoPProof, .invalidToken].contains(error.code) {
                    throw ServiceContext.badProof
                }
                return .json(try call.oauth.introspection.userInfo(token, isBound: true).json)
            }
        }
    }

    static let picture = Endpoint(
        "The photo of a user, at the address of the claim 'picture', which ends with the photo or after a day.",
        answer: .init(mediaType: "image/*", schema: ["type": "string", "format": "binary"])
    ) { call in
        guard let picture = try call.oauth.userClaims.picture(call.arguments[0]) else {
            throw RequestError(.notFound, "There is no picture at this address, or not any more.")
        }
        return .now(
            HTTPResponse(
                200,
                headers: [
                    "Content-Type": picture.mediaType, "Cache-Control": "private, max-age=3600",
                    "Content-Security-Policy": "default-src 'none'; sandbox",
                    // Apps of other origins show it.
                    "Cross-Origin-Resource-Policy": "cross-origin",
                ], body: .bytes(picture.bytes)))
    }

    static let discovery = Endpoint("What there is, and where.") { call in
        let settings = call.oauth.settings.current
        var document = discovery(call.oauth.issuer)
        document["client_id_metadata_document_supported"] = .boolean(!settings.documentHosts.isEmpty)
        if settings.registration != .off {
            document["registration_endpoint"] = .string(call.oauth.issuer + base + "/register")
        }
        return .now(.json(document, headers: ["Cache-Control": "public, max-age=300"]))
    }

    static let changePassword = Endpoint(
        "Where people change their password (W3C, A Well-Known URL for Changing Passwords).",
        answer: .init(status: 303, schema: nil)
    ) { _ in .now(BrowserAPI.redirect(to: "../#account", [])) }

    static let protectedResource = Endpoint("This server as an API: who issues tokens for it (RFC 9728).") { call in
        let issuer = call.oauth.issuer
        return .now(
            .json(
                [
                    "resource": .string(issuer), "authorization_servers": [.string(issuer)],
                    "resource_name": "Roster", "bearer_methods_supported": ["header"],
                    "scopes_supported": ["openid", "profile", "directory", .string(Scope.directoryManage.rawValue)],
                    "dpop_signing_alg_values_supported": .texts(PossessionProof.algorithms.map(\.rawValue)),
                ], headers: ["Cache-Control": "public, max-age=300"]))
    }

    private static let form: Endpoint.Body = ["type": "object", "additionalProperties": ["type": "string"]]

    /// OpenID Connect Discovery, section 3; RFC 8414.
    private static func discovery(_ issuer: String) -> JSONValue {
        func address(_ name: String) -> JSONValue { .string(issuer + base + "/" + name) }
        let proofs: [JSONValue] = ["client_secret_basic", "client_secret_post", "private_key_jwt"]
        let algorithms = JSONValue.array(
            SignatureAlgorithm.allCases.filter { $0 != .hs256 }.map { .string($0.rawValue) })
        return [
            "issuer": .string(issuer), "authorization_endpoint": address("authorize"),
            "token_endpoint": address("token"), "userinfo_endpoint": address("userinfo"), "jwks_uri": address("jwks"),
            "introspection_endpoint": address("introspect"), "revocation_endpoint": address("revoke"),
            "device_authorization_endpoint": address("device_authorization"),
            "pushed_authorization_request_endpoint": address("par"), "require_pushed_authorization_requests": false,
            "dpop_signing_alg_values_supported": .texts(PossessionProof.algorithms.map(\.rawValue)),
            "end_session_endpoint": address("logout"),
            "response_types_supported": ["code"],
            "response_modes_supported": .array(ResponseMode.allCases.map { .string($0.rawValue) }),
            "grant_types_supported": .array(BackendSettings.Grant.allCases.map { .string($0.rawValue) }),
            "subject_types_supported": .texts(BackendSettings.SubjectType.allCases.map(\.rawValue)),
            "backchannel_logout_supported": true, "backchannel_logout_session_supported": true,
            "id_token_signing_alg_values_supported": .array(
                TokenSignature.allCases.map { .string($0.rawValue) }),
            "scopes_supported": [
                "openid", "profile", "email", "phone", "address", "roles", "groups", "offline_access", "directory",
                .string(Scope.directoryManage.rawValue),
            ],
            "claims_supported": .texts(
                ["iss", "sub", "aud", "exp", "iat", "auth_time", "amr", "nonce", "at_hash", "azp"]
                    + ClaimsRequest.known.flatMap(\.claims)),
            "code_challenge_methods_supported": ["S256"],
            "token_endpoint_auth_methods_supported": .array(proofs + ["none"]),
            "introspection_endpoint_auth_methods_supported": .array(proofs),
            "revocation_endpoint_auth_methods_supported": .array(proofs + ["none"]),
            "token_endpoint_auth_signing_alg_values_supported": algorithms,
            "introspection_endpoint_auth_signing_alg_values_supported": algorithms,
            "revocation_endpoint_auth_signing_alg_values_supported": algorithms,
            "authorization_response_iss_parameter_supported": true, "claims_parameter_supported": true,
            "request_parameter_supported": false, "request_uri_parameter_supported": false,
            "prompt_values_supported": ["none", "login", "consent"],
        ]
    }
}

extension Call {
    /// The body as a form.
    ///
    /// - Throws: `OAuthError` `invalid_request` for another media type (RFC 6749, section 5.2), and for a parameter that is given
    ///   twice.
    package func form() throws -> Form {
        guard isForm else {
            throw OAuthError(.invalidRequest, "The body must be a form: application/x-www-form-urlencoded.")
        }
        guard String(validating: request.body, as: UTF8.self) != nil else {
            throw OAuthError(.invalidRequest, "The body is not UTF-8.")
        }
        let pairs = try RequestTarget.form(request.body)
        return try Form(pairs.map { ($0.name, $0.value) })
    }

    /// The body as a form, and the client's proof of who it is.
    package func clientForm() throws -> (form: Form, proof: ClientProof) {
        let form = try form()
        return (form, ClientProof(authorization: try authorization(), form: form))
    }

    private var isForm: Bool {
        let field = request.headers["Content-Type"] ?? ""
        // Nearly all clients write it like this.
        if field == "application/x-www-form-urlencoded" { return true }
        let type = field.prefix { $0 != ";" }.filter { $0 != " " }.lowercased()
        // The second type is a mistake in the mobile cloud's documents, and its clients send it.
        return ["application/x-www-form-urlencoded", "application/x/www-form-urlencoded"].contains(type)
    }

    package func query() throws -> Form { try Form(target.query.map { ($0.name, $0.value) }) }

    /// The `Authorization` field; nil if there is none.
    ///
    /// - Throws: 400 for several fields; 403 on a connection that others could read.
    package func authorization() throws -> String? {
        let fields = request.headers.values(of: "Authorization")
        guard fields.count <= 1 else {
            throw RequestError(.badRequest, "The request has several Authorization fields.")
        }
        guard request.isConfidential || context.allowsPlainCredentials else {
            throw RequestError(.notPermitted, "Passwords and tokens are accepted over TLS only. Use https.")
        }
        return fields.first
    }

    /// The proof of a key in the field `DPoP` (RFC 9449); nil for a request without one.
    ///
    /// - Throws: `OAuthError` `invalid_dpop_proof` for several fields.
    package func possession() throws -> PossessionProof.Sent? { try context.possession(of: request) }

    /// The access token that is sent with the scheme DPoP, and the proof of its key; nil for a request with another scheme.
    ///
    /// - Throws: 401 for a request without a proof, `OAuthError` `invalid_dpop_proof` for several.
    func boundToken() throws -> (token: String, proof: PossessionProof.Sent)? {
        guard let field = try authorization(), field.prefix(5).lowercased() == "dpop " else { return nil }
        guard let proof = try possession() else { throw ServiceContext.badProof }
        return (field.dropFirst(5).trimmingCharacters(in: .whitespaces), proof)
    }

    /// The bearer token of the request (RFC 6750), from the field or from the body of a form. It is never read from the address,
    /// because logs keep addresses.
    package func accessToken() throws -> String {
        let sent = request.method == "POST" && isForm ? try form()["access_token"] : nil
        guard let field = try authorization() else {
            // A request without a token is told only which scheme to use (RFC 6750, section 3.1).
            guard let sent else { throw ServiceContext.notAuthenticated }
            return sent
        }
        guard sent == nil else { throw OAuthError(.invalidRequest, "The access token is sent in two ways at once.") }
        let parts = field.split(separator: " ", maxSplits: 1)
        guard parts.count == 2, parts[0].lowercased() == "bearer" else {
            throw OAuthError(.invalidToken, "Send the access token as a bearer token.")
        }
        return String(parts[1])
    }
}
