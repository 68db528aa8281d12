package import Roster
import RosterText

extension Backend {
    /// Makes the backends of a seed, and gives those that are there already the settings that it has.
    ///
    /// - Returns: Those that were made without a secret of the seed's, with the one that was made up.
    /// - Throws: `DirectoryError` `invalidInput`, which names the line.
    package static func load(
        _ seed: Seed, keys: KeyRing, in view: DirectoryView
    ) async throws -> [(backend: Backend, secrets: Secrets)] {
        var made: [(Backend, Secrets)] = []
        for entry in seed.backends {
            let description: Description
            do {
                description = try Description(entry.value)
            } catch let error as DirectoryError {
                throw DirectoryError(.invalidInput, "line \(entry.place.line): \(error.message)", advice: error.advice)
            }
            let existing = try await view.awaitRead { session in
                try session.backends().first { $0.name == description.name && $0.version == description.version }
            }
            if let existing {
                _ = try await change(existing.id, to: description, keys: keys, in: view)
            } else {
                let new = try await create(description, keys: keys, in: view)
                if description.secret == nil { made.append(new) }
            }
        }
        return made
    }
}
