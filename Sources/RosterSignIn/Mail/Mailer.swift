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
        ///   - authorities: The PEM file with further certificate authorities; nil for the system's only.
        /// - Throws: `invalidInput` for an address that cannot be used.
        package init(url: String, password: String?, sender: String, authorities: URL? = nil) throws {
            guard let server = MailServer(url, password: password, authoritiesFile: authorities?.path) else {
                throw DirectoryError(
                    .invalidInput, "The mail server's address cannot be used.",
                    advice:
                        "Give an address such as smtps://user@mail.example.com:465. A user needs a password file, and a "
                        + "password file needs a user.")
            }
            guard MailMessage.isAddress(sender) else {
                throw DirectoryError(
                    .invalidInput, "The sender of mails is not an address.",
                    advice: "Give an address such as roster@example.com.")
            }
            (self.server, self.sender) = (server, sender)
        }
    }

    /// Sends one mail now, so that an operator sees whether the mail server takes mails with these settings.
    ///
    /// - Throws: `invalidInput` for an address that no mail can be sent to; what the mail server says otherwise.
    package static func test(_ settings: Settings, to recipient: String) async throws {
        let message = MailMessage(
            to: recipient, subject: "A test of Roster",
            text: "Roster can send mails with these settings. Nobody has to do anything.\n")
        guard let message else {
            throw DirectoryError(
                .invalidInput, "No mail can be sent to that address.",
                advice: "Give an address such as ada@example.com.")
        }
        let bytes = try message.bytes(from: settings.sender, at: Date())
        try await withCheckedThrowingContinuation { continuation in
            DispatchQueue.global().async {
                continuation.resume(
                    with: Result { try settings.server.send(bytes, from: settings.sender, to: message.recipient) })
            }
        }
    }

    /// The reason for a mail.
    package enum Purpose: String, Sendable, CaseIterable {
        /// A password link, which somebody waits for.
        case link
        /// The message that somebody has signed in with a new browser.
        case notice
    }

    private struct Mail: Sendable {
        let message: MailMessage
        let purpose: Purpose
        let user: User
    }

    /// The sign-ins of a user that wait for the next notice.
    private struct Gathered: Sendable {
        let first: Date
        var last: BrowserSignIn
        var count = 0
        var user: User
        let issuer: String
    }

    private struct State: Sendable {
        var waiting: [Purpose: [Mail]] = [:]
        var isSending = false
        /// The users who got a notice within the last span, with their sign-ins since then.
        var told: [UserID: Gathered?] = [:]
        var lost: [Purpose: Int] = [:]
    }

    private let settings: Settings
    private let span: Duration
    private let warn: @Sendable (String) -> Void
    private let noteLost: @Sendable (User, Purpose) -> Void
    private let organizationName = Locked<@Sendable () -> String?>({ nil })
    private let queue = DispatchQueue(label: "roster.mail")
    private let timer = DispatchQueue(label: "roster.mail.timer")
    private let state = Locked(State())
    /// The most mails of each purpose that wait, so that notices take no place of links.
    package static let capacity = 200
    /// The most users whose notices are gathered at once.
    private static let mostTold = 20_000

    /// - Parameters:
    ///   - span: The time within which a user gets one notice; later sign-ins are gathered for the next one.
    ///   - warn: Receives a description of a failure, without addresses.
    ///   - noteLost: Called with the user for whom a mail could not be queued or sent.
    package init(
        _ settings: Settings, span: Duration = .seconds(3_600), warn: @escaping @Sendable (String) -> Void,
        noteLost: @escaping @Sendable (User, Purpose) -> Void = { _, _ in }
    ) {
        (self.settings, self.span, self.warn, self.noteLost) = (settings, span, warn, noteLost)
    }

    /// Names the organization in the subject and the sender of later mails.
    ///
    /// - Parameter name: Returns the present name; nil for none.
    package func nameOrganization(_ name: @escaping @Sendable () -> String?) {
        organizationName.withLock { $0 = name }
    }

    var organization: String? { organizationName.withLock { $0 }() }

    /// The number of mails of each purpose that could not be queued or sent since the start.
    package var lost: [(purpose: Purpose, count: Int)] {
        let lost = state.withLock { $0.lost }
        return Purpose.allCases.map { ($0, lost[$0] ?? 0) }
    }

    /// Sends a user a password link.
    ///
    /// - Throws: `invalidInput` for a user without a mail address, `overloaded` if too many mails wait.
    package func send(
        _ link: PasswordLink, _ kind: PasswordLink.Kind, to user: User, issuer: String
    ) throws {
        let message = MailText.passwordLink(link, kind, for: user, issuer: issuer, organization: organization)
        guard let message else {
            throw DirectoryError(
                .invalidInput, "\(EntityName.shown(user.uid)) has no address that a mail can be sent to.",
                advice: "Set 'mail', or hand the link over yourself.")
        }
        try send(Mail(message: message, purpose: .link, user: user))
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

    /// Tells a user about a sign-in with a new browser. A user without a mail address is told nothing. A user who got such a mail within
    /// the last hour gets the next one at the end of the hour, about all sign-ins since then.
    ///
    /// - Throws: `overloaded` if too many mails wait.
    package func tell(_ user: User, of signIn: BrowserSignIn, issuer: String) throws {
        let isGathered = state.withLock { state -> Bool in
            if let waiting = state.told[user.id] {
                var gathered =
                    waiting ?? Gathered(first: signIn.time, last: signIn, user: user, issuer: issuer)
                gathered.last = signIn
                gathered.user = user
                gathered.count += 1
                state.told[user.id] = .some(gathered)
                return true
            }
            if state.told.count < Self.mostTold { state.told[user.id] = .some(nil) }
            return false
        }
        if isGathered { return }
        waitForMore(about: user.id)
        let message = MailText.newBrowser(signIn, for: user, issuer: issuer, organization: organization)
        guard let message else { return }
        try send(Mail(message: message, purpose: .notice, user: user))
    }

    /// Tells a user at the former address that the mail address was changed.
    ///
    /// - Throws: `overloaded` if too many mails wait.
    func tell(
        _ user: User, at former: String, ofChangeAt time: Date, issuer: String, organization: String?
    ) throws {
        let message = MailText.changedAddress(
            former, at: time, of: user, issuer: issuer, organization: organization)
        if let message {
            try send(Mail(message: message, purpose: .notice, user: user))
        }
    }

    /// After the span, sends a notice about the sign-ins that were gathered.
    private func waitForMore(about user: UserID) {
        timer.asyncAfter(deadline: .now() + span / .seconds(1)) { [weak self] in self?.tellGathered(user) }
    }

    private func tellGathered(_ user: UserID) {
        let gathered = state.withLock { state -> Gathered? in
            guard case .some(.some(let gathered)) = state.told[user] else {
                state.told.removeValue(forKey: user)
                return nil
            }
            state.told[user] = .some(nil)
            return gathered
        }
        guard let gathered else { return }
        waitForMore(about: user)
        guard
            let message = MailText.newBrowsers(
                gathered.count, since: gathered.first, last: gathered.last, for: gathered.user, issuer: gathered.issuer,
                organization: organization)
        else { return }
        // The receiver of the notice was told already.
        try? send(Mail(message: message, purpose: .notice, user: gathered.user))
    }

    private func send(_ mail: Mail) throws {
        let (isAccepted, begins) = state.withLock { state -> (Bool, Bool) in
            guard state.waiting[mail.purpose, default: []].count < Self.capacity else { return (false, false) }
            state.waiting[mail.purpose, default: []].append(mail)
            defer { state.isSending = true }
            return (true, !state.isSending)
        }
        guard isAccepted else {
            let error = DirectoryError(
                .overloaded, "Too many mails are waiting for the mail server.", advice: "Try again in some minutes.")
            note(mail, error)
            throw error
        }
        if begins { queue.async { [self] in sendAll() } }
    }

    /// Sends the mails that wait, links first.
    private func sendAll() {
        while let mail = next() {
            do {
                let bytes = try mail.message.bytes(from: settings.sender, at: Date())
                try settings.server.send(bytes, from: settings.sender, to: mail.message.recipient)
            } catch {
                note(mail, error)
            }
        }
    }

    private func next() -> Mail? {
        state.withLock { state in
            for purpose in Purpose.allCases where state.waiting[purpose]?.isEmpty == false {
                return state.waiting[purpose]?.removeFirst()
            }
            state.isSending = false
            return nil
        }
    }

    /// Tells the operator of a mail that the user will not get.
    private func note(_ mail: Mail, _ error: any Error) {
        state.withLock { $0.lost[mail.purpose, default: 0] += 1 }
        warn("A mail was not sent: \(error)")
        noteLost(mail.user, mail.purpose)
    }
}
