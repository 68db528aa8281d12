import RosterText

/// The secrets of the document of issuers (`Security_AuthTokenConfiguration`), which is a policy: the `authorizationHeader` of each issuer.
/// The document is set whole, so a document without the secrets removes them.
extension StoredSetting {
    private static let list = "issuers"
    private static let path = ["jwks", "authorizationHeader"]

    /// A policy without the secrets of issuers, and the secrets as the text of a list with a place for each issuer; null if the document has
    /// none; nil if the policy is not a document of issuers.
    static func partsOfPolicy(_ entry: JSONValue) -> (value: JSONValue, secret: JSONValue?) {
        guard case .array(let issuers)? = entry["value"]?[list] else { return (entry, nil) }
        let parts = issuers.map { $0.taking(path[...]) }
        var (entry, document) = (entry, entry["value"] ?? [:])
        document[list] = .array(parts.map(\.value))
        entry["value"] = document
        guard parts.contains(where: { $0.secret != nil }) else { return (entry, .null) }
        return (entry, .string(JSONValue.array(parts.map { $0.secret ?? .null }).written))
    }

    /// The policy with the secrets of its issuers.
    ///
    /// - Parameter secrets: The secrets as ``partsOfPolicy(_:)`` writes them.
    func policyEntry(_ secrets: String) -> JSONValue {
        guard case .array(let issuers)? = value["value"]?[Self.list],
            case .array(let secrets)? = try? JSONValue(text: secrets), secrets.count == issuers.count
        else { return value }
        var (entry, document) = (value, value["value"] ?? [:])
        document[Self.list] = .array(
            zip(issuers, secrets).map { issuer, secret in
                secret == .null ? issuer : issuer.giving(secret, at: Self.path[...])
            })
        entry["value"] = document
        return entry
    }
}
