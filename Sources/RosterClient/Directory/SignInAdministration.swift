public import Foundation
public import Roster
import RosterText
public import RosterTransport

/// The sign-in of users at a server, as administrators and the help desk see it. The directory itself is a `DirectoryView`.
///
/// ```swift
/// let administration = try SignInAdministration(server: server, credentials: .bearer(token))
/// let list = try await administration.secondFactors(of: "ada")
/// ```
///
/// The administration does not repeat a request that was not answered. The app can repeat the request: the second removal of a factor
/// changes nothing.
public struct SignInAdministration: Sendable {
    private let base: String
    private let credentials: ServerCredentials
    private let transport: Transport

    /// Makes the administration of a server. No request is sent.
    ///
    /// - Parameters:
    ///   - server: The address of the server, such as `https://id.example.com`. `http` is allowed to this machine only.
    ///   - credentials: The credentials of the caller.
    ///   - transport: The connections to use. A transport that the app gives can be shared, and is closed by the app.
    /// - Throws: `DirectoryError` `invalidInput` for an address that cannot be one.
    public init(server: URL, credentials: ServerCredentials, transport: Transport = .shared) throws {
        base = try DirectoryConnection.base(of: server) + "/admin/"
        (self.credentials, self.transport) = (credentials, transport)
    }

    // MARK: Second factors

    /// Lists the second factors of a user. The list has no secrets.
    ///
    /// - Parameter user: The user. The help desk can list the factors of users without a power.
    /// - Throws: `DirectoryError` `notFound`, `notPermitted`, `notSignedIn`, `unreachable`, `badAnswer`.
    public func secondFactors(of user: some UserReferenceConvertible) async throws -> SecondFactorList {
        try SecondFactorList(try await ask("GET", ["users", user.userReference.segment, "second-factors"]))
    }

    /// Removes a second factor of a user who has lost it.
    ///
    /// - Parameters:
    ///   - kind: The kind of the factor; nil to remove all factors, also those that were lost with the server's key file.
    ///   - user: The user. The help desk can remove the factors of users without a power.
    /// - Returns: Whether the user had such a factor.
    /// - Throws: `DirectoryError` `notFound`, `notPermitted`, `recentSignInRequired`, `notSignedIn`, `notOffered`, `unreachable`,
    ///   `badAnswer`.
    @discardableResult
    public func removeSecondFactor(
        _ kind: SecondFactorList.Kind? = nil, of user: some UserReferenceConvertible
    ) async throws -> Bool {
        let factor = kind.map { ["second-factors", $0.rawValue] } ?? ["second-factor"]
        do {
            _ = try await ask("DELETE", ["users", user.userReference.segment] + factor)
            return true
        } catch let error as DirectoryError where error.code == .notOffered {
            // A server at another path has no such address either, and has no list of the factors.
            _ = try await secondFactors(of: user)
            return false
        }
    }

    // MARK: Apps

    /// Lists the users for whom an app has tokens, or is told of the end of a session, latest use first.
    ///
    /// - Parameters:
    ///   - clientID: The app's `client_id`.
    ///   - limit: The largest number of users to return, from 1 on.
    /// - Throws: `DirectoryError` `notFound`, `notPermitted`, `notSignedIn`, `unreachable`, `badAnswer`.
    public func users(ofApp clientID: String, limit: Int = 100) async throws -> [AppUse] {
        let apps = try await ask("GET", ["backends"])["backends"]?.elements ?? []
        guard let id = apps.first(where: { $0["client_id"]?.text == clientID })?["id"]?.text else {
            throw DirectoryError(.notFound, "There is no app with that client ID.", advice: "Check the server's apps.")
        }
        var (found, next): ([AppUse], String?) = ([], nil)
        while found.count < limit {
            let count = min(limit - found.count, 200)
            let page = try await ask(
                "GET", ["backends", id, "users"],
                query: [("count", String(count))] + (next.map { [("after", $0)] } ?? []))
            found += try (page["users"]?.elements ?? []).map(AppUse.init)
            next = page["next"]?.text
            if next == nil { break }
        }
        return found
    }

    // MARK: Requests

    /// Sends a request, once more with a new token if the server has refused the first one.
    ///
    /// - Parameter path: The segments of the path, which are not encoded yet.
    private func ask(
        _ method: String, _ path: [String], query: [(name: String, value: String)] = []
    ) async throws -> JSONValue {
        let address =
            base + path.map(PercentEncoding.segment).joined(separator: "/")
            + (query.isEmpty ? "" : "?" + FormEncoding.text(query))
        var refused: String?
        while true {
            let field = try await credentials.field(replacing: refused)
            let request = TransportRequest(method, address, headers: ["Accept": "*/*", "Authorization": field])
            let response: TransportResponse
            do {
                response = try await transport.send(request)
            } catch let error as TransportError {
                throw DirectoryError(error)
            }
            switch response.status {
            case 200..<300 where response.body.isEmpty: return [:]
            case 200..<300:
                guard let json = try? JSONValue(parsing: response.body) else {
                    throw DirectoryError.badAnswer(response)
                }
                return json
            case 401 where credentials.canRenew && refused == nil: refused = field
            default:
                throw DirectoryError(problem: response)
                    ?? DirectoryError(status: response, canRenew: credentials.canRenew)
            }
        }
    }
}

extension Reference {
    /// The reference as a segment of a path, which the server reads as an identifier, or else as a name.
    fileprivate var segment: String {
        switch self {
        case .named(let text), .either(let text): text
        case .id(let id): id.description
        }
    }
}
