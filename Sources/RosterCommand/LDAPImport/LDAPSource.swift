import CLDAP
import Foundation
import RosterText

/// A server of LDAP from which people are imported. It gives its entries as LDIF, so that an import reads them as it reads the file that
/// `ldapsearch` would write.
struct LDAPSource {
    /// Says why a server gives no entries.
    struct Failure: Error, CustomStringConvertible {
        let description: String
    }

    /// The entries of a page. More are a burden for servers; Active Directory gives 1,000 at most.
    private static let pageSize: Int32 = 500
    private static let seconds: Int32 = 60
    /// The import ends after so many pages in a row without entries. Active Directory sends empty pages while a search takes long.
    private static let mostEmptyPages = 100
    /// The most parts in which a server may send the values of one attribute. Active Directory sends 1,500 values in a part, so the
    /// limit allows 15 million values.
    private static let mostRanges = 10_000
    /// The most bytes of all entries, which are in memory.
    private static let mostBytes = 4 << 30

    let url: String
    /// The distinguished name to bind with; nil for no bind.
    var name: String?
    var password = ""
    /// The entry below which people are found; nil for what the server names as its tree.
    var base: String?
    var filter = "(objectClass=*)"
    var startsTLS = false
    /// The file of the authorities that vouch for the server; nil for those of the system.
    var authorities: String?
    var allowsPlain = false

    /// Whether a text is the address of a server.
    static func isAddress(_ text: String) -> Bool {
        ["ldap://", "ldaps://", "ldapi://"].contains { text.lowercased().hasPrefix($0) }
    }

    /// Whether others could read the password along.
    private var isExposed: Bool {
        guard name != nil, !startsTLS, !allowsPlain, url.lowercased().hasPrefix("ldap://") else { return false }
        let rest = url.dropFirst(7).prefix { $0 != "/" }
        let host = rest.hasPrefix("[") ? rest.dropFirst().prefix { $0 != "]" } : rest.prefix { $0 != ":" }
        return !["localhost", "::1"].contains(host.lowercased()) && !host.hasPrefix("127.")
    }

    /// Reads all entries.
    ///
    /// - Parameters:
    ///   - attributes: The attributes to ask for, such as `*` and `+`.
    ///   - progress: Called with the number of entries after each page.
    /// - Throws: ``Failure``; `CancellationError`.
    func ldif(_ attributes: [String], _ progress: (Int) -> Void) throws -> Data {
        guard !isExposed else {
            throw Failure(
                description: "Others could read the password along. Give --start-tls or an ldaps address, or "
                    + "--allow-plain-ldap.")
        }
        let connection = try Connection(self)
        let base = try base ?? connection.namingContext()
        var (document, count, emptyPages) = (Data("version: 1\n".utf8), 0, 0)
        var cookie: [UInt8] = []
        // The entries by their names, so that a server cannot make the import read the same ones for ever.
        var seen: Set<Int> = []
        repeat {
            try Task.checkCancellation()
            let (before, known) = (count, seen.count)
            cookie = try connection.page(base, filter, attributes, after: cookie, size: Self.pageSize) { dn, entry in
                document.append(entry)
                seen.insert(dn.hashValue)
                count += 1
            }
            guard document.count <= Self.mostBytes else {
                throw Failure(description: "The server sends more than 4 GiB. Import parts of the tree with --base DN.")
            }
            emptyPages = count == before ? emptyPages + 1 : 0
            let goesOn = count == before ? emptyPages <= Self.mostEmptyPages : seen.count > known
            guard cookie.isEmpty || goesOn else {
                throw Failure(description: "'\(url)': The server's pages do not end: they have no further entries.")
            }
            progress(count)
        } while !cookie.isEmpty
        return document
    }

    /// A connection that has bound.
    private final class Connection {
        private let client: OpaquePointer
        private let url: String

