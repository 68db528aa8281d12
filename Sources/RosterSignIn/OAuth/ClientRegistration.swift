import Foundation
package import Roster
import RosterCrypto
package import RosterText

/// Registration by a request (RFC 7591), and apps that describe themselves in a document.
package struct ClientRegistration: Sendable {
    let directory: Directory
    let keys: KeyRing
    /// The registrations of the last hour, by network.
    let registrations: PendingCodes<Bool>
    let clients: ClientDirectory
    let settings: SettingsKeeper
    /// The documents about apps that were fetched within the last minutes, by their addresses.
    let fetchedDocuments: PendingCodes<Bool>
    let registered: RegisteredAddresses

    /// The most apps that the clients of one network register within ``registrationPeriod``, and the most backends of all.
    private static let mostRegistrations = (network: 20, all: 5_000)
    private static let registrationPeriod: TimeInterval = 3_600

    /// Registers an app.
    ///
    /// - Parameter registrar: The view of an administrator; nil for an app that registers itself.
    /// - Returns: The answer with the app's id and secret, which are shown this once.
    /// - Throws: ``OAuthError``; `DirectoryError` `notPermitted`.
    package func registerClient(
        _ json: JSONValue, by registrar: DirectoryView?, from origin: ClientOrigin
    ) async throws -> JSONValue {
        let metadata = try ClientMetadata(json, isTrusted: registrar != nil)
        if registrar == nil { try admitRegistration(from: origin) }
        let view = registrar ?? directory.acting(as: .administrator("registration"))
        let version = try SecureRandom.token(bytes: 6)
        let description = Backend.Description(name: metadata.name, version: version, settings: metadata.settings)
        let (backend, secrets) = try await Backend.create(description, keys: keys, in: view)
        var answer = json
        answer["client_id"] = .string(backend.clientID)
        answer["client_id_issued_at"] = .integer(Int64(backend.created.timeIntervalSince1970))
        if let secret = secrets.secret {
            answer["client_secret"] = .string(secret)
            answer["client_secret_expires_at"] = 0
        }
        let document = backend.settings.document
        for name in [
            "redirect_uris", "grant_types", "scope", "id_token_signed_response_alg", "subject_type",
            "require_pushed_authorization_requests", "dpop_bound_access_tokens", "post_logout_redirect_uris",
        ] { answer[name] = document[name] }
        answer["response_types"] = ["code"]
        answer["token_endpoint_auth_method"] =
            json["token_endpoint_auth_method"] ?? .string("client_secret_basic")
        answer["client_name"] = .string(backend.name)
        return answer
    }

    private func admitRegistration(from origin: ClientOrigin) throws {
        let network = "network " + AttemptThrottle.network(of: origin.address)
        let seconds = try registrations.insert(
            true, for: try SecureRandom.token(), lifetime: Self.registrationPeriod, of: network,
            atMost: Self.mostRegistrations.network)
        guard try seconds == nil && clients.count() < Self.mostRegistrations.all else {
            throw OAuthError(
                .temporarilyUnavailable, "Too many apps were registered. Try again later.",
                retryAfter: max(Int((seconds ?? Self.registrationPeriod).rounded(.up)), 1))
        }
    }

    /// Makes or changes the backend of an app whose id is the address of a document about it. Only documents of hosts that an
    /// administrator allows are fetched, and each at most every ten minutes.
    ///
    /// - Throws: ``OAuthError`` for a document that cannot be used.
    package func adoptDocument(ofClient id: String) async throws {
        guard id.hasPrefix("https://"), id.utf8.count <= 128, let host = URL(string: id)?.host()?.lowercased(),
            settings.current.documentHosts.contains(host), try fetchedDocuments.value(id) == nil
        else { return }
        func refuse(_ text: String) -> OAuthError { OAuthError(.invalidClient, text) }
        let json: JSONValue
        do { json = try await registered.object(id) } catch let problem as RegisteredAddresses.Problem {
            // Requests that name the app again must not make the server call the address each time.
            try fetchedDocuments.insert(false, for: id, lifetime: 60)
            // A document that was read before counts until it can be read again.
            if try clients.known(.clientID(id)) != nil { return }
            throw refuse("The app's description cannot be fetched: \(problem.description)")
        }
        guard json["client_id"]?.text?.hasSameBytes(as: id) == true else {
            throw refuse("The app's description is of another app.")
        }
        let metadata = try ClientMetadata(json, isTrusted: false, isPublic: true)
        let view = directory.acting(as: .administrator("registration"))
        if let known = try clients.known(.clientID(id)) {
            guard known.settings.isEnabled else { return }
            var changed = metadata.settings
            changed.serverTokens = known.settings.serverTokens
            if changed != known.settings {
                let description = Backend.Description(name: known.name, version: known.version, settings: changed)
                _ = try await Backend.change(known.id, to: description, keys: keys, in: view)
            }
        } else {
            let version = try SecureRandom.token(bytes: 6)
            let description = Backend.Description(
                name: metadata.name, version: version, clientID: id, settings: metadata.settings)
            _ = try await Backend.create(description, keys: keys, in: view)
        }
        try fetchedDocuments.insert(true, for: id, lifetime: 600)
    }
}
