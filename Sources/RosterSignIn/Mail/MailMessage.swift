package import Foundation
import RosterCrypto
import RosterText

/// A mail in plain text, as it goes to a mail server (RFC 5322, RFC 2045).
package struct MailMessage: Sendable {
    /// The address of the recipient.
    package let recipient: String
    let subject: String
    let text: String
    /// The name of the sender; nil for the address alone.
    let senderName: String?

    /// Makes a mail; nil if the recipient is not an address that a mail can be sent to.
    package init?(to recipient: String, subject: String, text: String, senderName: String? = nil) {
        guard Self.isAddress(recipient) else { return nil }
        (self.recipient, self.subject, self.text) = (recipient, subject, text)
        self.senderName = senderName
    }

    /// Whether a text is a mail address in ASCII, with nothing that could begin another field, recipient or command.
    package static func isAddress(_ text: String) -> Bool {
        let parts = text.utf8.split(separator: UInt8(ascii: "@"), omittingEmptySubsequences: false)
        return parts.count == 2 && parts.allSatisfy { !$0.isEmpty } && text.utf8.count <= 254
            && text.utf8.allSatisfy { (0x21...0x7E).contains($0) && !#"<>()[]\",;:"#.utf8.contains($0) }
    }

    /// The mail with its header. The text is encoded with base64, so that no line of it is too long or looks like a command.
    ///
    /// - Parameters:
    ///   - sender: The address of the sender, which ``isAddress(_:)``.
    ///   - time: The time of sending.
    package func bytes(from sender: String, at time: Date) throws -> [UInt8] {
        let domain = sender.split(separator: "@").last ?? "localhost"
        let fields = [
            "From: " + (senderName.map { Self.encoded($0) + "\r\n " } ?? "") + "<\(sender)>", "To: <\(recipient)>",
            "Subject: " + Self.encoded(subject), "Date: " + Self.date(time),
            "Message-ID: <\(try SecureRandom.token())@\(domain)>", "Auto-Submitted: auto-generated",
            "MIME-Version: 1.0", "Content-Type: text/plain; charset=utf-8", "Content-Transfer-Encoding: base64", "",
        ]
        let body = Array(text.replacing("\r\n", with: "\n").replacing("\n", with: "\r\n").utf8)
        // 57 bytes become a line of 76 characters.
        let lines = stride(from: 0, to: body.count, by: 57).map { start in
            Base64.text(Array(body[start..<min(start + 57, body.count)]))
        }
        return Array(((fields + lines).joined(separator: "\r\n") + "\r\n").utf8)
    }

    /// A text as the value of a field: encoded words (RFC 2047) of at most 75 characters, in lines of their own.
    private static func encoded(_ text: String) -> String {
        var words: [[UInt8]] = [[]]
        for scalar in text.unicodeScalars {
            let isControl = scalar.properties.generalCategory == .control
            let bytes = Array(String(isControl ? " " : Character(scalar)).utf8)
            if let last = words.last, last.count + bytes.count > 39 { words.append([]) }
            words[words.count - 1] += bytes
        }
        return words.map { "=?utf-8?B?\(Base64.text($0))?=" }.joined(separator: "\r\n ")
    }

    private static func date(_ time: Date) -> String {
        let format = DateFormatter()
        format.locale = Locale(identifier: "en_US_POSIX")
        format.timeZone = TimeZone(secondsFromGMT: 0)
        format.dateFormat = "EEE, dd MMM yyyy HH:mm:ss '+0000'"
        return format.string(from: time)
    }
}
