import Roster

/// The controls for sorted entries (RFC 2891) and for a part of the sorted list (draft-ietf-ldapext-ldapv3-vlv-09).
struct SearchOrder: Sendable {
    struct Key: Sendable {
        let attribute: String
        let isDescending: Bool
    }

    /// The part of a list that a client shows: some entries before and after a target.
    struct List: Sendable {
        enum Target: Sendable {
            /// The number of the target, from 1, in a list that has so many entries in the client's opinion; 0 for no opinion.
            case number(Int, of: Int)
            /// The first entry whose first key is not less than a value.
            case value([UInt8])
        }

        let before: Int
        let after: Int
        let target: Target
    }

    var keys: [Key] = []
    /// Whether the client wants no unsorted entries.
    var isCritical = false
    var list: List?

    init() {}

    /// - Throws: ``LDAPResult`` for a control that cannot be read.
    init(_ message: LDAPMessage) throws {
        do {
            if let control = message.control(SupportedControl.sort) {
                isCritical = control.isCritical
                keys = try BERReader.reading(control.value ?? []) { try Self.keys(&$0) }
            }
            if let control = message.control(SupportedControl.virtualList) {
                list = try BERReader.reading(control.value ?? []) { try Self.list(&$0) }
            }
        } catch is BERReader.Malformed {
            throw LDAPResult(.protocolError, "The control for sorted entries or for a part of a list cannot be read.")
        }
        if list != nil, keys.isEmpty {
            throw LDAPResult(.sortControlMissing, "A part of a list needs the control for sorted entries as well.")
        }
        if list != nil, message.control(SupportedControl.pagedResults) != nil {
            throw LDAPResult(.unwillingToPerform, "A search has pages or a part of a list, and not both.")
        }
    }

    private static func keys(_ reader: inout BERReader) throws -> [Key] {
        try reader.list(BERReader.Tag.sequence, atMost: 8) { reader in
            try reader.container(BERReader.Tag.sequence) { reader in
                let attribute = try reader.text()
                // Each attribute has one order, so that the rule does not matter.
                _ = try reader.optionalText(0x80)
                return Key(attribute: attribute, isDescending: reader.next == 0x81 ? try reader.boolean(0x81) : false)
            }
        }
    }

    private static func list(_ reader: inout BERReader) throws -> List {
        try reader.container(BERReader.Tag.sequence) { reader in
            let (before, after) = (Int(try reader.integer()), Int(try reader.integer()))
            let target: List.Target
            if reader.next == 0xA0 {
                target = try reader.container(0xA0) { .number(Int(try $0.integer()), of: Int(try $0.integer())) }
            } else {
                target = .value(try reader.octets(0x81))
            }
            guard before >= 0, after >= 0 else { throw BERReader.Malformed() }
            return List(before: before, after: after, target: target)
        }
    }

    /// The control of an answer that tells whether the entries are sorted.
    static func answer(_ code: ResultCode) -> LDAPControl {
        var writer = BERWriter()
        writer.container { $0.enumerated(code.rawValue) }
        return LDAPControl(identifier: SupportedControl.sortAnswer, value: writer.finish())
    }

    /// The control of an answer that tells where the target stands in the list.
    static func answer(target: Int, of total: Int) -> LDAPControl {
        var writer = BERWriter()
        writer.container { writer in
            writer.integer(Int32(clamping: target))
            writer.integer(Int32(clamping: total))
            writer.enumerated(ResultCode.success.rawValue)
        }
        return LDAPControl(identifier: SupportedControl.virtualListAnswer, value: writer.finish())
    }
}

extension SearchRun {
    /// The order of users or of roles, and the control that tells the client about the order.
    ///
    /// - Throws: ``LDAPResult`` `unavailableCriticalExtension` for a critical control with an order that the server does not have.
    mutating func sorts(of sources: [Source], _ vocabulary: Vocabulary) throws -> [Search.Sort] {
        guard !order.keys.isEmpty else { return [] }
        var entities: Set<AttributeDefinition.Entity> = []
        for source in sources {
            switch source {
            case .users, .user: entities.insert(.user)
            case .roles, .role: entities.insert(.role)
            case .fixed: break
            }
        }
        // Users and roles have no common order in the directory.
        var code: ResultCode = entities.count > 1 ? .unwillingToPerform : .success
        var sorts: [Search.Sort] = []
        if let entity = entities.first, entities.count == 1 {
            for key in order.keys {
                guard let name = sorting(key.attribute, entity, vocabulary) else {
                    code = .noSuchAttribute
                    continue
                }
                sorts.append(Search.Sort(name, descending: key.isDescending))
            }
        }
        controls.append(SearchOrder.answer(code))
        guard code == .success else {
            guard !order.isCritical, order.list == nil else {
                throw LDAPResult(
                    .unavailableCriticalExtension,
                    entities.count > 1
                        ? "Users and groups have no common order. Search below ou=people or ou=groups."
                        : "There is no order by that attribute.")
            }
            return []
        }
        return sorts
    }

