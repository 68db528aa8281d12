import RosterText

extension Filter {
    /// Reads a filter in LDAP's language (RFC 4515), such as `(&(sn=Mü*)(!(title=*)))`.
    ///
    /// The parser reads `~=` as `=`. `(&)` selects all and `(|)` none (RFC 4526). Options such as `;lang-en` are
    /// ignored, and an extensible match tests for equality. In `sn=a*b*c` each piece is a condition by itself: the
    /// order of the inner pieces does not count, and pieces can overlap. The values of `manager` and `memberOf` can be
    /// distinguished names, whose first part counts. A single comparison needs no parentheses.
    ///
    /// The rule of Active Directory that follows a chain (`LDAP_MATCHING_RULE_IN_CHAIN`) takes two attributes:
    /// `(manager:1.2.840.113556.1.4.1941:=uid=jane,ou=people)` selects everyone below a user, and
    /// `(memberOf:1.2.840.113556.1.4.1941:=cn=staff,ou=groups)` the members of a role and of the roles nested in it.
    ///
    /// - Parameters:
    ///   - text: The filter; see ``maximumLength``, ``maximumDepth`` and ``maximumComparisons``.
    ///   - vocabulary: The attributes that the directory has.
    ///   - entity: Whether the filter selects users or roles.
    /// - Throws: ``DirectoryError`` with ``DirectoryError/Code/invalidFilter``.
    public init(ldap text: String, vocabulary: Vocabulary, for entity: AttributeDefinition.Entity = .user) throws {
        var parser = LDAPFilterParser(reader: try FilterReader(text), vocabulary: vocabulary, entity: entity)
        self = try parser.wholeFilter()
    }
}

private struct LDAPFilterParser {
    var reader: FilterReader
    let vocabulary: Vocabulary
    let entity: AttributeDefinition.Entity

    mutating func wholeFilter() throws -> Filter {
        reader.skipWhiteSpace()
        let filter = reader.next == UInt8(ascii: "(") ? try filter(depth: 0) : try comparison()
        reader.skipWhiteSpace()
        guard reader.isAtEnd else {
            throw reader.error(
                "expected the end, \(reader.found)",
                advice: "Join several filters as (&(…)(…)); inside a value write ( as \\28 and ) as \\29.")
        }
        return filter
    }

    private mutating func filter(depth: Int) throws -> Filter {
        try reader.checkDepth(depth)
        try expect("(")
        reader.skipWhiteSpace()
        let filter: Filter
        if reader.take("&") {
            let filters = try list(depth: depth + 1)
            filter = filters.isEmpty ? .everything : .and(filters)
        } else if reader.take("|") {
            filter = .or(try list(depth: depth + 1))
        } else if reader.take("!") {
            reader.skipWhiteSpace()
            filter = .not(try self.filter(depth: depth + 1))
            reader.skipWhiteSpace()
        } else {
            filter = try comparison()
        }
        try expect(")")
        return filter
    }

    private mutating func list(depth: Int) throws -> [Filter] {
        var filters: [Filter] = []
        reader.skipWhiteSpace()
        while reader.next == UInt8(ascii: "(") {
            filters.append(try filter(depth: depth))
            reader.skipWhiteSpace()
        }
        // An empty list counts as a comparison, because thousands of them cost as much as comparisons.
        if filters.isEmpty { try reader.countComparison() }
        return filters
    }

    private mutating func expect(_ character: Unicode.Scalar) throws {
        guard reader.take(character) else {
            throw reader.error(
                "expected '\(character)', \(reader.found)",
                advice: "Each filter has parentheses of its own, as in (&(uid=jane)(title=*)).")
        }
    }

    private mutating func comparison() throws -> Filter {
        try reader.countComparison()
        let start = reader.offset
        reader.skip { !"=<>~:()".utf8.contains($0) }
        var name = reader.text(from: start).prefix { $0 != ";" }
        while name.last?.isWhitespace == true { name.removeLast() }
        guard !name.isEmpty || reader.next == UInt8(ascii: ":") else {
            throw reader.error(
                "expected an attribute, \(reader.found)", at: start, advice: "Write a comparison such as (uid=jane).")
        }
        let (comparison, takesWildcards, isChain) = try symbol(isNamed: !name.isEmpty)
        let place = reader.offset
        let pieces = try value(takesWildcards: takesWildcards)
        if name.lowercased() == "objectclass" { return try objectClass(comparison, pieces, at: place) }
        guard let definition = definition(of: String(name)) else {
            let examples = entity == .user ? "uid, sn, cn, mail" : "cn, description, mail"
            let names = vocabulary.definitions(for: entity).map { $0.names[.ldap] ?? $0.name.rawValue }
            throw reader.unknownAttribute(
                String(name), at: start, meaning: SimilarWord.nearest(to: String(name), among: names), such: examples)
        }
        guard pieces.count > 1 else {
            let text = try referenced(pieces.first ?? "", by: definition, at: place)
            if isChain { return try chain(definition, text, at: start) }
            return try FilterTarget(definition).filter(comparison, .string(text), at: place, in: reader)
        }
        if pieces.allSatisfy(\.isEmpty) { return .present(AttributePath(definition.name)) }
        return try substrings(pieces, of: definition, at: place)
    }

