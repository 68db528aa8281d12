public import Foundation
import Roster
import RosterText

/// The lifetimes and the content of tokens: Cloud Access Manager's *Token Settings*. The settings of a backend override those of
/// the service, which override the defaults.
///
/// A lifetime outside its range is refused when a backend or a ``SignIn`` is made with it. The names in JSON may have Cloud Access
/// Manager's prefix, as in `oauthtoken.access_token_expiry`.
public struct TokenSettings: Sendable, Hashable {
    /// The place of the claims about a user.
    public enum ClaimsAvailability: String, Sendable, Hashable, CaseIterable {
        /// The claims are in the ID token, and in the answer of user info.
        case idToken = "ClaimsInIdToken"
        /// The claims are only in the answer of user info.
        case userInfo = "ClaimsInUserInfo"
    }

    /// The time in which a code must be redeemed: 1 to 60 whole seconds; 60 seconds by default. The JSON name is
    /// `authorization_code_expiry_seconds`.
    public var codeLifetime: Duration?
    /// The lifetime of access tokens: 1 to 10,080 whole minutes; 30 minutes by default. The JSON name is `access_token_expiry`, in
    /// minutes.
    public var accessTokenLifetime: Duration?
    /// The lifetime of ID tokens: 1 to 10,080 whole minutes; 30 minutes by default. The JSON name is `id_token_expiry`, in minutes.
    public var idTokenLifetime: Duration?
    /// The lifetime of refresh tokens: 1 to 525,600 whole minutes; 10,080 minutes, which is a week, by default. The JSON name is
    /// `refresh_token_expiry`, in minutes.
    public var refreshTokenLifetime: Duration?
    /// The lifetime of access tokens that no refresh token renews: tokens for the backend itself, and tokens for a person without a
    /// refresh token. 60 to 31,536,000 whole seconds; 604,800 seconds, which is a week, by default. The JSON name is
    /// `consumer_token_expiry_seconds`.
    public var consumerTokenLifetime: Duration?
    /// Whether there is a refresh token with each grant. With nil, the default, the requested scopes decide: a request with
    /// `openid` gets one if it also has `offline_access`, any other request always. The JSON name is `use_refresh_tokens`.
    public var usesRefreshTokens: Bool?
    /// The place of the claims about a user; the ID token by default. The JSON name is `oidc_claims_availability`.
    public var claimsAvailability: ClaimsAvailability?

    /// Makes settings that are all nil, so that the settings of the service, or else the defaults, apply.
    public init() {}

    /// Reads the document in a file: a JSON object with some of the settings.
    ///
    /// - Throws: `DirectoryError` `fileNotFound`, or `invalidInput`, which names the setting.
    public init(contentsOf url: URL) throws {
        try self.init(JSONValue(strictly: DocumentObject.bytes(url, "token settings")))
    }

    /// Reads an object with some of the settings.
    init(_ json: JSONValue) throws {
        var members = try DocumentObject(Self.plainlyNamed(json), at: "")
        try self.init(from: &members)
        try members.finish()
    }

    /// A lifetime, with its name, unit and range in JSON.
    private struct Lifetime {
        let member: any WritableKeyPath<TokenSettings, Duration?> & Sendable
        let name: String
        /// The seconds of the unit.
        let unit: Int64
        let range: ClosedRange<Int>
    }

    private static let lifetimes = [
        Lifetime(member: \.codeLifetime, name: "authorization_code_expiry_seconds", unit: 1, range: 1...60),
        Lifetime(member: \.accessTokenLifetime, name: "access_token_expiry", unit: 60, range: 1...10_080),
        Lifetime(member: \.idTokenLifetime, name: "id_token_expiry", unit: 60, range: 1...10_080),
        Lifetime(member: \.refreshTokenLifetime, name: "refresh_token_expiry", unit: 60, range: 1...525_600),
        Lifetime(
            member: \.consumerTokenLifetime, name: "consumer_token_expiry_seconds", unit: 1, range: 60...31_536_000),
    ]

    /// Takes the settings out of an object that may have others.
    init(from members: inout DocumentObject) throws {
        for lifetime in Self.lifetimes {
            self[keyPath: lifetime.member] = try members.integer(lifetime.name, in: lifetime.range).map {
                .seconds(Int64($0) * lifetime.unit)
            }
        }
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

    /// Refuses lifetimes out of their ranges, and parts of their units, which JSON cannot hold.
    func check() throws {
        for lifetime in Self.lifetimes {
            guard let (seconds, fraction) = self[keyPath: lifetime.member]?.components else { continue }
            let count = seconds / lifetime.unit
            guard fraction == 0, seconds == count * lifetime.unit, lifetime.range.contains(Int(count)) else {
                throw DocumentObject.problem(
                    lifetime.name,
                    "must be \(lifetime.range.lowerBound) to \(lifetime.range.upperBound) whole "
                        + "\(lifetime.unit == 1 ? "seconds" : "minutes").", "Give another lifetime.")
            }
        }
    }

    /// These settings, with those of another value where these are nil.
    func completed(by other: TokenSettings) -> TokenSettings {
        var all = self
        for lifetime in Self.lifetimes where all[keyPath: lifetime.member] == nil {
            all[keyPath: lifetime.member] = other[keyPath: lifetime.member]
        }
        all.usesRefreshTokens = usesRefreshTokens ?? other.usesRefreshTokens
        all.claimsAvailability = claimsAvailability ?? other.claimsAvailability
        return all
    }

    /// An object whose names have no prefix of Cloud Access Manager's.
    static func plainlyNamed(_ json: JSONValue) -> JSONValue {
        guard case .object(let members) = json else { return json }
        return .object(members.map { .init(String($0.name.trimmingPrefix("oauthtoken.")), $0.value) })
    }

    /// The settings that have a value, as members of an object.
    var members: [JSONValue.Member] {
        var members = Self.lifetimes.compactMap { lifetime in
            self[keyPath: lifetime.member].map {
                JSONValue.Member(lifetime.name, .integer($0.components.seconds / lifetime.unit))
            }
        }
        if let usesRefreshTokens { members.append(.init("use_refresh_tokens", .boolean(usesRefreshTokens))) }
        if let claimsAvailability {
            members.append(.init("oidc_claims_availability", .string(claimsAvailability.rawValue)))
        }
        return members
    }
}
