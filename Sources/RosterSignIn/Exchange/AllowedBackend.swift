import Roster
import RosterText

package struct ExchangingBackend: Sendable, Hashable {
    package let name: String
    package let version: String
    package let clientID: String

    package init(name: String, version: String, clientID: String) {
        (self.name, self.version, self.clientID) = (name, version, clientID)
    }
}

/// A backend that may use an issuer (`allowedMbes`).
package enum AllowedBackend: Sendable, Hashable {
    /// The entry names a backend by name and version, by the identifier of its client, or by both. Everything that it says must
    /// match.
    case backend(name: String?, version: String?, clientID: String?)
    /// The entry could not be read, for this reason. It allows no backend.
    case malformed(String)

    /// Reads an entry. A wrong entry allows nothing, and does not affect the others.
    init(_ value: JSONValue, at path: String) {
        do {
            var object = try DocumentObject(value, at: path)
            let name = try object.text("name")
            let version = try object.text("version")
            let clientID = try object.text("clientId")
            try object.finish()
            guard (name == nil) == (version == nil) else {
                throw DocumentObject.problem(path, "has a name or a version without the other.", "Give both.")
            }
            guard name != nil || clientID != nil else {
                throw DocumentObject.problem(path, "names no backend.", "Give name and version, or clientId.")
            }
            self = .backend(name: name, version: version, clientID: clientID)
        } catch {
            self = .malformed((error as? DirectoryError)?.message ?? "\(path) cannot be read.")
        }
    }

    /// Whether this entry allows a backend. Everything that it says must match exactly.
    func allows(_ backend: ExchangingBackend) -> Bool {
        guard case .backend(let name, let version, let clientID) = self else { return false }
        let pairs = [(name, backend.name), (version, backend.version), (clientID, backend.clientID)]
        return pairs.allSatisfy { wanted, actual in wanted?.hasSameBytes(as: actual) ?? true }
    }
}
