import Roster
import RosterText

/// The tree that clients see: a base, below it `ou=people` with the users and `ou=groups` with the roles. It is the tree of the LDIF
/// export. A class, because each search would copy its many parts.
final class DirectoryTree: Sendable {
    /// Says what a distinguished name names in the tree. The name of a user or of a role can be a name that nobody has.
    enum Place: Sendable, Hashable {
        case root
        case subschema
        case base, people, groups, sudoers
        case user(EntryName.Part)
        case role(EntryName.Part)
        /// A role that says what its members may do by sudo.
        case sudoRole(EntryName.Part)
    }

    let base: String
    let people: String
    let groups: String
    let sudoers: String
    static let subschema = "cn=Subschema"

    private let baseName: EntryName
    /// The attribute that names the base, and its value.
    let baseAttribute: (name: String, value: String)
    /// The `dc` parts of the base form this domain: `dc=example,dc=com` gives `example.com`. The domain is empty for a base without `dc`.
    let domain: String
    let uuids: EntryUUID
    /// These settings give users POSIX accounts. With nil, no entry is a POSIX account.
    let posix: PosixNumbering?
    /// The roles that `memberOf` names: all, or those of which a user or role is a direct member.
    let memberOf: Reach
    let shown = ShownAttributes.Memory()
    let containers: Containers
    /// The places of the bases that clients search again and again, by their spellings.
    private let containerPlaces = Locked<[String: Place]>([:])
    private static let mostSpellings = 64

    /// - Throws: ``InvalidBase`` for a base that is no distinguished name of a container.
    init(
        base: String, posix: PosixNumbering? = nil, memberOf: Reach = .effective, _ directory: Directory
    ) throws {
        (self.posix, self.memberOf) = (posix, memberOf)
        let (name, first) = try Self.read(base: base)
        (self.base, baseName) = (base, name)
        (people, groups, sudoers) = ("ou=people," + base, "ou=groups," + base, "ou=sudoers," + base)
        baseAttribute = (first.attribute, first.value)
        domain = name.components.compactMap { $0.first { $0.attribute == "dc" }?.value }.joined(separator: ".")
        uuids = try EntryUUID(directory)
        containers = Containers(base: base, named: baseAttribute, people, groups, sudoers, uuids)
    }

    /// The reason why a name cannot be the base of the tree.
    struct InvalidBase: Error {
        let description: String
    }

    /// Checks the name of a base.
    ///
    /// - Throws: ``InvalidBase``.
    static func check(base: String) throws { _ = try read(base: base) }

    private static func read(base: String) throws -> (EntryName, EntryName.Part) {
        guard let name = try? EntryName(base), let first = name.own, ["dc", "o", "ou"].contains(first.attribute) else {
            throw InvalidBase(
                description:
                    "'\(base)' cannot be the base of the tree. Write it as in 'dc=example,dc=com'; it begins with "
                    + "'dc', 'o' or 'ou'.")
        }
        return (name, first)
    }

    private static let schemaName = EntryName([[EntryName.Part("cn", "subschema")]])
    private static let peopleComponent: Set = [EntryName.Part("ou", "people")]
    private static let groupsComponent: Set = [EntryName.Part("ou", "groups")]
    private static let sudoersComponent: Set = [EntryName.Part("ou", "sudoers")]

    /// The place with a name.
    ///
    /// - Throws: ``LDAPResult`` `noSuchObject`, with the nearest entry above; `invalidDNSyntax`.
    func place(_ text: String) throws -> Place {
        if let known = containerPlaces.withLock({ $0[text] }) { return known }
        let place = try place(try EntryName(text))
        switch place {
        case .user, .role, .sudoRole: break
        case .root, .subschema, .base, .people, .groups, .sudoers:
            containerPlaces.withLock { if $0.count < Self.mostSpellings { $0[text] = place } }
        }
        return place
    }

