import Roster
import RosterSignIn
import RosterText

/// Tells users by mail that somebody has signed in with a browser that they had not used before.
extension BrowserVisit {
    /// The cookie with the identifiers of the users who signed in with the browser, sealed.
    private var knownCookie: HostCookie { cookie("roster_known") }
    private static let purpose = "known browser"
    private static let separator: Character = "-"
    /// The most users that a browser remembers, the latest first.
    private static let most = 10
    /// The seconds for which a browser remembers a user after the last sign-in: a year.
    private static let memory = 31_536_000

    /// Notes that a user has signed in with the browser. A user who is new to the browser gets a mail.
    ///
    /// - Returns: The field `Set-Cookie`; nil if the server sends no mails, or the person is not a user of the directory.
    func noteBrowser(of person: Person) throws -> String? {
        guard let mailer = call.context.mailer, case .user(let id) = person.holder else { return nil }
        let known =
            knownCookie.value(in: call.request)
            .flatMap { try? call.context.seal.open($0, for: Self.purpose) }?
            .split(separator: Self.separator).map(String.init) ?? []
        if !known.contains(id.description) {
            let signIn = Mailer.BrowserSignIn(
                at: oauth.clock(), from: call.clientAddress, with: call.request.headers["User-Agent"] ?? "")
            let (directory, issuer) = (call.context.directory, oauth.issuer)
            // The mail delays no sign-in, and no sign-in fails for it.
            Task.detached {
                let user = try await directory.unrestricted.users.user(.id(id))
                try mailer.tell(user, of: signIn, issuer: issuer)
            }
        }
        let users = [id.description] + known.filter { $0 != id.description }.prefix(Self.most - 1)
        let sealed = try call.context.seal.seal(users.joined(separator: String(Self.separator)), for: Self.purpose)
        return knownCookie.field(sealed, maximumAge: Self.memory)
    }
}
