import Roster

/// Extensible matches (RFC 4511, section 4.5.1.7.7): a comparison by a matching rule, or with the parts of the distinguished name.
extension FilterTranslator {
    /// The rules of Active Directory: through other entries, all bits, and any bit.
    private static let inChain = "1.2.840.113556.1.4.1941"
    private static let allBits = "1.2.840.113556.1.4.803"
    private static let anyBit = "1.2.840.113556.1.4.804"

    func extensible(_ rule: String?, _ name: String, _ value: [UInt8]) async throws -> FilterTerm {
        guard let description = AttributeNames.Description(name) else { return .undefined }
        if let rule, AttributeNames.Description(rule) == nil { return .undefined }
        let text = String(validating: value, as: UTF8.self)
        switch (rule, description.name, entity) {
        case (nil, _, _): return try await leaf(name, .equal(value))
        case (Self.inChain, "memberof", _), (Self.inChain, "ismemberof", _):
            return try await entity == .user ? memberOf(.equal(value), .effective) : rolesIn(text, .effective)
        case (Self.inChain, "member", .role), (Self.inChain, "uniquemember", .role):
            guard let text, EntryName.isOne(text), let entry = try? EntryName(text) else { return .undefined }
            switch try? tree.place(entry) {
            case .user(let part)?:
                guard let user = try await tree.user(part, ["uid"], in: view) else { return .never }
                return .known(try await around(.user(.id(user.id))))
            case .role(let part)?:
                guard let role = try await tree.role(part, ["name"], in: view) else { return .never }
                return .known(try await around(.role(.id(role.id))))
            default: return .never
            }
        case (Self.inChain, "manager", .user):
            guard let text else { return .undefined }
            guard EntryName.isOne(text) else { return .known(.below(.either(text))) }
            guard let entry = try? EntryName(text) else { return .undefined }
            guard case .user(let part)? = try? tree.place(entry),
                let user = try await tree.user(part, ["uid"], in: view)
            else { return .never }
            return .known(.below(.id(user.id)))
        case (Self.inChain, _, _): return .undefined
        case (Self.allBits, "useraccountcontrol", .user), (Self.anyBit, "useraccountcontrol", .user):
            guard let text, let bits = Int64(text) else { return .undefined }
            return accountControl(bits, needsAll: rule == Self.allBits)
        default:
            // The directory's parser knows which rules test for equality, and which ones it has of its own.
            return try await own(description.name, .equal(value)) != nil && isEquality(rule)
                ? leaf(name, .equal(value)) : parsed(description.name, ":\(rule ?? ""):=" + Self.escaped(value))
        }
    }

    private func isEquality(_ rule: String?) -> Bool {
        guard let rule else { return true }
        return (try? Filter(ldap: "(cn:\(rule):=a)", vocabulary: vocabulary, for: entity)) != nil
    }

    /// `userAccountControl` is 512 for an enabled account and 514, with the bit 2, for a disabled one.
    private func accountControl(_ bits: Int64, needsAll: Bool) -> FilterTerm {
        let (enabled, disabled): (Int64, Int64) = (512, 514)
        func holds(_ value: Int64) -> Bool { needsAll ? value & bits == bits : value & bits != 0 }
        switch (holds(enabled), holds(disabled)) {
        case (true, true): return .always
        case (false, false): return .never
        case (true, false): return .known(.active)
        case (false, true): return .not(.known(.active))
        }
    }

    /// Whether a part of the distinguished names of all users, or of all roles, has a value.
    func isInName(_ name: String, _ value: [UInt8]) -> Bool {
        guard let description = AttributeNames.Description(name), let text = String(validating: value, as: UTF8.self),
            let above = try? EntryName(entity == .user ? tree.people : tree.groups)
        else { return false }
        let part = EntryName.Part(description.name, text)
        return above.components.contains { $0.contains(part) }
    }
}
