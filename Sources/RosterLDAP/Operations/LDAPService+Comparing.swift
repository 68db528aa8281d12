import Roster

/// Conditions on an entry that a client only reads. Their comparisons are those of a search's filter.
extension LDAPService {
    /// Compares a value of an entry (RFC 4511, section 4.10).
    func compare(
        _ dn: String, _ attribute: String, _ value: [UInt8], in session: LDAPSession
    ) async throws -> LDAPResult {
        let view = try authenticator.view(of: session)
        let place = try tree.place(dn)
        let filter = LDAPFilter.equal(attribute, value)
        func translated(_ entity: AttributeDefinition.Entity) async throws -> Filter {
            let translator = FilterTranslator(tree: tree, view: view, vocabulary: vocabulary, entity: entity)
            let own = try await translator.filter(filter)
            // What is Undefined selects nobody, and neither does its negation.
            if own == .or([]), try await translator.filter(.not(filter)) == .or([]) {
                throw LDAPResult(.undefinedAttributeType)
            }
            return own
        }
        let isEqual: Bool
        switch place {
        case .user(let part):
            guard let user = try await tree.user(part, ["uid"], in: view) else { throw tree.noSuch(place) }
            let id = AttributePath("id").equals(.string(user.id.description))
            isEqual = try await view.users.count(matching: .and([id, translated(.user)])) > 0
        case .role(let part):
            guard let role = try await tree.role(part, ["name"], in: view) else { throw tree.noSuch(place) }
            let id = AttributePath("id").equals(.string(role.id.description))
            isEqual = try await view.roles.count(matching: .and([id, translated(.role)])) > 0
        default:
            let entry = try await fixedEntries.entry(at: place, in: session) { view }
            guard let holds = entry?.satisfies(filter) else { throw LDAPResult(.noSuchAttribute) }
            isEqual = holds
        }
        return LDAPResult(isEqual ? .compareTrue : .compareFalse)
    }

    /// Checks the condition of a request that reads, such as a search, on the entry with a name.
    func checkAssertion(_ message: LDAPMessage, at dn: String, in session: LDAPSession) async throws {
        guard let filter = try ChangeControls.assertion(message) else { return }
        let place = try tree.place(dn)
        switch place {
        case .user(let part):
            let view = try authenticator.view(of: session)
            guard let user = try await tree.user(part, ["uid"], in: view) else { throw tree.noSuch(place) }
            try await ChangeControls(message, .user, tree, vocabulary, view).check(user.id, version: nil, in: view)
        case .role(let part):
            let view = try authenticator.view(of: session)
            guard let role = try await tree.role(part, ["name"], in: view) else { throw tree.noSuch(place) }
            try await ChangeControls(message, .role, tree, vocabulary, view).check(role.id, version: nil, in: view)
        default:
            let entry = try await fixedEntries.entry(at: place, in: session) { try authenticator.view(of: session) }
            guard entry?.satisfies(filter) == true else { throw ChangeControls.failure }
        }
    }
}
