import Foundation
import Roster
import RosterCrypto
import RosterText

/// Makes and compares the subject identifiers of people in tokens (`sub`).
package struct Subjects: Sendable {
    let keys: KeyRing
    let clients: ClientDirectory

    /// Returns the subject identifier of a person for an app (OpenID Connect Core, section 8.1).
    ///
    /// A public identifier is the same for all apps. A pairwise one belongs to one sector of apps: it is computed with a key from the
    /// directory's key file, so that nobody else can find the person by it.
    package func subject(of holder: Holder, for backend: Backend) throws -> String {
        guard backend.settings.subjectType == .pairwise, let sector = backend.settings.sector else {
            return holder.description
        }
        let message = Array("pairwise\0\(sector)\0\(holder.description)".utf8)
        return Base64URL.text(Array(try HMACSHA256.code(for: message, key: keys.refreshKey).prefix(24)))
    }

    /// Returns whether the subject in an app's hint is that of a person.
    package func means(_ hint: IDTokenHint, _ holder: Holder) throws -> Bool {
        guard let subject = hint.subject, let clientID = hint.clientID,
            let backend = try clients.known(.clientID(clientID))
        else { return false }
        return try self.subject(of: holder, for: backend).hasSameBytes(as: subject)
    }
}
