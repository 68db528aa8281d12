import Roster
import RosterSignIn
import RosterText

/// Setting a password with a link that is good once.
///
/// The token is in the address of the first request only. The form holds the signed digest of the token, so that neither the page
/// nor its form holds anything that works in another browser. Opening the link does not use it up, since mail servers open links too.
extension BrowserVisit {
    private static let passwordPage = "password"

    /// Shows the form for a new password.
    func openLink(_ query: Form) async throws -> HTTPResponse {
        let digest = try PasswordLink.digest(of: try query.required("token"))
        return try await aboutLink {
            try newPasswordPage(digest, name: try await oauth.passwordLinks.userName(ofLink: digest))
        }
    }

    /// Answers the form for a new password: sets the password, and sends the user to sign in.
    func useLink(_ form: Form) async throws -> HTTPResponse {
        let kept = try kept(try form.required("request"))
        guard kept.page == Self.passwordPage, let digest = kept.query["link"]?.text else { throw Self.stale }
        return try await aboutLink {
            let name = try await oauth.passwordLinks.userName(ofLink: digest)
            let password = form["password"] ?? ""
            guard password == form["repeated"] else {
                return try newPasswordPage(digest, name: name, problem: "The two passwords differ.", status: 400)
            }
            do {
                try await oauth.passwordLinks.setPassword(password, byLink: digest)
            } catch let error as DirectoryError where error.code == .invalidAttribute {
                return try newPasswordPage(
                    digest, name: name,
                    problem: [error.message, error.advice].compactMap { $0.map { pages.texts($0) } }.joined(
                        separator: " "),
                    status: 400)
            }
            return BrowserAPI.redirect(to: "sign-in", [])
        }
    }

    private func newPasswordPage(
        _ digest: String, name: String, problem: String? = nil, status: Int = 200
    ) throws -> HTTPResponse {
        let (sealed, cookie) = try seal(Self.passwordPage, ["link": .string(digest)], session: nil)
        return try pages.response(
            pages.newPassword(action: "password", sealed: sealed, name: name, problem: problem), status: status,
            headers: ["Set-Cookie": cookie])
    }

    /// Turns errors about a link into texts for its user.
    private func aboutLink(_ work: () async throws -> HTTPResponse) async throws -> HTTPResponse {
        do {
            return try await work()
        } catch let error as DirectoryError where error.code == .notFound {
            return try pages.answer(
                "That did not work",
                "This link was used, is too old, or was replaced by a newer one. Ask for a new link.",
                status: 404)
        } catch let error as DirectoryError where error.code == .overloaded {
            return try pages.answer(
                "That did not work", "Too many passwords are being set. Try again in a second.", status: 429,
                headers: ["Retry-After": "1"])
        }
    }
}

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
