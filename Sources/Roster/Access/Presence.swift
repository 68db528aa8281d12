package import Foundation
import RosterStore

/// What a request proves beside its caller's name: that a person is there at this moment, or that a program asks by a right
/// of its own.
///
/// Changes by which somebody could take an account over ask for it: see ``Transaction/checkPresence(to:)``.
package enum Presence: Sendable, Hashable {
    /// A linked app or the command line asks. The app decides for itself whether its user is still there.
    case local
    /// A program asks with its own token. The text names the token or the backend that the program has, and is never given
    /// again.
    case program(String)
    /// A person asks, who signed in like this; nil where that is not known, or was with another provider.
    case person(PersonalSignIn?)
    /// An app asks for a person, with an access token that does not allow such changes.
    case app
}

/// How and when a person signed in.
package struct PersonalSignIn: Sendable, Hashable {
    /// When the person gave the password.
    package let time: Date
    /// Whether the person gave a second factor as well.
    package let hasSecondFactor: Bool
    /// The password that the request itself brought; nil for a session or a token.
    package var version: CredentialVersion?

    /// Describes a sign-in with a password.
    package init(time: Date, hasSecondFactor: Bool, version: CredentialVersion? = nil) {
        self.time = time
        self.hasSecondFactor = hasSecondFactor
        self.version = version
    }

    /// How long ago a sign-in may be for it to be recent, in seconds.
    package static let longestAge: TimeInterval = 300
    /// How far in the future a sign-in may seem to be, in seconds: clocks are set.
    private static let skew: TimeInterval = 60

    fileprivate func isRecent(at now: Date) -> Bool {
        (-Self.skew...Self.longestAge).contains(now.timeIntervalSince(time))
    }
}

extension Transaction {
    /// Refuses a person whose sign-in is not recent, and an app that acts for a person. A program with a right of its own
    /// passes.
    ///
    /// - Parameter action: What the caller is about to do, for the message.
    /// - Throws: `recentSignInRequired` where the password, or the second factor that the person has, was given more than
    ///   five minutes ago or never; `appNotPermitted`.
    package func checkPresence(to action: String) throws {
        guard case .user(let user) = view.caller else { return }
        switch view.presence {
        case .local, .program: return
        case .app:
            throw DirectoryError(
                .appNotPermitted, "An app may not \(action) for a person.",
                advice: "Use the scope 'directory:manage', which an administrator can allow a trusted backend.")
        case .person(let signIn):
            guard let signIn, signIn.isRecent(at: view.core.clock()),
                try signIn.hasSecondFactor || !hasSecondFactor(user)
            else {
                throw DirectoryError(
                    .recentSignInRequired, "To \(action) takes a sign-in within the last five minutes.",
                    advice: "Sign in again with the password, and with the second factor where there is one.")
            }
        }
    }

    private func hasSecondFactor(_ user: UserID) throws -> Bool {
        try connection.first(AccessStatements.hasSecondFactor, [.integer(user.rawValue)]) { _ in true } == true
    }

    /// Refuses everyone but administrators, and an administrator whose sign-in is not recent.
    package func checkPresentAdministrator(to action: String) throws {
        try rights.checkAdministrator(to: action)
        try checkPresence(to: action)
    }

    // MARK: Passwords

    /// Refuses the creation of a user with a password. To be called before the password is hashed, which is costly.
    package func checkCreatingWithPassword() throws {
        try rights.checkProvisioning(to: "create users")
        try checkPresence(to: "set passwords")
    }

    /// Refuses a change of a password. To be called before the password is hashed, which is costly.
    ///
    /// - Returns: The user's name, whether it is the caller's own password, and whether the old one has yet to be given.
    package func checkChangingPassword(
        of reference: UserReference
    ) throws -> (name: String, isOwn: Bool, needsOldPassword: Bool) {
        let user = try self.user(reference, ["uid"])
        let definitions = [vocabulary.definition(of: "password")].compactMap { $0 }
        try rights.checkWriting(definitions, of: user.id, in: self)
        try checkPresence(to: "set passwords")
        return (user.uid, view.caller == .user(user.id), try needsOldPassword(of: user.id))
    }

    /// Refuses a password within the transaction that sets it.
    func checkSettingPassword(of user: UserID) throws {
        try checkPresence(to: "set passwords")
        guard try !needsOldPassword(of: user) else { throw DirectoryError.oldPasswordMissing }
    }

    /// Whether somebody is about to change their own password without having given it in the same request.
    private func needsOldPassword(of user: UserID) throws -> Bool {
        guard case .user(user) = view.caller, case .person(let signIn) = view.presence,
            try connection.first(AccessStatements.hasPassword, [.integer(user.rawValue)], { _ in true }) == true
        else { return false }
        return try signIn?.version?.isCurrent(for: user, on: connection) != true
    }

    // MARK: Makers

    /// Who makes something, as it is kept with what is made: a key that belongs to nobody else, now and later, and a name.
    /// The key is nil for a linked app and the command line.
    package var maker: (key: String?, name: String) {
        get throws {
            switch (view.caller, view.presence) {
            case (.user(let id), _): (id.description, try user(.id(id), ["uid"]).uid)
            case (let caller, .program(let key)): (key, caller.description)
            case (let caller, _): (nil, caller.description)
            }
        }
    }
}

extension DirectoryError {
    /// The error of a user who sets a new password of their own without giving the old one.
    package static let oldPasswordMissing = DirectoryError(
        .invalidAttribute, "A change of one's own password takes the old one.",
        advice: "Give it as 'oldPassword' beside the new one, or send the request with HTTP Basic.",
        attribute: "password")
}
