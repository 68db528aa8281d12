import Roster
package import RosterText

/// A policy of the service that administrators can set while it runs.
package enum ServicePolicy: String, Sendable, CaseIterable {
    /// The origins whose pages may call the service: `disallow`, or patterns.
    case allowOrigin = "Security_AllowOrigin"
    /// The lifetime of exchanged tokens in seconds.
    case exchangeLifetime = "Security_TokenExchangeTimeoutSecs"
    /// The rule for that lifetime, see ``TokenTimeoutPolicy``.
    case exchangePolicy = "Security_TokenExchangeTimeoutPolicy"
    /// An object of ``TokenSettings``, for backends without settings of their own.
    case tokens = "token_settings"
    /// Whether HTTP Basic is accepted without a backend.
    case bareBasic = "allow_bare_basic"

    /// - Throws: `DirectoryError` `notFound`.
    package init(named name: String) throws {
        guard let policy = Self(rawValue: name) else {
            throw DirectoryError(
                .notFound, "There is no policy of that name.",
                advice: "Name one of \(Self.allCases.map(\.rawValue).joined(separator: ", ")).")
        }
        self = policy
    }

    /// The value in a setting's entry.
    static func value(of entry: JSONValue) throws -> JSONValue {
        var object = try DocumentObject(entry, at: "")
        let value = try object.required(object.value("value"), "value")
        try object.finish()
        return value
    }

    func text(_ value: JSONValue) throws -> String {
        guard let text = value.text else { throw DocumentObject.mismatch("value", "a text", value) }
        return text
    }

    func boolean(_ value: JSONValue) throws -> Bool {
        guard case .boolean(let isTrue) = value else { throw DocumentObject.mismatch("value", "true or false", value) }
        return isTrue
    }

    func seconds(_ value: JSONValue, in range: ClosedRange<Int>) throws -> Duration {
        var object = try DocumentObject(["value": value], at: "")
        return .seconds(try object.integer("value", in: range) ?? range.lowerBound)
    }

    func choice<Choice: RawRepresentable & CaseIterable>(
        _ value: JSONValue, _ type: Choice.Type
    ) throws -> Choice where Choice.RawValue == String {
        var object = try DocumentObject(["value": value], at: "")
        return try object.required(try object.choice("value", type), "value")
    }
}

extension ServiceSettings {
    /// The value of a policy that applies now.
    package func value(of policy: ServicePolicy) -> JSONValue {
        switch policy {
        case .allowOrigin: .string(allowedOrigins ?? "disallow")
        case .exchangeLifetime: .integer(Int64(exchange.timeoutSeconds))
        case .exchangePolicy: .string(exchange.timeoutPolicy.rawValue)
        case .tokens: .object(tokens.members)
        case .bareBasic: .boolean(allowsBareBasic)
        }
    }
}
