import RosterStore

/// Refuses keys that an index of PostgreSQL has no space for. Indexes of SQLite take keys of every size.
enum KeySize {
    /// The size of the largest key in bytes. PostgreSQL takes 2,704 bytes for an entry, of which the name of an attribute and an
    /// identifier need up to 104.
    static let maximum = 2_600

    /// - Throws: `invalidAttribute`.
    fileprivate static func check(_ keys: [(attribute: AttributeName, key: Binding)], of name: String) throws {
        let sizes = keys.compactMap { entry in
            if case .text(let text) = entry.key { (entry.attribute, size: text.utf8.count) } else { nil }
        }
        // The least name, so that the same one of several attributes is named each time.
        guard let (attribute, size) = sizes.filter({ $0.size > maximum }).min(by: <) else { return }
        throw DirectoryError(
            .invalidAttribute,
            "'\(attribute)' of \(EntityName.shown(name)) is too long for an index of PostgreSQL: the key has \(size) bytes, and at most "
                + "\(maximum) are possible.",
            advice: "Shorten the value, or keep it in an attribute that is not searched.", attribute: attribute)
    }
}

extension UserKeys {
    /// Refuses keys of a user that are too large.
    ///
    /// - Throws: `invalidAttribute`.
    func checkSizes(of user: String, on engine: Engine) throws {
        guard engine == .postgreSQL else { return }
        try KeySize.check(
            [("uid", .text(name))] + zip(Self.columns, columnKeys).map { ($0.attribute, $1) }
                + values.map { (AttributeName($0.attribute), $0.key) }, of: user)
    }
}

extension RoleKeys {
    /// Refuses keys of a role that are too large.
    ///
    /// - Throws: `invalidAttribute`.
    func checkSizes(of role: String, on engine: Engine) throws {
        guard engine == .postgreSQL else { return }
        try KeySize.check([("name", name), ("displayName", displayName)], of: role)
    }
}
