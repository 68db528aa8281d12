import Roster
import RosterSignIn
import RosterText

/// Keeps hashes of the credentials that have signed a caller in lately, with the callers.
///
/// A database server answers expected reads before the sign-in is decided, so that only requests with known credentials have
/// expectations. Otherwise the time of a refusal would show a stranger whether a user exists, and strangers could make the server read
/// large records.
final class KnownCredentials: Sendable {
    private static let most = 4_096
    private let holders = Locked<[Int: Holder]>([:])

    /// A caller whom credentials have signed in. The credentials can have become invalid since.
    struct Holder: Sendable, Equatable {
        let caller: Caller
        /// The name of the account that the sign-in looks up; nil if the sign-in looks up no account by its name.
        let accountName: String?

        /// - Parameter isByName: Whether the sign-in looks the account up by its name, as HTTP Basic does.
        init(_ identity: Identity, isByName: Bool) {
            (caller, accountName) = (identity.caller, isByName ? identity.name : nil)
        }
    }

    /// - Parameter credentials: The texts of the credentials; see ``ServiceContext/credentialTexts(of:)``.
    func remember(_ credentials: [String], of holder: Holder) {
        let hash = credentials.hashValue
        holders.withLock { holders in
            guard holders[hash] != holder else { return }
            if holders.count >= Self.most { holders.removeAll(keepingCapacity: true) }
            holders[hash] = holder
        }
    }

    func forget(_ credentials: [String]) {
        holders.withLock { _ = $0.removeValue(forKey: credentials.hashValue) }
    }

    /// Returns the caller whom credentials have signed in lately, or nil. If two credentials have the same hash, the answer can be wrong,
    /// which costs work and lets nobody in.
    func holder(of credentials: [String]) -> Holder? { holders.withLock { $0[credentials.hashValue] } }
}
