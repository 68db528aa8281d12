package import Roster

package struct ListSecondFactors: AdministrationOperation {
    package static let (name, right, isChange) = ("secondFactors", AdministrationRight.helpers, false)
    package let user: UserReference
    package init(of user: UserReference) { self.user = user }
}

package struct RemoveSecondFactors: AdministrationOperation {
    package static let (name, right, isChange) = ("removeSecondFactors", AdministrationRight.helpers, true)
    package let user: UserReference
    /// `app` or `questions`; nil for all factors, also those that were lost with the key file.
    package let kind: String?
    package init(of user: UserReference, kind: String?) { (self.user, self.kind) = (user, kind) }
}

package struct SetPassword: AdministrationOperation, CustomStringConvertible, CustomReflectable {
    package static let (name, right, isChange) = ("setPassword", AdministrationRight.passwordSetters, true)
    package let user: UserReference
    package let password: String
    package init(_ password: String, of user: UserReference) { (self.password, self.user) = (password, user) }
    package var description: String { "a new password" }
    package var customMirror: Mirror { Mirror(self, children: []) }
}

package struct MakePasswordLink: AdministrationOperation {
    package static let (name, right, isChange) = ("makePasswordLink", AdministrationRight.passwordSetters, true)
    package let user: UserReference
    /// `reset` or `invitation`.
    package let kind: String
    /// Whether the server sends the link to the user's mail address. The answer has no link then.
    package let isMailed: Bool

    package init(for user: UserReference, kind: String, isMailed: Bool) {
        (self.user, self.kind, self.isMailed) = (user, kind, isMailed)
    }
}

package struct ListSessions: AdministrationOperation {
    package static let (name, right, isChange) = ("sessions", AdministrationRight.helpers, false)
    package let user: UserReference
    package init(of user: UserReference) { self.user = user }
}

package struct EndSession: AdministrationOperation {
    package static let (name, right, isChange) = ("endSession", AdministrationRight.helpers, true)
    package let user: UserReference
    /// The identifier.
    package let session: String
    package init(_ session: String, of user: UserReference) { (self.session, self.user) = (session, user) }
}

/// Ends all sessions and tokens of a user.
package struct SignOutUser: AdministrationOperation {
    package static let (name, right, isChange) = ("signOut", AdministrationRight.helpers, true)
    package let user: UserReference
    package init(_ user: UserReference) { self.user = user }
}

package struct ListDevices: AdministrationOperation {
    package static let (name, right, isChange) = ("devices", AdministrationRight.helpers, false)
    package let user: UserReference
    package init(of user: UserReference) { self.user = user }
}

package struct EndDevice: AdministrationOperation {
    package static let (name, right, isChange) = ("endDevice", AdministrationRight.helpers, true)
    package let user: UserReference
    /// The identifier.
    package let device: String
    package init(_ device: String, of user: UserReference) { (self.device, self.user) = (device, user) }
}

/// The roles that a user came to and left, latest change first.
package struct ListRoleChanges: AdministrationOperation {
    package static let (name, right, isChange) = ("roleChanges", AdministrationRight.administrators, false)
    package let user: UserReference
    /// The largest number of changes of the page, 1 to 200.
    package let count: Int
    /// The `next` of the page before; nil for the first page.
    package let before: String?

    package init(of user: UserReference, count: Int, before: String?) {
        (self.user, self.count, self.before) = (user, count, before)
    }
}

/// The entries of the change feed, latest first.
package struct ListLatestChanges: AdministrationOperation {
    package static let (name, right, isChange) = ("latestChanges", AdministrationRight.administrators, false)
    /// The kind of change, such as `created`; nil for all.
    package var kind: String?
    /// The kind of what was changed, such as `user`; nil for all.
    package var entity: String?
    /// The name or the identifier of what was changed; nil for all.
    package var subject: String?
    /// The actor, as the entries show it; nil for all.
    package var actor: String?
    package var batch: Int64?
    /// The number of the entry after the page; nil for the latest page.
    package var before: Int64?
    /// The largest number of entries, 1 to 1,000.
    package var limit = 100

    package init() {}
}

package struct ReadRemainingAccess: AdministrationOperation {
    package static let (name, right, isChange) = ("remainingAccess", AdministrationRight.administrators, false)
    /// The user's name or identifier, or the name of a program.
    package let maker: String
    package init(of maker: String) { self.maker = maker }
}

package struct EndRemainingAccess: AdministrationOperation {
    package static let (name, right, isChange) = ("endRemainingAccess", AdministrationRight.administrators, true)
    package let maker: String
    package init(of maker: String) { self.maker = maker }
}
