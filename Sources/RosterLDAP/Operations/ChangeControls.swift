import Roster

/// The controls of a change: a condition on the entry (RFC 4528), and the entry before and after the change (RFC 4527).
struct ChangeControls: Sendable {
    /// The condition, as a filter of users or of roles; nil for none.
    let condition: Filter?
    /// The attributes of the entry before and after the change that the client wants.
    let before: RequestedAttributes?
    let after: RequestedAttributes?

    private let tree: DirectoryTree
    private let vocabulary: Vocabulary
    private let view: DirectoryView

    init(
        _ message: LDAPMessage, _ entity: AttributeDefinition.Entity, _ tree: DirectoryTree, _ vocabulary: Vocabulary,
        _ view: DirectoryView
    ) async throws {
        (self.tree, self.vocabulary, self.view) = (tree, vocabulary, view)
        let translator = FilterTranslator(tree: tree, view: view, vocabulary: vocabulary, entity: entity)
        condition = try await Self.assertion(message).asyncMap { try await translator.filter($0) }
        (before, after) = (
            try Self.read(message, SupportedControl.preRead), try Self.read(message, SupportedControl.postRead)
        )
    }

    /// The filter of the control for a condition; nil without the control.
    static func assertion(_ message: LDAPMessage) throws -> LDAPFilter? {
        guard let control = message.control(SupportedControl.assertion) else { return nil }
        do {
            return try BERReader.reading(control.value ?? []) { reader in
                var comparisons = 0
                return try LDAPFilter(&reader, depth: 0, &comparisons)
            }
        } catch is BERReader.Malformed {
            throw LDAPResult(.protocolError, "The control for a condition cannot be read.")
        }
    }

    private static func read(_ message: LDAPMessage, _ identifier: String) throws -> RequestedAttributes? {
        guard let control = message.control(identifier) else { return nil }
        do {
            return try BERReader.reading(control.value ?? []) { reader in
                RequestedAttributes(
                    try reader.list(BERReader.Tag.sequence, atMost: LDAPMessage.Limit.attributes) { try $0.text() })
            }
        } catch is BERReader.Malformed {
            throw LDAPResult(.protocolError, "The control for reading the entry cannot be read.")
        }
    }

    static let failure = LDAPResult(.assertionFailed, "The entry does not satisfy the condition.")
    private static let conflict = LDAPResult(.busy, "Another client changed the entry at the same time. Try again.")

    // MARK: Users

    /// The entry before the change, and the version that must not have changed until then.
    func reading(_ id: UserID) async throws -> (controls: [LDAPControl], version: Int64?) {
        guard let before else { return ([], nil) }
        let user = try await view.users.user(.id(id), attributes: .all)
        return ([try await control(SupportedControl.preRead, user, before)], user.version)
    }

    /// Checks the condition and the version within the transaction of the change.
    func check(_ id: UserID, version: Int64?, in view: DirectoryView) throws {
        if let version, try view.users.user(.id(id), attributes: ["uid"]).version != version { throw Self.conflict }
        guard let condition else { return }
        let own = AttributePath("id").equals(.string(id.description))
        guard try view.users.count(matching: .and([own, condition])) > 0 else { throw Self.failure }
    }

    /// The entry after the change, as the transaction left it.
    func afterwards(_ id: UserID, in view: DirectoryView) throws -> User? {
        try after == nil ? nil : view.users.user(.id(id), attributes: .all)
    }

    func answer(_ user: User?) async throws -> [LDAPControl] {
        guard let user, let after else { return [] }
        return [try await control(SupportedControl.postRead, user, after)]
    }

    private func control(
        _ identifier: String, _ user: User, _ requested: RequestedAttributes
    ) async throws -> LDAPControl {
        let entry = try await UserEntries(tree, vocabulary, view, requested).entry(user)
        return LDAPControl(identifier: identifier, value: LDAPAnswer.value(entry))
    }

    // MARK: Roles

    func reading(_ id: RoleID) async throws -> (controls: [LDAPControl], version: Int64?) {
        guard let before else { return ([], nil) }
        let role = try await view.roles.role(.id(id), attributes: .all)
        return ([try await control(SupportedControl.preRead, role, before)], role.version)
    }

    func check(_ id: RoleID, version: Int64?, in view: DirectoryView) throws {
        if let version, try view.roles.role(.id(id), attributes: ["name"]).version != version { throw Self.conflict }
        guard let condition else { return }
        let own = AttributePath("id").equals(.string(id.description))
        guard try view.roles.count(matching: .and([own, condition])) > 0 else { throw Self.failure }
    }

    func afterwards(_ id: RoleID, in view: DirectoryView) throws -> Role? {
        try after == nil ? nil : view.roles.role(.id(id), attributes: .all)
    }

    func answer(_ role: Role?) async throws -> [LDAPControl] {
        guard let role, let after else { return [] }
        return [try await control(SupportedControl.postRead, role, after)]
    }

    private func control(
        _ identifier: String, _ role: Role, _ requested: RequestedAttributes
    ) async throws -> LDAPControl {
        let entry = try await RoleEntries(tree, vocabulary, view, requested).entry(role)
        return LDAPControl(identifier: identifier, value: LDAPAnswer.value(entry))
    }
}

extension Optional {
    func asyncMap<Value>(_ body: (Wrapped) async throws -> Value) async rethrows -> Value? {
        if let wrapped = self { try await body(wrapped) } else { nil }
    }
}
