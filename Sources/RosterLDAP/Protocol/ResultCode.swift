/// A result code of LDAP (RFC 4511, section 4.1.9).
package enum ResultCode: Int32, Sendable {
    case success = 0
    case operationsError = 1
    case protocolError = 2
    case timeLimitExceeded = 3
    case sizeLimitExceeded = 4
    case compareFalse = 5
    case compareTrue = 6
    case authMethodNotSupported = 7
    case strongerAuthRequired = 8
    case adminLimitExceeded = 11
    case unavailableCriticalExtension = 12
    case confidentialityRequired = 13
    case noSuchAttribute = 16
    case undefinedAttributeType = 17
    case inappropriateMatching = 18
    case constraintViolation = 19
    case attributeOrValueExists = 20
    case invalidAttributeSyntax = 21
    case noSuchObject = 32
    case invalidDNSyntax = 34
    case inappropriateAuthentication = 48
    case invalidCredentials = 49
    case insufficientAccessRights = 50
    case busy = 51
    case unavailable = 52
    case unwillingToPerform = 53
    case sortControlMissing = 60
    case offsetRangeError = 61
    case namingViolation = 64
    case objectClassViolation = 65
    case notAllowedOnNonLeaf = 66
    case notAllowedOnRDN = 67
    case entryAlreadyExists = 68
    case objectClassModsProhibited = 69
    case other = 80
    case canceled = 118
    case noSuchOperation = 119
    case tooLate = 120
    case cannotCancel = 121
    case assertionFailed = 122
    case authorizationDenied = 123
    case syncRefreshRequired = 4_096
}

/// The outcome of an operation, as the client gets it.
package struct LDAPResult: Error, Sendable, Hashable {
    package var code: ResultCode
    package var matchedDN: String
    package var message: String

    package init(_ code: ResultCode, _ message: String = "", matchedDN: String = "") {
        (self.code, self.message, self.matchedDN) = (code, message, matchedDN)
    }

    package static let success = LDAPResult(.success)
}
