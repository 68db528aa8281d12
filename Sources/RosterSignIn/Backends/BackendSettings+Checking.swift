public import Foundation
import Roster
package import RosterText

extension BackendSettings {
    /// Reads settings from their JSON form. Settings that are missing have their defaults.
    ///
    /// - Throws: `DirectoryError` `invalidInput`, which names the setting.
    public init(json: Data) throws { try self.init(JSONValue(strictly: Array(json))) }

    /// Reads and checks settings from a request, a file or a seed.
    ///
    /// - Throws: `DirectoryError` `invalidInput`, which names the setting.
    package init(_ json: JSONValue) throws {
        try self.init(stored: json)
        disabled = nil
        try check()
    }

    /// Refuses settings that contradict each other or have no use.
    ///
    /// - Throws: `DirectoryError` `invalidInput`, which names the setting.
    func check() throws {
        func refuse(_ path: String, _ problem: String, _ advice: String) -> DirectoryError {
            DocumentObject.problem(path, problem, advice)
        }
        // OpenID Connect Core, section 10.1.
        guard !isPublic || signing != .clientSecret else {
            throw refuse(
                "id_token_signed_response_alg", "HS256 signs with the client's secret, and a public client has none.",
                "Take ES256, or make the client a confidential one.")
        }
        for (name, uris) in [("redirect_uris", redirectURIs), ("post_logout_redirect_uris", postLogoutRedirectURIs)] {
            for uri in uris {
                guard let problem = RedirectURI.problem(with: uri) else { continue }
                throw refuse(name, "has '\(uri.prefix(128))', which cannot be registered: \(problem).", "Correct it.")
            }
        }
        if isPublic, grants.contains(.clientCredentials) {
            throw refuse(
                "grant_types", "has client_credentials, and a public client has no secret.", "Leave it out.")
        }
        if isPublic, directoryRole != nil {
            throw refuse("directory_role", "is not for public clients.", "Leave it out, or make a confidential client.")
        }
        if isPublic, isTrusted {
            throw refuse(
                "trusted", "is not for public clients, because another program can pretend to be the client.",
                "Make the client a confidential one.")
        }
        guard isTrusted || !scopes.contains(.directoryManage) else {
            throw refuse(
                "scope", "has \(Scope.directoryManage), which only a trusted backend may have.",
                "Set 'trusted' to true, or leave the scope out.")
        }
        if let socialApps {
            guard allowsSocialLogin, (1...20).contains(socialApps.count),
                socialApps.allSatisfy({ (1...255).contains($0.utf8.count) })
            else {
                throw refuse(
                    "social_apps", "needs social_login, and has 1 to 20 names of social providers.",
                    "Name entries of 'social' in the providers' document, or leave it out.")
            }
        }
        if allowsSocialLogin {
            guard grants.isEmpty, !allowsExchange else {
                throw refuse("social_login", "excludes grant_types and sso.", "Make two backends.")
            }
            guard allowsBasic, apis?.values.allSatisfy(\.roles.isEmpty) ?? true else {
                throw refuse(
                    "social_login", "needs http_basic, and rules without roles, because its users have no roles here.",
                    "Leave http_basic and the roles out.")
            }
        }
        for (name, rule) in (apis ?? [:]).sortedByName {
            try rule.check(at: "apis.\(name)")
            // Without a user, only a program with a directory role can use these APIs. An anonymous key would be useless.
            guard !rule.requiresLogin, directoryRole == nil, APIName.needingLogin.contains(name) else { continue }
            throw refuse(
                "apis.\(name).login_required",
                "is false, but nobody may use this API without signing in.",
                "Leave it out. Of this server's APIs only 'mobile' takes an anonymous key; a program needs a directory_role."
            )
        }
        guard scopes.allSatisfy(\.isValid) else {
            throw refuse("scope", "has characters that no scope can have.", "Give words of ASCII without quotes.")
        }
        guard audiences.allSatisfy({ !$0.isEmpty }) else {
            throw refuse("audience", "has an empty text.", "Leave it out.")
        }
        if let problem = backChannelLogoutURI.flatMap({ RegisteredAddresses.problem(with: $0) }) {
            throw refuse("backchannel_logout_uri", problem, "Give an https address without a fragment.")
        }
        for origin in guardedOrigins {
            guard GuardedApps.origin(of: origin) == origin, RedirectURI.problem(with: origin) == nil else {
                throw refuse(
                    "auth_request_origins",
                    "has '\(origin.prefix(128))', which is not an https origin in small letters.",
                    "Give the scheme, the host and an unusual port, such as https://app.example.com.")
            }
        }
        guard sectorName.map({ (1...256).contains($0.utf8.count) }) ?? true else {
            throw refuse("sector", "is empty or too long.", "Give a name of up to 256 bytes, such as a host.")
        }
        guard subjectType == .public || sector != nil else {
            throw refuse(
                "subject_type", "is pairwise, and redirect_uris have no host or several.",
                "Give the name of the sector as 'sector'.")
        }
        try checkProfile()
        try tokens.check()
        try claims?.check(at: "claims")
        try app.check(at: "app")
        try webgate?.check(at: "webgate")
    }
}