        init(_ source: LDAPSource) throws {
            var client: OpaquePointer?
            let code = roster_ldap_open(&client, source.url, source.authorities, LDAPSource.seconds)
            guard code == LDAP_SUCCESS, let client else {
                if let client { ldap_unbind_ext_s(client, nil, nil) }
                throw Failure(description: "'\(source.url)' cannot be used: \(Self.text(code)).")
            }
            (self.client, url) = (client, source.url)
            if source.startsTLS { try check(ldap_start_tls_s(client, nil, nil), "TLS cannot begin") }
            if let name = source.name {
                let bytes = source.password.utf8.count
                try check(
                    source.password.withCString { roster_ldap_bind(client, name, $0, bytes) },
                    "The server does not let '\(name)' in")
            }
        }

        deinit { ldap_unbind_ext_s(client, nil, nil) }

        private static func text(_ code: Int32) -> String { String(cString: ldap_err2string(code)) }

        private func check(_ code: Int32, _ problem: String) throws {
            guard code != LDAP_SUCCESS else { return }
            var more = ""
            if let text = roster_ldap_message(client) {
                if text.pointee != 0 { more = " (\(String(cString: text).prefix(256)))" }
                ldap_memfree(text)
            }
            throw Failure(description: "'\(url)': \(problem): \(Self.text(code))\(more).")
        }

        /// The tree that the server names.
        func namingContext() throws -> String {
            var contexts: [String: String] = [:]
            _ = try search("", LDAP_SCOPE_BASE, "(objectClass=*)", ["defaultNamingContext", "namingContexts"]) {
                name, values in
                if let first = values.first, contexts[name.lowercased()] == nil {
                    contexts[name.lowercased()] = String(decoding: first, as: UTF8.self)
                }
            }
            guard let base = contexts["defaultnamingcontext"] ?? contexts["namingcontexts"], !base.isEmpty else {
                throw Failure(description: "The server does not say where its entries are. Give --base DN.")
            }
            return base
        }

        /// Reads a page.
        ///
        /// - Parameter write: Called with the name of each entry, and with the entry as LDIF.
        /// - Returns: The cookie of the next page; empty for none.
        func page(
            _ base: String, _ filter: String, _ attributes: [String], after cookie: [UInt8], size: Int32,
            _ write: (String, Data) -> Void
        ) throws -> [UInt8] {
            var result: OpaquePointer?
            var next = berval()
            defer {
                ldap_msgfree(result)
                ldap_memfree(next.bv_val)
            }
            let code = withTexts(attributes) { list in
                var bytes = cookie
                return bytes.withUnsafeMutableBytes { buffer in
                    var old = berval(
                        bv_len: ber_len_t(buffer.count),
                        bv_val: buffer.baseAddress?.assumingMemoryBound(to: CChar.self))
                    return roster_ldap_search(
                        client, base, LDAP_SCOPE_SUBTREE, filter, list, size, &old, &result, &next)
                }
            }
            try check(code, "The entries below '\(base)' cannot be read")
            try each(result) { dn, values in
                var entry = LDIFText()
                entry.add("dn", Array(dn.utf8))
                for (name, values) in values {
                    let (whole, all) = try self.whole(name, values, of: dn)
                    for value in all { entry.add(whole, value) }
                }
                write(dn, entry.finish())
            }
            return UnsafeBufferPointer(start: next.bv_val, count: next.bv_val == nil ? 0 : Int(next.bv_len)).map {
                UInt8(bitPattern: $0)
            }
        }

        /// All values of an attribute. Active Directory gives many values in ranges, such as `member;range=0-1499`.
        private func whole(
            _ name: String, _ values: [[UInt8]], of dn: String
        ) throws -> (name: String, values: [[UInt8]]) {
            guard let semicolon = name.range(of: ";range=", options: .caseInsensitive) else { return (name, values) }
            let plain = String(name[..<semicolon.lowerBound])
            var (last, all, read, ranges) = (String(name[semicolon.upperBound...]), values, -1, 0)
            while !last.hasSuffix("*") {
                try Task.checkCancellation()
                let missing = Failure(description: "The server does not give all values of '\(plain)' of '\(dn)'.")
                // Each range has to go on, so that a server cannot make the import read for ever.
                guard let end = last.split(separator: "-").last.flatMap({ Int($0) }), end > read, end < .max,
                    ranges < LDAPSource.mostRanges
                else { throw missing }
                (read, ranges) = (end, ranges + 1)
                let start = "\(plain);range=\(end + 1)-*"
                var found: (name: String, values: [[UInt8]])?
                try search(dn, LDAP_SCOPE_BASE, "(objectClass=*)", [start]) { found = ($0, $1) }
                guard let found, !found.values.isEmpty,
                    let range = found.name.range(of: ";range=", options: .caseInsensitive)
                else { throw missing }
                all += found.values
                last = String(found.name[range.upperBound...])
            }
            return (plain, all)
        }

