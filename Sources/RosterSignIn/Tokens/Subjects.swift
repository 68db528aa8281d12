import Foundation
import Roster
import RosterCrypto
import RosterText

/// The names of people in tokens (`sub`).
package struct Subjects: Sendable {
    let keys: KeyRing
    let clients: ClientDirectory

    /// The name of a person in the tokens of an app: the same for all apps, or one of the app's own (OpenID Connect Core, section 8.1),
    /// from which nobody can find the person, and which the directory's key file determines.
    package func subject(of holder: Holder, for backend: Backend) throws -> String {
        guard backend.settings.subjectType == .pairwise, let sector = backend.settings.sector else {
            return holder.description
        }
        let message = Array("pairwise\0\(sector)\0\(holder.description)".utf8)
        return Base64URL.text(Array(try HMACSHA256.code(for: message, key: keys.refreshKey).prefix(24)))
    }

    /// Whether the hint of an app means a person.
    package func means(_ hint: IDTokenHint, _ holder: Holder) throws -> Bool {
        guard let subject = hint.subject, let clientID = hint.clientID,
            let backend = try clients.known(.clientID(clientID))
        else { return false }
        return try self.subject(of: holder, for: backend).hasSameBytes(as: subject)
    }
}
