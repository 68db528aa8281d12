import Foundation
import Roster
import RosterCrypto
import RosterText

/// Sends a password link to a user who forgot the password and asks for a mail.
extension PasswordLinks {
    /// The most mails that the clients of one network can ask for, and the most mails that one user gets, within ``period``. An office of
    /// 2,000 people can be one network.
    private static let most = (network: 100, user: 3)
    private static let period: TimeInterval = 1_800

    /// Sends a link to the mail address of a user, in the background. Nothing tells the caller whether there is such a user: every call takes
    /// as long.
    ///
    /// A link is sent to an active user who has a password and a mail address. A user who signs in with a provider only gets none, and an
    /// address that gets no links yet (`isAddressHeld(of:)`) neither.
    ///
    /// - Parameters:
    ///   - text: The name or the mail address that somebody entered.
    ///   - address: The address of the client.
    /// - Throws: ``AuthenticationFailure`` `tooManyAttempts` if the clients of the network have asked too often.
    package func sendForgottenPasswordLink(to text: String, from address: String, by mailer: Mailer) throws {
        let network = "network " + AttemptThrottle.network(of: address)
        if let seconds = try sentLinks.insert(
            true, for: try SecureRandom.token(), lifetime: Self.period, of: network, atMost: Self.most.network)
        {
            throw AuthenticationFailure.tooManyAttempts(seconds: Int(seconds.rounded(.up)))
        }
        Task.detached { [self] in try await sendLink(to: text, by: mailer) }
    }

    func sendLink(to text: String, by mailer: Mailer) async throws {
        guard text.utf8.count <= 1_024, let account = try directory.accounts.account(enteredAs: text), account.isActive,
            account.passwordHash != nil,
            try sentLinks.insert(
                true, for: try SecureRandom.token(), lifetime: Self.period, of: "user \(account.id)",
                atMost: Self.most.user) == nil
        else { return }
        let view = directory.acting(as: .administrator("forgotten password"))
        let sent = try await view.awaitWrite { transaction in
            let user = try transaction.users.user(.id(account.id))
            // A link that is not sent must not end the one before it.
            guard user.mail != nil, try !transaction.addresses.isAddressHeld(of: account.id) else {
                return (link: PasswordLink, user: User)?.none
            }
            return (try transaction.links.makePasswordLink(for: .id(account.id), .reset, isMailed: true), user)
        }
        if let sent { try mailer.send(sent.link, .reset, to: sent.user, issuer: issuer) }
    }
}
