import Roster
package import RosterAdministration
package import RosterText

extension ListBackends: HandledOperation {
    package func run(in context: AdministrationContext) async throws -> JSONValue {
        ["backends": .array(try await context.view.awaitRead(isBrief: true) { try $0.backends.all() }.map(\.listed))]
    }
}

extension ReadBackend: HandledOperation {
    package func run(in context: AdministrationContext) async throws -> JSONValue {
        try await context.backend(backend).json
    }
}

extension MakeBackend: HandledOperation {
    package func run(in context: AdministrationContext) async throws -> JSONValue {
        let (made, secrets) = try await Backend.create(
            Backend.Description(description.value), keys: context.keys(), in: context.view)
        return made.json(with: secrets)
    }
}

extension ChangeBackend: HandledOperation {
    /// The members of an answer that a change passes over.
    private static let readOnly: Set = ["id", "client_id", "backend_id", "created", "advice"]

    package func run(in context: AdministrationContext) async throws -> JSONValue {
        let found = try await context.backend(backend)
        let body = description.value
        if body["client_secret"] != nil {
            throw DirectoryError(
                .invalidInput, "A change does not set 'client_secret'.", advice: "Give the backend a new secret.")
        }
        for (name, value) in [("client_id", found.clientID), ("backend_id", found.backendID)] {
            guard let given = body[name], given != .string(value) else { continue }
            throw DirectoryError(
                .invalidInput, "'\(name)' cannot be changed.", advice: "Leave it out, or make another backend.")
        }
        let new = try Backend.Description(.object(body.members.filter { !Self.readOnly.contains($0.name) }))
        return try await Backend.change(found.id, to: new, keys: context.keys(), in: context.view).json
    }
}

extension DeleteBackend: HandledOperation {
    package func run(in context: AdministrationContext) async throws -> JSONValue {
        let id = try await context.backend(backend).id
        try await context.view.awaitWrite { try $0.asPresentAdministrator(to: "delete backends").backends.delete(id) }
        return [:]
    }
}

extension RenewBackendSecrets: HandledOperation {
    package func run(in context: AdministrationContext) async throws -> JSONValue {
        let found = try await context.backend(backend)
        guard let keptSeconds else {
            return found.json(
                with: try await Backend.renewSecrets(found.id, keys: context.keys(), in: context.view))
        }
        let (secret, former) = try await Backend.addSecret(
            to: found.id, keepingOldFor: .seconds(keptSeconds), keys: context.keys(), in: context.view)
        return .object(
            found.json.members + [
                .init("client_secret", .string(secret)), .init("former_secrets", .array(former.map(\.json))),
            ])
    }
}

extension ListFormerSecrets: HandledOperation {
    package func run(in context: AdministrationContext) async throws -> JSONValue {
        let id = try await context.backend(backend).id
        let former = try await context.view.awaitRead(isBrief: true) { try $0.backends.formerSecrets(of: id) }
        return ["former_secrets": .array(former.map(\.json))]
    }
}

extension EndFormerSecrets: HandledOperation {
    package func run(in context: AdministrationContext) async throws -> JSONValue {
        let id = try await context.backend(backend).id
        try await context.view.awaitWrite {
            try $0.asPresentAdministrator(to: "change backends").backends.endFormerSecrets(of: id)
        }
        return [:]
    }
}

extension ListSignOutNotices: HandledOperation {
    package func run(in context: AdministrationContext) async throws -> JSONValue {
        let id = try await context.backend(backend).id
        let notices = try await context.view.awaitRead(isBrief: true) { try $0.sessions.signOutNotices(of: id) }
        return ["sign_outs": .array(notices.map(\.json))]
    }
}

extension ListBackendUsers: HandledOperation {
    package func run(in context: AdministrationContext) async throws -> JSONValue {
        guard (1...200).contains(count) else {
            throw DirectoryError(.invalidInput, "A page has 1 to 200 users.", advice: "Give another 'count'.")
        }
        let position = try after.map { text in
            guard let position = AppUser.Position(text) else {
                throw DirectoryError(
                    .invalidInput, "'after' is not the 'next' of a page.", advice: "Begin with the first page.")
            }
            return position
        }
        let id = try await context.backend(backend).id
        return try await context.view.awaitRead {
            try $0.backends.usersPage(of: id, after: position, count: count)
        }
    }
}

extension AdministrationContext {
    /// The backend with an identifier.
    ///
    /// - Throws: `notFound`, `notPermitted`.
    fileprivate func backend(_ id: String) async throws -> Backend {
        let all = try await view.awaitRead(isBrief: true) { try $0.backends.all() }
        guard let backend = all.first(where: { $0.id.description == id }) else {
            throw DirectoryError(.notFound, "There is no such backend.", advice: "List them to see which there are.")
        }
        return backend
    }
}
