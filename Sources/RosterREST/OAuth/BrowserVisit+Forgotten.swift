import RosterSignIn
import RosterText

/// Sends a password link by mail to a user who has forgotten the password and asks for one.
extension BrowserVisit {
    private static let forgottenPage = "forgotten"

    /// Shows the form for a name or a mail address.
    func askForLink() throws -> HTTPResponse {
        _ = try mailer
        let (sealed, cookie) = try seal(Self.forgottenPage, [:], session: nil)
        return try pages.response(
            pages.forgotten(action: Self.forgottenPage, sealed: sealed), headers: ["Set-Cookie": cookie])
    }

    /// Answers the form. The answer is the same for a name that nobody has.
    func sendLink(_ form: Form) throws -> HTTPResponse {
        guard try kept(try form.required("request")).page == Self.forgottenPage else { throw Self.stale }
        try oauth.passwordLinks.sendForgottenPasswordLink(
            to: form["username"] ?? "", from: call.clientAddress, by: mailer)
        return try pages.answer(
            "Look at your mails",
            """
            If there is such an account with a mail address, a mail with a link is on its way to it. The link sets a new \
            password once, within 30 minutes.
            """)
    }

    private var mailer: Mailer {
        get throws {
            guard let mailer = call.context.mailer else {
                throw OAuthError(
                    .invalidRequest, "This server sends no mails. Ask an administrator for a new password.")
            }
            return mailer
        }
    }
}
