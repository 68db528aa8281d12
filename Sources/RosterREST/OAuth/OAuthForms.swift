import Roster
package import RosterSignIn
package import RosterText

/// The requests of OAuth as forms.
extension TokenRequest {
    /// Reads a request for tokens. A form without a known grant, or without a parameter that its grant needs, becomes an unusable
    /// request, because the client has to authenticate before it learns of a mistake.
    package init(_ form: Form) {
        let type = form["grant_type"] ?? ""
        do {
            self.init(
                try Self.grant(form), scope: form["scope"],
                resources: form.all("resource"))
        } catch let error as OAuthError {
            self.init(.unusable(grantType: type, name: form["username"], error))
        } catch {
            self.init(.unusable(grantType: type, name: nil, OAuthError(.serverError, "The form cannot be read.")))
        }
    }

    private static func grant(_ form: Form) throws -> Grant {
        guard let grant = BackendSettings.Grant(rawValue: try form.required("grant_type")) else {
            throw OAuthError(.unsupportedGrantType, "There is no such grant here.")
        }
        switch grant {
        case .clientCredentials: return .clientCredentials
        case .password:
            let (name, password) = (try form.required("username"), try form.required("password"))
            return .password(Login(name: name, password: password, proof: try SecondFactorProof(form)))
        case .authorizationCode:
            return .code(
                try form.required("code"), verifier: form["code_verifier"] ?? "", redirectURI: form["redirect_uri"])
        case .refreshToken: return .refreshToken(try form.required("refresh_token"))
        case .deviceCode: return .deviceCode(try form.required("device_code"))
        case .assertion: return .assertion(try form.required("assertion"))
        case .tokenExchange:
            return .exchange(
                TokenExchangeRequest(
                    subjectToken: try form.required("subject_token"),
                    subjectTokenType: try form.required("subject_token_type"),
                    hasActor: form["actor_token"] != nil || form["actor_token_type"] != nil,
                    requestedTokenType: form["requested_token_type"],
                    targets: form.all("audience") + form.all("resource")))
        }
    }
}

extension ClientProof {
    /// Reads the proof in an `Authorization` field and a form. A client must use one way only.
    package init(authorization: String?, form: Form) { self.init { try Self.found(authorization, form) } }

    /// Reads the proof in an `Authorization` field: `client_secret_basic`, or the mobile cloud's `Bearer base64(id:secret)`.
    package init(authorization: String) { self.init { try Self.found(authorization) } }

    private init(_ find: () throws -> ClientProof?) {
        do {
            self = try find() ?? .missing
        } catch let error as OAuthError {
            self = .unreadable(error)
        } catch {
            self = .missing
        }
    }

    private static func found(_ authorization: String?, _ form: Form) throws -> ClientProof? {
        let inField = try authorization.map(found)
        if let assertion = form["client_assertion"] {
            guard inField == nil, form["client_secret"] == nil else { throw several }
            guard form["client_assertion_type"] == "urn:ietf:params:oauth:client-assertion-type:jwt-bearer" else {
                throw OAuthError(.invalidClient, "That 'client_assertion_type' is not accepted.")
            }
            return .assertion(assertion, clientID: form["client_id"])
        }
        if let secret = form["client_secret"] {
            guard inField == nil else { throw several }
            return .secret(clientID: try form.required("client_id"), secret: secret)
        }
        guard let id = form["client_id"] else { return inField }
        switch inField {
        case .secret(let clientID, _)?, .named(let clientID)?, .handle(let clientID, _)?:
            guard clientID == id else { throw several }
            return inField
        default: return .named(clientID: id)
        }
    }

    private static func found(_ authorization: String) throws -> ClientProof {
        let parts = authorization.split(separator: " ", maxSplits: 1)
        // Both parts are form-encoded before they are put together (RFC 6749, section 2.3.1).
        guard parts.count == 2, ["basic", "bearer"].contains(parts[0].lowercased()),
            let pair = BasicCredentials(String(parts[1])), let id = decoded(pair.name),
            let secret = decoded(pair.password)
        else { throw OAuthError(.invalidClient, "The Authorization field holds no client id and secret.") }
        return ClientProof(clientID: id, secret: secret)
    }

    private static let several = OAuthError(.invalidRequest, "The client proves itself in several ways at once.")

    private static func decoded(_ text: String) -> String? {
        // Client ids and secrets that this service made have nothing to decode.
        guard text.utf8.contains(where: { $0 == UInt8(ascii: "%") || $0 == UInt8(ascii: "+") }) else { return text }
        return PercentEncoding.bytes(text.utf8, isForm: true).flatMap { String(validating: $0, as: UTF8.self) }
    }
}

/// The name and the password of HTTP Basic (RFC 7617).
package struct BasicCredentials: Sendable {
    package let name: String
    package let password: String

    /// Reads the text after the scheme; nil if the text is not a name and a password in base64.
    package init?(_ text: String) {
        guard let data = Base64.bytes(text), let pair = String(validating: data, as: UTF8.self),
            let colon = pair.utf8.firstIndex(of: UInt8(ascii: ":"))
        else { return nil }
        name = String(pair[..<colon])
        password = String(pair[pair.utf8.index(after: colon)...])
    }
}

extension AuthorizationParameters {
    /// Reads the parameters of an authorization request.
    ///
    /// - Parameter isPushed: Whether the client pushed them.
    package init(_ form: Form, isPushed: Bool = false) {
        self.init(resources: form.all("resource"), isPushed: isPushed) { form[$0] }
    }
}

extension SecondFactorProof {
    /// Reads `otp` and `kba_answers` of a form. The latter is a JSON object.
    ///
    /// - Throws: ``OAuthError`` `invalid_request`.
    package init(_ form: Form) throws {
        self.init(code: form["otp"])
        guard let text = form["kba_answers"] else { return }
        guard let json = try? JSONValue(strictly: Array(text.utf8)), let answers = Self.answers(json) else {
            throw Self.notAnswers
        }
        self.answers = answers
    }

    /// The answers in a JSON object of questions and answers; nil for any other value.
    package static func answers(_ json: JSONValue) -> [String: String]? {
        guard case .object(let members) = json, members.count <= ChallengeQuestions.most else { return nil }
        var answers: [String: String] = [:]
        for member in members {
            guard let text = member.value.text else { return nil }
            answers[member.name] = text
        }
        return answers
    }

    package static let notAnswers = OAuthError(
        .invalidRequest, "'kba_answers' takes a JSON object of questions and answers.")
}
