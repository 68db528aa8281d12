import Roster
import RosterSignIn
import RosterText

/// Where a seed is loaded: a directory of this process, or a server, which gets the document of the seed as it is.
enum SeedTarget: Sendable {
    case directory(Directory)
    case server(AdministeredServer)

    /// Loads a seed and its backends in one transaction. The answer has the numbers, and the secrets that were generated for
    /// backends.
    func load(_ seed: Seed, grants: Grants) async throws -> JSONValue {
        switch self {
        case .directory(let directory):
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
}
