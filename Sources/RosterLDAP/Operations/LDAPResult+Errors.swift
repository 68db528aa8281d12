import Roster
import RosterSignIn

extension LDAPResult {
    /// The result for an error of the directory. The one list of LDAP's codes for the directory's.
    init(_ error: DirectoryError) {
        let code: ResultCode =
            switch error.code.kind {
            case .notFound: .noSuchObject
            case .alreadyExists:
                error.attribute.map { ["uid", "name"].contains($0.rawValue) } ?? true
                    ? .entryAlreadyExists : .constraintViolation
            case .invalidName: .namingViolation
            case .invalidAttribute, .invalidInput: .constraintViolation
            case .invalidFilter: .inappropriateMatching
            case .invalidPage, .invalidCursor: .unwillingToPerform
            case .versionConflict: .busy
            case .circle, .hasReportees, .lastAdministrator: .unwillingToPerform
            case .notPermitted, .appNotPermitted: .insufficientAccessRights
            case .recentSignInRequired, .notSignedIn: .strongerAuthRequired
            case .limitExceeded: .adminLimitExceeded
            case .overloaded: .busy
            case .readOnly, .notOffered, .reentrantCall, .outsideTransaction: .unwillingToPerform
            case .closed, .unreachable, .tls, .fileInUse: .unavailable
            case .changesCompacted, .fileNotFound, .notADirectory, .newerFile, .damaged, .storageFull, .storageFailed,
                .unusableKey, .outcomeUnknown, .badAnswer:
                .other
            }
        self.init(code, error.advice.map { error.message + " " + $0 } ?? error.message)
    }

    init(_ failure: AuthenticationFailure) {
        switch failure {
        case .overloaded: self.init(.busy, failure.description)
        // Clients take 51 ('busy') for a server that is down, and let people in by cached passwords.
        case .tooManyAttempts: self.init(.invalidCredentials, failure.description)
        case .wrong, .secondFactorRequired, .secondFactorWrong, .secondFactorLost:
            self.init(.invalidCredentials, AuthenticationFailure.wrong.description)
        }
    }
}
