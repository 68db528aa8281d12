import RosterStore

/// Closes the store when the directory and all views of it are gone.
final class DirectoryLease: Sendable {
    private let store: Store
    init(_ store: Store) { self.store = store }
    deinit { store.close(waits: false) }
}
