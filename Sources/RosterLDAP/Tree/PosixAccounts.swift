import Roster

extension LDAPServer {
    /// The settings of the entries that hosts read: users as `posixAccount`, roles as `posixGroup`.
    ///
    /// The number of an entry is ``firstNumber`` plus the number of the user or role in the directory. That number is of one entry only,
    /// never changes and is never given again, so that nothing has to be stored. A declared attribute with the same name, such as
    /// `uidNumber`, counts before the computed value.
    public struct PosixAccounts: Sendable, Hashable {
        /// The number that is added, for example 100,000. Choose it above the numbers that the hosts give by themselves.
        public var firstNumber: Int64
        /// The home directory; `%u` stands for the user's name.
        public var home: String
        /// The login shell.
        public var shell: String

        /// Makes settings.
        public init(firstNumber: Int64, home: String = "/home/%u", shell: String = "/bin/bash") {
            (self.firstNumber, self.home, self.shell) = (firstNumber, home, shell)
        }

        /// - Throws: ``LDAPServer/Failure``.
        func check() throws {
            // Numbers are 32 bits on hosts, and those below 1,000 are the system's own.
            guard (1_000...1 << 31).contains(firstNumber) else {
                throw Failure(description: "The first number of POSIX accounts is between 1,000 and 2,147,483,648.")
            }
            guard home.hasPrefix("/"), shell.hasPrefix("/") else {
                throw Failure(
                    description: "The home directory and the login shell are absolute paths, such as /home/%u.")
            }
        }

        func number(_ id: Int64) -> Int64 { firstNumber + id }
        func home(of uid: String) -> String { home.replacing("%u", with: uid) }
    }
}

/// The attributes of `posixAccount`, `posixGroup` and `ldapPublicKey` that an entry shows.
///
/// A value of a declared attribute counts before the computed one.
struct PosixView: Sendable {
    private let settings: LDAPServer.PosixAccounts?
    private let requested: RequestedAttributes
    /// The declared attributes by their canonical names.
    private let declared: [String: AttributeName]
    static let names: Set = ["uidnumber", "gidnumber", "homedirectory", "loginshell", "sshpublickey"]

    init(
        _ settings: LDAPServer.PosixAccounts?, _ requested: RequestedAttributes, _ attributes: ShownAttributes
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
