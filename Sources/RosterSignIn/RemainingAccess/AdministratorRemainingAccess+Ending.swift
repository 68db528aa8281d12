import Roster
import RosterStore

extension AdministratorRemainingAccess {
    /// Ends everything in ``RemainingAccess``. The user's password and second factor stay.
    ///
    /// - Throws: `notFound`.
    package func end(of maker: String) throws -> RemainingAccess {
        let (access, keys) = try transaction.remainingAccess.find(of: maker)
        for token in access.tokens { try administrator.apiTokens.revoke(token) }
        for backend in access.backends { try administrator.backends.delete(backend.id) }
        for key in keys {
            for session in try transaction.remainingAccess.sessions([.null, .text(key)]) {
                try transaction.sessions.end(session.digest)
            }
        }
        guard let user = access.user else { return access }
        try administrator.accounts.endSignIns(of: user.id)
        try transaction.connection.run(RemainingAccessStatements.deleteLinks, [.integer(user.id.rawValue)])
        for role in access.ownedRoles {
            try transaction.asRoleOwner(of: .id(role.id), changing: .owner).remove([.user(.id(user.id))])
        }
        try transaction.feed.record(
            .revoked, .user, id: user.id.rawValue, name: user.uid, before: nil, after: ["means": "made"])
        return access
    }
}
