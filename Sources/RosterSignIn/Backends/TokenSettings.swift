package import Foundation
import Roster
import RosterText

/// The lifetimes and the content of tokens: Cloud Access Manager's *Token Settings*. The settings of a backend override those of
/// the server, which override the defaults.
///
/// The names may have Cloud Access Manager's prefix, as in `oauthtoken.access_token_expiry`.
package struct TokenSettings: Sendable, Hashable {
    package enum ClaimsAvailability: String, Sendable, Hashable, CaseIterable {
        case idToken = "ClaimsInIdToken"
        case userInfo = "ClaimsInUserInfo"
    }

    /// `authorization_code_expiry_seconds`, 1 to 60, in seconds; 60 by default.
    private(set) var codeLifetime: Int64?
    /// `access_token_expiry`, 1 to 10,080 minutes, in seconds; 30 minutes by default.
    private(set) var accessTokenLifetime: Int64?
    /// `id_token_expiry`, 1 to 10,080 minutes, in seconds; 30 minutes by default.
    private(set) var idTokenLifetime: Int64?
    /// `refresh_token_expiry`, 1 to 525,600 minutes, in seconds; 10,080 minutes by default.
    private(set) var refreshTokenLifetime: Int64?
    /// `consumer_token_expiry_seconds`, 60 to 31,536,000, in seconds: of tokens for a program itself or for a name and
    /// password; 604,800 by default.
    private(set) var consumerTokenLifetime: Int64?
    /// `use_refresh_tokens`: whether there is a refresh token with each grant; nil if the requested scopes decide.
    package var usesRefreshTokens: Bool?
    /// `oidc_claims_availability`; in the id token by default.
    private(set) var claimsAvailability: ClaimsAvailability?

    package init() {}

    /// Reads the document in a file: an object with some of the settings.
    ///
    /// - Throws: `DirectoryError` `fileNotFound`, or `invalidInput`, which names the setting.
    package init(contentsOf url: URL) throws {
        let json = try JSONValue(strictly: DocumentObject.bytes(url, "token settings"))
        var members = try DocumentObject(Self.plainlyNamed(json), at: "")
        try self.init(from: &members)
        try members.finish()
    }

    /// Takes the settings out of an object that may have others.
    init(from members: inout DocumentObject) throws {
        func seconds(_ name: String, _ range: ClosedRange<Int>, each length: Int64 = 1) throws -> Int64? {
            try members.integer(name, in: range).map { Int64($0) * length }
        }
        codeLifetime = try seconds("authorization_code_expiry_seconds", 1...60)
        accessTokenLifetime = try seconds("access_token_expiry", 1...10_080, each: 60)
        idTokenLifetime = try seconds("id_token_expiry", 1...10_080, each: 60)
        refreshTokenLifetime = try seconds("refresh_token_expiry", 1...525_600, each: 60)
        consumerTokenLifetime = try seconds("consumer_token_expiry_seconds", 60...31_536_000)
        switch members.value("use_refresh_tokens") {
        case nil: break
        case .boolean(let uses)?: usesRefreshTokens = uses
        case .string("UseRefreshTokens")?: usesRefreshTokens = true
        case let value?:
            throw DocumentObject.mismatch(
                members.path(of: "use_refresh_tokens"), "true, false or \"UseRefreshTokens\"", value)
        }
        claimsAvailability = try members.choice("oidc_claims_availability", ClaimsAvailability.self)
    }

    /// An object whose names have no prefix of Cloud Access Manager's.
    static func plainlyNamed(_ json: JSONValue) -> JSONValue {
        guard case .object(let members) = json else { return json }
        return .object(members.map { .init(String($0.name.trimmingPrefix("oauthtoken.")), $0.value) })
    }

    /// The settings that have a value, as members of an object.
    var members: [JSONValue.Member] {
        let numbers: [(String, Int64?)] = [
            ("authorization_code_expiry_seconds", codeLifetime),
            ("access_token_expiry", accessTokenLifetime.map { $0 / 60 }),
            ("id_token_expiry", idTokenLifetime.map { $0 / 60 }),
            ("refresh_token_expiry", refreshTokenLifetime.map { $0 / 60 }),
            ("consumer_token_expiry_seconds", consumerTokenLifetime),
        ]
        var members = numbers.compactMap { name, number in number.map { JSONValue.Member(name, .integer($0)) } }
        if let usesRefreshTokens { members.append(.init("use_refresh_tokens", .boolean(usesRefreshTokens))) }
        if let claimsAvailability {
            members.append(.init("oidc_claims_availability", .string(claimsAvailability.rawValue)))
        }
        return members
    }
}

extension BackendSettings {
    // The values that apply, with lifetimes in seconds.

    package var codeLifetime: Int64 { tokens.codeLifetime ?? serverTokens.codeLifetime ?? 60 }
    package var accessTokenLifetime: Int64 { tokens.accessTokenLifetime ?? serverTokens.accessTokenLifetime ?? 30 * 60 }
    package var idTokenLifetime: Int64 { tokens.idTokenLifetime ?? serverTokens.idTokenLifetime ?? 30 * 60 }
    package var refreshTokenLifetime: Int64 {
        tokens.refreshTokenLifetime ?? serverTokens.refreshTokenLifetime ?? 10_080 * 60
    }
    package var consumerTokenLifetime: Int64 {
        tokens.consumerTokenLifetime ?? serverTokens.consumerTokenLifetime ?? 604_800
    }
    package var usesRefreshTokens: Bool? { tokens.usesRefreshTokens ?? serverTokens.usesRefreshTokens }
    package var claimsAvailability: TokenSettings.ClaimsAvailability {
        tokens.claimsAvailability ?? serverTokens.claimsAvailability ?? .idToken
    }
}