    /// Takes the next operator, and tells whether `*` has a meaning after it.
    private mutating func symbol(
        isNamed: Bool
    ) throws -> (Filter.Comparison, takesWildcards: Bool, isChain: Bool) {
        let start = reader.offset
        if reader.take("=") { return (.equal, true, false) }
        if reader.take("~"), reader.take("=") { return (.equal, false, false) }
        if reader.take(">"), reader.take("=") { return (.greaterOrEqual, false, false) }
        if reader.take("<"), reader.take("=") { return (.lessOrEqual, false, false) }
        guard reader.take(":") else {
            reader.offset = start
            throw reader.error(
                "expected an operator, \(reader.found)",
                advice: "The operators are =, >=, <=, ~= and :=; for 'greater' write (!(attribute<=value)).")
        }
        return (.equal, false, try matchingRule(isNamed: isNamed, at: start))
    }

    /// The filter for everyone who is related to a user or role through others.
    private func chain(_ definition: AttributeDefinition, _ text: String, at place: Int) throws -> Filter {
        switch (entity, definition.name) {
        case (.user, "manager"): return .below(.either(text))
        case (.user, "memberOf"): return AttributePath.effectiveRoles.equals(.string(text))
        default:
            throw reader.error(
                "'\(definition.name)' has no chain to follow", at: place,
                advice: "The rule 1.2.840.113556.1.4.1941 takes manager and memberOf.", attribute: definition.name)
        }
    }

    /// `LDAP_MATCHING_RULE_IN_CHAIN` of Active Directory.
    private static let chainRule = "1.2.840.113556.1.4.1941"

    /// The rules of RFC 4517 that test for equality, in lower case.
    private static let equalityRules: Set<String> = [
        "caseignorematch", "caseexactmatch", "caseignoreia5match", "caseexactia5match", "caseignorelistmatch",
        "numericstringmatch", "telephonenumbermatch", "integermatch", "booleanmatch", "generalizedtimematch",
        "octetstringmatch", "distinguishednamematch", "uniquemembermatch", "objectidentifiermatch",
        "2.5.13.0", "2.5.13.1", "2.5.13.2", "2.5.13.5", "2.5.13.8", "2.5.13.13", "2.5.13.14", "2.5.13.17",
        "2.5.13.20", "2.5.13.23", "2.5.13.27",
    ]

    /// Takes the rest of `:dn:caseIgnoreMatch:=` after the first colon.
    ///
    /// - Returns: Whether the rule follows a chain.
    private mutating func matchingRule(isNamed: Bool, at place: Int) throws -> Bool {
        let start = reader.offset
        reader.skip { !"=()".utf8.contains($0) }
        var names = reader.text(from: start).lowercased().split(separator: ":", omittingEmptySubsequences: false)
        guard reader.take("="), names.popLast()?.isEmpty == true else {
            throw reader.error("expected ':='", advice: "Write an extensible match as (cn:caseIgnoreMatch:=jane).")
        }
        if names.first == "dn" { names.removeFirst() }
        guard isNamed else {
            throw reader.error(
                "an extensible match without an attribute is not supported", at: place,
                advice: "Name the attribute: (cn:caseIgnoreMatch:=jane).")
        }
        if names == [Self.chainRule[...]] { return true }
        guard names.count <= 1, names.allSatisfy({ Self.equalityRules.contains(String($0)) }) else {
            throw reader.error(
                "an extensible match by that rule is not supported", at: place,
                advice: "Use a rule for equality such as caseIgnoreMatch, or none: (cn:=jane).")
        }
        return false
    }

    /// Takes a value and undoes its escapes. The value `a*b` has two pieces.
    private mutating func value(takesWildcards: Bool) throws -> [String] {
        var pieces: [String] = []
        var piece: [UInt8] = []
        var start = reader.offset
        while let byte = reader.next, byte != UInt8(ascii: ")") {
            switch byte {
            case UInt8(ascii: "("):
                throw reader.error("'(' inside a value", advice: "Write it as \\28.")
            case UInt8(ascii: "*"):
                guard takesWildcards else { throw reader.error("'*' after this operator", advice: "Write it as \\2a.") }
                reader.offset += 1
                pieces.append(try text(piece, at: start))
                piece = []
                start = reader.offset
            case UInt8(ascii: "\\"):
                let digits = reader.bytes[reader.offset...].dropFirst().prefix(2)
                guard digits.count == 2, let escaped = Hexadecimal.bytes(digits) else {
                    throw reader.error(
                        "'\\' needs two hexadecimal digits after it", advice: "Write '\\' itself as \\5c.")
                }
                reader.offset += 3
                piece += escaped
            default:
                reader.offset += 1
                piece.append(byte)
            }
        }
        return pieces + [try text(piece, at: start)]
    }

