package import Roster
import RosterText

extension Backend {
    /// A backend and its secrets, which are shown once.
    package typealias Made = (backend: Backend, secrets: Secrets)

    /// Loads a seed and its backends in one transaction. An error undoes the whole load. A backend that exists already gets
    /// the settings of the seed.
    ///
    /// - Returns: The report, and the backends that were made without a secret of the seed's, with the secret that was made
    ///   up for each.
    /// - Throws: `DirectoryError` `invalidInput`, which names the line.
    package static func loadAll(
        of seed: Seed, grants: Grants = .roles, keys: KeyRing, in view: DirectoryView
    ) async throws -> (report: LoadReport, made: [Made]) {
        let (report, loaded) = try await view.load(seed, grants: grants) { transaction in
            try load(seed.backends, keys: keys, for: view, in: transaction)
        }
        for backend in loaded { try keys.prepare(for: backend.backend.settings) }
        return (report, loaded.compactMap { loaded in loaded.secrets.map { (loaded.backend, $0) } })
    }

    /// Loads the backends of a seed alone, in one transaction.
    ///
    /// - Returns: The backends that were made without a secret of the seed's, with the secret that was made up for each.
    /// - Throws: `DirectoryError` `invalidInput`, which names the line.
    package static func load(_ seed: Seed, keys: KeyRing, in view: DirectoryView) async throws -> [Made] {
        let loaded = try await view.awaitWrite { try load(seed.backends, keys: keys, for: view, in: $0) }
        for backend in loaded { try keys.prepare(for: backend.backend.settings) }
        return loaded.compactMap { loaded in loaded.secrets.map { (loaded.backend, $0) } }
    }

    /// Makes or changes backends within a transaction.
    ///
    /// - Returns: Each of them, with the secrets of those for which secrets were made up.
    private static func load(
        _ entries: [Seed.Entry], keys: KeyRing, for view: DirectoryView, in transaction: Transaction
    ) throws -> [(backend: Backend, secrets: Secrets?)] {
        try entries.map { entry in
            do {
                let description = try Description(JSONValue(strictly: Array(entry.json)))
                let existing = try transaction.backends().first {
                    $0.name == description.name && $0.version == description.version
                }
                if let existing {
                    return (try change(existing.id, to: description, keys: keys, for: view, in: transaction), nil)
                }
                let made = try create(description, keys: keys, for: view, in: transaction)
                return (made.backend, description.secret == nil ? made.secrets : nil)
            } catch let error as DirectoryError where error.code == .invalidInput {
                throw error.inDocument(at: entry.place)
            }
        }
    }
}
