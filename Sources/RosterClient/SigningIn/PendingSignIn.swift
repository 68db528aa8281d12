import Foundation
import RosterCrypto
import RosterOpenID
import RosterText

/// A sign-in whose user is in the browser. The store has it before the browser opens, so that the app can end and start meanwhile.
struct PendingSignIn: Sendable {
    /// The account that the user signs in to.
    let account: String
    let state: String
    let nonce: String
    /// The verifier of the challenge (RFC 7636).
    let verifier: String
    let redirectURI: String
    /// The seconds since the user proved who they are, at most; nil for any.
    let maximumAge: Int?
    let begun: Date

    /// The sign-in by its state, which no other sign-in has.
    var signIn: SignInUnderWay { SignInUnderWay(account: account, id: state) }

    /// The seconds that a user may spend in the browser.
    static let patience = 600.0
    /// The number of sign-ins of an app that may be pending at once. More are of browsers that were closed.
    static let maximumCount = 20

    /// Begins a sign-in with new random values.
    init(account: String, redirectURI: String, maximumAge: Int?, begun: Date) throws {
        (self.account, self.redirectURI, self.maximumAge, self.begun) = (account, redirectURI, maximumAge, begun)
        (state, nonce, verifier) = (
            try SecureRandom.token(), try SecureRandom.token(), try SecureRandom.token()
        )
    }

    /// Reads a stored value; nil if another version of the library stored it.
    init?(_ bytes: [UInt8]) {
        guard let json = try? JSONValue(parsing: bytes), let account = json["account"]?.text,
            let state = json["state"]?.text, let nonce = json["nonce"]?.text, let verifier = json["verifier"]?.text,
            let redirectURI = json["redirect_uri"]?.text, let begun = json["begun"].flatMap(TokenTimes.seconds)
        else { return nil }
        (self.account, self.state, self.nonce, self.verifier) = (account, state, nonce, verifier)
        self.redirectURI = redirectURI
        maximumAge = json["max_age"].flatMap { if case .integer(let number) = $0 { Int(exactly: number) } else { nil } }
        self.begun = Date(timeIntervalSince1970: begun)
    }

    var bytes: [UInt8] {
        var json: JSONValue = [
            "account": .string(account), "state": .string(state), "nonce": .string(nonce),
            "verifier": .string(verifier), "redirect_uri": .string(redirectURI),
            "begun": .decimal(begun.timeIntervalSince1970),
        ]
        if let maximumAge { json["max_age"] = .integer(Int64(maximumAge)) }
        return json.bytes
    }

    /// Whether the user may still come back. A clock that was set back does not make a sign-in live longer.
    func isAlive(_ now: Date) -> Bool { (-60..<Self.patience).contains(now.timeIntervalSince(begun)) }

    /// The request to the sign-in page.
    ///
    /// - Parameter options: The parameters that the app asks for.
    func loginURL(
        _ metadata: ProviderMetadata, _ registration: AppRegistration, options: [(name: String, value: String)]
    ) throws -> String {
        var parameters: [(name: String, value: String)] = [
            ("response_type", "code"), ("client_id", registration.clientID), ("redirect_uri", redirectURI),
            ("scope", registration.scopes.joined(separator: " ")), ("state", state), ("nonce", nonce),
            ("code_challenge", try CodeFlow.challenge(of: verifier)), ("code_challenge_method", "S256"),
        ]
        if let maximumAge { parameters.append(("max_age", String(maximumAge))) }
        parameters += options
        guard let endpoint = metadata.authorizationEndpoint else { throw Provider.missing("authorization_endpoint") }
        return CodeFlow.url(endpoint, parameters)
    }

    /// Checks that the user proved who they are as lately as was asked (OpenID Connect Core, section 3.1.2.1).
    ///
    /// Only differences of times of one clock count, so that a wrong clock of this device changes nothing.
    func checkAge(_ claims: JSONValue?, now: Date) throws(ClientError) {
        guard let maximumAge else { return }
        guard let claims, let time = claims["auth_time"].flatMap(TokenTimes.seconds),
            let issued = claims["iat"].flatMap(TokenTimes.seconds)
        else { throw .badToken("The server does not say when the user proved who they are ('auth_time').") }
        let elapsed = min(max(now.timeIntervalSince(begun), 0), Self.patience)
        guard issued - time <= Double(maximumAge) + elapsed + 10 else {
            throw .badToken("The user proved who they are longer ago than the app allows ('auth_time').")
        }
    }
}
