import Foundation
import Roster

/// Reads the attributes that clients send as attributes of the directory.
struct EntryInput {
    let tree: DirectoryTree
    let vocabulary: Vocabulary
    let entity: AttributeDefinition.Entity

    /// What an attribute of LDAP stands for.
    enum Target {
        case attribute(AttributeDefinition)
        /// All mail addresses.
        case mails
        case objectClass
        case manager
        case password
        /// `userAccountControl`, which tells whether an account is enabled.
        case accountControl
        /// The attribute that names the entry.
        case name
        /// The members or the owners of a role.
        case members(RoleRelation)
        /// The members of a role by their names.
        case memberNames
    }

    func target(_ name: String) throws -> Target {
        guard let description = AttributeNames.Description(name) else {
            throw LDAPResult(.undefinedAttributeType, "'\(name.prefix(64))' is no name of an attribute.")
        }
        guard !description.isOfNoValue else {
            throw LDAPResult(.undefinedAttributeType, "The directory has no attributes with options.")
        }
        switch (description.name, entity) {
        case ("objectclass", _): return .objectClass
        case ("uid", .user), ("samaccountname", .user), ("cn", .role), ("uid", .role), ("samaccountname", .role):
            return .name
        case ("mail", .user): return .mails
        case ("manager", .user): return .manager
        case ("userpassword", .user): return .password
        case ("useraccountcontrol", .user): return .accountControl
        case ("member", .role), ("uniquemember", .role): return .members(.member)
        case ("owner", .role): return .members(.owner)
        case ("memberuid", .role): return .memberNames
        case ("memberof", _), ("ismemberof", _):
            throw LDAPResult(.constraintViolation, "Change 'member' of the group instead of 'memberOf'.")
        default: break
        }
        if Subschema.isOperational(description.name) {
            throw LDAPResult(.constraintViolation, "'\(name.prefix(64))' is set by the directory.")
        }
        guard let shown = tree.shown.attributes(vocabulary, entity)[description.name] else {
            throw LDAPResult(.undefinedAttributeType, "There is no attribute '\(name.prefix(64))'.")
        }
        return .attribute(shown.definition)
    }

    func value(_ bytes: [UInt8], of definition: AttributeDefinition) throws -> AttributeValue {
        if definition.kind == .binary { return .binary(Data(bytes)) }
        guard let value = definition.kind.value(of: try text(bytes, definition.name.rawValue)) else {
            throw LDAPResult(
                .invalidAttributeSyntax, "A value of '\(definition.name)' needs \(definition.kind.needed).")
        }
        return value
    }

    func text(_ bytes: [UInt8], _ name: String) throws -> String {
        guard let text = String(validating: bytes, as: UTF8.self) else {
            throw LDAPResult(.invalidAttributeSyntax, "A value of '\(name)' is not UTF-8.")
        }
        guard !text.isEmpty else { throw LDAPResult(.invalidAttributeSyntax, "A value of '\(name)' is empty.") }
        return text
    }

    /// The name of the user that a distinguished name means. A user need not exist.
    func user(_ bytes: [UInt8]) throws -> UserReference {
        guard case .user(let part) = try place(bytes), let user = reference(part) else { throw Self.noEntry }
        return user
    }

    /// The name or the identifier of the user that a distinguished name means, as a change of `manager` takes it.
    func nameOrIdentifier(_ bytes: [UInt8]) throws -> String {
        switch try user(bytes) {
        case .named(let name), .either(let name): name
        case .id(let id): id.description
        }
    }

    /// The user or role that a distinguished name means.
    func subject(_ bytes: [UInt8]) throws -> RoleSubject {
        switch try place(bytes) {
        case .user(let part):
            guard let user = reference(part) else { throw Self.noEntry }
            return .user(user)
        case .role(let part):
            if part.attribute == "entryuuid", let number = tree.uuids.number(part.value) {
                return .role(.id(RoleID(rawValue: number)))
            }
            guard ["cn", "uid"].contains(part.attribute) else { throw Self.noEntry }
            return .role(.named(part.value))
        default: throw Self.noEntry
        }
    }

    private func reference(_ part: EntryName.Part) -> UserReference? {
        if part.attribute == "uid" { return .named(part.value) }
        guard part.attribute == "entryuuid", let number = tree.uuids.number(part.value) else { return nil }
        return .id(UserID(rawValue: number))
    }

    private func place(_ bytes: [UInt8]) throws -> DirectoryTree.Place {
        let text = try text(bytes, "member")
        do {
            return try tree.place(text)
        } catch let error as LDAPResult {
            throw error.code == .invalidDNSyntax ? LDAPResult(.invalidAttributeSyntax, error.message) : Self.noEntry
        }
    }

    private static let noEntry = LDAPResult(
        .constraintViolation, "A distinguished name in a value must be of a user or a group, such as uid=…,ou=people,…."
    )

    /// Whether the account is enabled, by `userAccountControl` of Active Directory.
    func isActive(_ values: [[UInt8]]) throws -> Bool {
        guard let bytes = values.first, values.count == 1, let number = Int64(try text(bytes, "userAccountControl"))
        else {
            throw LDAPResult(
                .invalidAttributeSyntax, "'userAccountControl' is one number: 512, or 514 for a disabled account.")
        }
        return number & 2 == 0
    }

    /// The password in the clear.
    func password(_ values: [[UInt8]]) throws -> String {
        guard let bytes = values.first, values.count == 1 else {
            throw LDAPResult(.constraintViolation, "A user has one password.")
        }
        let text = try text(bytes, "userPassword")
        let isHash =
            text.hasPrefix("{")
            && text.dropFirst().prefix { $0 != "}" }.allSatisfy { $0.isLetter || $0.isNumber || $0 == "-" }
            && text.contains("}")
        guard !isHash else {
            throw LDAPResult(.constraintViolation, "Send the password itself. The server hashes it, and takes no hash.")
        }
        return text
    }

    /// Checks classes that a client gives to an entry.
    func check(classes: [[UInt8]]) throws {
        let known = Set(
            (UserEntries.classes + RoleEntries.classes + ["posixAccount", "posixGroup", "ldapPublicKey"]).map {
                $0.lowercased()
            })
        for value in classes {
            let name = try text(value, "objectClass")
            guard known.contains(name.lowercased()) else {
                throw LDAPResult(.objectClassViolation, "Entries have no class '\(name.prefix(64))'.")
            }
        }
    }
}
