import Foundation
import Roster
import RosterWire

/// Writes users and roles as SCIM's resources, in the canonical form that the engine works on.
struct SCIMWriter {
    let session: Session
    let derived: DerivedVocabulary
    /// Where the interface is, such as `https://id.example.com/scim/v2`.
    let base: String

    /// The most members that a response has.
    static let maximumMembers = 100_000
    private static let labelAttributes: [AttributeName] = ["displayName", "commonName", "givenName", "familyName"]

    init(_ context: ServiceContext, _ session: Session) {
        self.session = session
        derived = context.derived(session.vocabulary)
        base = context.baseURL + SCIMAPI.base
    }

    // MARK: Users

    /// - Parameter projection: What of it is wanted: what costs a look-up is read only then.
    func resource(_ user: User, _ projection: SCIMProjection? = nil) throws -> JSONValue {
        var members: [JSONValue.Member] = []
        members.reserveCapacity(20)
        var name: [JSONValue.Member] = []
        var enterprise: [JSONValue.Member] = []
        var others: [JSONValue.Member] = []
        members.append(.init("id", .string(user.id.description)))
        if let external = try session.externalID(of: user.id) {
            members.append(.init("externalId", .string(external)))
        }
        members.append(.init("userName", .string(user.uid)))
        members.append(.init("active", .boolean(user.isActive)))
        for entry in user.attributes {
            switch derived.scimPlaces.users[entry.name] {
            case .top(let key): members.append(.init(key, Self.json(entry.value, key, derived.scimUser.core)))
            case .name(let key): name.append(.init(key, JSONValue(entry.value)))
            case .inExtension(SCIMResourceType.enterpriseURN, let key):
                enterprise.append(.init(key, JSONValue(entry.value)))
            case .inExtension(_, let key): others.append(.init(key, JSONValue(entry.value)))
            case nil: break
            }
        }
        if !name.isEmpty { members.append(.init("name", .object(name))) }
        if let manager = user.managerID, projection?.includes("manager", in: SCIMResourceType.enterpriseURN) ?? true {
            let label = try session.user(.id(manager), Self.labelAttributes).label
            enterprise.append(
                .init(
                    "manager",
                    [
                        "value": .string(manager.description), "$ref": .string("\(base)/Users/\(manager)"),
                        "displayName": .string(label),
                    ]))
        }
        if projection?.includes("groups") ?? true { try appendGroups(of: user, to: &members) }
        if !enterprise.isEmpty { members.append(.init(SCIMResourceType.enterpriseURN, .object(enterprise))) }
        if !others.isEmpty { members.append(.init(Vocabulary.extensionSchema, .object(others))) }
        members.append(
            .init("meta", meta("User", "Users", user.id.description, user.created, user.modified, user.version)))
        return derived.scimUser.withSchemas(.object(members))
    }

    private func appendGroups(of user: User, to members: inout [JSONValue.Member]) throws {
        let subject = Session.RoleQuestion.having(.user(.id(user.id)))
        let direct = try session.roles(subject, .member, .direct, limit: 1_000, after: nil)
        // Whoever is in no group is in none that it is nested in.
        guard !direct.isEmpty else { return }
        let ids = Set(direct.map(\.id))
        let all = try session.roles(subject, .member, .effective, limit: 1_000, after: nil)
        func elements(_ value: (Role) -> String) -> JSONValue {
            .array(
                all.map { role in
                    [
                        "value": .string(value(role)), "display": .string(role.displayName),
                        "type": ids.contains(role.id) ? "direct" : "indirect",
                    ]
                })
        }
        let groups = all.map { role -> JSONValue in
            [
                "value": .string(role.id.description), "$ref": .string("\(base)/Groups/\(role.id)"),
                "display": .string(role.displayName), "type": ids.contains(role.id) ? "direct" : "indirect",
            ]
        }
        members.append(.init("groups", .array(groups)))
        members.append(.init("roles", elements(\.name)))
    }

    /// An element of a complex attribute is an object, also where the directory keeps the short form.
    private static func json(_ value: AttributeValue, _ name: String, _ schema: SCIMSchema) -> JSONValue {
        guard case .list(let elements) = value else { return JSONValue(value) }
        return .array(
            elements.map { element in
                if case .complex = element { return JSONValue(element) }
                return ["value": JSONValue(element)]
            })
    }

    // MARK: Groups

    func resource(_ role: Role, _ projection: SCIMProjection? = nil) throws -> JSONValue {
        var members: [JSONValue.Member] = [.init("id", .string(role.id.description))]
        if let external = try session.externalID(of: role.id) {
            members.append(.init("externalId", .string(external)))
        }
        members.append(.init("displayName", .string(role.displayName)))
        var others: [JSONValue.Member] = [.init("name", .string(role.name))]
        for entry in role.attributes where entry.name != "displayName" {
            if case .inExtension(_, let key)? = derived.scimPlaces.roles[entry.name] {
                others.append(.init(key, JSONValue(entry.value)))
            }
        }
        if projection?.includes("members") ?? true {
            let list = try self.members(of: role)
            if !list.isEmpty { members.append(.init("members", .array(list))) }
        }
        members.append(.init(SCIMResourceType.groupExtensionURN, .object(others)))
        members.append(
            .init("meta", meta("Group", "Groups", role.id.description, role.created, role.modified, role.version)))
        return derived.scimGroup.withSchemas(.object(members))
    }

    private func members(of role: Role) throws -> [JSONValue] {
        var members: [JSONValue] = []
        let roles = try session.roles(
            .inside(.id(role.id)), .member, .direct, limit: DirectoryLimits.maximumPageSize, after: nil)
        for role in roles {
            members.append(member(role.id.description, "Groups", "Group", role.displayName))
        }
        var last: UserID?
        while true {
            let page = try session.users(
                of: .id(role.id), .member, .direct, Self.labelAttributes, limit: DirectoryLimits.maximumPageSize,
                after: last)
            for user in page { members.append(member(user.id.description, "Users", "User", user.label)) }
            guard members.count <= Self.maximumMembers else {
                throw SCIMError(
                    .tooMany,
                    "The group has more than \(Self.maximumMembers) members. Exclude 'members', and ask for Users with "
                        + "the filter groups.value eq \"…\".")
            }
            guard page.count == DirectoryLimits.maximumPageSize else { return members }
            last = page.last?.id
        }
    }

    private func member(_ id: String, _ endpoint: String, _ type: String, _ label: String) -> JSONValue {
        [
            "value": .string(id), "$ref": .string("\(base)/\(endpoint)/\(id)"), "type": .string(type),
            "display": .string(label),
        ]
    }

    private func meta(
        _ type: String, _ endpoint: String, _ id: String, _ created: Date, _ modified: Date, _ version: Int64
    ) -> JSONValue {
        [
            "resourceType": .string(type), "created": .string(Timestamp.text(created)),
            "lastModified": .string(Timestamp.text(modified)), "location": .string("\(base)/\(endpoint)/\(id)"),
            "version": .string(EntityTag.text(version)),
        ]
    }
}