    func place(_ name: EntryName) throws -> Place {
        if name.components.isEmpty { return .root }
        if name == Self.schemaName { return .subschema }
        let rest = name.components.count - baseName.components.count
        guard rest >= 0, Array(name.components[rest...]) == baseName.components else {
            throw LDAPResult(.noSuchObject, "The entry is not below \(base).")
        }
        if rest == 0 { return .base }
        let (container, dn, entry): (Place, String, (EntryName.Part) -> Place)
        switch name.components[rest - 1] {
        case Self.peopleComponent: (container, dn, entry) = (.people, people, Place.user)
        case Self.groupsComponent: (container, dn, entry) = (.groups, groups, Place.role)
        case Self.sudoersComponent: (container, dn, entry) = (.sudoers, sudoers, Place.sudoRole)
        default: throw LDAPResult(.noSuchObject, matchedDN: base)
        }
        if rest == 1 { return container }
        guard rest == 2, let own = name.own else { throw LDAPResult(.noSuchObject, matchedDN: dn) }
        return entry(own)
    }

    func name(of user: String) -> String { DistinguishedName.text("uid", user, under: people) }
    func name(ofRole role: String) -> String { DistinguishedName.text("cn", role, under: groups) }

    func noSuch(_ place: Place) -> LDAPResult {
        switch place {
        case .role: LDAPResult(.noSuchObject, matchedDN: groups)
        case .sudoRole: LDAPResult(.noSuchObject, matchedDN: sudoers)
        default: LDAPResult(.noSuchObject, matchedDN: people)
        }
    }

    /// The user with a name below `ou=people`: by `uid`, by `entryUUID`, or by `cn` if exactly one user has it.
    func user(
        _ part: EntryName.Part, _ attributes: AttributeSelection, in view: DirectoryView
    ) async throws -> User? {
        switch part.attribute {
        case "uid": return try await view.users.find(.named(part.value), attributes: attributes)
        case "entryuuid":
            guard let number = uuids.number(part.value) else { return nil }
            return try await view.users.find(.id(UserID(rawValue: number)), attributes: attributes)
        case "cn":
            let found = try await view.users.search(
                Search(Filter.commonName.equals(.string(part.value)), attributes: attributes, pageSize: 2))
            return found.elements.count == 1 ? found.elements.first : nil
        default: return nil
        }
    }

    /// The role with a name below `ou=groups`: by `cn`, by `uid` as guides of some programs write it, or by `entryUUID`.
    func role(
        _ part: EntryName.Part, _ attributes: AttributeSelection, in view: DirectoryView
    ) async throws -> Role? {
        switch part.attribute {
        case "cn", "uid": return try await view.roles.find(.named(part.value), attributes: attributes)
        case "entryuuid":
            guard let number = uuids.number(part.value) else { return nil }
            return try await view.roles.find(.id(RoleID(rawValue: number)), attributes: attributes)
        default: return nil
        }
    }
}

// MARK: Programs

extension DirectoryTree {
    /// An account of a program, which has an API token and no entry.
    enum Program: Sendable, Hashable {
        /// `cn=admin` below the base: any token of an administrator.
        case administrator
        /// `cn=NAME,ou=services` below the base: the token with the name.
        case service(String)
    }

    private static let servicesComponent: Set = [EntryName.Part("ou", "services")]

    /// The program with a name; nil for the name of anything else.
    func program(_ name: EntryName) -> Program? {
        let rest = name.components.count - baseName.components.count
        guard (1...2).contains(rest), Array(name.components[rest...]) == baseName.components, let own = name.own,
            own.attribute == "cn"
        else { return nil }
        if rest == 1 { return own == EntryName.Part("cn", "admin") ? .administrator : nil }
        return name.components[1] == Self.servicesComponent ? .service(own.value) : nil
    }

    func name(of program: Program) -> String {
        switch program {
        case .administrator: "cn=admin," + base
        case .service(let name): DistinguishedName.text("cn", name, under: "ou=services," + base)
        }
    }
}
