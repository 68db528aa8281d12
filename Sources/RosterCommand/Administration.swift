import Foundation
import Roster
import RosterOpenID
import RosterSignIn
import RosterText

/// The settings, keys and grants that administrators keep besides users, roles and attributes, in a file or at a server. Both give the
/// JSON of `/admin`.
enum Administration: Sendable {
    case file(Directory)
    case server(AdministeredServer)

    func read<Value: Sendable>(
        _ directory: Directory, _ body: @escaping @Sendable (Transaction) throws -> Value
    ) async throws -> Value {
        try await directory.commandView.awaitRead(body)
    }

    private func write<Value: Sendable>(
        _ directory: Directory, _ body: @escaping @Sendable (Transaction) throws -> Value
    ) async throws -> Value {
        try await directory.commandView.awaitWrite(body)
    }

    // MARK: Programs' tokens

    func tokens() async throws -> [JSONValue] {
        switch self {
        case .file(let directory): try await read(directory) { try $0.apiTokens.all().map(\.json) }
        case .server(let server): try await server.ask("GET", ["admin", "tokens"])["tokens"]?.elements ?? []
        }
    }

    /// The choices of an administrator for a new token.
    struct NewToken {
        let name: String
        let role: ProgramRole
        let days: Int?
        let source: String?
        let creates: Bool?
        /// The attributes of a reading program's narrow view; nil for other programs.
        let attributes: [String]?
        let membersOf: String?
        let networks: [String]
    }

    /// Makes a token, and returns its text.
    func makeToken(_ new: NewToken) async throws -> String {
        switch self {
        case .file(let directory):
            let isNarrow = new.attributes != nil || new.membersOf != nil
            let view = GivenView(
                (new.attributes ?? []).map { AttributeName($0) }, membersOf: new.membersOf.map { .either($0) })
            return try await APIToken.create(
                named: new.name, role: new.role,
                expires: new.days.map { Date(timeIntervalSinceNow: Double($0) * 86_400) },
                source: new.source.map { GivenSource($0, createsOnReplace: new.creates) },
                reading: isNarrow ? view : nil, networks: new.networks, in: directory.commandView
            ).text
        case .server(let server):
            var body: JSONValue = ["name": .string(new.name), "role": .string(new.role.rawValue)]
            if let days = new.days { body["days"] = .integer(Int64(days)) }
            if let source = new.source { body["source"] = .string(source) }
            if let creates = new.creates { body["creates_on_replace"] = .boolean(creates) }
            if let attributes = new.attributes { body["attributes"] = .texts(attributes) }
            if let role = new.membersOf { body["members_of"] = .string(role) }
            if !new.networks.isEmpty { body["networks"] = .texts(new.networks) }
            return try await server.ask("POST", ["admin", "tokens"], body: body).required("token")
        }
    }

    func setSource(_ source: String, creating: Bool?, ofToken name: String) async throws {
        switch self {
        case .file(let directory):
            try await write(directory) {
                _ = try $0.apiTokens.setSource(GivenSource(source, createsOnReplace: creating), ofToken: name)
            }
        case .server(let server):
            var body: JSONValue = ["source": .string(source)]
            if let creating { body["creates_on_replace"] = .boolean(creating) }
            _ = try await server.ask("PUT", ["admin", "tokens", name], body: body)
        }
    }

    func endToken(named name: String) async throws {
        switch self {
        case .file(let directory): try await write(directory) { try $0.apiTokens.revoke(named: name) }
        case .server(let server): _ = try await server.ask("DELETE", ["admin", "tokens", name])
        }
    }

    // MARK: App passwords

    func appPasswords(of user: String) async throws -> [JSONValue] {
        switch self {
        case .file(let directory):
            try await read(directory) { try $0.appPasswords.all(of: .either(user)).map(\.json) }
        case .server(let server):
            try await server.ask("GET", ["admin", "users", user, "app-passwords"])["app_passwords"]?.elements ?? []
        }
    }

    /// Makes an app password, and returns its text.
    func makeAppPassword(
        named name: String, for use: AppPassword.Use, networks: [String], days: Int?, of user: String
    ) async throws -> String {
        switch self {
        case .file(let directory):
            let given = try AppPassword.Given(
                name, for: use, networks: networks,
                expires: days.map { Date(timeIntervalSinceNow: Double($0) * 86_400) })
            return try await AppPassword.make(
                given, for: .either(user), keys: try SignIn.keys(of: directory), in: directory.commandView
            ).text
        case .server(let server):
            var body: JSONValue = [
                "name": .string(name), "for": .string(use.rawValue), "networks": .texts(networks),
            ]
            if let days { body["days"] = .integer(Int64(days)) }
            return try await server.ask("POST", ["admin", "users", user, "app-passwords"], body: body)
                .required("password")
        }
    }

