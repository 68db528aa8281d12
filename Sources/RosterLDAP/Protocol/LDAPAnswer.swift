/// The messages that the server sends.
enum LDAPAnswer {
    /// An entry of a search.
    struct Entry: Sendable, Hashable {
        let dn: String
        var attributes: [LDAPAttribute]
        /// The number from which the entry's UUID is made, and its kind.
        var number: Int64 = 0
        var kind = EntryUUID.Kind.entry
        /// The controls that belong to the entry.
        var controls: [LDAPControl] = []
    }

    /// The last answer to a request.
    ///
    /// - Parameter write: Writes what follows the result within the answer.
    static func result(
        _ result: LDAPResult, to id: Int32, tag: UInt, controls: [LDAPControl] = [],
        _ write: (inout BERWriter) -> Void = { _ in }
    ) -> [UInt8]? {
        message(id, controls: controls) { writer in
            writer.container(tag) { writer in
                writer.enumerated(result.code.rawValue)
                writer.text(result.matchedDN)
                writer.text(result.message)
                write(&writer)
            }
        }
    }

    static func entry(
        _ entry: Entry, to id: Int32, typesOnly: Bool, controls: [LDAPControl] = []
    ) -> [UInt8]? {
        message(id, controls: controls) { write(entry, typesOnly: typesOnly, &$0) }
    }

    /// The entry as the value of a control has it (RFC 4527).
    static func value(_ entry: Entry) -> [UInt8]? {
        var writer = BERWriter()
        write(entry, typesOnly: false, &writer)
        return writer.finish()
    }

    private static func write(_ entry: Entry, typesOnly: Bool, _ writer: inout BERWriter) {
        writer.container(0x64) { writer in
            writer.text(entry.dn)
            writer.container { Self.write(entry.attributes, typesOnly: typesOnly, &$0) }
        }
    }

    static func write(_ attributes: [LDAPAttribute], typesOnly: Bool, _ writer: inout BERWriter) {
        for attribute in attributes {
            writer.container { writer in
                writer.text(attribute.name)
                writer.container(BERReader.Tag.set) { writer in
                    if !typesOnly { for value in attribute.values { writer.octets(value) } }
                }
            }
        }
    }

    /// The answer to an extended request.
    static func extended(_ result: LDAPResult, to id: Int32, name: String? = nil, value: [UInt8]? = nil) -> [UInt8]? {
        Self.result(result, to: id, tag: 0x78) { writer in
            if let name { writer.text(name, 0x8A) }
            if let value { writer.octets(value, 0x8B) }
        }
    }

    /// An answer between the entries (RFC 4511, section 4.13).
    static func intermediate(_ name: String, _ value: [UInt8], to id: Int32) -> [UInt8]? {
        message(id) { writer in
            writer.container(0x79) { writer in
                writer.text(name, 0x80)
                writer.octets(value, 0x81)
            }
        }
    }

    /// Tells the client that the server closes the connection (RFC 4511, section 4.4.1).
    static func noticeOfDisconnection(_ result: LDAPResult) -> [UInt8]? {
        extended(result, to: 0, name: ExtendedOperation.noticeOfDisconnection)
    }

    private static func message(
        _ id: Int32, controls: [LDAPControl] = [], _ body: (inout BERWriter) -> Void
    ) -> [UInt8]? {
        var writer = BERWriter()
        writer.container { writer in
            writer.integer(id)
            body(&writer)
            guard !controls.isEmpty else { return }
            writer.container(0xA0) { writer in
                for control in controls {
                    writer.container { writer in
                        writer.text(control.identifier)
                        if control.isCritical { writer.boolean(true) }
                        if let value = control.value { writer.octets(value) }
                    }
                }
            }
        }
        return writer.finish()
    }
}
