import Roster
import RosterSignIn
import RosterText

/// What pages show of the organization, and the views that everybody can choose.
extension Administration {
    func branding() async throws -> JSONValue {
        switch self {
        case .file(let directory): try await read(directory) { try $0.settings.policies().branding.json }
        case .server(let server): try await server.ask("GET", ["branding"])
        }
    }

    /// Sets the members of an object with `name`, `color` and `logo`; null removes one.
    func setBranding(_ branding: JSONValue) async throws {
        switch self {
        case .file(let directory):
            try await settings(of: directory).store(branding: branding, in: directory.commandView)
        case .server(let server): _ = try await server.ask("PUT", ["admin", "branding"], body: branding)
        }
    }

    func views() async throws -> [JSONValue] {
        switch self {
        case .file(let directory):
            try await read(directory) { try $0.settings.policies().peopleViews.map(\.document) }
        case .server(let server): try await server.ask("GET", ["views"])["views"]?.elements ?? []
        }
    }

    /// - Parameter former: The name that the view had; nil for the same one.
    func setView(_ name: String, state: String, former: String?) async throws {
        switch self {
        case .file(let directory):
            _ = try await settings(of: directory).save(
                name, state: state, former: former, in: directory.commandView)
        case .server(let server):
            var body: JSONValue = ["state": .string(state)]
            if let former { body["former"] = .string(former) }
            _ = try await server.ask("PUT", ["admin", "views", name], body: body)
        }
    }

    func deleteView(_ name: String) async throws {
        switch self {
        case .file(let directory):
            try await settings(of: directory).deleteView(name, in: directory.commandView)
        case .server(let server): _ = try await server.ask("DELETE", ["admin", "views", name])
        }
    }

    private func settings(of directory: Directory) throws -> SettingsKeeper {
        SettingsKeeper(directory, keys: try SignIn.keys(of: directory))
    }
}
