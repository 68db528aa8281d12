import Roster

extension LDAPFilter {
    /// Reads a filter.
    ///
    /// - Parameters:
    ///   - depth: The number of filters around this one.
    ///   - comparisons: Counts the filter's parts.
    /// - Throws: ``LDAPResult`` for a filter that is too large; ``BERReader/Malformed``.
    init(_ reader: inout BERReader, depth: Int, _ comparisons: inout Int) throws {
        guard depth < Filter.maximumDepth else {
            throw LDAPResult(
                .adminLimitExceeded, "The filter is nested deeper than the limit of \(Filter.maximumDepth) levels.")
        }
        comparisons += 1
        guard comparisons <= Filter.maximumComparisons else {
            throw LDAPResult(
                .adminLimitExceeded, "The filter has more parts than the limit of \(Filter.maximumComparisons).")
        }
        guard let tag = reader.next else { throw BERReader.Malformed() }
        switch tag {
        case 0xA0, 0xA1:
            let filters = try reader.container(tag) { reader in
                var filters: [LDAPFilter] = []
                while !reader.isAtEnd {
                    filters.append(try LDAPFilter(&reader, depth: depth + 1, &comparisons))
                }
                return filters
            }
            self = tag == 0xA0 ? .and(filters) : .or(filters)
        case 0xA2: self = .not(try reader.container(tag) { try LDAPFilter(&$0, depth: depth + 1, &comparisons) })
        case 0xA3, 0xA5, 0xA6, 0xA8:
            let (name, value) = try reader.container(tag) { (try $0.text(), try $0.octets()) }
            self =
                switch tag {
                case 0xA3: .equal(name, value)
                case 0xA5: .atLeast(name, value)
                case 0xA6: .atMost(name, value)
                default: .approximate(name, value)
                }
        case 0xA4: self = try reader.container(tag) { try Self.substrings(&$0, &comparisons) }
        case 0x87: self = .present(try reader.text(tag))
        case 0xA9: self = try reader.container(tag) { try Self.extensible(&$0) }
        default: throw LDAPResult(.protocolError, "The filter has a part of an unknown kind.")
        }
    }

    private static func substrings(_ reader: inout BERReader, _ comparisons: inout Int) throws -> LDAPFilter {
        let name = try reader.text()
        var (first, last): ([UInt8]?, [UInt8]?)
        var any: [[UInt8]] = []
        try reader.container(BERReader.Tag.sequence) { reader in
            guard !reader.isAtEnd else { throw BERReader.Malformed() }
            while let tag = reader.next {
                guard last == nil, tag != 0x80 || (first == nil && any.isEmpty) else { throw BERReader.Malformed() }
                comparisons += 1
                guard comparisons <= Filter.maximumComparisons else {
                    throw LDAPResult(
                        .adminLimitExceeded,
                        "The filter has more parts than the limit of \(Filter.maximumComparisons).")
                }
                switch tag {
                case 0x80: first = try reader.octets(tag)
                case 0x81: any.append(try reader.octets(tag))
                case 0x82: last = try reader.octets(tag)
                default: throw BERReader.Malformed()
                }
            }
            guard reader.isAtEnd else { throw BERReader.Malformed() }
        }
        return .substrings(name, first: first, any: any, last: last)
    }

    private static func extensible(_ reader: inout BERReader) throws -> LDAPFilter {
        let rule = try reader.optionalText(0x81)
        let attribute = try reader.optionalText(0x82)
        let value = try reader.octets(0x83)
        var includesDN = false
        if reader.next == 0x84 { includesDN = try reader.boolean(0x84) }
        guard rule != nil || attribute != nil else { throw BERReader.Malformed() }
        return .extensible(rule: rule, attribute: attribute, value: value, includesDN: includesDN)
    }
}
