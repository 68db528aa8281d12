package import Foundation
import RosterCrypto
import RosterText

/// Time-based one-time passwords (RFC 6238) as authenticator apps make them: SHA-1, six digits, every thirty seconds.
package enum OneTimePassword {
    /// The seconds for which a password is shown.
    package static let step: Int64 = 30
    /// The steps by which a clock may be wrong.
    static let drift: Int64 = 1

    /// The password of a step (RFC 4226, section 5.3).
    package static func code(_ secret: [UInt8], step: Int64, digits: Int = 6) throws -> String {
        try OneTimeCode.password(counter: UInt64(bitPattern: step), secret: secret, digits: digits)
    }

    /// The step of a password; nil for a wrong password, and for one that was used before. All steps are tried, so that the time tells
    /// nothing.
    package static func step(of code: String, _ secret: [UInt8], now: Date, lastUsed: Int64) throws -> Int64? {
        let current = Int64(now.timeIntervalSince1970) / step
        var found: Int64?
        for candidate in (current - drift)...(current + drift) {
            let fits = constantTimeEqual(try self.code(secret, step: candidate), code)
            if fits, candidate > lastUsed { found = candidate }
        }
        return found
    }

    /// The text of the QR code for an app.
    package static func address(_ secret: [UInt8], account: String, issuer: String) -> String {
        let (issuer, account) = (PercentEncoding.text(issuer), PercentEncoding.text(account))
        return
            "otpauth://totp/\(issuer):\(account)?secret=\(base32(secret))&issuer=\(issuer)&algorithm=SHA1&digits=6&period=30"
    }

    /// RFC 4648, section 6, without padding.
    package static func base32(_ bytes: [UInt8]) -> String {
        let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZ234567".utf8)
        var text: [UInt8] = []
        var buffer = 0
        var bits = 0
        for byte in bytes {
            buffer = buffer << 8 | Int(byte)
            bits += 8
            while bits >= 5 {
                bits -= 5
                text.append(alphabet[buffer >> bits & 31])
            }
            buffer &= 0xFF
        }
        if bits > 0 { text.append(alphabet[buffer << (5 - bits) & 31]) }
        return String(decoding: text, as: UTF8.self)
    }
}
