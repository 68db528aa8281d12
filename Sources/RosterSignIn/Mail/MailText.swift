internal import CPage
import Foundation
import Roster
import RosterText

/// The texts of mails: `Sources/CPage/mail`, one file for each language and purpose. The first line is the subject.
enum MailText {
    static let languages = ["en", "de", "es", "ja"]

    /// The mail that brings a user a password link.
    ///
    /// - Parameter organization: The name of the organization, in the subject and the sender of each mail; nil for the host's name.
    /// - Returns: Nil for a user without an address that a mail can be sent to.
    static func passwordLink(
        _ link: PasswordLink, _ kind: PasswordLink.Kind, for user: User, issuer: String, organization: String? = nil
    ) -> MailMessage? {
        message(
            kind.rawValue, for: user, issuer: issuer, organization,
            ["url": link.url(at: issuer), "expires": shown(link.expires)])
    }

    /// The mail that tells a user about a sign-in with a new browser.
    ///
    /// - Returns: Nil for a user without an address that a mail can be sent to.
    static func newBrowser(
        _ signIn: Mailer.BrowserSignIn, for user: User, issuer: String, organization: String? = nil
    ) -> MailMessage? {
        message(
            newBrowser, for: user, issuer: issuer, organization,
            [
                "url": issuer, "time": shown(signIn.time), "address": signIn.address,
                "browser": String(signIn.agent.prefix(200)),
            ])
    }

    /// The mail that tells a user about several sign-ins with new browsers.
    ///
    /// - Parameters:
    ///   - first: The time of the first of them.
    ///   - last: The last of them.
    /// - Returns: Nil for a user without an address that a mail can be sent to.
    static func newBrowsers(
        _ count: Int, since first: Date, last: Mailer.BrowserSignIn, for user: User, issuer: String,
        organization: String? = nil
    ) -> MailMessage? {
        message(
            newBrowsers, for: user, issuer: issuer, organization,
            [
                "url": issuer, "count": String(count), "first": shown(first), "last": shown(last.time),
                "address": last.address, "browser": String(last.agent.prefix(200)),
            ])
    }

    /// The name of the texts of a mail that tells of several sign-ins from new browsers.
    static let newBrowsers = "sign-ins"
    /// The name of the texts of a mail that tells of one sign-in from a new browser.
    static let newBrowser = "sign-in"

    /// The mail that tells a user at the former address that the address was changed. The mail does not name the new address, because
    /// somebody else may read the mail.
    ///
    /// - Returns: Nil for an address that no mail can be sent to.
    static func changedAddress(
        _ former: String, at time: Date, of user: User, issuer: String, organization: String? = nil
    ) -> MailMessage? {
        message(
            changedAddress, for: user, at: former, issuer: issuer, organization, ["url": issuer, "time": shown(time)])
    }

    /// The purpose of the mails about changed addresses.
    static let changedAddress = "address"

    private static func shown(_ time: Date) -> String {
        String(Timestamp.text(time).prefix(16)).replacing("T", with: " ") + " UTC"
    }

    /// - Parameters:
    ///   - address: The address; nil for the user's own.
    ///   - values: The values of the places that other mails do not have.
    private static func message(
        _ purpose: String, for user: User, at address: String? = nil, issuer: String, _ organization: String?,
        _ values: [String: String]
    ) -> MailMessage? {
        guard let address = address ?? user.attributes["mail"]?.text else { return nil }
        let given = (user.attributes["givenName"] ?? user.attributes["displayName"])?.text
        let host = URL(string: issuer)?.host(percentEncoded: false) ?? issuer
        let common = [
            "organization": organization ?? host, "name": given ?? user.uid, "uid": user.uid,
        ]
        let filled = fill(text(purpose, in: language(of: user)), common.merging(values) { $1 })
        return MailMessage(to: address, subject: filled.subject, text: filled.text, senderName: organization)
    }

    /// The language of a user's mails: the first one in `preferredLanguage` that there are texts in, else English.
    static func language(of user: User) -> String {
        let preferred = user.attributes["preferredLanguage"]?.text ?? ""
        let tags = preferred.split(separator: ",").lazy.map { tag in
            tag.drop { $0 == " " }.prefix { $0.isLetter }.lowercased()
        }
        return tags.first(where: languages.contains) ?? "en"
    }

    static func text(_ purpose: String, in language: String) -> String {
        let text = page_mail("\(language)/\(purpose)")
        return String(decoding: UnsafeBufferPointer(start: text.bytes, count: text.count), as: UTF8.self)
    }

    /// Puts values in the places of a text. A value is not searched for places, and loses its line breaks.
    private static func fill(_ text: String, _ values: [String: String]) -> (subject: String, text: String) {
        let filled = text.replacing(#/\{\{([a-z]+)\}\}/#) { match in
            (values[String(match.1)] ?? "").map { $0.isNewline ? " " : String($0) }.joined()
        }
        let parts = filled.split(separator: "\n", maxSplits: 1, omittingEmptySubsequences: false)
        return (String(parts[0]), parts.count > 1 ? String(parts[1].drop { $0 == "\n" }) : "")
    }
}