    private func text(_ bytes: [UInt8], at place: Int) throws -> String {
        guard let text = String(validating: bytes, as: UTF8.self) else {
            throw reader.error(
                "the value is not valid UTF-8", at: place, advice: "Escape each byte of a character: \\c3\\bc is ü.")
        }
        return text
    }

    private static let userAliases: [String: AttributeName] = [
        "surname": "familyName", "gn": "givenName", "userid": "uid", "rfc822mailbox": "mail", "countryname": "country",
        "stateorprovincename": "region", "streetaddress": "street", "organizationname": "organization",
        "organizationalunitname": "organizationalUnit", "hometelephonenumber": "homePhone",
        "mobiletelephonenumber": "mobile", "pagertelephonenumber": "pager",
    ]

    private func definition(of name: String) -> AttributeDefinition? {
        if let definition = vocabulary.definition(named: name, in: .ldap, for: entity) { return definition }
        if entity == .user, let alias = Self.userAliases[name.lowercased()] { return vocabulary.definition(of: alias) }
        return vocabulary.definition(named: name, for: entity)
    }

    private static let userClasses: Set<String> = [
        "top", "person", "organizationalperson", "inetorgperson", "user", "account",
    ]
    private static let roleClasses: Set<String> = ["top", "groupofnames", "groupofuniquenames", "group"]

    /// The filter for an object class, which all entries have or none.
    private func objectClass(_ comparison: Filter.Comparison, _ pieces: [String], at place: Int) throws -> Filter {
        if pieces.count > 1, pieces.allSatisfy(\.isEmpty) { return .everything }
        guard comparison == .equal, pieces.count == 1, let name = pieces.first?.lowercased() else {
            throw reader.error(
                "'objectClass' is compared with a whole name only", at: place,
                advice: "Write (objectClass=\(entity == .user ? "inetOrgPerson" : "groupOfNames")).",
                attribute: "objectClass")
        }
        let classes = entity == .user ? Self.userClasses : Self.roleClasses
        return classes.contains(name) ? .everything : .or([])
    }

    /// The name of the manager or role that a distinguished name means. Other values stay as they are.
    private func referenced(_ text: String, by definition: AttributeDefinition, at place: Int) throws -> String {
        guard ["manager", "memberOf"].contains(definition.name), DistinguishedName.isOne(text) else { return text }
        guard let name = DistinguishedName.firstValue(of: text) else {
            throw reader.error(
                "not a distinguished name that can be read", at: place,
                advice: "Give the name alone, or a distinguished name such as uid=jane,ou=people.",
                attribute: definition.name)
        }
        return name
    }

    /// The conditions for pieces: `sn=a*b*c` starts with a, contains b, and ends with c.
    private mutating func substrings(
        _ pieces: [String], of definition: AttributeDefinition, at place: Int
    ) throws -> Filter {
        if let first = pieces.first, try referenced(first, by: definition, at: place) != first {
            throw reader.error(
                "'*' in a distinguished name", at: place, advice: "Give the name alone: (memberOf=sales*).",
                attribute: definition.name)
        }
        var comparisons: [(Filter.Comparison, String)] = []
        for (index, piece) in pieces.enumerated() where !piece.isEmpty {
            if !comparisons.isEmpty { try reader.countComparison() }
            comparisons.append((index == 0 ? .starts : index == pieces.count - 1 ? .ends : .contains, piece))
        }
        let whole = FilterTarget(definition)
        let filters = try comparisons.map { try whole.filter($0.0, .string($0.1), at: place, in: reader) }
        guard filters.count > 1 else { return filters.first ?? .present(whole.path) }
        // All pieces must be found in the same value, so that a view such as `mail` is searched in its list.
        let view = definition.element.flatMap { $0.type == nil ? $0.attribute : nil }
        guard let list = view ?? (definition.isMultiValued ? definition.name : nil) else { return .and(filters) }
        return .element(list, .and(comparisons.map { .compare(AttributePath("value"), $0.0, .string($0.1)) }))
    }
}

extension DistinguishedName {
    /// Whether the text begins as a distinguished name does, with `uid=`.
    fileprivate static func isOne(_ text: String) -> Bool {
        guard let type = text.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).first,
            type.utf8.count < text.utf8.count
        else { return false }
        let name = type.utf8.filter { $0 != 0x20 }
        return !name.isEmpty
            && name.allSatisfy { (0x61...0x7A).contains($0 | 0x20) || "0123456789-.".utf8.contains($0) }
    }

    /// The value of the first part, such as `jane` of `uid=jane,ou=people`; nil if it cannot be read.
    fileprivate static func firstValue(of text: String) -> String? {
        (try? parseFirst(text))?.first?.text.flatMap { $0.isEmpty ? nil : $0 }
    }
}
