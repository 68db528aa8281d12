import RosterStore

/// Refuses keys that an index of PostgreSQL has no space for. Indexes of SQLite take keys of every size.
enum KeySize {
    /// The size in bytes of the largest key that fits in any case. PostgreSQL takes 2,704 bytes for an entry, of which the name of an
    /// attribute and an identifier need up to 104.
    private static let sure = 2_600

    /// - Throws: `invalidAttribute`.
    fileprivate static func check(
        _ keys: [(attribute: AttributeName, key: Binding)], of name: String, on connection: Connection
    ) throws {
        let long = keys.compactMap { entry in
            if case .text(let text) = entry.key, text.utf8.count > sure { (entry.attribute, text) } else { nil }
        }
        // Sorted, so that the same one of several attributes is named each time.
        for (attribute, key) in long.sorted(by: <) where try !connection.hasSpace(for: key) {
            throw DirectoryError(
                .invalidAttribute,
                "'\(attribute)' of \(EntityName.shown(name)) is too long for an index of PostgreSQL: the key has \(key.utf8.count) "
                    + "bytes, and keys of up to \(sure) bytes fit.",
                advice: "Shorten the value, or keep it in an attribute that is not searched.", attribute: attribute)
        }
    }
}

extension Connection {
    /// Whether an index of the server has space for a key, which depends on its compression.
    fileprivate func hasSpace(for key: String) throws -> Bool {
        try run(KeySizeStatements.openProbe, changing: .none)
        var hasSpace = true
        do {
            _ = try first(KeySizeStatements.probe, [.text(key)]) { _ in true }
        } catch let error as StoreError where error.kind == .limitExceeded && error != .tooLong {
            hasSpace = false
        }
        try run(KeySizeStatements.returnToProbe)
        try run(KeySizeStatements.releaseProbe)
        return hasSpace
    }
}

extension UserKeys {
    /// Refuses keys of a user that are too large for the engine.
    ///
    /// - Throws: `invalidAttribute`.
    func checkSizes(of user: String, on connection: Connection) throws {
        guard connection.kind == .postgreSQL else { return }
        try KeySize.check(
            [("uid", .text(name))] + zip(Self.columns, columnKeys).map { ($0.attribute, $1) }
                + values.map { (AttributeName($0.attribute), $0.key) }, of: user, on: connection)
    }
}

extension RoleKeys {
    /// Refuses keys of a role that are too large for the engine.
    ///
    /// - Throws: `invalidAttribute`.
    func checkSizes(of role: String, on connection: Connection) throws {
        guard connection.kind == .postgreSQL else { return }
        try KeySize.check([("name", name), ("displayName", displayName)], of: role, on: connection)
    }
}
