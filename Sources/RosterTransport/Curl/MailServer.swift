import Foundation
import RosterText

#if os(Linux)
    import CCurl
#endif

/// A mail server, to which mails are handed over with SMTP (RFC 5321).
///
/// The connection is encrypted: with `smtps` from the start, with `smtp` by STARTTLS, which is required. Only to this machine `smtp`
/// goes without TLS.
package struct MailServer: Sendable {
    /// The reason why a mail was not handed over. The text names no address.
    package struct Failure: Error, CustomStringConvertible {
        package let description: String
    }

    /// The address of the server without the user.
    private let url: String
    private let user: String?
    private let password: String?
    private let needsStartTLS: Bool
    private let authoritiesFile: String?
    /// The most seconds for a mail.
    private static let patience = 30

    /// Reads the address of a server; nil for a text that is none.
    ///
    /// - Parameters:
    ///   - text: `smtps://user@host:465` or `smtp://user@host:587`. User and port can be left out.
    ///   - password: The user's password.
    ///   - authoritiesFile: The path of a PEM file with further certificate authorities; nil for the system's only.
    package init?(_ text: String, password: String? = nil, authoritiesFile: String? = nil) {
        guard var parts = URLComponents(string: text), let scheme = parts.scheme?.lowercased(),
            ["smtp", "smtps"].contains(scheme), let host = parts.host, !host.isEmpty, parts.password == nil,
            parts.path.isEmpty || parts.path == "/", parts.query == nil, parts.fragment == nil
        else { return nil }
        user = parts.user
        guard (user == nil) == (password == nil) else { return nil }
        (parts.user, parts.path) = (nil, "")
        guard let url = parts.string else { return nil }
        self.url = url
        self.password = password
        self.authoritiesFile = authoritiesFile
        needsStartTLS = scheme == "smtp" && !Loopback.contains(host)
    }

    /// Sends a mail, and keeps the caller's thread until the mail server has answered, for 30 seconds at most.
    ///
    /// - Parameters:
    ///   - mail: The mail with its header, with CR LF at the ends of lines.
    ///   - sender: The address to which failures are reported.
    ///   - recipient: The address of the recipient.
    package func send(_ mail: [UInt8], from sender: String, to recipient: String) throws(Failure) {
        #if os(Linux)
            guard CurlEngine.isReady, let easy = curl_easy_init() else {
                throw Failure(description: "libcurl could not be initialised.")
            }
            let recipients = curl_slist_append(nil, "<\(recipient)>")
            defer {
                curl_easy_cleanup(easy)
                curl_slist_free_all(recipients)
            }
            var options = CurlOptions(easy)
            options.set(CURLOPT_NOSIGNAL, 1)
            options.set(CURLOPT_PROTOCOLS_STR, "smtp,smtps")
            options.set(CURLOPT_PROXY, "")
            options.set(CURLOPT_URL, url)
            options.set(CURLOPT_USE_SSL, Int((needsStartTLS ? CURLUSESSL_ALL : CURLUSESSL_NONE).rawValue))
            options.set(CURLOPT_SSLVERSION, Int(CURL_SSLVERSION_TLSv1_2))
            options.set(CURLOPT_CONNECTTIMEOUT, 10)
            options.set(CURLOPT_TIMEOUT, Self.patience)
            options.setFurtherAuthorities(authoritiesFile)
            if let user {
                options.set(CURLOPT_USERNAME, user)
                options.set(CURLOPT_PASSWORD, password)
            }
            options.set(CURLOPT_MAIL_FROM, "<\(sender)>")
            let code = mail.withUnsafeBytes { bytes in
                var upload = roster_curl_upload(
                    bytes: bytes.baseAddress?.assumingMemoryBound(to: CChar.self), count: bytes.count)
                return withUnsafeMutablePointer(to: &upload) { upload in
                    guard options.areAccepted, recipients != nil,
                        roster_curl_set_list(easy, CURLOPT_MAIL_RCPT, recipients) == CURLE_OK,
                        roster_curl_set_upload(easy, upload) == CURLE_OK
                    else { return CURLE_BAD_FUNCTION_ARGUMENT }
                    return curl_easy_perform(easy)
                }
            }
            guard code != CURLE_OK else { return }
            var answer = 0
            _ = roster_curl_get_number(easy, CURLINFO_RESPONSE_CODE, &answer)
            let status = answer > 0 ? ", last answer \(answer)" : ""
            throw Failure(description: String(cString: curl_easy_strerror(code)) + status)
        #else
            throw Failure(description: "Mails are sent on Linux only.")
        #endif
    }
}
