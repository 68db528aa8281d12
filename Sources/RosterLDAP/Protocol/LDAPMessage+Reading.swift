import Roster

extension LDAPMessage {
    /// The limits of a message's parts. A filter has the limits of a search of the directory.
    enum Limit {
        static let controls = 32
        static let attributes = 1_000
        /// The most values of all attributes of a message.
        static let values = 100_000
    }

    /// The reason why a message cannot be served.
    enum Problem: Error {
        /// The bytes are no message of LDAP. The connection ends (RFC 4511, section 4.1.1).
        case malformed
        /// The message is refused, and the connection goes on.
        case refused(id: Int32, tag: UInt, LDAPResult)
    }

    /// Reads a message. The framer has read its outer tag.
    ///
    /// - Throws: ``Problem``.
    init(tag: UInt, _ reader: BERReader) throws {
        var reader = reader
        guard tag == BERReader.Tag.sequence, let id = try? reader.integer(), id >= 0, let operation = reader.next else {
            throw Problem.malformed
        }
        do {
            request = try LDAPRequest(operation, &reader)
            controls = try Self.controls(&reader)
            self.id = id
        } catch let result as LDAPResult {
            throw Problem.refused(id: id, tag: LDAPRequest.answerTags[operation] ?? 0x78, result)
        } catch {
            throw Problem.malformed
        }
    }

    private static func controls(_ reader: inout BERReader) throws -> [LDAPControl] {
        guard reader.next == 0xA0 else { return [] }
        return try reader.container(0xA0) { reader in
            var controls: [LDAPControl] = []
            while !reader.isAtEnd {
                guard controls.count < Limit.controls else {
                    throw LDAPResult(.adminLimitExceeded, "The request has more than \(Limit.controls) controls.")
                }
                controls.append(
                    try reader.container(BERReader.Tag.sequence) { reader in
                        var control = LDAPControl(identifier: try reader.text())
                        if reader.next == BERReader.Tag.boolean { control.isCritical = try reader.boolean() }
                        if reader.next == BERReader.Tag.octets { control.value = try reader.octets() }
                        return control
                    })
            }
            return controls
        }
    }
}

extension LDAPRequest {
    /// The tag of the answer to each request that has one.
    static let answerTags: [UInt: UInt] = [
        0x60: 0x61, 0x63: 0x65, 0x66: 0x67, 0x68: 0x69, 0x4A: 0x6B, 0x6C: 0x6D, 0x6E: 0x6F, 0x77: 0x78,
    ]

    init(_ tag: UInt, _ reader: inout BERReader) throws {
        switch tag {
        case 0x60: self = .bind(try reader.container(tag) { try LDAPBind(&$0) })
        case 0x42:
            _ = try reader.octets(tag)
            self = .unbind
        case 0x63: self = .search(try reader.container(tag) { try LDAPSearch(&$0) })
        case 0x66:
            self = try reader.container(tag) { reader in
                let dn = try reader.text()
                var values = 0
                let modifications = try reader.list(BERReader.Tag.sequence, atMost: LDAPMessage.Limit.attributes) {
                    reader in
                    try reader.container(BERReader.Tag.sequence) { reader in
                        guard let kind = LDAPModification.Kind(rawValue: try reader.integer(BERReader.Tag.enumerated))
                        else {
                            throw LDAPResult(.protocolError, "A modification is add, delete, replace or increment.")
                        }
                        return LDAPModification(kind: kind, attribute: try LDAPAttribute(&reader, &values))
                    }
                }
                return .modify(dn: dn, modifications)
            }
        case 0x68:
            self = try reader.container(tag) { reader in
                let dn = try reader.text()
                var values = 0
                return .add(
                    dn: dn,
                    try reader.list(BERReader.Tag.sequence, atMost: LDAPMessage.Limit.attributes) {
                        try LDAPAttribute(&$0, &values)
                    })
            }
        case 0x4A: self = .delete(dn: try reader.text(tag))
        case 0x6C:
            self = try reader.container(tag) { reader in
                .modifyDN(
                    dn: try reader.text(), newRDN: try reader.text(), deletesOld: try reader.boolean(),
                    newSuperior: try reader.optionalText(0x80))
            }
        case 0x6E:
            self = try reader.container(tag) { reader in
                let dn = try reader.text()
                return try reader.container(BERReader.Tag.sequence) { reader in
                    .compare(dn: dn, attribute: try reader.text(), value: try reader.octets())
                }
            }
        case 0x50: self = .abandon(try reader.integer(tag))
        case 0x77:
            self = try reader.container(tag) { reader in
                .extended(try reader.text(0x80), try reader.optionalOctets(0x81))
            }
        default: throw BERReader.Malformed()
        }
    }
}

extension BERReader {
    /// Reads the elements of a container.
    ///
    /// - Throws: ``LDAPResult`` `adminLimitExceeded` for too many of them.
    mutating func list<Value>(
        _ tag: UInt, atMost limit: Int, _ element: (inout BERReader) throws -> Value
    ) throws -> [Value] {
        try container(tag) { reader in
            var values: [Value] = []
            while !reader.isAtEnd {
                guard values.count < limit else {
                    throw LDAPResult(.adminLimitExceeded, "The request has a list of more than \(limit) elements.")
                }
                values.append(try element(&reader))
            }
            return values
        }
    }
}

extension LDAPAttribute {
    /// - Parameter values: Counts the values of all attributes of the message.
    init(_ reader: inout BERReader, _ values: inout Int) throws {
        var count = values
        self = try reader.container(BERReader.Tag.sequence) { reader in
            let name = try reader.text()
            let own = try reader.list(BERReader.Tag.set, atMost: LDAPMessage.Limit.values - count) { try $0.octets() }
            count += own.count
            return LDAPAttribute(name, own)
        }
        values = count
    }
}

extension LDAPBind {
    init(_ reader: inout BERReader) throws {
        version = try reader.integer()
        name = try reader.text()
        switch reader.next {
        case 0x80: method = .simple(try reader.octets(0x80))
        case 0xA3:
            method = try reader.container(0xA3) { reader in
                .sasl(mechanism: try reader.text(), credentials: try reader.optionalOctets(BERReader.Tag.octets))
            }
        case nil: throw BERReader.Malformed()
        default: throw LDAPResult(.authMethodNotSupported, "A bind is 'simple' or by SASL.")
        }
    }
}

extension LDAPSearch {
    init(_ reader: inout BERReader) throws {
        base = try reader.text()
        guard let scope = Scope(rawValue: try reader.integer(BERReader.Tag.enumerated)) else {
            throw LDAPResult(.protocolError, "The scope is not known.")
        }
        self.scope = scope
        // There are no aliases, so that it does not matter when they would be followed.
        _ = try reader.integer(BERReader.Tag.enumerated)
        sizeLimit = try reader.integer()
        timeLimit = try reader.integer()
        guard sizeLimit >= 0, timeLimit >= 0 else { throw BERReader.Malformed() }
        typesOnly = try reader.boolean()
        var comparisons = 0
        filter = try LDAPFilter(&reader, depth: 0, &comparisons)
        attributes = try reader.list(BERReader.Tag.sequence, atMost: LDAPMessage.Limit.attributes) { try $0.text() }
    }
}
