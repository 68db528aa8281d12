import Roster

/// The attributes of `posixAccount`, `posixGroup` and `ldapPublicKey` that an entry shows.
///
/// A value of a declared attribute counts before the computed one.
struct PosixView: Sendable {
    private let settings: PosixNumbering?
    private let requested: RequestedAttributes
    /// The declared attributes by their canonical names.
    private let declared: [String: AttributeName]
    static let names: Set = ["uidnumber", "gidnumber", "homedirectory", "loginshell", "sshpublickey"]

    init(
        _ settings: PosixNumbering?, _ requested: RequestedAttributes, _ attributes: ShownAttributes
    ) {
        (self.settings, self.requested) = (settings, requested)
        declared = attributes.posix
    }

    /// The attributes to fetch, so that the classes of an entry are known.
    var needed: [AttributeName] {
        let isAsked = requested.includes("objectClass") || Self.names.contains { requested.includes($0) }
        return isAsked ? declared.values.sorted() : []
    }

    /// The auxiliary classes of an entry with these attributes.
    func classes(_ attributes: AttributeSet, _ entity: AttributeDefinition.Entity) -> [String] {
        func has(_ name: String) -> Bool { declared[name].map { attributes[$0] != nil } ?? false }
        switch entity {
        case .user:
            let isAccount = settings != nil || (has("uidnumber") && has("gidnumber") && has("homedirectory"))
            return (isAccount ? ["posixAccount"] : []) + (has("sshpublickey") ? ["ldapPublicKey"] : [])
        case .role: return settings != nil || has("gidnumber") ? ["posixGroup"] : []
        }
    }

    /// The computed attributes of a user, without those that the user has by a declared attribute.
    func attributes(of user: User) -> [(name: String, value: String)] {
        guard let settings else { return [] }
        let number = String(settings.number(user.id.rawValue))
        return lacking(
            [
                ("uidNumber", number), ("gidNumber", number), ("homeDirectory", settings.home(of: user.uid)),
                ("loginShell", settings.shell),
            ], user.attributes)
    }

    func attributes(of role: Role) -> [(name: String, value: String)] {
        guard let settings else { return [] }
        return lacking([("gidNumber", String(settings.number(role.id.rawValue)))], role.attributes)
    }

    private func lacking(
        _ all: [(name: String, value: String)], _ attributes: AttributeSet
    ) -> [(name: String, value: String)] {
        all.filter { name, _ in
            requested.includes(name) && declared[name.lowercased()].map { attributes[$0] == nil } ?? true
        }
    }
}
