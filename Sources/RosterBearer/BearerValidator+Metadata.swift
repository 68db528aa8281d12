public import Foundation
import RosterOpenID
import RosterText

/// The metadata of an API (RFC 9728), from which clients learn where to get tokens.
extension BearerValidator {
    private static let wellKnown = "/.well-known/oauth-protected-resource"

    /// The address of the metadata, at which the API answers ``resourceMetadata``; nil without ``BearerSettings/resource``.
    public var resourceMetadataURL: String? {
        settings.resource.map { resource in
            let host = resource.range(of: "://")?.upperBound ?? resource.startIndex
            let path = resource[host...].firstIndex(of: "/") ?? resource.endIndex
            return resource[..<path] + Self.wellKnown + resource[path...]
        }
    }

    /// The metadata as a JSON object, to be answered with the type `application/json`; nil without ``BearerSettings/resource``.
    public var resourceMetadata: Data? {
        settings.resource.map { resource in
            var metadata: JSONValue = [
                "resource": .string(resource), "authorization_servers": [.string(settings.issuer)],
                "bearer_methods_supported": ["header"],
                "dpop_signing_alg_values_supported": .texts(PossessionProof.algorithms.map(\.rawValue)),
                "dpop_bound_access_tokens_required": .boolean(settings.requiresPossession),
            ]
            if !settings.scopes.isEmpty { metadata["scopes_supported"] = .texts(settings.scopes) }
            return Data(metadata.bytes)
        }
    }
}
