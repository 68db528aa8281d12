package import Roster
package import RosterText

/// A view of the people with a name: the words, the filters, the order and the columns of the table, as the page's address has them.
package struct SavedView: Sendable, Hashable {
    package let name: String
    /// The part of the page's address after the question mark, such as `q=lead&sort=title`.
    package let state: String

    /// The most views, and the most bytes of a state.
    package static let maximumCount = 50
    package static let maximumBytes = 8_192

    /// The view as JSON.
    package var document: JSONValue { ["name": .string(name), "state": .string(state)] }

    /// The views of a stored list.
    ///
    /// - Throws: `DirectoryError` `invalidInput`; `limitExceeded`.
    static func all(_ value: JSONValue) throws -> [SavedView] {
        guard case .array(let elements) = value else {
            throw DocumentObject.mismatch("value", "a list of views", value)
        }
        guard elements.count <= maximumCount else {
            throw DirectoryError(
                .limitExceeded, "There are \(maximumCount) views for everybody already.",
                advice: "Delete those that are not needed.")
        }
        let views = try elements.map { element in
            var object = try DocumentObject(element, at: "")
            let name = try object.required(try object.text("name"), "name")
            let state = try object.required(try object.text("state"), "state")
            try object.finish()
            return try SavedView(name, state: state)
        }
        guard Set(views.map(\.name)).count == views.count else {
            throw DocumentObject.problem("name", "is that of another view.", "Choose another one.")
        }
        return views.sorted { $0.name < $1.name }
    }

    /// - Throws: `DirectoryError` `invalidInput`, for a name or a state that a view cannot have.
    init(_ name: String, state: String) throws {
        _ = try ServicePolicy.peopleViews.organizationName(.string(name))
        // Clients take these two out of an address.
        guard ![".", ".."].contains(name) else {
            throw DocumentObject.problem("name", "is no name of a view.", "Give a name with a letter or a digit.")
        }
        // What an address has: everything else is escaped there.
        let isState = state.utf8.allSatisfy { (0x21...0x7E).contains($0) && !#"<>"`\^{|}#"#.utf8.contains($0) }
        guard isState, state.utf8.count <= Self.maximumBytes else {
            throw DocumentObject.problem(
                "state", "is no state of a view.",
                "Give what follows the question mark in the page's address, of at most \(Self.maximumBytes) bytes.")
        }
        (self.name, self.state) = (name, state)
    }
}

extension SettingsKeeper {
    /// Stores a view for everybody, in place of one of the same name, or of a former name.
    ///
    /// - Parameter former: The name that the view had; nil for the same one.
    /// - Returns: Whether the name is new.
    /// - Throws: `DirectoryError` `invalidInput`, `notFound`, `limitExceeded`, `notPermitted`, `recentSignInRequired`; `alreadyExists` for a
    ///   new name that another view has.
    package func save(
        _ name: String, state: String, former: String? = nil, in view: DirectoryView
    ) async throws -> Bool {
        let saved = try SavedView(name, state: state)
        return try await changeViews(in: view) { views in
            if let former, former != name {
                guard !views.contains(where: { $0.name == name }) else {
                    throw DirectoryError(
                        .alreadyExists, "Another view has that name.",
                        advice: "Choose another name, or delete that view.")
                }
                try Self.remove(former, from: &views)
            }
            let isNew = !views.contains { $0.name == name }
            views.removeAll { $0.name == name }
            views.append(saved)
            return isNew
        }
    }

    /// Deletes a view for everybody.
    ///
    /// - Throws: `DirectoryError` `notFound`, `notPermitted`, `recentSignInRequired`.
    package func deleteView(_ name: String, in view: DirectoryView) async throws {
        try await changeViews(in: view) { try Self.remove(name, from: &$0) }
    }

    private static func remove(_ name: String, from views: inout [SavedView]) throws {
        guard let index = views.firstIndex(where: { $0.name == name }) else {
            throw DirectoryError(
                .notFound, "There is no view of that name.", advice: "List the views. Names are spelled exactly.")
        }
        views.remove(at: index)
    }

    /// Changes the list in one transaction, so that two administrators do not lose each other's views.
    private func changeViews<Result: Sendable>(
        in view: DirectoryView, _ change: @escaping @Sendable (inout [SavedView]) throws -> Result
    ) async throws -> Result {
        let name = ServicePolicy.peopleViews.rawValue
        return try await view.awaitWrite { [self] transaction in
            let settings = try transaction.asPresentAdministrator(to: "change the views for everybody").settings
            let stored = try transaction.settings.setting(.policy, name)
            var views = try stored.map { try SavedView.all($0.value["value"] ?? []) } ?? []
            let result = try change(&views)
            if views.isEmpty {
                if stored != nil { try settings.delete(.policy, name) }
            } else {
                _ = try store(.policy, name, ["value": .array(views.map(\.document))], in: settings)
            }
            return result
        }
    }
}
