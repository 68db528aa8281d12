import Foundation
package import RosterText

extension User: WireValue {
    package func write(to json: inout [UInt8]) throws {
        json.append(contentsOf: #"{"id":"\#(id)","uid":"#.utf8)
        JSONText.append(string: uid, to: &json)
        json.append(contentsOf: #","active":\#(isActive),"version":\#(version)"#.utf8)
        json.append(contentsOf: #","created":\#(created.milliseconds),"modified":\#(modified.milliseconds)"#.utf8)
        if let managerID { json.append(contentsOf: #","manager":"\#(managerID)""#.utf8) }
        json.append(contentsOf: #","attributes":"#.utf8)
        try attributes.write(to: &json)
        if requested != .usual {
            json.append(contentsOf: #","requested":"#.utf8)
            try requested.write(to: &json)
        }
        for (name, users) in [("prefetchedManager", prefetchedManager), ("prefetchedReportees", prefetchedReportees)] {
            guard let users else { continue }
            json.append(contentsOf: #","\#(name)":"#.utf8)
            try users.write(to: &json)
        }
        if let roleNames {
            json.append(contentsOf: #","roles":"#.utf8)
            try roleNames.write(to: &json)
        }
        json.append(UInt8(ascii: "}"))
    }

    package static func read(_ json: inout JSONScanner, for view: DirectoryView) throws -> User {
        var parts = EntityParts<User>()
        var uid: String?
        var isActive = true
        var managerID: UserID?
        var roleNames: [String]?
        var manager: [User]?
        var reportees: [User]?
        try json.object { name, json in
            switch name {
            case "uid": uid = try json.string()
            case "active": isActive = try Bool.read(&json, for: view)
            case "manager": managerID = try UserID.readText(&json)
            case "roles": roleNames = try [String].read(&json, for: view)
            case "prefetchedManager": manager = try [User].read(&json, for: view)
            case "prefetchedReportees": reportees = try [User].read(&json, for: view)
            default: try parts.read(name, &json, for: view)
            }
        }
        guard let uid, let id = parts.id, let version = parts.version else { throw json.failure("not a user") }
        var user = User(
            id: id, uid: uid, isActive: isActive, managerID: managerID, version: version, created: parts.created,
            modified: parts.modified, attributes: parts.attributes, view: view)
        user.requested = parts.requested
        user.roleNames = roleNames
        user.prefetchedManager = manager
        user.prefetchedReportees = reportees
        return user
    }
}

extension Role: WireValue {
    package func write(to json: inout [UInt8]) throws {
        json.append(contentsOf: #"{"id":"\#(id)","name":"#.utf8)
        JSONText.append(string: name, to: &json)
        json.append(contentsOf: #","version":\#(version)"#.utf8)
        json.append(contentsOf: #","created":\#(created.milliseconds),"modified":\#(modified.milliseconds)"#.utf8)
        json.append(contentsOf: #","attributes":"#.utf8)
        try attributes.write(to: &json)
        if requested != .usual {
            json.append(contentsOf: #","requested":"#.utf8)
            try requested.write(to: &json)
        }
        json.append(UInt8(ascii: "}"))
    }

    package static func read(_ json: inout JSONScanner, for view: DirectoryView) throws -> Role {
        var parts = EntityParts<Role>()
        var name: String?
        try json.object { member, json in
            switch member {
            case "name": name = try json.string()
            default: try parts.read(member, &json, for: view)
            }
        }
        guard let name, let id = parts.id, let version = parts.version else { throw json.failure("not a role") }
        var role = Role(
            id: id, name: name, version: version, created: parts.created, modified: parts.modified,
            attributes: parts.attributes, view: view)
        role.requested = parts.requested
        return role
    }
}

/// The members that users and roles share.
private struct EntityParts<Entity> {
    var id: Identifier<Entity>?
    var version: Int64?
    var created = Date.distantPast
    var modified = Date.distantPast
    var attributes = AttributeSet()
    var requested = AttributeSelection.usual

    /// Reads a member. Skips members that later versions may add.
    mutating func read(_ name: String, _ json: inout JSONScanner, for view: DirectoryView) throws {
        switch name {
        case "id": id = try .readText(&json)
        case "version": version = try json.integer()
        case "created": created = Date(milliseconds: try json.integer())
        case "modified": modified = Date(milliseconds: try json.integer())
        case "attributes": attributes = try AttributeSet.read(&json, for: view)
        case "requested": requested = try AttributeSelection.read(&json, for: view)
        default: try json.skipValue()
        }
    }
}

extension Identifier {
    fileprivate static func readText(_ json: inout JSONScanner) throws -> Self {
        guard let id = Self(try json.string()) else { throw json.failure("not an identifier") }
        return id
    }
}

extension AttributeSelection: WireValue {}

/// The JSON form of stored values, so that a value is the same on both sides.
extension AttributeSet: WireValue {
    package func write(to json: inout [UInt8]) throws {
        json.append(UInt8(ascii: "{"))
        var isFirst = true
        forEachText { name, value in
            if !isFirst { json.append(UInt8(ascii: ",")) }
            isFirst = false
            // The names of attributes have no character that JSON escapes.
            json.append(UInt8(ascii: "\""))
            json.append(contentsOf: name)
            json.append(contentsOf: "\":".utf8)
            json.append(contentsOf: value)
        }
        json.append(UInt8(ascii: "}"))
    }

    package static func read(_ json: inout JSONScanner, for view: DirectoryView) throws -> AttributeSet {
        try json.withValue { text in
            var (members, count) = (JSONScanner(text), 0)
            try members.object { _, members in
                count += 1
                guard count <= 4_000 else { throw members.failure("too many attributes") }
                try members.skipValue()
            }
            let set = try AttributeSet(json: text)
            let names = set.map(\.name)
            // A server could send the names in another order, in which no name would be found.
            if zip(names, names.dropFirst()).allSatisfy({ $0 < $1 }) { return set }
            let values = Dictionary(set.map { ($0.name, $0) }) { $1 }
            return AttributeSet(sorted: values.values.sorted { $0.name < $1.name })
        }
    }
}

extension Page: WireValue where Element: WireValue {
    package func write(to json: inout [UInt8]) throws {
        json.append(contentsOf: #"{"elements":"#.utf8)
        try elements.write(to: &json)
        if let total { json.append(contentsOf: #","total":\#(total)"#.utf8) }
        if let next {
            json.append(contentsOf: #","next":"#.utf8)
            JSONText.append(string: next.description, to: &json)
        }
        json.append(UInt8(ascii: "}"))
    }

    package static func read(_ json: inout JSONScanner, for view: DirectoryView) throws -> Self {
        var elements: [Element]?
        var total: Int?
        var next: Cursor?
        try json.object { name, json in
            switch name {
            case "elements": elements = try [Element].read(&json, for: view)
            case "total": total = try Int.read(&json, for: view)
            case "next": next = Cursor(try json.string())
            default: try json.skipValue()
            }
        }
        guard let elements else { throw json.failure("not a page") }
        return Page(elements: elements, total: total, next: next)
    }
}

extension Subordinate: WireValue {
    package func write(to json: inout [UInt8]) throws {
        json.append(contentsOf: #"{"depth":\#(depth),"user":"#.utf8)
        try user.write(to: &json)
        json.append(UInt8(ascii: "}"))
    }

    package static func read(_ json: inout JSONScanner, for view: DirectoryView) throws -> Subordinate {
        var user: User?
        var depth: Int?
        try json.object { name, json in
            switch name {
            case "user": user = try User.read(&json, for: view)
            case "depth": depth = try Int.read(&json, for: view)
            default: try json.skipValue()
            }
        }
        guard let user, let depth else { throw json.failure("not a subordinate") }
        return Subordinate(user: user, depth: depth)
    }
}

extension UpsertUser.Answer {
    package func write(to json: inout [UInt8]) throws {
        json.append(contentsOf: #"{"wasCreated":\#(wasCreated),"user":"#.utf8)
        try user.write(to: &json)
        json.append(UInt8(ascii: "}"))
    }

    package static func read(_ json: inout JSONScanner, for view: DirectoryView) throws -> Self {
        var user: User?
        var wasCreated = false
        try json.object { name, json in
            switch name {
            case "user": user = try User.read(&json, for: view)
            case "wasCreated": wasCreated = try Bool.read(&json, for: view)
            default: try json.skipValue()
            }
        }
        guard let user else { throw json.failure("not a user") }
        return Self(user: user, wasCreated: wasCreated)
    }
}

extension Batch.Outcome: WireValue {
    package func write(to json: inout [UInt8]) throws {
        switch self {
        case .none: json.append(contentsOf: "{}".utf8)
        case .user(let user):
            json.append(contentsOf: #"{"user":"#.utf8)
            try user.write(to: &json)
            json.append(UInt8(ascii: "}"))
        case .role(let role):
            json.append(contentsOf: #"{"role":"#.utf8)
            try role.write(to: &json)
            json.append(UInt8(ascii: "}"))
        }
    }

    package static func read(_ json: inout JSONScanner, for view: DirectoryView) throws -> Batch.Outcome {
        var outcome = Batch.Outcome.none
        try json.object { name, json in
            switch name {
            case "user": outcome = .user(try User.read(&json, for: view))
            case "role": outcome = .role(try Role.read(&json, for: view))
            default: try json.skipValue()
            }
        }
        return outcome
    }
}

extension UserMatch: WireValue {
    package func write(to json: inout [UInt8]) throws {
        json.append(contentsOf: #"{"attributes":"#.utf8)
        try attributes.map(\.rawValue).write(to: &json)
        json.append(contentsOf: #","user":"#.utf8)
        try user.write(to: &json)
        json.append(UInt8(ascii: "}"))
    }

    package static func read(_ json: inout JSONScanner, for view: DirectoryView) throws -> UserMatch {
        var user: User?
        var attributes: [String] = []
        try json.object { name, json in
            switch name {
            case "user": user = try User.read(&json, for: view)
            case "attributes": attributes = try [String].read(&json, for: view)
            default: try json.skipValue()
            }
        }
        guard let user else { throw json.failure("not a user who was found") }
        return UserMatch(user: user, attributes: attributes.map { AttributeName($0) })
    }
}
