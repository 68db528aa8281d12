package import RosterText

extension ProviderConnection.Reply {
    /// The refresh token in an answer that succeeded, also if the rest of the answer is wrong; nil if there is none.
    var refreshToken: String? {
        guard status == 200, let json else { return nil }
        return try? TokenAnswer.token("refresh_token", in: json)
    }

    /// The tokens in an answer of a token endpoint.
    ///
    /// - Throws: ``ClientError`` for an answer without tokens.
    func tokens() throws(ClientError) -> TokenAnswer {
        guard status == 200, let json else { throw failure(at: "token endpoint") }
        return try TokenAnswer(json)
    }
}

/// The answer of a token endpoint (RFC 6749, section 5.1).
package struct TokenAnswer: Sendable {
    package let accessToken: String
    /// The lifetime of the access token in seconds.
    package let lifetime: Double
    let refreshToken: String?
    let idToken: String?
    /// The scopes that were granted; nil if they are those that were asked for.
    let scopes: [String]?

    /// The lifetime of a token whose lifetime the server does not say, in seconds.
    static let assumedLifetime = 300.0
    /// The longest lifetime that a server may say, in seconds: a hundred years.
    static let longestLifetime = 3_155_760_000.0

    /// Reads an answer.
    ///
    /// - Throws: ``ClientError`` `badAnswer` for an answer with another type of token, or with impossible values.
    package init(_ json: JSONValue) throws(ClientError) {
        guard let accessToken = try Self.token("access_token", in: json) else {
            throw .badAnswer("The server's answer has no 'access_token'.")
        }
        guard json["token_type"]?.text?.lowercased() == "bearer" else {
            throw .badAnswer("The server's access token is not a bearer token ('token_type').")
        }
        self.accessToken = accessToken
        refreshToken = try Self.token("refresh_token", in: json)
        idToken = try Self.token("id_token", in: json)
        lifetime = try Self.lifetime(json["expires_in"])
        scopes = json["scope"]?.text.map { Array($0.words.prefix(1_000)) }
    }

    fileprivate static func token(_ name: String, in json: JSONValue) throws(ClientError) -> String? {
        guard let value = json[name], !value.isNull else { return nil }
        // The token is sent in a header field.
        guard let text = value.text, (1...65_536).contains(text.utf8.count),
            text.utf8.allSatisfy({ (0x21...0x7E).contains($0) })
        else { throw .badAnswer("The server's '\(name)' is not a token.") }
        return text
    }

    /// Reads a lifetime. Some servers send it as text.
    private static func lifetime(_ value: JSONValue?) throws(ClientError) -> Double {
        let seconds: Double?
        switch value {
        case nil, .null?: return assumedLifetime
        case .integer(let number)?: seconds = Double(number)
        case .decimal(let number)?: seconds = number
        case .string(let text)?: seconds = Int64(text).map { Double($0) }
        default: seconds = nil
        }
        guard let seconds, seconds >= 1, seconds <= longestLifetime else {
            throw .badAnswer("The server's 'expires_in' is not a number of seconds from 1 to a hundred years.")
        }
        return seconds
    }
}
