import Roster
import RosterSignIn
import RosterText

extension EntryChange {
    /// Changes an entry (RFC 4511, section 4.6): all of the modifications, or none.
    func modify(_ dn: String, _ modifications: [LDAPModification]) async throws -> [LDAPControl] {
        let place = try tree.place(dn)
        switch place {
        case .user(let part):
            guard let user = try await tree.user(part, ["uid"], in: view) else { throw tree.noSuch(place) }
            let controls = try await controls(.user)
            let (answer, version) = try await controls.reading(user.id)
            let changed = try await modify(user, modifications, controls, version)
            return try await answer + controls.answer(changed)
        case .role(let part):
            guard let role = try await tree.role(part, ["name"], in: view) else { throw tree.noSuch(place) }
            let controls = try await controls(.role)
            let (answer, version) = try await controls.reading(role.id)
            let changed = try await modify(role, modifications, controls, version)
            return try await answer + controls.answer(changed)
        case .sudoRole: throw LDAPResult(.unwillingToPerform, Self.sudoAdvice)
        case .root, .subschema, .base, .people, .groups, .sudoers:
            throw LDAPResult(.unwillingToPerform, "This entry belongs to the server, and cannot be changed.")
        }
    }

    // MARK: Users

    /// - Returns: The user after the change, if the client wants the entry.
    private func modify(
        _ user: User, _ modifications: [LDAPModification], _ controls: ChangeControls, _ version: Int64?
    ) async throws -> User? {
        let input = input(.user)
        var others: [LDAPModification] = []
        var (old, new): (String?, String?)
        for modification in modifications {
            guard case .password = try input.target(modification.attribute.name) else {
                others.append(modification)
                continue
            }
            switch modification.kind {
            case .delete:
                old = try modification.attribute.values.isEmpty ? nil : input.password(modification.attribute.values)
            case .add, .replace: new = try input.password(modification.attribute.values)
            case .increment: throw LDAPResult(.constraintViolation, "A password is no number.")
            }
        }
        guard new != nil || old == nil else {
            throw LDAPResult(.unwillingToPerform, "A password is replaced, and not deleted.")
        }
        if let new, others.isEmpty {
            // The password is hashed and set by the sign-in, in a transaction of its own.
            try controls.check(user.id, version: version, in: view)
            try await PasswordModification(signIn: signIn, tree: tree, session: session, view: view)
                .set(new, of: user, replacing: old)
            return try controls.afterwards(user.id, in: view)
        }
        var hash: String?
        if let new {
            // One transaction changes all attributes, so that the old password must be proved by the bind.
            hash = try await signIn.passwords.hash(new, in: view) { try $0.users.namesToSetPassword(of: .id(user.id)) }
        }
        let (rest, password) = (others, hash)
        return try await view.transaction { view in
            try controls.check(user.id, version: version, in: view)
            let current = try view.users.user(.id(user.id), attributes: .all)
            var changes = try rest.flatMap { try self.changes($0, of: current, input) }
            if let password { changes.append(.set("password", .string(password))) }
            if !changes.isEmpty { try view.users.modify(.id(user.id), changes) }
            return try controls.afterwards(user.id, in: view)
        }
    }

    private func changes(
        _ modification: LDAPModification, of user: User, _ input: EntryInput
    ) throws -> [AttributeChange] {
        let (kind, attribute) = (modification.kind, modification.attribute)
        let values = attribute.values
        switch try input.target(attribute.name) {
        case .objectClass: try checkClasses(modification, input)
        case .name: throw LDAPResult(.notAllowedOnRDN, "Rename the entry instead.")
        case .password: break
        case .manager:
            if kind == .delete || values.isEmpty {
                guard user.managerID != nil else { throw LDAPResult(.noSuchAttribute, "The user has no manager.") }
                return [.clear("manager")]
            }
            guard let value = values.first, values.count == 1, kind != .increment else {
                throw LDAPResult(.constraintViolation, "A user has one manager.")
            }
            guard kind == .replace || user.managerID == nil else {
                throw LDAPResult(.attributeOrValueExists, "The user has a manager already.")
            }
            return [.set("manager", .string(try input.nameOrIdentifier(value)))]
        case .accountControl:
            guard kind == .replace || kind == .add else {
                throw LDAPResult(.constraintViolation, "'userAccountControl' is replaced.")
            }
            return [.set("active", .boolean(try input.isActive(values)))]
        case .mails:
            return try AttributeModification(kind: kind, values: values, input: input)
                .changesOfMails(from: user["emails"]?.elements ?? [])
        case .attribute(let definition):
            return try AttributeModification(kind: kind, values: values, input: input)
                .changes(of: definition, from: user[definition.name])
        case .members, .memberNames: throw LDAPResult(.objectClassViolation, "A user has no members.")
        }
        return []
    }

    // MARK: Roles

    private func modify(
        _ role: Role, _ modifications: [LDAPModification], _ controls: ChangeControls, _ version: Int64?
    ) async throws -> Role? {
        let input = input(.role)
        do {
            return try await view.transaction { view in
                try controls.check(role.id, version: version, in: view)
                let current = try view.roles.role(.id(role.id), attributes: .all)
                var changes: [AttributeChange] = []
                for modification in modifications {
                    let (kind, values) = (modification.kind, modification.attribute.values)
                    switch try input.target(modification.attribute.name) {
                    case .objectClass: try self.checkClasses(modification, input)
                    case .name: throw LDAPResult(.notAllowedOnRDN, "Rename the entry instead.")
                    case .members(let relation):
                        let subjects = try values.filter { !$0.isEmpty }.map(input.subject)
                        try MemberModification(
                            kind: kind, role: .id(role.id), relation: relation, isOfNames: false, view: view
                        ).run(subjects)
                    case .memberNames:
                        let subjects = try values.map { RoleSubject.user(.named(try input.text($0, "memberUid"))) }
                        try MemberModification(
                            kind: kind, role: .id(role.id), relation: .member, isOfNames: true, view: view
                        ).run(subjects)
                    case .attribute(let definition):
                        changes += try AttributeModification(kind: kind, values: values, input: input)
                            .changes(of: definition, from: current[definition.name])
                    case .manager, .password, .accountControl, .mails:
                        throw LDAPResult(
                            .objectClassViolation, "A group has no '\(modification.attribute.name.prefix(64))'.")
                    }
                }
                if !changes.isEmpty { try view.roles.modify(.id(role.id), changes) }
                return try controls.afterwards(role.id, in: view)
            }
        } catch let error as DirectoryError where error.code == .notFound {
            // The role is there: it was found above.
            throw LDAPResult(.constraintViolation, error.message)
        }
    }

    /// The classes of an entry follow from its kind. Clients that add known ones change nothing.
    private func checkClasses(_ modification: LDAPModification, _ input: EntryInput) throws {
        guard modification.kind == .add || modification.kind == .replace else {
            throw LDAPResult(.objectClassModsProhibited, "The classes of an entry follow from its kind.")
        }
        try input.check(classes: modification.attribute.values)
    }
}
