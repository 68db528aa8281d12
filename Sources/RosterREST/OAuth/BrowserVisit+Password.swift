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
