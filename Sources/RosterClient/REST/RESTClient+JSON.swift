public import Foundation
public import RosterTransport

/// JSON in and out.
extension RESTClient {
    /// Sends a value as JSON, and decodes the JSON of the answer.
    ///
    /// - Parameters:
    ///   - method: The method, in capital letters.
    ///   - url: The absolute URL.
    ///   - body: The value.
    ///   - scopes: The scopes that the token must have.
    ///   - type: The type of the answer.
    /// - Throws: ``ClientError`` `invalidInput` for a value that has no form in JSON; the errors of ``send(_:scopes:as:)``.
    public func send<Value: Decodable & Sendable>(
        _ method: String, _ url: String, json body: some Encodable, scopes: [String] = [], as type: Value.Type
    ) async throws -> Value {
        try Self.decoded(try await send(method, url, json: body, scopes: scopes), type)
    }

    /// Sends a value as JSON.
    ///
    /// - Returns: The answer, whatever its status is.
    /// - Throws: ``ClientError`` `invalidInput` for a value that has no form in JSON; the errors of the form with a request.
    @discardableResult
    public func send(
        _ method: String, _ url: String, json body: some Encodable, scopes: [String] = []
    ) async throws -> TransportResponse {
        let bytes: Data
        do { bytes = try JSONEncoder().encode(body) } catch {
            throw ClientError.invalidInput("A '\(Swift.type(of: body))' has no form in JSON.", "Give finite numbers.")
        }
        let fields: TransportHeaders = ["Accept": "application/json", "Content-Type": "application/json"]
        return try await send(TransportRequest(method, url, headers: fields, body: Array(bytes)), scopes: scopes)
    }
}

extension TransportResponse {
    /// The body as `Data`.
    public var data: Data { Data(body) }
}

// Linux has `URLRequest` in a module of its own, which the library does not need otherwise.
#if !canImport(FoundationNetworking)
    extension RESTClient {
        /// Sends a request of `URLSession` with the user's token, and returns the answer as `URLSession` does.
        ///
        /// - Parameters:
        ///   - request: The request, without `Authorization`. Its body is `httpBody`.
        ///   - scopes: The scopes that the token must have.
        /// - Throws: ``ClientError`` `badURL` for a request without URL; the errors of ``send(_:scopes:as:)``.
        public func data(for request: URLRequest, scopes: [String] = []) async throws -> (Data, HTTPURLResponse) {
            guard let url = request.url else {
                throw ClientError(.badURL, "The request has no URL.", advice: "Give an absolute https URL.")
            }
            var fields: TransportHeaders = [:]
            for (name, value) in request.allHTTPHeaderFields ?? [:] { fields.add(name, value) }
            let response = try await send(
                TransportRequest(
                    request.httpMethod ?? "GET", url.absoluteString, headers: fields,
                    body: request.httpBody.map { Array($0) }), scopes: scopes)
            let headers = Dictionary(response.headers.fields.map { ($0.name, $0.value) }) { "\($0), \($1)" }
            guard
                let answer = HTTPURLResponse(
                    url: url, statusCode: response.status, httpVersion: nil, headerFields: headers)
            else { throw ClientError.badAnswer("The API's answer has fields that cannot be read.") }
            return (Data(response.body), answer)
        }
    }
#endif
