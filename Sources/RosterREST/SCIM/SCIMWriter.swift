import Foundation
import Roster
import RosterText

/// Writes users and roles as SCIM's resources, in the canonical form that the engine works on.
struct SCIMWriter {
    let session: Session
    let derived: DerivedVocabulary
    /// Where the interface is, such as `https://id.example.com/scim/v2`.
    let base: String
    private let projection: SCIMProjection?
    // What costs a look-up is read only where it is wanted; asked once, not for each resource.
    private let wantsGroups: Bool
    private let wantsManager: Bool
    private let wantsManagerName: Bool
    private let wantsMembers: Bool

    /// The most members that a response has.
    static let maximumMembers = 100_000
    private static let labelAttributes: [AttributeName] = ["displayName", "commonName", "givenName", "familyName"]

    /// - Parameter projection: What of the resources is wanted; nil for all.
    init(_ context: ServiceContext, _ session: Session, _ projection: SCIMProjection? = nil) {
        self.session = session
        self.projection = projection
        derived = context.derived(session.vocabulary)
        base = context.baseURL + SCIMAPI.base
        wantsGroups = projection.map { $0.includes("groups") || $0.includes("roles") } ?? true
        wantsManager = projection?.includes("manager", in: SCIMResourceType.enterpriseURN) ?? true
        wantsManagerName = wantsManager
        wantsMembers = projection?.includes("members") ?? true
    }

    /// Writes resources that are to be changed: without what the directory alone writes and has to look up.
    init(toChange context: ServiceContext, _ session: Session, readsMembers: Bool = true) {
        self.session = session
        projection = nil
        derived = context.derived(session.vocabulary)
        base = context.baseURL + SCIMAPI.base
        wantsGroups = false
        wantsManager = true
        wantsManagerName = false
        wantsMembers = readsMembers
    }

    private func projected(_ resource: JSONValue) -> JSONValue {
        // What is never returned, or only on request, was not read in the first place.
        guard let projection, !projection.isWhole else { return resource }
        return projection.applied(to: resource)
    }

    // MARK: Users

    func resource(_ user: User) throws -> JSONValue {
        let id = user.id.description
        var members: [JSONValue.Member] = []
        members.reserveCapacity(20)
        var name: [JSONValue.Member] = []
        var enterprise: [JSONValue.Member] = []
        var others: [JSONValue.Member] = []
        members.append(.init("schemas", .null))
        members.append(.init("id", .string(id)))
        if let external = try session.externalID(of: user.id) {
            members.append(.init("externalId", .string(external)))
        }
        members.append(.init("userName", .string(user.uid)))
        members.append(.init("active", .boolean(user.isActive)))
        for entry in user.attributes {
            switch derived.scimPlaces.users[entry.name] {
            case .top(let key): members.append(.init(key, Self.json(entry.value)))
            case .name(let key): name.append(.init(key, JSONValue(entry.value)))
            case .inExtension(SCIMResourceType.enterpriseURN, let key):
                enterprise.append(.init(key, JSONValue(entry.value)))
            case .inExtension(_, let key): others.append(.init(key, JSONValue(entry.value)))
            case nil: break
            }
        }
        if !name.isEmpty { members.append(.init("name", .object(name))) }
        if let manager = user.managerID, wantsManager {
            let text = manager.description
            var value: JSONValue = ["value": .string(text), "$ref": .string("\(base)/Users/\(text)")]
            if wantsManagerName { value["displayName"] = .string(try session.label(of: manager) ?? text) }
            enterprise.append(.init("manager", value))
        }
        if wantsGroups { try appendGroups(of: user, to: &members) }
        var schemas: [JSONValue] = [.string(derived.scimUser.core.id)]
        if !enterprise.isEmpty {
            schemas.append(.string(SCIMResourceType.enterpriseURN))
            members.append(.init(SCIMResourceType.enterpriseURN, .object(enterprise)))
        }
        if !others.isEmpty {
            schemas.append(.string(Vocabulary.extensionSchema))
            members.append(.init(Vocabulary.extensionSchema, .object(others)))
        }
        members[0].value = .array(schemas)
        members.append(.init("meta", meta("User", "Users", id, user.created, user.modified, user.version)))
        return projected(.object(members))
    }

    private func appendGroups(of user: User, to members: inout [JSONValue.Member]) throws {
        let memberships = try session.memberships(of: user.id)
        guard !memberships.isEmpty else { return }
        let groups = memberships.map { role, isDirect -> JSONValue in
            let id = role.id.description
            return [
                "value": .string(id), "$ref": .string("\(base)/Groups/\(id)"),
                "display": .string(role.displayName), "type": isDirect ? "direct" : "indirect",
            ]
        }
        let roles = memberships.map { role, isDirect -> JSONValue in
            [
                "value": .string(role.name), "display": .string(role.displayName),
                "type": isDirect ? "direct" : "indirect",
            ]
        }
        members.append(.init("groups", .array(groups)))
        if let index = members.firstIndex(where: { $0.name == "roles" }) {
            members[index].value = .array(members[index].value.elements + roles)
        } else {
            members.append(.init("roles", .array(roles)))
        }
    }

    /// An element of a complex attribute is an object, also where the directory keeps the short form.
    private static func json(_ value: AttributeValue) -> JSONValue {
        guard case .list(let elements) = value else { return JSONValue(value) }
        return .array(
            elements.map { element in
                if case .complex = element { return JSONValue(element) }
                return ["value": JSONValue(element)]
            })
    }

    // MARK: Groups

    func resource(_ role: Role) throws -> JSONValue {
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
        if wantsMembers {
            let list = try self.members(of: role)
            if !list.isEmpty { members.append(.init("members", .array(list))) }
        }
        members.append(.init(SCIMResourceType.groupExtensionURN, .object(others)))
        members.append(
            .init("meta", meta("Group", "Groups", role.id.description, role.created, role.modified, role.version)))
        return projected(derived.scimGroup.withSchemas(.object(members)))
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
