@testable import RosterLDAP

/// Writes messages of clients.
enum Message {
    static func bytes(
        _ id: Int32, controls: [LDAPControl] = [], _ body: (inout BERWriter) -> Void
    ) -> [UInt8] {
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
        return writer.finish() ?? []
    }

    static func bind(_ writer: inout BERWriter, _ name: String, _ password: String) {
        writer.container(0x60) { writer in
            writer.integer(3)
            writer.text(name)
            writer.text(password, 0x80)
        }
    }

    static func search(
        _ writer: inout BERWriter, _ base: String, _ scope: LDAPSearch.Scope, _ filter: LDAPFilter,
        _ attributes: [String] = [], sizeLimit: Int32 = 0, typesOnly: Bool = false
    ) {
        writer.container(0x63) { writer in
            writer.text(base)
            writer.enumerated(scope.rawValue)
            writer.enumerated(0)
            writer.integer(sizeLimit)
            writer.integer(0)
            writer.boolean(typesOnly)
            Self.filter(&writer, filter)
            writer.container { writer in for name in attributes { writer.text(name) } }
        }
    }

    static func filter(_ writer: inout BERWriter, _ filter: LDAPFilter) {
        func pair(_ tag: UInt, _ name: String, _ value: [UInt8]) {
            writer.container(tag) { writer in
                writer.text(name)
                writer.octets(value)
            }
        }
        switch filter {
        case .and(let filters):
            writer.container(0xA0) { writer in for filter in filters { Self.filter(&writer, filter) } }
        case .or(let filters):
            writer.container(0xA1) { writer in for filter in filters { Self.filter(&writer, filter) } }
        case .not(let filter): writer.container(0xA2) { Self.filter(&$0, filter) }
        case .equal(let name, let value): pair(0xA3, name, value)
        case .atLeast(let name, let value): pair(0xA5, name, value)
        case .atMost(let name, let value): pair(0xA6, name, value)
        case .approximate(let name, let value): pair(0xA8, name, value)
        case .present(let name): writer.text(name, 0x87)
        case .substrings(let name, let first, let any, let last):
            writer.container(0xA4) { writer in
                writer.text(name)
                writer.container { writer in
                    if let first { writer.octets(first, 0x80) }
                    for piece in any { writer.octets(piece, 0x81) }
                    if let last { writer.octets(last, 0x82) }
                }
            }
        case .extensible(let rule, let attribute, let value, let includesDN):
            writer.container(0xA9) { writer in
                if let rule { writer.text(rule, 0x81) }
                if let attribute { writer.text(attribute, 0x82) }
                writer.octets(value, 0x83)
                if includesDN { writer.boolean(true, 0x84) }
            }
        }
    }

    /// The control for a page of results.
    static func page(_ size: Int32, _ cookie: [UInt8] = []) -> LDAPControl {
        var writer = BERWriter()
        writer.container { writer in
            writer.integer(size)
            writer.octets(cookie)
        }
        return LDAPControl(identifier: SupportedControl.pagedResults, isCritical: true, value: writer.finish())
    }

    /// The cookie of an answer.
    static func cookie(_ answer: Answer) throws -> [UInt8]? {
        guard let value = answer.controls[SupportedControl.pagedResults] else { return nil }
        return try BERReader.reading(value) { reader in
            try reader.container(BERReader.Tag.sequence) { reader in
                _ = try reader.integer()
                return try reader.octets()
            }
        }
    }
}

extension LDAPFilter {
    static func equal(_ name: String, _ text: String) -> LDAPFilter { .equal(name, Array(text.utf8)) }
}
