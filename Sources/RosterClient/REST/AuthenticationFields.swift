/// A challenge in a field `WWW-Authenticate` (RFC 9110, section 11.6.1).
package struct AuthenticationField: Sendable, Equatable {
    /// The scheme, in lower case.
    package let scheme: String
    /// The parameters by name, in lower case.
    package var parameters: [String: String] = [:]

    /// The longest field that is read.
    private static let longest = 8_192

    /// Reads the challenges of fields. A field that is malformed gives the challenges before its fault only.
    package static func challenges(in fields: [String]) -> [AuthenticationField] {
        fields.prefix(16).flatMap { field -> [AuthenticationField] in
            guard field.utf8.count <= longest else { return [] }
            var scanner = Scanner(bytes: Array(field.utf8))
            return scanner.challenges()
        }
    }

    private struct Scanner {
        let bytes: [UInt8]
        var offset = 0

        init(bytes: [UInt8]) { self.bytes = bytes }

        private var next: UInt8? { offset < bytes.count ? bytes[offset] : nil }

        private mutating func skip(_ characters: String) {
            while let next, characters.utf8.contains(next) { offset += 1 }
        }

        private mutating func word() -> String? {
            let start = offset
            while let next, !" \t,=\"".utf8.contains(next) { offset += 1 }
            return offset > start ? String(decoding: bytes[start..<offset], as: UTF8.self) : nil
        }

        /// A value in quotes; nil if its end is missing.
        private mutating func quoted() -> String? {
            offset += 1
            var value: [UInt8] = []
            while let byte = next {
                offset += 1
                if byte == UInt8(ascii: "\"") { return String(decoding: value, as: UTF8.self) }
                if byte == UInt8(ascii: "\\") {
                    guard let escaped = next else { return nil }
                    offset += 1
                    value.append(escaped)
                } else {
                    value.append(byte)
                }
            }
            return nil
        }

        mutating func challenges() -> [AuthenticationField] {
            var found: [AuthenticationField] = []
            while true {
                skip(" \t,")
                guard let name = word() else { return found }
                skip(" \t")
                guard next == UInt8(ascii: "="), !found.isEmpty else {
                    found.append(AuthenticationField(scheme: name.lowercased()))
                    continue
                }
                offset += 1
                skip(" \t")
                let value = next == UInt8(ascii: "\"") ? quoted() : word()
                guard let value else { return found.dropLast() }
                // The first of several values counts.
                if found[found.count - 1].parameters[name.lowercased()] == nil {
                    found[found.count - 1].parameters[name.lowercased()] = value
                }
            }
        }
    }
}

/// The challenge of a Webgate: `OAM-Auth realm="<webgate>:<level> <relative URL>", request-ctx="<context>"`.
package struct WebgateField: Sendable, Hashable {
    /// The name and the level of the Webgate, such as `gate:3`.
    package let gate: String
    /// The relative URL of the resource.
    package let resource: String
    /// The context, which the server of the tokens understands.
    package let context: String

    /// Reads a challenge; nil for another one.
    init?(_ field: AuthenticationField) {
        guard field.scheme == "oam-auth", let realm = field.parameters["realm"], realm.utf8.count <= 2_048,
            let context = field.parameters["request-ctx"], (1...4_096).contains(context.utf8.count),
            !context.hasControlCharacters, let space = realm.firstIndex(of: " ")
        else { return nil }
        let (gate, resource) = (realm[..<space], realm[realm.index(after: space)...])
        guard let colon = gate.lastIndex(of: ":"), Int(gate[gate.index(after: colon)...]) != nil,
            gate.utf8.count <= 256,
            resource.hasPrefix("/"), resource.utf8.allSatisfy({ (0x21...0x7E).contains($0) })
        else { return nil }
        (self.gate, self.resource, self.context) = (String(gate), String(resource), context)
    }
}

extension String {
    /// Whether the text has control characters, which would forge lines of a log.
    package var hasControlCharacters: Bool { unicodeScalars.contains { $0.properties.generalCategory == .control } }
}
