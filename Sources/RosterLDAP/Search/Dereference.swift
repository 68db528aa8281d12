import Roster

/// The control for attributes of the entries that an entry names, such as the members of a group (draft-masarati-ldap-deref-00). A client
/// gets them without a search for each member.
struct Dereference: Sendable {
    private struct Reference {
        /// The attribute with the names, as the client spells it.
        let attribute: String
        let requested: RequestedAttributes
    }
    private let references: [Reference]

    /// The most attributes of an entry that a client follows.
    private static let mostReferences = 16

    init(_ control: LDAPControl) throws {
        do {
            references = try BERReader.reading(control.value ?? []) { reader in
                try reader.list(BERReader.Tag.sequence, atMost: Self.mostReferences) { reader in
                    try reader.container(BERReader.Tag.sequence) { reader in
                        let attribute = try reader.text()
                        let list = try reader.list(
                            BERReader.Tag.sequence, atMost: LDAPMessage.Limit.attributes
                        ) { try $0.text() }
                        guard !list.isEmpty else { throw BERReader.Malformed() }
                        return Reference(attribute: attribute, requested: RequestedAttributes(list))
                    }
                }
            }
        } catch is BERReader.Malformed {
            throw LDAPResult(.protocolError, "The control for the attributes of named entries cannot be read.")
        }
    }

    /// The users and roles that an entry names in an attribute, with these attributes of the users.
    typealias Named = (_ attribute: String, AttributeSelection) async throws -> (users: [User], roles: [Role])

    /// The control of an entry; empty if the entry names no others.
    func controls(_ makers: (RequestedAttributes) throws -> Makers, _ view: DirectoryView, _ named: Named) async throws
        -> [LDAPControl]
    {
        var found: [(attribute: String, entry: LDAPAnswer.Entry)] = []
        for reference in references {
            guard let description = AttributeNames.Description(reference.attribute), !description.isOfNoValue else {
                continue
            }
            let makers = try makers(reference.requested)
            let (userEntries, roleEntries) = (makers.users, makers.roles)
            let (users, roles) = try await named(description.name, userEntries.selection)
            for user in users {
                try Task.checkCancellation()
                found.append((reference.attribute, try await userEntries.entry(user)))
            }
            for role in roles {
                guard let role = try await view.roles.find(.id(role.id), attributes: roleEntries.selection) else {
                    continue
                }
                found.append((reference.attribute, try await roleEntries.entry(role)))
            }
        }
        guard !found.isEmpty else { return [] }
        var writer = BERWriter()
        writer.container { writer in
            for (attribute, entry) in found {
                writer.container { writer in
                    writer.text(attribute)
                    writer.text(entry.dn)
                    if !entry.attributes.isEmpty {
                        writer.container(0xA0) { LDAPAnswer.write(entry.attributes, typesOnly: false, &$0) }
                    }
                }
            }
        }
        return [LDAPControl(identifier: SupportedControl.dereference, value: writer.finish())]
    }
}

extension SearchRun {
    /// The entry of a user, with the attributes of the entries that it names if the client asks for them.
    func entry(_ user: User, _ maker: UserEntries) async throws -> LDAPAnswer.Entry {
        var entry = try await maker.entry(user)
        if let dereference {
            entry.controls = try await dereference.controls(makers, view()) { try await maker.named(by: $0, user, $1) }
        }
        return entry
    }

    func entry(_ role: Role, _ maker: RoleEntries) async throws -> LDAPAnswer.Entry {
        var entry = try await maker.entry(role)
        if let dereference {
            entry.controls = try await dereference.controls(makers, view()) { try await maker.named(by: $0, role, $1) }
        }
        return entry
    }
}
