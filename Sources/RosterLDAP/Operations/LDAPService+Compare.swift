import Roster

extension LDAPService {
    /// Compares a value of an entry (RFC 4511, section 4.10). The comparison is that of a search's filter.
    func compare(
        _ dn: String, _ attribute: String, _ value: [UInt8], in session: LDAPSession
    ) async throws -> LDAPResult {
        let view = try view(of: session)
        let place = try tree.place(dn)
        let filter = LDAPFilter.equal(attribute, value)
        let vocabulary = directory.unrestricted.attributes.vocabulary()
        func translated(_ entity: AttributeDefinition.Entity) async throws -> (Filter, isUndefined: Bool) {
            let translator = FilterTranslator(tree: tree, view: view, vocabulary: vocabulary, entity: entity)
            let own = try await translator.filter(filter)
            // What is Undefined selects nobody, and neither does its negation.
            guard own == .or([]) else { return (own, false) }
            return (own, try await translator.filter(.not(filter)) == .or([]))
        }
        func answer(_ isEqual: Bool) -> LDAPResult { LDAPResult(isEqual ? .compareTrue : .compareFalse) }
        switch place {
        case .user(let part):
            guard let user = try await tree.user(part, ["uid"], in: view) else { throw tree.noSuch(place) }
            let (own, isUndefined) = try await translated(.user)
            guard !isUndefined else { throw LDAPResult(.undefinedAttributeType) }
            let id = AttributePath("id").equals(.string(user.id.description))
            return answer(try await view.users.count(matching: .and([id, own])) > 0)
        case .role(let part):
            guard let role = try await tree.role(part, ["name"], in: view) else { throw tree.noSuch(place) }
            let (own, isUndefined) = try await translated(.role)
            guard !isUndefined else { throw LDAPResult(.undefinedAttributeType) }
            let id = AttributePath("id").equals(.string(role.id.description))
            return answer(try await view.roles.count(matching: .and([id, own])) > 0)
        case .sudoers, .sudoRole: return try await answer(fixed(sudoEntry(at: place, view), filter))
        case .root: return try answer(fixed(root(of: session), filter))
        case .subschema: return try answer(fixed(Subschema.entry(vocabulary), filter))
        case .base: return try answer(fixed(tree.containers.base, filter))
        case .people: return try answer(fixed(tree.containers.people, filter))
        case .groups: return try answer(fixed(tree.containers.groups, filter))
        }
    }

    private func fixed(_ entry: FixedEntry, _ filter: LDAPFilter) throws -> Bool {
        guard let isEqual = entry.satisfies(filter) else { throw LDAPResult(.noSuchAttribute) }
        return isEqual
    }
}
