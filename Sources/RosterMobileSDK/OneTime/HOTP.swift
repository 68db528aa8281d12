public import Foundation
import RosterClient
public import RosterText

/// One-time passwords by a counter (HOTP, RFC 4226). Mirrors
/// `OMOTPService initForHOTPWithSharedKey:andStartingCounter:incrementBy:hashingAlgorithm:requiredDigitsInOTP:addCheckSumToOTP:`.
///
/// The app stores ``counter`` after each password, before the password is shown, so that none is shown twice.
///
/// ```swift
/// var passwords = try HOTP(secret: secret, counter: stored)
/// let password = try passwords.next()
/// ```
///
/// Descriptions and mirrors of this type do not show the secret.
public struct HOTP: Sendable, Hashable, CustomStringConvertible, Redacted {
    private let settings: OneTimeSettings
    private let increment: UInt64

    /// The counter of the next password.
    public private(set) var counter: UInt64

    /// Makes a sequence of passwords.
    ///
    /// - Parameters:
    ///   - secret: The shared secret, 1 to 1,024 bytes.
    ///   - counter: The counter of the next password.
    ///   - increment: What is added to the counter after each password; at least 1.
    ///   - hash: The hash function; nil for SHA-1, which most authenticator apps expect, and which is not broken in HMAC.
    ///   - digits: The number of digits, 6 to 8.
    ///   - hasChecksum: Whether one digit more follows, which shows mistyped passwords (RFC 4226, section E.1).
    /// - Throws: `ClientError` `invalidInput`.
    public init(
        secret: some DataProtocol, counter: UInt64, increment: UInt64 = 1, hash: HashAlgorithm? = nil, digits: Int = 6,
        hasChecksum: Bool = false
    ) throws {
        guard increment > 0 else {
            throw ClientError.invalidInput("The counter would not change.", "Give an increment of at least 1.")
        }
        settings = try OneTimeSettings(secret, hash, digits, hasChecksum)
        self.counter = counter
        self.increment = increment
    }

    /// The next password; adds the increment to the counter. Mirrors `OTPAsStringReturningError:`.
    ///
    /// Oracle's SDK loses leading zeros and ignores the checksum; this function does neither.
    ///
    /// - Throws: `ClientError`: `invalidInput` at the end of the counters, so that no counter comes again;
    ///   `cryptographyFailed`. The counter stays then.
    public mutating func next() throws -> String {
        let (next, isAtEnd) = counter.addingReportingOverflow(increment)
        guard !isAtEnd else {
            throw ClientError.invalidInput("The counter is at its end.", "Agree on a new secret.")
        }
        let password = try settings.password(counter)
        counter = next
        return password
    }

    /// The password for data in place of a counter, such as a challenge. Mirrors
    /// `OTPForData:usingHashingAlgorithm:andKey:requiredDigitsInOTP:addCheckSum:outError:`.
    ///
    /// - Parameters:
    ///   - data: The data.
    ///   - secret: The shared secret, 1 to 1,024 bytes.
    ///   - hash: The hash function; nil for SHA-1, which most authenticator apps expect, and which is not broken in HMAC.
    ///   - digits: The number of digits, 6 to 8.
    ///   - hasChecksum: Whether one digit more follows, which shows mistyped passwords.
    /// - Throws: `ClientError`: `invalidInput`, `cryptographyFailed`.
    public static func password(
        for data: some DataProtocol, secret: some DataProtocol, hash: HashAlgorithm? = nil, digits: Int = 6,
        hasChecksum: Bool = false
    ) throws -> String {
        try OneTimeSettings(secret, hash, digits, hasChecksum).password(for: data)
    }

    /// The counter, without the secret.
    public var description: String { "one-time passwords at counter \(counter)" }
}
