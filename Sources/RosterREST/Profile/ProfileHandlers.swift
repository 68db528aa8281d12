import Roster
import RosterSignIn
import RosterText

/// People and groups of the profile service: create, read, modify, delete.
enum ProfileHandlers {
    static let writeParameters: [Endpoint.Parameter] = [
        .init(
            name: "If-Match", summary: "The entity tag of the version that the change is based on.",
            schema: ["type": "string", "format": "entity-tag"], isHeader: true)
    ]

    // MARK: People

    static func readPerson(_ exchange: Exchange) throws -> Reply {
        try read(exchange) { transaction in
            let writer = try ProfileWriter(exchange, transaction, .people)
            let user = try transaction.user(.either(exchange.arguments[0]), writer.fetched)
            if writer.isDatedByVersion, exchange.request.has(user.version) {
                return exchange.notModified(user.version)
            }
            return .json(try writer.entity(user), headers: ["ETag": EntityTag.text(user.version)])
        }
    }

    /// Reads one entity at once; one with hundreds of related ones in the caller's turn among the searches.
    private static func read(
        _ exchange: Exchange, _ answer: @escaping @Sendable (Transaction) throws -> HTTPResponse
    ) throws -> Reply {
        if try exchange.parameter("prefetch") == nil { return try exchange.lookingUp(answer) }
        return .later { try await exchange.view.awaitRead(answer) }
    }

    static func createPerson(_ exchange: Exchange) throws -> Reply {
        let body = try exchange.json()
        let (changes, password) = try exchange.changes(body, of: .people)
        guard case .set(_, .string(let uid))? = changes.last(where: { $0.name == "uid" }) else {
            throw DirectoryError(
                .invalidAttribute, "A person needs a name.", advice: "Give the attribute 'uid'.", attribute: "uid")
        }
        return .later {
            let hash = try await exchange.hash(password) { transaction in
                try transaction.checkCreatingWithPassword()
                return [uid] + Self.names(in: changes)
            }
            return try await exchange.view.awaitWrite { transaction in
                var new = NewUser(uid)
                for change in changes {
                    guard case .set(let name, let value) = change else { continue }
                    switch name {
                    case "uid": break
                    case "active": new.isActive = value == .boolean(true)
                    case "manager": new.manager = value.text.map { .either($0) }
                    default: new.attributes.put(name, value)
                    }
                }
                if let hash { new.attributes["password"] = .string(hash) }
                let user = try transaction.create(new)
                return .json(
                    try ProfileWriter(exchange, transaction, .people).entity(user), status: 201,
                    headers: [
                        "ETag": EntityTag.text(user.version),
                        "Location": exchange.context.baseURL + ProfileWriter.uri(of: user),
                    ])
            }
        }
    }

    static func modifyPerson(_ exchange: Exchange) throws -> Reply {
        let (body, oldPassword) = OldPassword.taken(from: try exchange.json(), exchange.request.peer)
        let (changes, password) = try exchange.changes(body, of: .people)
        let name = exchange.arguments[0]
        return .later {
            var changes = changes
            var view = exchange.view
            if password != nil || changes.contains(where: { $0.name == "password" }) {
                view = try await exchange.context.view(view, toSetPasswordOf: .either(name), oldPassword)
            }
            let hash = try await exchange.hash(password) { [changes] transaction in
                let old = try transaction.user(.either(name), ["version"])
                try exchange.request.checkMatch(old.version)
                return try transaction.namesToSetPassword(of: .id(old.id), with: changes.map(\.name))
                    + Self.names(in: changes)
            }
            if let hash { changes.append(.set("password", .string(hash))) }
            return try await view.awaitWrite { [changes] transaction in
                let old = try transaction.user(.either(name), ["version"])
                try exchange.request.checkMatch(old.version)
                let user = try transaction.modify(.id(old.id), changes, ifVersion: nil)
                return .json(
                    try ProfileWriter(exchange, transaction, .people).entity(user),
                    headers: ["ETag": EntityTag.text(user.version)])
            }
        }
    }

    static func deletePerson(_ exchange: Exchange) throws -> Reply {
        let policy = try exchange.reporteePolicy()
        return .later {
            try await exchange.view.awaitWrite { transaction in
                let old = try transaction.user(.either(exchange.arguments[0]), ["version"])
                try exchange.request.checkMatch(old.version)
                try transaction.delete(.id(old.id), policy, ifVersion: nil)
                return HTTPResponse(204)
            }
        }
    }

