import Foundation
package import RosterText
public import RosterTransport

/// Calls protected APIs with the access tokens of a user. Mirrors Oracle's `OMRESTRequest` and `OMHTTPService`.
///
/// Tokens go only to the origins that the app names. When an API answers with 401, the token is renewed, or one is fetched for the
/// Webgate that asks for it, and the request is repeated once; the answer 401 says that the first one did nothing. Redirects are
/// returned, not followed.
///
/// ```swift
/// let client = try RESTClient(account, origins: [api])
/// let user = try await client.send(TransportRequest("GET", api + "/oauth2/userinfo"), as: UserInfo.self)
/// ```
public final class RESTClient: Sendable {
    private let tokens: RESTTokens
    private let origins: Set<String>
    private let transport: Transport
    /// What a module above this one keeps with the client.
    package let attached = Locked<(any Sendable)?>(nil)

    /// Uses the tokens of an account.
    ///
    /// - Parameters:
    ///   - account: The account of the user.
    ///   - origins: The origins to which tokens may go, such as `https://api.example.com`: scheme, host and port must be the same.
    ///   - transport: How the APIs are reached.
    /// - Throws: ``ClientError`` `badConfiguration` for a text that is not an origin.
    public convenience init(_ account: Account, origins: [String], transport: Transport = .shared) throws {
        try self.init(.account(account), origins, transport)
    }

    package init(_ source: RESTTokens.Source, _ origins: [String], _ transport: Transport) throws {
        (tokens, self.transport) = (RESTTokens(source, transport), transport)
        self.origins = try Set(
            origins.map { text in
                guard let origin = try? TransportRequest("GET", text + "/").origin(),
                    !text.dropFirst(8).contains(where: { "/?#".contains($0) })
                else {
                    throw ClientError(
                        .badConfiguration, "A named origin is not an https origin.",
                        advice: "Give a scheme and a host, and a port if needed, such as https://api.example.com.")
                }
                return origin
            })
    }

    // MARK: Sending

    /// Sends a request. Mirrors `executeRESTRequestAsynchronously:forScopes:convertDataToJSON:`.
    ///
    /// - Parameters:
    ///   - request: The request, without `Authorization`.
    ///   - scopes: The scopes that the token must have.
    /// - Returns: The answer, whatever its status is: also a second 401, and a 401 that asks for something else than a token.
    /// - Throws: ``ClientError`` `originNotNamed`; `invalidInput` for a request with `Authorization`; the errors of
    ///   ``Account/validAccessToken(scopes:)``; `unreachable`, `tls`, `badAnswer` or `badConfiguration` if there is no answer, and
    ///   ``ClientError/mayHaveBeenSent`` tells whether the API may have done what was asked; `CancellationError`.
    public func send(_ request: TransportRequest, scopes: [String] = []) async throws -> TransportResponse {
        let origin = try origin(of: request)
        let first = try await tokens.first(origin, scopes)
        do {
            let response = try await transport.send(first.authorizing(request))
            guard let next = first.next(after: response.status, response.headers) else { return response }
            return try await transport.send(try await tokens.token(next, origin, scopes).authorizing(request))
        } catch let error as TransportError {
            throw ClientError(error)
        }
    }

    /// Sends a request, and waits on the calling thread. It needs no thread of Swift's pool. Mirrors
    /// `executeRESTRequest:convertDataToJSON:returningResponse:error:`.
    ///
    /// - Parameters:
    ///   - request: The request, without `Authorization`.
    ///   - scopes: The scopes that the token must have.
    /// - Returns: The answer, whatever its status is.
    /// - Throws: The errors of ``send(_:scopes:)``.
    public func sendAndWait(_ request: TransportRequest, scopes: [String] = []) throws -> TransportResponse {
        let origin = try origin(of: request)
        let first = try tokens.firstAndWait(origin, scopes)
        do {
            let response = try transport.sendAndWait(first.authorizing(request))
            guard let next = first.next(after: response.status, response.headers) else { return response }
            return try transport.sendAndWait(try tokens.tokenAndWait(next, origin, scopes).authorizing(request))
        } catch let error as TransportError {
            throw ClientError(error)
        }
    }