    func endAppPassword(named name: String, of user: String) async throws {
        switch self {
        case .file(let directory):
            try await write(directory) { try $0.appPasswords.end(name, of: .either(user)) }
        case .server(let server):
            _ = try await server.ask("DELETE", ["admin", "users", user, "app-passwords", name])
        }
    }

    // MARK: Backends

    func backends() async throws -> [JSONValue] {
        switch self {
        case .file(let directory): try await read(directory) { try $0.backends.all().map(\.listed) }
        case .server(let server): try await server.ask("GET", ["admin", "backends"])["backends"]?.elements ?? []
        }
    }

    /// Makes a backend; the answer has its secrets.
    func makeBackend(_ description: JSONValue) async throws -> JSONValue {
        switch self {
        case .file(let directory):
            let (backend, secrets) = try await Backend.create(
                try Backend.Description(description), keys: try SignIn.keys(of: directory), in: directory.commandView)
            return backend.json(with: secrets)
        case .server(let server): return try await server.ask("POST", ["admin", "backends"], body: description)
        }
    }

    func changeBackend(_ id: String, to description: JSONValue) async throws {
        switch self {
        case .file(let directory):
            _ = try await Backend.change(
                try self.id(id), to: try Backend.Description(description), keys: try SignIn.keys(of: directory),
                in: directory.commandView)
        case .server(let server): _ = try await server.ask("PUT", ["admin", "backends", id], body: description)
        }
    }

    /// Replaces the secrets of a backend; the answer has the new ones.
    ///
    /// - Parameter time: The time for which the old secret stays good; nil to end the old secret and the old anonymous key.
    func renewSecrets(ofBackend id: String, keepingOldFor time: Duration?) async throws -> JSONValue {
        switch self {
        case .file(let directory):
            if let time {
                let made = try await Backend.addSecret(
                    to: try self.id(id), keepingOldFor: time, keys: try SignIn.keys(of: directory),
                    in: directory.commandView)
                return ["client_secret": .string(made.secret)]
            }
            let secrets = try await Backend.renewSecrets(
                try self.id(id), keys: try SignIn.keys(of: directory), in: directory.commandView)
            return secrets.json
        case .server(let server):
            let body: JSONValue? = time.map { ["keep_old_seconds": .integer($0.components.seconds)] }
            return try await server.ask("POST", ["admin", "backends", id, "secret"], body: body)
        }
    }

    func deleteBackend(_ id: String) async throws {
        switch self {
        case .file(let directory):
            let id = try self.id(id)
            try await write(directory) { try $0.backends.delete(id) }
        case .server(let server): _ = try await server.ask("DELETE", ["admin", "backends", id])
        }
    }

    func id(_ text: String) throws -> BackendID {
        guard let id = BackendID(text) else { throw CommandFailure(description: "There is no such backend.") }
        return id
    }

    // MARK: Keys

    func keys() async throws -> [JSONValue] {
        switch self {
        case .file(let directory): try directory.signInRecords.signingKeys().map(\.json)
        case .server(let server): try await server.ask("GET", ["admin", "keys"])["keys"]?.elements ?? []
        }
    }

    func makeKey(_ algorithm: SigningAlgorithm) async throws {
        switch self {
        case .file(let directory): try SignIn.keys(of: directory).rotate(algorithm, by: Directory.commandActor)
        case .server(let server):
            _ = try await server.ask("POST", ["admin", "keys"], body: ["algorithm": .string(algorithm.rawValue)])
        }
    }

    func removeKey(_ id: String) async throws {
        switch self {
        case .file(let directory): try SignIn.keys(of: directory).remove(id, by: Directory.commandActor)
        case .server(let server): _ = try await server.ask("DELETE", ["admin", "keys", id])
        }
    }

    // MARK: Seeds

