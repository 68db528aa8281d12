import Roster
import RosterSignIn
import RosterText

extension LDAPService {
    /// Changes an entry (RFC 4511, section 4.6): all of the modifications, or none.
    func modify(
        _ dn: String, _ modifications: [LDAPModification], _ message: LDAPMessage, in session: LDAPSession
    ) async throws -> [LDAPControl] {
        let view = try view(of: session, isChange: true)
        let place = try tree.place(dn)
        switch place {
        case .user(let part):
            guard let user = try await tree.user(part, ["uid"], in: view) else { throw tree.noSuch(place) }
            let controls = try await ChangeControls(message, .user, self, view)
            let (answer, version) = try await controls.reading(user.id)
            let changed = try await modify(user, modifications, controls, version, view, session)
            return try await answer + controls.answer(changed)
        case .role(let part):
            guard let role = try await tree.role(part, ["name"], in: view) else { throw tree.noSuch(place) }
            let controls = try await ChangeControls(message, .role, self, view)
            let (answer, version) = try await controls.reading(role.id)
            let changed = try await modify(role, modifications, controls, version, view)
            return try await answer + controls.answer(changed)
        case .sudoRole: throw LDAPResult(.unwillingToPerform, Self.sudoAdvice)
        case .root, .subschema, .base, .people, .groups, .sudoers:
            throw LDAPResult(.unwillingToPerform, "This entry belongs to the server, and cannot be changed.")
        }
    }

    // MARK: Users

    /// - Returns: The user after the change, if the client wants the entry.
    private func modify(
        _ user: User, _ modifications: [LDAPModification], _ controls: ChangeControls, _ version: Int64?,
        _ view: DirectoryView, _ session: LDAPSession
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
            try await setPassword(new, of: user, replacing: old, view, session)
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

    /// Sets a password. Users who set their own one prove the old one, in the request or by their bind.
    func setPassword(
        _ new: String, of user: User, replacing old: String?, _ view: DirectoryView, _ session: LDAPSession
    ) async throws {
        if old == nil, view.caller == .user(user.id) {
            let hash = try await signIn.passwords.hash(new, in: view) {
                try $0.users.namesToSetPassword(of: .id(user.id))
            }
            _ = try await view.users.modify(.id(user.id), attributes: ["password": .string(hash)])
            return
        }
        try await signIn.setPassword(new, of: .id(user.id), replacing: old, in: view, from: session.peer)
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
        case .mails: return try mailChanges(kind, values, of: user, input)
        case .attribute(let definition):
            return try Self.change(kind, values, definition, user[definition.name], input)
        case .members, .memberNames: throw LDAPResult(.objectClassViolation, "A user has no members.")
        }
        return []
    }

    private func mailChanges(
        _ kind: LDAPModification.Kind, _ values: [[UInt8]], of user: User, _ input: EntryInput
    ) throws -> [AttributeChange] {
        let texts = try values.map { try input.text($0, "mail") }
        let elements = user["emails"]?.elements ?? []
        func has(_ text: String) -> Bool {
            elements.contains { $0.text.map { TextKey.of($0) == TextKey.of(text) } ?? false }
        }
        switch kind {
        case .add:
            guard !texts.contains(where: has) else {
                throw LDAPResult(.attributeOrValueExists, "The user has that address already.")
            }
            return [.add("emails", texts.map { .string($0) })]
        case .delete:
            guard !elements.isEmpty, texts.allSatisfy(has) else {
                throw LDAPResult(.noSuchAttribute, "The user has no such address.")
            }
            return texts.isEmpty ? [.clear("emails")] : [.remove("emails", texts.map { .string($0) })]
        case .replace:
            // An address that stays keeps its other parts, such as its type.
            let kept = texts.map { text in
                elements.first { $0.text.map { TextKey.of($0) == TextKey.of(text) } ?? false } ?? .string(text)
            }
            return kept.isEmpty ? [.clear("emails")] : [.set("emails", .list(kept))]
        case .increment: throw LDAPResult(.constraintViolation, "'mail' is no number.")
        }
    }

    // MARK: Roles

