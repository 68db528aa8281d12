import Dispatch
package import Foundation
package import Roster
import RosterTransport
import RosterText

/// Sends mails in the background, one after the other. A mail server that is slow or down delays no request.
package final class Mailer: Sendable {
    /// The mail server that takes the mails, and the address that sends them.
    package struct Settings: Sendable {
        fileprivate let server: MailServer
        fileprivate let sender: String

        /// - Parameters:
        ///   - url: `smtps://user@host:465` or `smtp://user@host:587`. User and port can be left out.
        ///   - password: The user's password at the mail server.
        ///   - sender: The address of the sender.
        /// - Throws: `invalidInput` for an address that cannot be used.
        package init(url: String, password: String?, sender: String) throws {
            guard let server = MailServer(url, password: password) else {
                throw DirectoryError(
                    .invalidInput, "The mail server's address cannot be used.",
                    advice:
                        "Give an address such as smtps://user@mail.example.com:465. A user needs a password file, and a "
                        + "password file needs a user.")
            }
            guard MailMessage.isAddress(sender) else {
                throw DirectoryError(
                    .invalidInput, "The sender of mails is no address.",
                    advice: "Give an address such as roster@example.com.")
            }
            (self.server, self.sender) = (server, sender)
        }
    }

    private let settings: Settings
    private let warn: @Sendable (String) -> Void
    private let queue = DispatchQueue(label: "roster.mail")
    private let waiting = Locked(0)
    /// The most mails that wait.
    private static let capacity = 200

    /// - Parameter warn: Receives a description of a failure, without addresses.
    package init(_ settings: Settings, warn: @escaping @Sendable (String) -> Void) {
        (self.settings, self.warn) = (settings, warn)
    }

    /// Sends a user a password link.
    ///
    /// - Throws: `invalidInput` for a user without a mail address, `overloaded` if too many mails wait.
    package func send(
        _ link: PasswordLink, _ kind: PasswordLink.Kind, to user: User, issuer: String
    ) throws {
        guard let message = MailText.passwordLink(link, kind, for: user, issuer: issuer) else {
            throw DirectoryError(
                .invalidInput, "\(EntityName.shown(user.uid)) has no address that a mail can be sent to.",
                advice: "Set 'mail', or hand the link over yourself.")
        }
        try send(message)
    }

    /// A sign-in in a browser.
    package struct BrowserSignIn: Sendable {
        let time: Date
        /// The address of the client.
        let address: String
        /// The browser, as it names itself.
        let agent: String

        package init(at time: Date, from address: String, with agent: String) {
            (self.time, self.address, self.agent) = (time, address, agent)
        }
    }

    /// Tells a user about a sign-in with a new browser. A user without a mail address is told nothing.
    ///
    /// - Throws: `overloaded` if too many mails wait.
    package func tell(_ user: User, of signIn: BrowserSignIn, issuer: String) throws {
        if let message = MailText.newBrowser(signIn, for: user, issuer: issuer) { try send(message) }
    }

    /// Tells a user at the former address that the mail address was changed.
    ///
    /// - Throws: `overloaded` if too many mails wait.
    package func tell(_ user: User, at former: String, ofChangeAt time: Date, issuer: String) throws {
        if let message = MailText.changedAddress(former, at: time, of: user, issuer: issuer) { try send(message) }
    }

    private func send(_ message: MailMessage) throws {
        let isAccepted = waiting.withLock { waiting in
            guard waiting < Self.capacity else { return false }
            waiting += 1
            return true
        }
        guard isAccepted else {
            throw DirectoryError(
                .overloaded, "Too many mails are waiting for the mail server.", advice: "Try again in some minutes.")
        }
        queue.async { [self] in
            defer { waiting.withLock { $0 -= 1 } }
            do {
                let mail = try message.bytes(from: settings.sender, at: Date())
                try settings.server.send(mail, from: settings.sender, to: message.recipient)
            } catch {
                warn("A mail was not sent: \(error)")
            }
        }
    }
}
