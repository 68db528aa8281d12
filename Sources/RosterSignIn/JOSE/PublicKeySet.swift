public import Foundation
import Roster
package import RosterText

/// Public keys as a JSON Web Key Set (RFC 7517).
public struct PublicKeySet: Sendable, Hashable {
    /// The document.
    package let document: JSONValue

    package init(_ document: JSONValue) { self.document = document }

    /// Reads a key set.
    ///
    /// - Throws: `DirectoryError` `invalidInput` for text that is not JSON, or has no list `keys`.
    public init(json: Data) throws {
        document = try JSONValue(strictly: Array(json))
        guard case .array? = document["keys"] else {
            throw DocumentObject.problem("keys", "is not a list of keys.", "Give a JSON Web Key Set: {\"keys\": […]}.")
        }
    }

    /// The document.
    public var json: Data { Data(document.bytes) }
}