    private func modify(
        _ role: Role, _ modifications: [LDAPModification], _ controls: ChangeControls, _ version: Int64?,
        _ view: DirectoryView
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
                        try Self.change(kind, subjects, of: .id(role.id), relation, isOfNames: false, view)
                    case .memberNames:
                        let subjects = try values.map { RoleSubject.user(.named(try input.text($0, "memberUid"))) }
                        try Self.change(kind, subjects, of: .id(role.id), .member, isOfNames: true, view)
                    case .attribute(let definition):
                        changes += try Self.change(kind, values, definition, current[definition.name], input)
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

    /// Changes the members or the owners of a role.
    ///
    /// - Parameter isOfNames: Whether the values are names of users, so that roles stay as they are.
    private static func change(
        _ kind: LDAPModification.Kind, _ subjects: [RoleSubject], of role: RoleReference, _ relation: RoleRelation,
        isOfNames: Bool, _ view: DirectoryView
    ) throws {
        func all() throws -> [RoleSubject] {
            let users = try view.roles.users(of: role, as: relation, reach: .direct, attributes: ["uid"])
            let roles = try isOfNames ? [] : view.roles.roles(of: role, as: relation, reach: .direct)
            return users.map { RoleSubject.user(.id($0.id)) } + roles.map { RoleSubject.role(.id($0.id)) }
        }
        switch kind {
        case .add: if !subjects.isEmpty { try view.roles.add(subjects, to: role, as: relation) }
        case .delete:
            let leaving = try subjects.isEmpty ? all() : subjects
            guard !leaving.isEmpty else { throw LDAPResult(.noSuchAttribute, "The group has no members.") }
            do {
                try view.roles.remove(leaving, from: role, as: relation)
            } catch let error as DirectoryError where error.code == .notFound {
                throw LDAPResult(.noSuchAttribute, error.message)
            }
        case .replace:
            // The members that stay are not touched, so that the feed tells of the others only.
            let wanted = try Set(subjects.map { try identified($0, view) })
            let current = try Set(all())
            let (leaving, coming) = (current.subtracting(wanted), wanted.subtracting(current))
            if !leaving.isEmpty { try view.roles.remove(Array(leaving), from: role, as: relation) }
            if !coming.isEmpty { try view.roles.add(Array(coming), to: role, as: relation) }
        case .increment: throw LDAPResult(.constraintViolation, "A member is no number.")
        }
    }

    private static func identified(_ subject: RoleSubject, _ view: DirectoryView) throws -> RoleSubject {
        switch subject {
        case .user(let user): .user(.id(try view.users.user(user, attributes: ["uid"]).id))
        case .role(let role): .role(.id(try view.roles.role(role, attributes: ["name"]).id))
        }
    }

    // MARK: Attributes

    /// The change of an attribute of the vocabulary.
    ///
    /// - Parameter current: Its present value.
    private static func change(
        _ kind: LDAPModification.Kind, _ values: [[UInt8]], _ definition: AttributeDefinition,
        _ current: AttributeValue?,
        _ input: EntryInput
    ) throws -> [AttributeChange] {
        let name = definition.name
        let given = try values.map { try input.value($0, of: definition) }
        func isSame(_ left: AttributeValue, _ right: AttributeValue) -> Bool {
            guard case .string(let left) = left, case .string(let right) = right, !definition.isCaseExact else {
                return left == right
            }
            return TextKey.of(left) == TextKey.of(right)
        }
        let present = current?.elements ?? []
        func has(_ value: AttributeValue) -> Bool { present.contains { isSame($0, value) } }
        switch kind {
        case .add:
            guard !given.isEmpty else { throw LDAPResult(.protocolError, "An attribute has no values.") }
            guard !given.contains(where: has) else {
                throw LDAPResult(.attributeOrValueExists, "'\(name)' has that value.")
            }
            if definition.isMultiValued { return [.add(name, given)] }
            guard let value = given.first, given.count == 1, present.isEmpty else {
                throw LDAPResult(.constraintViolation, "'\(name)' has one value.")
            }
            return [.set(name, value)]
        case .delete:
            guard !present.isEmpty, given.allSatisfy(has) else {
                throw LDAPResult(.noSuchAttribute, "'\(name)' has no such value.")
            }
            return given.isEmpty || !definition.isMultiValued ? [.clear(name)] : [.remove(name, given)]
        case .replace:
            if given.isEmpty { return present.isEmpty ? [] : [.clear(name)] }
            if definition.isMultiValued { return [.set(name, .list(given))] }
            guard let value = given.first, given.count == 1 else {
                throw LDAPResult(.constraintViolation, "'\(name)' has one value.")
            }
            return [.set(name, value)]
        case .increment:
            guard case .integer(let number)? = current, case .integer(let step)? = given.first, given.count == 1 else {
                throw LDAPResult(.constraintViolation, "'\(name)' is no whole number.")
            }
            let (sum, overflows) = number.addingReportingOverflow(step)
            guard !overflows else { throw LDAPResult(.constraintViolation, "'\(name)' would be too large.") }
            return [.set(name, .integer(sum))]
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
