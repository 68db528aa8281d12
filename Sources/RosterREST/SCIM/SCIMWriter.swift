import Foundation
package import Roster
import RosterText

/// Writes users and roles as resources of SCIM, straight into the bytes of a response.
///
/// The text of most values in the stored record is the text that the response needs, so that it is copied and not decoded.
package struct SCIMWriter {
    /// The most members that a response has.
    static let maximumMembers = 100_000
    /// How many users of a group are read at first, so that the first members of many groups can be read ahead.
    private static let firstMembers = 100
    private static let labelAttributes: AttributeSelection = ["displayName", "commonName", "givenName", "familyName"]

    let derived: DerivedVocabulary
    private let transaction: Transaction
    private let layout: SCIMLayout
    /// The addresses of users and of groups without the identifier, as they are in a JSON string.
    private let users, groups: [UInt8]

    /// Makes a writer.
    ///
    /// - Parameter projection: The attributes that the response shows; nil for the usual ones.
    package init(
        _ context: ServiceContext, _ transaction: Transaction, _ entity: AttributeDefinition.Entity,
        _ projection: SCIMProjection? = nil
    ) {
        self.transaction = transaction
        derived = context.derived(transaction.vocabulary)
        if let projection, !projection.isWhole {
            layout = SCIMLayout(entity == .user ? derived.scimPlaces.users : derived.scimPlaces.roles, projection)
        } else {
            layout = entity == .user ? derived.userLayout : derived.groupLayout
        }
        let base = context.baseURL + SCIMInterface.base
        (users, groups) = (Self.escaped(base + "/Users/"), Self.escaped(base + "/Groups/"))
    }

    /// The members of the objects of a resource, each with a comma before it.
    private struct Objects {
        private var members = SCIMLayout.Column.Object.allCases.map { _ in [UInt8]() }

        init() { members[SCIMLayout.Column.Object.resource.rawValue].reserveCapacity(256) }

        subscript(object: SCIMLayout.Column.Object) -> [UInt8] {
            get { members[object.rawValue] }
            _modify { yield &members[object.rawValue] }
        }
    }

    private static func escaped(_ text: String) -> [UInt8] {
        var bytes: [UInt8] = []
        JSONText.append(string: text, to: &bytes)
        return Array(bytes.dropFirst().dropLast())
    }

    /// An entity as the text of a resource.
    func text(of entity: DirectoryEntity) throws -> [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(1_024)
        switch entity {
        case .user(let user): try append(user, to: &bytes)
        case .role(let role): try append(role, to: &bytes)
        }
        return bytes
    }

    // MARK: Users

    /// Reads what the resources of users show besides the users, for all of them at once; nil to read it for each user.
    func related(to users: ArraySlice<User>) throws -> RelatedRecords? {
        try transaction.related.records(
            toUsers: users, memberships: layout.needsMemberships, managers: layout.manager.shows("displayName"),
            externalIDs: layout.externalID)
    }

    /// Reads what the resources of roles show besides the roles, for all of them at once; nil to read it for each role.
    func related(to roles: ArraySlice<Role>) throws -> RelatedRecords? {
        try transaction.related.records(
            toRoles: roles, membersWith: layout.members.isNothing ? nil : Self.labelAttributes,
            externalIDs: layout.externalID)
    }

    package func append(_ user: User, _ related: RelatedRecords? = nil, to bytes: inout [UInt8]) throws {
        let memberships =
            layout.needsMemberships
            ? try related?.memberships(of: user.id) ?? transaction.roles.memberships(of: user.id) : []
        var objects = Objects()
        let hasRoles = gather(user.attributes, memberships, into: &objects)
        if let manager = user.managerID, !layout.manager.isNothing {
            try append(manager: manager, related, to: &objects[.enterprise])
        }

        let id = user.id.description
        var external: String?
        if layout.externalID {
            external = try related.map { $0.externalID(of: user.id) } ?? transaction.accounts.externalID(of: user.id)
        }
        append(schemas: derived.scimUser.core.id, Self.userExtensions, objects, id, external, to: &bytes)
        if layout.userName {
            bytes.append(#","userName":"#)
            JSONText.append(string: user.uid, to: &bytes)
        }
        if layout.active { bytes.append(user.isActive ? #","active":true"# : #","active":false"#) }
        bytes.append(contentsOf: objects[.resource])
        append(object: objects[.name], named: "name", to: &bytes)
        if !memberships.isEmpty {
            append(listNamed: #","groups":"#, of: memberships, layout.groups, to: &bytes, append(group:_:to:))
            if !hasRoles {
                append(listNamed: #","roles":"#, of: memberships, layout.roles, to: &bytes, append(role:_:to:))
            }
        }
        for (object, urn) in Self.userExtensions { append(object: objects[object], named: urn, to: &bytes) }
        append(metaOf: "User", users, id, user.created, user.modified, user.version, to: &bytes)
        bytes.append(UInt8(ascii: "}"))
    }

    private typealias Extensions = [(object: SCIMLayout.Column.Object, urn: String)]

    private static let userExtensions: Extensions = [
        (.enterprise, SCIMResourceType.enterpriseURN), (.directory, Vocabulary.extensionSchema),
    ]
    private static let groupExtensions: Extensions = [(.directory, SCIMResourceType.groupExtensionURN)]

    /// Puts the stored attributes into the objects that they belong to.
    ///
    /// - Returns: Whether `roles` is among them. It has the names of the user's groups then, too.
    private func gather(
        _ attributes: AttributeSet, _ memberships: [Membership] = [], into objects: inout Objects
    ) -> Bool {
        var hasRoles = false
        attributes.forEachText { name, value in
            guard let index = layout.column(of: name) else { return }
            let (object, hasElements) = (layout.columns[index].object, layout.columns[index].hasElements)
            let isRoles = layout.columns[index].isRoles && !memberships.isEmpty
            if !isRoles, case .whole = layout.columns[index].shown {
                objects[object].append(contentsOf: layout.columns[index].member)
                objects[object].append(stored: value, hasElements: hasElements)
                return
            }
            guard var tree = JSONValue(stored: value, hasElements: hasElements) else { return }
            if isRoles {
                tree = .array(tree.elements + memberships.map(Self.role))
                hasRoles = true
            }
            guard let shown = layout.columns[index].shown.cut(tree) else { return }
            objects[object].append(contentsOf: layout.columns[index].member)
            shown.write(to: &objects[object])
        }
        return hasRoles
    }

    private func append(manager: UserID, _ related: RelatedRecords?, to bytes: inout [UInt8]) throws {
        let id = manager.description
        var label = id
        if layout.manager.shows("displayName") {
            label = (try related.map { $0.label(of: manager) } ?? transaction.users.label(of: manager)) ?? id
        }
        let start = bytes.count
        bytes.append(#","manager":"#)
        var parts = Parts(shown: layout.manager)
        parts.append(#","value":"#, id, to: &bytes)
        parts.append(#","$ref":"#, users, id, to: &bytes)
        parts.append(#","displayName":"#, label, to: &bytes)
        if !parts.end(&bytes) { bytes.removeLast(bytes.count - start) }
    }

    // MARK: Groups of a user

    private typealias Membership = RelatedRecords.Membership

    /// Appends a list whose elements have the same parts; nothing if the response shows none of them.
    private func append(
        listNamed name: StaticString, of memberships: [Membership], _ shown: SCIMProjection.Shown,
        to bytes: inout [UInt8], _ append: (Membership, SCIMProjection.Shown, inout [UInt8]) -> Bool
    ) {
        let start = bytes.count
        bytes.append(name)
        var isFirst = true
        for membership in memberships {
            bytes.append(UInt8(ascii: isFirst ? "[" : ","))
            isFirst = false
            guard append(membership, shown, &bytes) else { return bytes.removeLast(bytes.count - start) }
        }
        bytes.append(UInt8(ascii: "]"))
    }

    private func append(group: Membership, _ shown: SCIMProjection.Shown, to bytes: inout [UInt8]) -> Bool {
        let id = group.role.id.description
        var parts = Parts(shown: shown)
        parts.append(#","value":"#, id, to: &bytes)
        parts.append(#","$ref":"#, groups, id, to: &bytes)
        parts.append(#","display":"#, group.role.displayName, to: &bytes)
        parts.append(#","type":"#, group.isDirect ? "direct" : "indirect", to: &bytes)
        return parts.end(&bytes)
    }

    private func append(role: Membership, _ shown: SCIMProjection.Shown, to bytes: inout [UInt8]) -> Bool {
        guard let value = shown.cut(Self.role(role)), !value.members.isEmpty else { return false }
        value.write(to: &bytes)
        return true
    }

    private static func role(_ membership: Membership) -> JSONValue {
        [
            "value": .string(membership.role.name), "display": .string(membership.role.displayName),
            "type": membership.isDirect ? "direct" : "indirect",
        ]
    }

    // MARK: Roles

    func append(_ role: Role, _ related: RelatedRecords? = nil, to bytes: inout [UInt8]) throws {
        var objects = Objects()
        if layout.uniqueName {
            objects[.directory].append(#","name":"#)
            JSONText.append(string: role.name, to: &objects[.directory])
        }
        _ = gather(role.attributes, into: &objects)
        let id = role.id.description
        var external: String?
        if layout.externalID {
            external = try related.map { $0.externalID(of: role.id) } ?? transaction.accounts.externalID(of: role.id)
        }
        append(schemas: derived.scimGroup.core.id, Self.groupExtensions, objects, id, external, to: &bytes)
        if layout.displayName {
            bytes.append(#","displayName":"#)
            JSONText.append(string: role.displayName, to: &bytes)
        }
        if !layout.members.isNothing { try append(membersOf: role, related, to: &bytes) }
        append(object: objects[.directory], named: SCIMResourceType.groupExtensionURN, to: &bytes)
        append(metaOf: "Group", groups, id, role.created, role.modified, role.version, to: &bytes)
        bytes.append(UInt8(ascii: "}"))
    }

    private func append(membersOf role: Role, _ related: RelatedRecords?, to bytes: inout [UInt8]) throws {
        let start = bytes.count
        bytes.append(#","members":["#)
        let first = bytes.count
        try Self.forEachMember(of: role, transaction, related) { member in
            if bytes.count > first { bytes.append(UInt8(ascii: ",")) }
            var parts = Parts(shown: layout.members)
            parts.append(#","value":"#, member.id, to: &bytes)
            parts.append(#","$ref":"#, member.isUser ? users : groups, member.id, to: &bytes)
            parts.append(#","type":"#, member.isUser ? "User" : "Group", to: &bytes)
            parts.append(#","display":"#, member.label, to: &bytes)
            _ = parts.end(&bytes)
        }
        if bytes.count == first { return bytes.removeLast(first - start) }
        bytes.append(UInt8(ascii: "]"))
    }

    struct Member {
        let id: String
        let isUser: Bool
        let label: String
    }

    /// Hands out the members of a role: first the roles, then the users.
    ///
    /// - Parameter related: The first members if they were read already.
    /// - Throws: ``SCIMError`` `tooMany` if there are more than ``maximumMembers``.
    static func forEachMember(
        of role: Role, _ transaction: Transaction, _ related: RelatedRecords? = nil, _ body: (Member) -> Void
    ) throws {
        let roles =
            try related?.roles(in: role.id)
            ?? transaction.roles.roles(
                .inside(.id(role.id)), .member, .direct, limit: DirectoryLimits.maximumPageSize, after: nil)
        for role in roles { body(Member(id: role.id.description, isUser: false, label: role.displayName)) }
        var count = roles.count
        var last: UserID?
        var size = related?.mostUsers ?? firstMembers
        var known = related?.users(in: role.id)
        while true {
            let page =
                try known.take()
                ?? transaction.roles.users(
                    of: .id(role.id), .member, .direct, labelAttributes, limit: size, after: last)
            count += page.count
            guard count <= maximumMembers else {
                throw SCIMError(
                    .tooMany,
                    "The group has more than \(maximumMembers) members. Exclude 'members', and ask for Users with "
                        + "the filter groups.value eq \"…\".")
            }
            for user in page { body(Member(id: user.id.description, isUser: true, label: user.label)) }
            guard page.count == size else { return }
            last = page.last?.id
            size = DirectoryLimits.maximumPageSize
        }
    }

    // MARK: Common members

    /// Begins a resource: its schemas, those of the extensions that have members, and its identifiers.
    private func append(
        schemas core: String, _ extensions: Extensions, _ objects: Objects, _ id: String, _ externalID: String?,
        to bytes: inout [UInt8]
    ) {
        bytes.append(#"{"schemas":["#)
        JSONText.append(string: core, to: &bytes)
        for (object, urn) in extensions where !objects[object].isEmpty {
            bytes.append(UInt8(ascii: ","))
            JSONText.append(string: urn, to: &bytes)
        }
        bytes.append(#"],"id":""#)
        bytes.append(contentsOf: id.utf8)
        bytes.append(UInt8(ascii: "\""))
        guard let externalID else { return }
        bytes.append(#","externalId":"#)
        JSONText.append(string: externalID, to: &bytes)
    }

    private func append(object members: [UInt8], named name: String, to bytes: inout [UInt8]) {
        if members.isEmpty { return }
        bytes.append(UInt8(ascii: ","))
        JSONText.append(name: name, to: &bytes)
        bytes.append(UInt8(ascii: "{"))
        bytes.append(contentsOf: members.dropFirst())
        bytes.append(UInt8(ascii: "}"))
    }

    private func append(
        metaOf type: StaticString, _ address: [UInt8], _ id: String, _ created: Date, _ modified: Date,
        _ version: Int64, to bytes: inout [UInt8]
    ) {
        let start = bytes.count
        bytes.append(#","meta":"#)
        var parts = Parts(shown: layout.meta)
        if parts.begin(#","resourceType":"#, &bytes) {
            bytes.append(UInt8(ascii: "\""))
            bytes.append(type)
            bytes.append(UInt8(ascii: "\""))
        }
        if parts.begin(#","created":"#, &bytes) { bytes.append(time: created) }
        if parts.begin(#","lastModified":"#, &bytes) { bytes.append(time: modified) }
        parts.append(#","location":"#, address, id, to: &bytes)
        if parts.begin(#","version":"#, &bytes) {
            bytes.append(#""W/\""#)
            bytes.append(contentsOf: version.description.utf8)
            bytes.append(#"\"""#)
        }
        if !parts.end(&bytes) { bytes.removeLast(bytes.count - start) }
    }
}

/// Writes an object part by part, with the parts that the response shows.
private struct Parts {
    let shown: SCIMProjection.Shown
    private var isEmpty = true

    init(shown: SCIMProjection.Shown) { self.shown = shown }

    /// Appends the name of a part if the response shows the part.
    ///
    /// - Parameter member: A comma, the name in quotation marks, and a colon.
    mutating func begin(_ member: StaticString, _ bytes: inout [UInt8]) -> Bool {
        guard shown.shows(String(member.description.dropFirst(2).dropLast(2))) else { return false }
        bytes.append(member)
        if isEmpty { bytes[bytes.count - member.utf8CodeUnitCount] = UInt8(ascii: "{") }
        isEmpty = false
        return true
    }

    mutating func append(_ member: StaticString, _ text: String, to bytes: inout [UInt8]) {
        if begin(member, &bytes) { JSONText.append(string: text, to: &bytes) }
    }

    mutating func append(_ member: StaticString, _ address: [UInt8], _ id: String, to bytes: inout [UInt8]) {
        guard begin(member, &bytes) else { return }
        bytes.append(UInt8(ascii: "\""))
        bytes.append(contentsOf: address)
        bytes.append(contentsOf: id.utf8)
        bytes.append(UInt8(ascii: "\""))
    }

    /// Ends the object.
    ///
    /// - Returns: Whether the object has a part. If it has none, nothing was appended.
    func end(_ bytes: inout [UInt8]) -> Bool {
        if !isEmpty { bytes.append(UInt8(ascii: "}")) }
        return !isEmpty
    }
}
