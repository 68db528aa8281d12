package import Foundation
import RosterStore

/// The proof that a request gives besides its caller's name: that the person is present, or that a program acts in its own
/// right.
///
/// Changes that could be used to take over an account require it; see ``Transaction/checkPresence(to:)``.
package enum Presence: Sendable, Hashable, Codable {
    /// A linked app or the command line makes the request. The app checks itself whether its user is present.
    case local
    /// A program makes the request with its own token. The text identifies the token or the backend. No other
    /// token or backend ever gets the same text. The source is the one that the token names.
    case program(String, source: TokenSource? = nil)
    /// A person makes the request after this sign-in; nil if the sign-in is unknown or was at another provider.
    case person(PersonalSignIn?)
    /// An app makes the request for a person, with an access token that does not allow such changes.
    case app

    /// The source that a program's token names; nil if it names none.
    var source: TokenSource? { if case .program(_, let source) = self { source } else { nil } }
}

/// The time and the strength of a person's sign-in.
package struct PersonalSignIn: Sendable, Hashable, Codable {
    /// The time at which the person entered the password.
    package let time: Date
    /// Whether the person used a second factor as well.
    package let hasSecondFactor: Bool
    /// The version of the password in the request itself; nil for a session or a token.
    package var version: CredentialVersion?

    package init(time: Date, hasSecondFactor: Bool, version: CredentialVersion? = nil) {
        self.time = time
        self.hasSecondFactor = hasSecondFactor
        self.version = version
    }

    /// The longest age in seconds of a recent sign-in.
    package static let longestAge: TimeInterval = 300
    /// The most seconds that a sign-in may seem to lie in the future, in case the clock was set back.
    private static let skew: TimeInterval = 60

    fileprivate func isRecent(at now: Date) -> Bool {
        (-Self.skew...Self.longestAge).contains(now.timeIntervalSince(time))
    }
}

extension TransactionAccess {
    /// Refuses a person without a recent sign-in, and an app that acts for a person. Accepts a program that acts in its
    /// own right.
    ///
    /// - Parameter action: The intended action, for the message.
    /// - Throws: `recentSignInRequired` unless the password, and the second factor if the person has one, were given
    ///   within the last five minutes; `appNotPermitted`.
    package func checkPresence(to action: String) throws {
        guard case .user(let user) = transaction.shared.caller else { return }
        switch transaction.shared.presence {
        case .local, .program: return
        case .app:
            throw DirectoryError(
                .appNotPermitted, "An app may not \(action) for a person.",
                advice: "Use the scope 'directory:manage', which an administrator can allow a trusted backend.")
        case .person(let signIn):
            guard let signIn, signIn.isRecent(at: transaction.core.clock()),
                try signIn.hasSecondFactor || !hasSecondFactor(user)
            else {
                throw DirectoryError(
                    .recentSignInRequired, "A sign-in within the last five minutes is required to \(action).",
                    advice: "Sign in again with the password, and with the second factor where there is one.")
            }
        }
    }

    private func hasSecondFactor(_ user: UserID) throws -> Bool {
        try transaction.connection.first(AccessStatements.hasSecondFactor, [.integer(user.rawValue)]) { _ in true }
            == true
    }

    // MARK: Passwords

    /// Refuses the creation of a user with a password. Runs before the password is hashed, because hashing is costly.
    package func checkCreatingWithPassword() throws {
        _ = try transaction.asEditor(to: "create users")
        try transaction.rights.checkNewPassword()
        try checkPresence(to: "set passwords")
    }

    /// Refuses a change of a password. Runs before the password is hashed, because hashing is costly.
    ///
    /// - Returns: The user's name, whether the password is the caller's own, and whether the old password is still
    ///   required.
    package func checkChangingPassword(
        of reference: UserReference
    ) throws -> (name: String, isOwn: Bool, needsOldPassword: Bool) {
        let user = try transaction.users.user(reference, ["uid"])
        try transaction.users.checkWriting(["password"], of: user.id)
        try checkPresence(to: "set passwords")
        return (user.uid, transaction.shared.caller == .user(user.id), try needsOldPassword(of: user.id))
    }

    /// Refuses a password in the transaction that sets it.
    func checkSettingPassword(of user: UserID) throws {
        try transaction.users.checkWriting(["password"], of: user)
        try checkPresence(to: "set passwords")
        guard try !needsOldPassword(of: user) else { throw DirectoryError.oldPasswordMissing }
    }

    /// Whether callers change their own password without having given the old one in the same request.
    private func needsOldPassword(of user: UserID) throws -> Bool {
        guard case .user(user) = transaction.shared.caller, case .person(let signIn) = transaction.shared.presence,
            try passwordExists(of: user)
        else { return false }
        return try signIn?.version?.isCurrent(for: user, on: transaction.connection) != true
    }

    /// Whether a user has a password.
    ///
    /// - Throws: `notPermitted` for everybody but the user and administrators.
    package func hasPassword(_ user: UserID) throws -> Bool {
        try transaction.rights.checkSessions(of: user, in: transaction)
        return try passwordExists(of: user)
    }

    private func passwordExists(of user: UserID) throws -> Bool {
        try transaction.connection.first(AccessStatements.hasPassword, [.integer(user.rawValue)]) { _ in true } == true
    }

    // MARK: Makers

    /// The creator to record with a new object: a permanent unique key, and a name. The key is nil for a linked app and
    /// the command line.
    package var maker: (key: String?, name: String) {
        get throws {
            switch (transaction.shared.caller, transaction.shared.presence) {
            case (.user(let id), _): (id.description, try transaction.users.user(.id(id), ["uid"]).uid)
            case (let caller, .program(let key, _)): (key, caller.description)
            case (let caller, _): (nil, caller.description)
            }
        }
    }
}

extension DirectoryError {
    /// The error for users who set their own password without giving the old one.
    package static let oldPasswordMissing = DirectoryError(
        .invalidAttribute, "Changing your own password requires the old one.",
        advice: "Give it as 'oldPassword' beside the new one, or send the request with HTTP Basic.",
        attribute: "password")
}
