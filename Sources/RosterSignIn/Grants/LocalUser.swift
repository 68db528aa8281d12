package import Roster
import RosterStore
import RosterText

/// The local user whom another issuer names by a name or an address.
package enum LocalUser: Sendable, Hashable {
    /// This user, whose account is active.
    case found(UserID)
    /// A user whose account is disabled.
    case disabled
    /// No user has that name or that primary address.
    case unknown
    /// Several users have that primary address, so that it means none of them.
    case ambiguous
}

extension DirectoryHolders {
    /// The user of a name that another issuer gave. Cost: some microseconds.
    package func localUser(named name: String, _ comparison: NameComparison) throws -> LocalUser {
        let now = directory.now.milliseconds
        return try directory.store.read { connection in
            try connection.first(GrantStatements.userByNameKey, [.text(TextKey.of(name)), .integer(now)]) {
                row -> LocalUser in
                guard comparison.areSame(row.text(1), name) else { return .unknown }
                return row.boolean(2) ? .found(UserID(rawValue: row.integer(0))) : .disabled
            } ?? .unknown
        }
    }

    /// The user whose primary mail address (``AttributeSet/primaryMail``) another issuer gave. Two users whose primary
    /// addresses differ by case alone have the same address. Cost: some microseconds for each user who has the address.
    package func localUser(primaryMail address: String, _ comparison: NameComparison) throws -> LocalUser {
        let (key, now) = (TextKey.of(address), directory.now.milliseconds)
        return try directory.store.read { connection in
            var holders: [(id: UserID, isActive: Bool, address: String)] = []
            try connection.forEach(GrantStatements.usersByMail, [.text(key), .integer(now)]) { row in
                guard let own = try row.bytes(2, { try AttributeSet(stored: $0) }).primaryMail, TextKey.of(own) == key
                else { return }
                holders.append((UserID(rawValue: row.integer(0)), row.boolean(1), own))
            }
            guard holders.count <= 1 else { return .ambiguous }
            guard let holder = holders.first, comparison.areSame(holder.address, address) else { return .unknown }
            return holder.isActive ? .found(holder.id) : .disabled
        }
    }
}

extension AttributeSet {
    /// The one mail address by which other issuers may mean the user: the address marked `primary`; if none is marked, the
    /// only address of type `work` or without a type. Never an address of type `home`.
    var primaryMail: String? {
        func type(_ address: AttributeValue) -> String { address.part("type")?.text?.lowercased() ?? "work" }
        let addresses = self["emails"]?.elements ?? []
        let marked = addresses.filter(\.isPrimary)
        let candidates = marked.isEmpty ? addresses.filter { type($0) == "work" } : marked
        guard candidates.count == 1, let address = candidates.first, type(address) != "home" else { return nil }
        return address.text
    }
}
