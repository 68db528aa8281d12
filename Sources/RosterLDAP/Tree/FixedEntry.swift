import Roster
import RosterText

/// An entry that is no user and no role: the root DSE, the schema and the containers.
struct FixedEntry: Sendable {
    let dn: String
    let attributes: [LDAPAttribute]
    let operational: [LDAPAttribute]
    /// The number of a container; 0 for an entry without a UUID.
    let number: Int64
    /// The values by which filters compare, by the canonical names of the attributes.
    private let keys: [String: [String]]

    init(dn: String, attributes: [LDAPAttribute], operational: [LDAPAttribute], number: Int64 = 0) {
        (self.dn, self.attributes, self.operational, self.number) = (dn, attributes, operational, number)
        keys = Dictionary(
            (attributes + operational).map { (AttributeNames.canonical($0.name), $0.values.map(Self.key)) }
        ) { first, _ in first }
    }

    /// The numbers of the containers.
    static let base: Int64 = 1
    static let people: Int64 = 2
    static let groups: Int64 = 3
    static let sudoers: Int64 = 4

    /// The entry with the attributes that a search asks for.
    func selecting(_ requested: RequestedAttributes) -> LDAPAnswer.Entry {
        LDAPAnswer.Entry(
            dn: dn,
            attributes: attributes.filter { requested.includes($0.name) }
                + operational.filter { requested.includes($0.name, isOperational: true) },
            number: number, kind: .container)
    }

    /// Whether the entry satisfies a filter; nil for Undefined.
    func satisfies(_ filter: LDAPFilter) -> Bool? {
        switch filter {
        case .and(let filters):
            let results = filters.map(satisfies)
            return results.contains(false) ? false : results.contains(nil) ? nil : true
        case .or(let filters):
            let results = filters.map(satisfies)
            return results.contains(true) ? true : results.contains(nil) ? nil : false
        case .not(let filter): return satisfies(filter).map { !$0 }
        case .present(let name): return values(name) != nil
        case .equal(let name, let value), .approximate(let name, let value):
            return values(name)?.contains(Self.key(value))
        case .extensible(let rule, let name?, let value, let includesDN):
            if includesDN, isInName(name, value) { return true }
            // Rules for other comparisons, such as those of bits, have no attribute here that they fit.
            guard rule == nil || Subschema.isEquality(rule ?? "") else { return nil }
            return values(name)?.contains(Self.key(value))
        case .extensible: return nil
        case .atLeast(let name, let value): return values(name)?.contains { $0 >= Self.key(value) }
        case .atMost(let name, let value): return values(name)?.contains { $0 <= Self.key(value) }
        case .substrings(let name, let first, let any, let last):
            return values(name)?.contains { value in
                var rest = value[...]
                if let first {
                    let key = Self.key(first)
                    guard rest.hasPrefix(key) else { return false }
                    rest = rest.dropFirst(key.count)
                }
                for piece in any {
                    guard let range = rest.firstRange(of: Self.key(piece)) else { return false }
                    rest = rest[range.upperBound...]
                }
                return last.map { rest.hasSuffix(Self.key($0)) } ?? true
            }
        }
    }

    /// Whether a part of the distinguished name has a value.
    private func isInName(_ name: String, _ value: [UInt8]) -> Bool {
        guard let description = AttributeNames.Description(name), let own = try? EntryName(dn) else { return false }
        let part = EntryName.Part(description.name, String(decoding: value, as: UTF8.self))
        return own.components.contains { $0.contains(part) }
    }

    /// The keys of an attribute's values; nil if the entry has none. An attribute that no such entry has counts as one without a
    /// value, or as unknown, which make no difference here except below a negation.
    private func values(_ name: String) -> [String]? {
        guard let description = AttributeNames.Description(name), !description.isOfNoValue else { return nil }
        return keys[description.name]
    }

    private static func key(_ value: [UInt8]) -> String { TextKey.of(String(decoding: value, as: UTF8.self)) }
}

extension DirectoryTree {
    /// The root DSE (RFC 4512, section 5.1), with what clients ask for before they bind.
    ///
    /// - Parameter mechanisms: The mechanisms of SASL for the client's connection.
    func root(supportsTLS: Bool, mechanisms: [String]) -> FixedEntry {
        var extensions = [ExtendedOperation.whoAmI, ExtendedOperation.passwordModify, ExtendedOperation.cancel]
        if supportsTLS { extensions.append(ExtendedOperation.startTLS) }
        return FixedEntry(
            dn: "", attributes: [LDAPAttribute("objectClass", "top", "rosterRootDSE")],
            operational: [
                LDAPAttribute("structuralObjectClass", "rosterRootDSE"),
                LDAPAttribute("namingContexts", base), LDAPAttribute("defaultNamingContext", base),
                LDAPAttribute("supportedLDAPVersion", "3"),
                LDAPAttribute("supportedControl", SupportedControl.all.map { Array($0.utf8) }),
                LDAPAttribute("supportedExtension", extensions.map { Array($0.utf8) }),
                // All operational attributes (RFC 3673), and filters that are always true or false (RFC 4526).
                LDAPAttribute("supportedFeatures", "1.3.6.1.4.1.4203.1.5.1", "1.3.6.1.4.1.4203.1.5.3"),
                LDAPAttribute("supportedSASLMechanisms", mechanisms.map { Array($0.utf8) }),
                LDAPAttribute("vendorName", "Roster"), LDAPAttribute("vendorVersion", programVersion),
                LDAPAttribute("subschemaSubentry", Self.subschema), LDAPAttribute("entryDN", ""),
            ].filter { !$0.values.isEmpty })
    }
}

/// The entries of the base and of the containers.
struct Containers: Sendable {
    let base, people, groups: FixedEntry
    /// The container of the entries for sudo, in a directory that has such entries.
    let sudoers: FixedEntry

    init(
        base: String, named attribute: (name: String, value: String), _ people: String, _ groups: String,
        _ sudoers: String, _ uuids: EntryUUID
    ) {
        let classes = ["dc": ("domain", "dcObject"), "o": ("organization", ""), "ou": ("organizationalUnit", "")]
        let (structural, auxiliary) = classes[attribute.name] ?? ("organizationalUnit", "")
        func operational(_ dn: String, _ structural: String, _ number: Int64) -> [LDAPAttribute] {
            [
                LDAPAttribute("entryUUID", uuids.text(number, .container)), LDAPAttribute("entryDN", dn),
                LDAPAttribute("structuralObjectClass", structural), LDAPAttribute("hasSubordinates", "TRUE"),
                LDAPAttribute("subschemaSubentry", DirectoryTree.subschema),
            ]
        }
        func container(_ dn: String, _ name: String, _ number: Int64) -> FixedEntry {
            FixedEntry(
                dn: dn,
                attributes: [LDAPAttribute("objectClass", "top", "organizationalUnit"), LDAPAttribute("ou", name)],
                operational: operational(dn, "organizationalUnit", number), number: number)
        }
        self.base = FixedEntry(
            dn: base,
            attributes: [
                LDAPAttribute(
                    "objectClass", ["top", structural, auxiliary].filter { !$0.isEmpty }.map { Array($0.utf8) }),
                LDAPAttribute(attribute.name, attribute.value),
            ], operational: operational(base, structural, FixedEntry.base), number: FixedEntry.base)
        self.people = container(people, "people", FixedEntry.people)
        self.groups = container(groups, "groups", FixedEntry.groups)
        self.sudoers = container(sudoers, "sudoers", FixedEntry.sudoers)
    }
}
