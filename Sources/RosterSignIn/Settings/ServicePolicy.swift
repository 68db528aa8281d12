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
    /// The document of ``TrustedIssuers``, as an object or as its text in one line.
    case tokenIssuers = "Security_AuthTokenConfiguration"
    /// An object of ``TokenSettings``, for backends without settings of their own.
    case tokens = "token_settings"
    /// Whether HTTP Basic is accepted without a backend.
    case bareBasic = "allow_bare_basic"
    /// Whether addresses that apps register may be in private networks.
    case privateAddresses = "allow_private_addresses"
    /// Who may register apps by a request (RFC 7591), see ``RegistrationRule``.
    case registration = "dynamic_registration"
    /// The hosts whose documents describe apps, which need no registration.
    case documentHosts = "client_metadata_hosts"
    /// The name of the organization, for pages and mails.
    case organizationName = "organization_name"
    /// The colour of the organization: `#rrggbb`.
    case color = "organization_color"
    /// The logo of the organization: a picture in base64.
    case logo = "organization_logo"
    /// The views of the people that administrators saved for everybody: a list of names and states, see ``SavedView``.
    case peopleViews = "people_views"

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

    /// The entry of a policy in the form in which it is stored: the document of issuers as an object, also where it came as a text.
    ///
    /// - Throws: `DirectoryError` `invalidInput`, with the line of a syntax error in the text.
    static func storedForm(of entry: JSONValue, named name: String) throws -> JSONValue {
        guard name == tokenIssuers.rawValue, case .string(let text)? = entry["value"] else { return entry }
        var entry = entry
        entry["value"] = try JSONValue(strictly: Array(text.utf8))
        return entry
    }

    func text(_ value: JSONValue) throws -> String {
        guard let text = value.text else { throw DocumentObject.mismatch("value", "a text", value) }
        return text
    }

    /// A list of host names.
    func hosts(_ value: JSONValue) throws -> Set<String> {
        guard case .array(let elements) = value, elements.count <= 100,
            elements.allSatisfy({ (1...253).contains($0.text?.utf8.count ?? 0) })
        else { throw DocumentObject.mismatch("value", "a list of host names", value) }
        return Set(elements.compactMap { $0.text?.lowercased() })
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
        case .tokenIssuers: ["issuers": []]
        case .tokens: .object(tokens.members)
        case .bareBasic: .boolean(allowsBareBasic)
        case .privateAddresses: .boolean(allowsPrivateAddresses)
        case .registration: .string(registration.rawValue)
        case .documentHosts: .texts(documentHosts.sorted())
        case .organizationName: branding.name.map { .string($0) } ?? .null
        case .color: branding.color.map { .string($0.text) } ?? .null
        case .peopleViews: .array(peopleViews.map(\.document))
        case .logo: branding.logo.map { .string(Base64.text($0.bytes)) } ?? .null
        }
    }
}
