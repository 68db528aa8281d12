package import Foundation
package import Roster

package struct ListAppPasswords: AdministrationOperation {
    package static let (name, right, isChange) = ("appPasswords", AdministrationRight.helpers, false)
    package let user: UserReference
    package init(of user: UserReference) { self.user = user }
}

package struct MakeAppPassword: AdministrationOperation {
    package static let (name, right, isChange) = ("makeAppPassword", AdministrationRight.administrators, true)
    package let user: UserReference
    /// The name of the program.
    package let program: String
    /// The interface that accepts the app password: `ldap` or `scim`.
    package let use: String
    package let networks: [String]
    package let expires: Date?

    package init(of user: UserReference, program: String, use: String, networks: [String], expires: Date?) {
        (self.user, self.program, self.use, self.networks, self.expires) = (user, program, use, networks, expires)
    }
}

package struct EndAppPassword: AdministrationOperation {
    package static let (name, right, isChange) = ("endAppPassword", AdministrationRight.helpers, true)
    package let user: UserReference
    /// The name or the identifier.
    package let password: String
    package init(_ password: String, of user: UserReference) { (self.password, self.user) = (password, user) }
}