    /// The names and addresses that somebody gets, none of which may be the password.
    private static func names(in changes: [AttributeChange]) -> [String] {
        changes.compactMap { change in
            guard case .set(let name, let value) = change, name == "uid" || name == "mail" else { return nil }
            return value.text
        }
    }

    // MARK: Groups

    static func readGroup(_ exchange: Exchange) throws -> Reply {
        try read(exchange) { transaction in
            let writer = try ProfileWriter(exchange, transaction, .groups)
            let role = try transaction.role(.either(exchange.arguments[0]), writer.fetched)
            if writer.isDatedByVersion, exchange.request.has(role.version) {
                return exchange.notModified(role.version)
            }
            return .json(try writer.entity(role), headers: ["ETag": EntityTag.text(role.version)])
        }
    }

    static func createGroup(_ exchange: Exchange) throws -> Reply {
        let (changes, _) = try exchange.changes(try exchange.json(), of: .groups)
        guard case .set(_, .string(let name))? = changes.last(where: { $0.name == "name" }) else {
            throw DirectoryError(
                .invalidAttribute, "A group needs a name.", advice: "Give the attribute 'commonname'.",
                attribute: "name")
        }
        return .later {
            try await exchange.view.awaitWrite { transaction in
                var attributes = AttributeSet()
                for case .set(let attribute, let value) in changes where attribute != "name" {
                    attributes[attribute] = value
                }
                let role = try transaction.createRole(name, attributes)
                return .json(
                    try ProfileWriter(exchange, transaction, .groups).entity(role), status: 201,
                    headers: [
                        "ETag": EntityTag.text(role.version),
                        "Location": exchange.context.baseURL + ProfileWriter.uri(of: role),
                    ])
            }
        }
    }

    static func modifyGroup(_ exchange: Exchange) throws -> Reply {
        let (changes, _) = try exchange.changes(try exchange.json(), of: .groups)
        return .later {
            try await exchange.view.awaitWrite { transaction in
                let old = try transaction.role(.either(exchange.arguments[0]))
                try exchange.request.checkMatch(old.version)
                let role = try transaction.modifyRole(.id(old.id), changes, ifVersion: nil)
                return .json(
                    try ProfileWriter(exchange, transaction, .groups).entity(role),
                    headers: ["ETag": EntityTag.text(role.version)])
            }
        }
    }

    static func deleteGroup(_ exchange: Exchange) throws -> Reply {
        .later {
            try await exchange.view.awaitWrite { transaction in
                let old = try transaction.role(.either(exchange.arguments[0]))
                try exchange.request.checkMatch(old.version)
                try transaction.deleteRole(.id(old.id), ifVersion: nil)
                return HTTPResponse(204)
            }
        }
    }
}

extension Exchange {
    func notModified(_ version: Int64) -> HTTPResponse {
        HTTPResponse(304, headers: ["ETag": EntityTag.text(version)])
    }

    /// What becomes of those who report to somebody who is deleted: `reportees=refuse|reassign|leave`.
    func reporteePolicy() throws -> ReporteePolicy {
        guard let text = try parameter("reportees") else { return .refuse }
        guard let policy = ReporteePolicy(rawValue: text) else {
            throw RequestError(.badRequest, "The parameter 'reportees' takes refuse, reassign or leave.")
        }
        return policy
    }

    /// The changes that a body asks for, and the new password apart from them: it is hashed before the directory sees it.
    fileprivate func changes(
        _ body: JSONValue, of owner: ProfileRelation.Owner
    ) throws -> (changes: [AttributeChange], password: String?) {
        let names = context.profileNames(view.attributes.vocabulary(), of: owner)
        var changes = try ProfileReader.changes(body, names, of: owner)
        var password: String?
        changes.removeAll { change in
            guard owner == .people, case .set("password", let value) = change else { return false }
            password = value.text
            return true
        }
        return (changes, password)
    }

    /// The hash of a new password, once neither the caller's rights nor the policy have anything against it.
    fileprivate func hash(
        _ password: String?, ifAllowed check: @escaping @Sendable (Transaction) throws -> [String]
    ) async throws -> String? {
        guard let password else { return nil }
        return try await context.passwords.hash(password, in: view, ifAllowed: check)
    }
}

extension AttributeSet {
    /// Sets an attribute or a part of one: `mail` is the value of an element of `emails`.
    fileprivate mutating func put(_ name: AttributeName, _ value: AttributeValue) { self[name] = value }
}
