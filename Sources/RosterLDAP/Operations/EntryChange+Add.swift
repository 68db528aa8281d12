import Roster
import RosterSignIn

extension EntryChange {
    /// Creates a user or a role (RFC 4511, section 4.7).
    func add(_ dn: String, _ attributes: [LDAPAttribute]) async throws -> [LDAPControl] {
        switch try tree.place(dn) {
        case .user(let part):
            guard part.attribute == "uid" else {
                throw LDAPResult(.namingViolation, "A user is named by 'uid', as in uid=jane,\(tree.people).")
            }
            let controls = try await controls(.user)
            return try await controls.answer(try await addUser(part.value, attributes, controls))
        case .role(let part):
            guard part.attribute == "cn" else {
                throw LDAPResult(.namingViolation, "A group is named by 'cn', as in cn=staff,\(tree.groups).")
            }
            let controls = try await controls(.role)
            return try await controls.answer(try await addRole(part.value, attributes, controls))
        case .sudoRole: throw LDAPResult(.unwillingToPerform, Self.sudoAdvice)
        case .root, .subschema, .base, .people, .groups, .sudoers: throw LDAPResult(.entryAlreadyExists)
        }
    }

    private func addUser(
        _ uid: String, _ attributes: [LDAPAttribute], _ controls: ChangeControls
    ) async throws -> User? {
        let input = input(.user)
        var new = NewUser(uid)
        var password: String?
        for attribute in attributes {
            guard !attribute.values.isEmpty else { throw LDAPResult(.protocolError, "An attribute has no values.") }
            switch try input.target(attribute.name) {
            case .objectClass: try input.check(classes: attribute.values)
            case .name: try check(attribute, isNamed: uid, input)
            case .manager:
                guard let value = attribute.values.first, attribute.values.count == 1 else {
                    throw LDAPResult(.constraintViolation, "A user has one manager.")
                }
                new.manager = try input.user(value)
            case .password: password = try input.password(attribute.values)
            case .accountControl: new.isActive = try input.isActive(attribute.values)
            case .mails: new.attributes["emails"] = try mails(attribute.values, input)
            case .attribute(let definition):
                new.attributes[definition.name] = try whole(attribute.values, of: definition, input)
            case .members, .memberNames: throw LDAPResult(.objectClassViolation, "A user has no members.")
            }
        }
        if let password {
            let names = [uid] + (new.attributes["emails"]?.elements.compactMap(\.text) ?? [])
            let hash = try await signIn.passwords.hash(password, in: view) { transaction in
                try transaction.access.checkCreatingWithPassword()
                return names
            }
            new.attributes["password"] = .string(hash)
        }
        let user = new
        do {
            let created = try await view.awaitWrite { try $0.asEditor(to: "create users").users.create(user) }
            return try controls.afterwards(created.id, in: view)
        } catch let error as DirectoryError where error.code == .notFound && error.attribute == "manager" {
            throw LDAPResult(.constraintViolation, error.message)
        }
    }

    private func addRole(
        _ name: String, _ attributes: [LDAPAttribute], _ controls: ChangeControls
    ) async throws -> Role? {
        let input = input(.role)
        var set = AttributeSet()
        var links: [(RoleRelation, [RoleSubject])] = []
        for attribute in attributes {
            guard !attribute.values.isEmpty else { throw LDAPResult(.protocolError, "An attribute has no values.") }
            switch try input.target(attribute.name) {
            case .objectClass: try input.check(classes: attribute.values)
            case .name: try check(attribute, isNamed: name, input)
            // Programs that must give a group a member give an empty name, or that of the group.
            case .members(let relation):
                links.append((relation, try attribute.values.filter { !$0.isEmpty }.map(input.subject)))
            case .memberNames:
                links.append(
                    (.member, try attribute.values.map { .user(.named(try input.text($0, "memberUid"))) }))
            case .attribute(let definition): set[definition.name] = try whole(attribute.values, of: definition, input)
            case .manager, .password, .accountControl, .mails:
                throw LDAPResult(.objectClassViolation, "A group has no '\(attribute.name.prefix(64))'.")
            }
        }
        let (attributes, subjects) = (set, links)
        do {
            return try await view.transaction { view in
                let role = try view.roles.create(name, attributes: attributes)
                for (relation, subjects) in subjects where !subjects.isEmpty {
                    try view.roles.add(subjects, to: .id(role.id), as: relation)
                }
                return try controls.afterwards(role.id, in: view)
            }
        } catch let error as DirectoryError where error.code == .notFound {
            throw LDAPResult(.constraintViolation, error.message)
        }
    }

    /// Checks that the attribute that names an entry has the value of the name.
    private func check(_ attribute: LDAPAttribute, isNamed name: String, _ input: EntryInput) throws {
        let part = EntryName.Part("uid", name)
        for value in attribute.values where EntryName.Part("uid", try input.text(value, attribute.name)) != part {
            throw LDAPResult(.namingViolation, "'\(attribute.name.prefix(64))' differs from the name of the entry.")
        }
    }

    /// The value of an attribute with these values of LDAP.
    func whole(_ values: [[UInt8]], of definition: AttributeDefinition, _ input: EntryInput) throws -> AttributeValue {
        let values = try values.map { try input.value($0, of: definition) }
        if definition.isMultiValued { return .list(values) }
        guard let value = values.first, values.count == 1 else {
            throw LDAPResult(.constraintViolation, "'\(definition.name)' has one value.")
        }
        return value
    }

    func mails(_ values: [[UInt8]], _ input: EntryInput) throws -> AttributeValue {
        .list(try values.map { .string(try input.text($0, "mail")) })
    }
}
