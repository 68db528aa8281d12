public import Foundation
import RosterClient
public import RosterText

/// One-time passwords by the time (TOTP, RFC 6238), as authenticator apps show. Mirrors
/// `OMOTPService initForTOTPWithSharedKey:baseTimeInSeconds:timeStepInSeconds:hashingAlgorithm:requiredDigitsInOTP:useCheckSum:`.
///
/// ```swift
/// let (password, expiresIn) = try TOTP(secret: secret).password()
/// ```
///
/// Descriptions and mirrors of this type do not show the secret.
public struct TOTP: Sendable, Hashable, CustomStringConvertible, Redacted {
    private let settings: OneTimeSettings

    /// The seconds for which a password is shown.
    public let step: Int64
    /// The time of step 0 in seconds since 1970.
    public let baseTime: Int64

    /// Makes a sequence of passwords.
    ///
    /// - Parameters:
    ///   - secret: The shared secret, 1 to 1,024 bytes.
    ///   - hash: The hash function; nil for SHA-1, which most authenticator apps expect, and which is not broken in HMAC.
    ///   - digits: The number of digits, 6 to 8.
    ///   - step: The seconds for which a password is shown, 1 to 86,400.
    ///   - baseTime: The time of step 0 in seconds since 1970.
    ///   - hasChecksum: Whether one digit more follows, which shows mistyped passwords (RFC 4226, section E.1).
    /// - Throws: `ClientError` `invalidInput`.
    public init(
        secret: some DataProtocol, hash: HashAlgorithm? = nil, digits: Int = 6, step: Int64 = 30, baseTime: Int64 = 0,
        hasChecksum: Bool = false
    ) throws {
        guard (1...86_400).contains(step) else {
            throw ClientError.invalidInput("A step of \(step) seconds was asked for.", "Ask for 1 to 86,400 seconds.")
        }
        settings = try OneTimeSettings(secret, hash, digits, hasChecksum)
        self.step = step
        self.baseTime = baseTime
    }

    /// The password of a time. Mirrors `TOTPusingHashingAlgorithm:timeStep:andKey:requiredDigitsInOTP:addCheckSum:outError:expiresIn:`.
    ///
    /// - Parameter time: The time; the present one unless given.
    /// - Returns: The password, and the seconds until the next password: 1 to ``step``.
    /// - Throws: `ClientError`: `invalidInput` for a time before ``baseTime``; `cryptographyFailed`.
    public func password(at time: Date = Date()) throws -> (password: String, expiresIn: Int64) {
        guard let seconds = Int64(exactly: time.timeIntervalSince1970.rounded(.down)) else {
            throw ClientError.invalidInput("The time is out of bounds.", "Check the device's clock.")
        }
        let (elapsed, isTooFar) = seconds.subtractingReportingOverflow(baseTime)
        guard !isTooFar, elapsed >= 0 else {
            throw ClientError.invalidInput(
                "The time is before the base time of the passwords.", "Check the device's clock and the base time.")
        }
        return (try settings.password(UInt64(elapsed / step)), step - elapsed % step)
    }

    /// The step and the base time, without the secret.
    public var description: String { "one-time passwords of \(step) seconds from \(baseTime)" }
}
