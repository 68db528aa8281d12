import Roster
import RosterText

/// Users and roles as resources that a request changes, in the canonical form that ``SCIMEditor`` works on.
///
/// A resource of this kind has the attributes that clients write. It has only those derived attributes by which paths can select.
struct SCIMOriginal {
    let transaction: Transaction
    let derived: DerivedVocabulary
    /// The address of the interface, such as `https://id.example.com/scim/v2`.
    let base: String
    /// Whether the request needs the members of a group.
    let readsMembers: Bool

    init(_ context: ServiceContext, _ transaction: Transaction, readsMembers: Bool) {
        self.transaction = transaction
        derived = context.derived(transaction.vocabulary)
        base = context.baseURL + SCIMInterface.base
        self.readsMembers = readsMembers
    }

    func resource(_ user: User) throws -> JSONValue {
        var members: [JSONValue.Member] = [.init("schemas", .null), .init("id", .string(user.id.description))]
        members.reserveCapacity(20)
        var name: [JSONValue.Member] = []
        var enterprise: [JSONValue.Member] = []
        var others: [JSONValue.Member] = []
        if let external = try transaction.accounts.externalID(of: user.id) {
            members.append(.init("externalId", .string(external)))
        }
        members.append(.init("userName", .string(user.uid)))
        members.append(.init("active", .boolean(user.isActive)))
        for entry in user.attributes {
            switch derived.scimPlaces.users[entry.name] {
            case .top(let key): members.append(.init(key, JSONValue(entry.value, hasElements: true)))
            case .name(let key): name.append(.init(key, JSONValue(entry.value)))
            case .inExtension(SCIMResourceType.enterpriseURN, let key):
                enterprise.append(.init(key, JSONValue(entry.value)))
            case .inExtension(_, let key): others.append(.init(key, JSONValue(entry.value)))
            case nil: break
            }
        }
        if !name.isEmpty { members.append(.init("name", .object(name))) }
        if let manager = user.managerID?.description {
            enterprise.append(
                .init("manager", ["value": .string(manager), "$ref": .string("\(base)/Users/\(manager)")]))
        }
        if !enterprise.isEmpty { members.append(.init(SCIMResourceType.enterpriseURN, .object(enterprise))) }
        if !others.isEmpty { members.append(.init(Vocabulary.extensionSchema, .object(others))) }
        return .object(members)
    }

    func resource(_ role: Role) throws -> JSONValue {
        var members: [JSONValue.Member] = [.init("schemas", .null), .init("id", .string(role.id.description))]
        if let external = try transaction.accounts.externalID(of: role.id) {
            members.append(.init("externalId", .string(external)))
        }
        members.append(.init("displayName", .string(role.displayName)))
        var others: [JSONValue.Member] = [.init("name", .string(role.name))]
        for entry in role.attributes where entry.name != "displayName" {
            if case .inExtension(_, let key)? = derived.scimPlaces.roles[entry.name] {
                others.append(.init(key, JSONValue(entry.value)))
            }
        }
        if readsMembers {
            var list: [JSONValue] = []
            try SCIMWriter.forEachMember(of: role, transaction) { member in
                list.append([
                    "value": .string(member.id),
                    "$ref": .string("\(base)/\(member.isUser ? "Users" : "Groups")/\(member.id)"),
                    "type": member.isUser ? "User" : "Group", "display": .string(member.label),
                ])
            }
            if !list.isEmpty { members.append(.init("members", .array(list))) }
        }
        members.append(.init(SCIMResourceType.groupExtensionURN, .object(others)))
        return .object(members)
    }
}
