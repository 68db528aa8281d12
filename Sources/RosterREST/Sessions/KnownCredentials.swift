import Roster
import RosterSignIn
import RosterText

/// The credentials that have let somebody in lately, with the callers.
///
/// Only for their requests does the directory read something together with the caller's sign-in. A stranger would otherwise learn
/// from the time of the refusal who is in the directory, and could have large records read.
final class KnownCredentials: Sendable {
    private static let most = 4_096
    private let holders = Locked<[Int: Holder]>([:])

    /// A caller whom credentials have let in. The credentials may have ended since.
    struct Holder: Sendable, Equatable {
        let caller: Caller
        /// What the sign-in reads if nothing of the directory is cached.
        let accountName: String?

        /// - Parameter isByName: Whether the sign-in looks the account up by the name.
        init(_ identity: Identity, isByName: Bool) {
            (caller, accountName) = (identity.caller, isByName ? identity.name : nil)
        }
    }

    /// - Parameter proof: The credentials; see ``ServiceContext/proof(of:)``.
    func remember(_ proof: [String], of holder: Holder) {
        let hash = proof.hashValue
        holders.withLock { holders in
            guard holders[hash] != holder else { return }
            if holders.count >= Self.most { holders.removeAll(keepingCapacity: true) }
            holders[hash] = holder
        }
    }

    func forget(_ proof: [String]) {
        holders.withLock { _ = $0.removeValue(forKey: proof.hashValue) }
    }

    /// The holder of credentials; nil if they have let nobody in lately. Two credentials with one hash cost the server's work only.
    func holder(of proof: [String]) -> Holder? { holders.withLock { $0[proof.hashValue] } }
}