    /// Loads a seed and its backends in one transaction. The answer has the numbers, and the secrets that were generated for
    /// backends.
    ///
    /// A server gets the document of the seed as it is.
    func load(_ seed: Seed, grants: Grants) async throws -> JSONValue {
        switch self {
        case .file(let directory):
            let view = directory.commandView
            let seed = try await seed.hashingPasswords(.standard, for: directory, in: view)
            // A seed without backends and organization needs no key file, so the command makes none.
            guard !seed.backends.isEmpty || seed.organization != nil else {
                return try await view.load(seed, grants: grants).json
            }
            let (report, made) = try await Backend.loadAll(
                of: seed, grants: grants, keys: try SignIn.keys(of: directory), in: view)
            return report.json(with: made)
        case .server(let server):
            return try await server.load(seed.document, named: seed.name, grants: grants)
        }
    }

    // MARK: Users' access

    /// The things that a user made, holds and owns.
    func remainingAccess(of name: String) async throws -> JSONValue {
        switch self {
        case .file(let directory): try await read(directory) { try $0.remainingAccess.access(of: name).json }
        case .server(let server): try await server.ask("GET", ["admin", "users", name, "made"])
        }
    }

    /// Ends the things that a user made, and returns them.
    func endRemainingAccess(of name: String) async throws -> JSONValue {
        switch self {
        case .file(let directory): try await write(directory) { try $0.remainingAccess.end(of: name).json }
        case .server(let server): try await server.ask("DELETE", ["admin", "users", name, "made"])
        }
    }

    func setPassword(_ password: String, of user: User) async throws {
        switch self {
        case .file(let directory):
            let view = directory.commandView
            let hash = try await PasswordKeeper(directory).hash(password, in: view) {
                try $0.users.namesToSetPassword(of: .id(user.id))
            }
            try await view.users.modify(.id(user.id), [.set("password", .string(hash))])
        case .server(let server):
            let change: JSONValue = ["op": "replace", "path": "password", "value": .string(password)]
            _ = try await server.ask(
                "PATCH", ["scim", "v2", "Users", user.id.description],
                body: [
                    "schemas": ["urn:ietf:params:scim:api:messages:2.0:PatchOp"], "Operations": [change],
                ])
        }
    }

    /// The second factors of a user, without their secrets.
    func secondFactors(of name: String) async throws -> JSONValue {
        switch self {
        case .file(let directory):
            try await SecondFactors.all(
                of: .either(name), in: directory.commandView, keys: SignIn.keys(of: directory)
            ).json
        case .server(let server): try await server.ask("GET", ["admin", "users", name, "second-factors"])
        }
    }

    /// Removes a second factor of a user, or all of them if the kind is nil. Returns whether there was one.
    func removeSecondFactor(_ kind: SecondFactors.Kind?, of user: User) async throws -> Bool {
        switch self {
        case .file(let directory):
            guard let kind else {
                return try await write(directory) { try $0.factors.removeSecondFactor(of: .id(user.id)) }
            }
            let keys = try SignIn.keys(of: directory)
            return try await write(directory) { try $0.factors.remove(kind, of: .id(user.id), keys: keys) }
        case .server(let server):
            let factor = kind.map { ["second-factors", $0.rawValue] } ?? ["second-factor"]
            do {
                _ = try await server.ask("DELETE", ["admin", "users", user.id.description] + factor)
                return true
            } catch let error as DirectoryError where error.code == .notOffered {
                // A server that cannot remove this kind does not list the factors either.
                _ = try await secondFactors(of: user.id.description)
                return false
            }
        }
    }

    /// Makes a link with which a user sets a password.
    ///
    /// - Parameter address: Where users reach the server of a file. A server knows its address.
    func makePasswordLink(for user: String, _ kind: PasswordLink.Kind, at address: String) async throws -> (
        url: String, expires: String
    ) {
        switch self {
        case .file(let directory):
            let link = try await write(directory) { try $0.links.makePasswordLink(for: .either(user), kind) }
            return (link.url(at: address), Timestamp.text(link.expires))
        case .server(let server):
            let link = try await server.ask(
                "POST", ["admin", "users", user, "password-link"], body: ["kind": .string(kind.rawValue)])
            return (try link.required("url"), try link.required("expires"))
        }
    }
}

extension JSONValue {
    /// A text that every answer of a server has.
    fileprivate func required(_ name: String) throws -> String {
        guard let text = self[name]?.text else {
            throw CommandFailure(description: "The server's answer has no '\(name)'. Check the server's version.")
        }
        return text
    }

    /// A member as a value to show.
    func shown(_ name: String) -> AttributeValue? { self[name]?.text.map { .string($0) } }

    /// A moment as a value to show.
    func moment(_ name: String) -> AttributeValue? {
        self[name]?.text.flatMap { Timestamp.date($0) }.map { .time($0) }
    }
}
