import Roster
import RosterSignIn

/// The answer to the control for password policies (draft-behera-ldap-password-policy-10): the reason of a refusal as a number, by which
/// programs such as sssd choose their own message.
///
/// Passwords do not expire, and no password has to be changed at the first sign-in, so that an answer has no warning and no grace.
enum PasswordPolicyAnswer: Int32 {
    /// Too many attempts for a name, whether a user has the name or not. A disabled account is refused as a wrong password is.
    case accountLocked = 1
    case changeNotAllowed = 3
    case oldPasswordMissing = 4
    case insufficientQuality = 5

    init?(_ error: any Error, _ request: LDAPRequest) {
        switch (error, request) {
        case (AuthenticationFailure.tooManyAttempts, _): self = .accountLocked
        case (let error as DirectoryError, _) where error.attribute == "password" && error.code == .invalidAttribute:
            self = error == .oldPasswordMissing ? .oldPasswordMissing : .insufficientQuality
        case (let error as DirectoryError, .extended(ExtendedOperation.passwordModify, _))
        where LDAPResult(error).code == .insufficientAccessRights:
            self = .changeNotAllowed
        case (let result as LDAPResult, .extended(ExtendedOperation.passwordModify, _))
        where result.code == .insufficientAccessRights:
            self = .changeNotAllowed
        default: return nil
        }
    }

    /// The control of an answer to a request that has the control.
    ///
    /// - Parameter problem: The reason of a refusal; nil for success, and for a reason that has no number.
    static func control(_ problem: PasswordPolicyAnswer?) -> LDAPControl {
        var writer = BERWriter()
        writer.container { writer in if let problem { writer.integer(problem.rawValue, 0x81) } }
        return LDAPControl(identifier: SupportedControl.passwordPolicy, value: writer.finish())
    }
}