        private func search(
            _ base: String, _ scope: Int32, _ filter: String, _ attributes: [String],
            _ body: (String, [[UInt8]]) -> Void
        ) throws {
            var result: OpaquePointer?
            var next = berval()
            defer { ldap_msgfree(result) }
            let code = withTexts(attributes) {
                roster_ldap_search(client, base, scope, filter, $0, 0, nil, &result, &next)
            }
            try check(code, "The \(base.isEmpty ? "root entry" : "entry '\(base)'") cannot be read")
            try each(result) { _, attributes in for (name, values) in attributes { body(name, values) } }
        }

        /// Calls a body with the distinguished name and the attributes of each entry.
        private func each(
            _ result: OpaquePointer?, _ body: (String, [(String, [[UInt8]])]) throws -> Void
        ) throws {
            var entry = ldap_first_entry(client, result)
            while let current = entry {
                defer { entry = ldap_next_entry(client, current) }
                guard let dn = ldap_get_dn(client, current) else { continue }
                defer { ldap_memfree(dn) }
                var attributes: [(String, [[UInt8]])] = []
                var position: OpaquePointer?
                var next = ldap_first_attribute(client, current, &position)
                defer { ber_free(position, 0) }
                while let own = next {
                    // A hostile server could add lines to the LDIF by a line break in the name of an attribute.
                    let name = String(cString: own)
                    if name.utf8.allSatisfy(Self.isOfName) { attributes.append((name, values(current, own))) }
                    ldap_memfree(own)
                    next = ldap_next_attribute(client, current, position)
                }
                try body(String(cString: dn), attributes)
            }
        }

        /// Whether a byte may stand in the name of an attribute with its options (RFC 4512, section 2.5).
        private static func isOfName(_ byte: UInt8) -> Bool {
            switch byte {
            case 0x30...0x39, 0x41...0x5A, 0x61...0x7A: true
            default: "-.;=*_".utf8.contains(byte)
            }
        }

        private func values(_ entry: OpaquePointer, _ name: UnsafePointer<CChar>) -> [[UInt8]] {
            guard let list = ldap_get_values_len(client, entry, name) else { return [] }
            defer { ldap_value_free_len(list) }
            return (0..<Int(ldap_count_values_len(list))).compactMap { index in
                guard let value = list[index]?.pointee else { return nil }
                return UnsafeBufferPointer(start: value.bv_val, count: Int(value.bv_len)).map {
                    UInt8(bitPattern: $0)
                }
            }
        }

        /// Calls a body with a list of C strings that ends with NULL.
        private func withTexts<Value>(
            _ texts: [String], _ body: (UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?) -> Value
        ) -> Value {
            var list: [UnsafeMutablePointer<CChar>?] = texts.map { strdup($0) } + [nil]
            defer { for text in list { free(text) } }
            return list.withUnsafeMutableBufferPointer { body($0.baseAddress) }
        }
    }
}

/// Writes an entry as LDIF (RFC 2849).
private struct LDIFText {
    private var data = Data()

    mutating func add(_ name: String, _ value: [UInt8]) {
        let isPlain =
            !value.isEmpty && value.allSatisfy { (0x20...0x7E).contains($0) }
            && ![0x20, 0x3A, 0x3C].contains(value[0]) && value.last != 0x20
        data += Data(name.utf8)
        data += Data((isPlain ? ": " : ":: ").utf8)
        data += isPlain ? Data(value) : Data(value).base64EncodedData()
        data.append(0x0A)
    }

    mutating func finish() -> Data { Data("\n".utf8) + data }
}