    /// The attribute of the directory that sorts as an attribute of LDAP.
    private func sorting(
        _ text: String, _ entity: AttributeDefinition.Entity, _ vocabulary: Vocabulary
    ) -> AttributeName? {
        guard let description = AttributeNames.Description(text) else { return nil }
        switch (description.name, entity) {
        case ("uid", .user), ("samaccountname", .user): return "uid"
        case ("cn", .role), ("uid", .role), ("samaccountname", .role): return "name"
        case ("createtimestamp", _): return "created"
        case ("modifytimestamp", _): return "modified"
        default:
            let shown = service.tree.shown.attributes(vocabulary, entity)[description.name]
            return shown.flatMap { $0.definition.kind == .binary ? nil : $0.definition.name }
        }
    }

    /// The most entries of a list that one answer has.
    private static let longestList = 5_000

    /// Sends a part of the sorted list.
    mutating func send(
        _ list: SearchOrder.List, of sources: [Source], sortedBy sorts: [Search.Sort], _ vocabulary: Vocabulary
    ) async throws -> LDAPResult {
        guard list.before <= Self.longestList, list.after <= Self.longestList else {
            throw LDAPResult(.adminLimitExceeded, "An answer has at most \(Self.longestList) entries before and after.")
        }
        let sources = sources.filter { !$0.isFixed }
        let total: Int
        switch sources.first {
        case .users(let filter)? where sources.count == 1: total = try await view().users.count(matching: filter)
        case .roles(let filter)? where sources.count == 1: total = try await view().roles.count(matching: filter)
        case nil: total = 0
        default:
            throw LDAPResult(.unwillingToPerform, "A list has the users below ou=people or the groups below ou=groups.")
        }
        let target = try await place(of: list.target, total, sources, sorts, vocabulary)
        controls.append(SearchOrder.answer(target: target, of: total))
        let first = max(target - 1 - list.before, 0)
        let count = min(target + list.after, total) - first
        guard count > 0, let source = sources.first else { return .success }
        switch source {
        case .users(let filter):
            let maker = try makers(requested).users
            let page = try await view().users.search(
                Search(
                    filter, sortedBy: sorts, attributes: maker.selection, pageSize: count, from: .offset(first),
                    prefetch: maker.prefetch))
            for user in page.elements { try await send(try await entry(user, maker)) }
        case .roles(let filter):
            let maker = try makers(requested).roles
            let page = try await view().roles.search(
                Search(filter, sortedBy: sorts, attributes: maker.selection, pageSize: count, from: .offset(first)))
            for role in page.elements { try await send(try await entry(role, maker)) }
        case .fixed, .user, .role: break
        }
        return .success
    }

    /// The number of the target in the list, from 1; the number after the last one for a value that is greater than all.
    private func place(
        of target: SearchOrder.List.Target, _ total: Int, _ sources: [Source], _ sorts: [Search.Sort],
        _ vocabulary: Vocabulary
    ) async throws -> Int {
        switch target {
        case .number(let number, let count):
            guard number >= 1 else { throw LDAPResult(.offsetRangeError, "The number of the target begins with 1.") }
            // The client's list can have another length by now: the target keeps its relative place.
            let scaled =
                count > 0 && count != total ? Int((Double(number) * Double(total) / Double(count)).rounded()) : number
            return min(max(scaled, 1), max(total, 1))
        case .value(let value):
            guard let sort = sorts.first, let text = String(validating: value, as: UTF8.self) else {
                throw LDAPResult(.invalidAttributeSyntax, "The value of the target is no text.")
            }
            let path = AttributePath(sort.attribute)
            let before = sort.isDescending ? path.isGreater(than: .string(text)) : path.isLess(than: .string(text))
            switch sources.first {
            case .users(let filter)?:
                let none =
                    sort.isDescending ? try await view().users.count(matching: .and([filter, .not(path.present)])) : 0
                return try await view().users.count(matching: .and([filter, before])) + none + 1
            case .roles(let filter)?:
                let none =
                    sort.isDescending ? try await view().roles.count(matching: .and([filter, .not(path.present)])) : 0
                return try await view().roles.count(matching: .and([filter, before])) + none + 1
            default: return 1
            }
        }
    }
}