    /// Sends a request, and returns when the head of the answer has arrived. The body follows as it arrives, and is never whole in memory.
    /// For a body that is sent from a file, see `TransportRequest.bodyFile`, which all forms take.
    ///
    /// ```swift
    /// var size = 0
    /// for try await part in try await client.stream(TransportRequest("GET", api + "/report")) { size += part.count }
    /// ```
    ///
    /// - Parameters:
    ///   - request: The request, without `Authorization`.
    ///   - scopes: The scopes that the token must have.
    /// - Returns: The answer, whatever its status is. Releasing it closes the connection. Its iteration throws `TransportError`.
    /// - Throws: The errors of ``send(_:scopes:)``.
    public func stream(_ request: TransportRequest, scopes: [String] = []) async throws -> TransportStream {
        let origin = try origin(of: request)
        let first = try await tokens.first(origin, scopes)
        do {
            let answer = try await transport.stream(first.authorizing(request))
            guard let next = first.next(after: answer.status, answer.headers) else { return answer }
            answer.cancel()
            return try await transport.stream(try await tokens.token(next, origin, scopes).authorizing(request))
        } catch let error as TransportError {
            throw ClientError(error)
        }
    }

    /// Sends a request, and decodes the JSON of the answer.
    ///
    /// - Parameters:
    ///   - request: The request, without `Authorization`.
    ///   - scopes: The scopes that the token must have.
    ///   - type: The type of the answer.
    /// - Throws: ``ClientError`` `badAnswer` for an answer that cannot be decoded; `refused`, `serverBusy` or `serverFailed` for a
    ///   status outside 200 to 299; the errors of ``send(_:scopes:)``.
    public func send<Value: Decodable & Sendable>(
        _ request: TransportRequest, scopes: [String] = [], as type: Value.Type
    ) async throws -> Value {
        try Self.decoded(try await send(request, scopes: scopes), type)
    }

    /// Sends a request, waits on the calling thread, and decodes the JSON of the answer.
    ///
    /// - Parameters:
    ///   - request: The request, without `Authorization`.
    ///   - scopes: The scopes that the token must have.
    ///   - type: The type of the answer.
    /// - Throws: The errors of ``send(_:scopes:as:)``.
    public func sendAndWait<Value: Decodable & Sendable>(
        _ request: TransportRequest, scopes: [String] = [], as type: Value.Type
    ) throws -> Value {
        try Self.decoded(try sendAndWait(request, scopes: scopes), type)
    }

    // MARK: Parts

    private func origin(of request: TransportRequest) throws -> String {
        guard request.headers["Authorization"] == nil else {
            throw ClientError.invalidInput(
                "The request has a field 'Authorization' already.", "Leave the field to the client.")
        }
        let origin: String
        do { origin = try request.origin() } catch let error as TransportError {
            throw ClientError(.badURL, error.message, advice: error.advice)
        }
        guard origins.contains(origin) else {
            throw ClientError(
                .originNotNamed, "The request goes to the origin '\(ShownText.plain(origin))', which is not named.",
                advice: "Name the origin if its API may have the user's tokens.")
        }
        return origin
    }

    static func decoded<Value: Decodable>(_ response: TransportResponse, _ type: Value.Type) throws -> Value {
        switch response.status {
        case 200..<300: break
        case 429, 503:
            throw ClientError(
                .serverBusy, "The API has no time for the request now (\(response.status)).", advice: "Try again later."
            )
        case 500...:
            throw ClientError(.serverFailed, "The API failed (\(response.status)).", advice: "Try again later.")
        default:
            throw ClientError(
                .refused, "The API answers with the status \(response.status).",
                advice: "Check the address, the request and the user's rights.")
        }
        do {
            return try JSONDecoder().decode(type, from: Data(response.body))
        } catch {
            // The decoder's error shows parts of the answer.
            throw ClientError.badAnswer("The API's answer is not JSON of the expected form.")
        }
    }
}
