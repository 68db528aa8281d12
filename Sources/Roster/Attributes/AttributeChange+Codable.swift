/// The encoded form of a change: `{"set": "title", "value": "Engineer"}`, `{"add": "emails", "values": […]}`,
/// `{"remove": "emails", "values": […]}` or `{"clear": "title"}`. The form that earlier versions wrote is read as well.
extension AttributeChange: Codable {
    private enum CodingKeys: CodingKey { case set, add, remove, clear, value, values }
    private enum OldKeys: String, CodingKey { case name = "_0", value = "_1" }

    /// Reads a change.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        guard let key = [CodingKeys.set, .add, .remove, .clear].first(where: { container.contains($0) }) else {
            throw DecodingError.dataCorrupted(
                .init(codingPath: decoder.codingPath, debugDescription: "Not a change of an attribute."))
        }
        let old = try? container.nestedContainer(keyedBy: OldKeys.self, forKey: key)
        let name =
            try old.map { try $0.decode(AttributeName.self, forKey: .name) }
            ?? container.decode(AttributeName.self, forKey: key)
        func values() throws -> [AttributeValue] {
            try old.map { try $0.decode([AttributeValue].self, forKey: .value) }
                ?? container.decode([AttributeValue].self, forKey: .values)
        }
        switch key {
        case .set:
            self = .set(
                name,
                try old.map { try $0.decode(AttributeValue.self, forKey: .value) }
                    ?? container.decode(AttributeValue.self, forKey: .value))
        case .add: self = .add(name, try values())
        case .remove: self = .remove(name, try values())
        default: self = .clear(name)
        }
    }

    /// Writes the change.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        switch self {
        case .set(let name, let value):
            try container.encode(name, forKey: .set)
            try container.encode(value, forKey: .value)
        case .add(let name, let values):
            try container.encode(name, forKey: .add)
            try container.encode(values, forKey: .values)
        case .remove(let name, let values):
            try container.encode(name, forKey: .remove)
            try container.encode(values, forKey: .values)
        case .clear(let name): try container.encode(name, forKey: .clear)
        }
    }
}
