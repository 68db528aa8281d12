import RosterClient
import RosterText
import RosterTransport

/// Fetching the profile of the app.
extension SecurityService {
    /// Whether the right server answers. A captive portal or a proxy is not the right server.
    enum Reach: Sendable {
        case profile(ApplicationProfile)
        case unreachable(ClientError)
    }

    /// Fetches the profile of the app, and tells the delegate. Mirrors `setup`.
    ///
    /// If the server cannot be reached, the last profile is returned, so that an app can start offline.
    ///
    /// - Returns: The profile.
    /// - Throws: `ClientError`: `badConfiguration` if the server does not know the app; `unreachable`, `badAnswer`, `serverBusy`,
    ///   `serverFailed` if there is no stored profile; `refused`; the errors of the store; `CancellationError`.
    @discardableResult
    public func setup() async throws -> ApplicationProfile {
        let result: Result<ApplicationProfile, any Error>
        do {
            switch try await reach() {
            case .profile(let profile): result = .success(profile)
            case .unreachable(let error):
                guard let kept = try applicationProfile else { throw error }
                result = .success(kept)
            }
        } catch {
            result = .failure(error)
        }
        delegate?.securityService(self, didReceive: result)
        return try result.get()
    }

    /// Asks the server for the profile, and takes the profile into use.
    ///
    /// - Throws: `ClientError` for what the right server refuses; the errors of the store; `CancellationError`.
    func reach() async throws -> Reach {
        var request = TransportRequest("GET", profileURL, headers: ["Accept": "application/json"])
        request.maximumBodyBytes = 1 << 16
        let reply: ProviderConnection.Reply
        do { reply = try await connection.send(request) } catch let error as TransportError {
            return .unreachable(ClientError(error))
        }
        guard reply.status == 200, let json = reply.json else {
            // The server's own refusals are JSON.
            guard reply.json != nil, (400..<500).contains(reply.status) else {
                return .unreachable(reply.failure(at: "profile of the app"))
            }
            guard reply.status == 404 else {
                if reply.status == 429 { throw reply.failure(at: "profile of the app") }
                throw ClientError(
                    .refused, "The server refused the request for the app's profile (\(reply.status)).",
                    advice: "Check the app's name and the service domain.")
            }
            try await dropProfile()
            throw ClientError(
                .badConfiguration, "The server has no such app in the service domain, or has disabled the app.",
                advice: "Check the app's name and the service domain, and ask the server's administrator.")
        }
        let profile: ApplicationProfile
        do { profile = try ApplicationProfile(json, for: properties, isLocal: isLocal) } catch {
            return .unreachable(error)
        }
        try await adopt(profile)
        return .profile(profile)
    }

    private var profileURL: String {
        var url = properties.base + "/oic_rest/rest/AppProfiles/" + PercentEncoding.text(properties.applicationName)
        url += "?osType=\(Self.platform)&clientSDKVersion=Roster"
        if let domain = properties.serviceDomain { url += "&serviceDomain=" + PercentEncoding.text(domain) }
        return url
    }

    /// The platform, as the server names it.
    static let platform: String = {
        #if os(Linux)
            "Linux"
        #elseif os(macOS)
            "macOS"
        #else
            "iOS"
        #endif
    }()
}
