/// The value of `scimType` in an error: a keyword that tells a client which mistake the request has (RFC 7644, section 3.12; RFC 9865,
/// section 2.1).
package enum SCIMErrorType: String, Sendable, Hashable, CaseIterable {
    case invalidFilter, tooMany, uniqueness, mutability, invalidSyntax, invalidPath, noTarget, invalidValue, invalidVers
    case sensitive
    case invalidCursor, expiredCursor, invalidCount

    /// The status of an error with this keyword, unless the error has another one.
    package var status: Int {
        switch self {
        case .uniqueness: 409
        case .sensitive: 403
        default: 400
        }
    }
}
