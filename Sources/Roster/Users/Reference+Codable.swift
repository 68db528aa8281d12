/// The encoded form of a reference: a name is text, as `"ada"`; an identifier is `{"id": "…"}`; and an identifier or else a name
/// is `{"either": "…"}`. The form that earlier versions wrote, as `{"named": {"_0": "ada"}}`, is read as well.
extension Reference: Codable {
    private enum CodingKeys: CodingKey { case named, id, either }
    private enum OldKeys: String, CodingKey { case first = "_0" }

    /// Reads a reference.
    public init(from decoder: any Decoder) throws {
        if let name = try? decoder.singleValueContainer().decode(String.self) {
            self = .named(name)
            return
        }
        let values = try decoder.container(keyedBy: CodingKeys.self)
        func value<Value: Decodable>(_ key: CodingKeys) throws -> Value {
            if let old = try? values.nestedContainer(keyedBy: OldKeys.self, forKey: key) {
                return try old.decode(Value.self, forKey: .first)
            }
            return try values.decode(Value.self, forKey: key)
        }
        if values.contains(.id) {
            self = .id(try value(.id))
        } else if values.contains(.either) {
            self = .either(try value(.either))
        } else {
            self = .named(try value(.named))
        }
    }

    /// Writes the reference.
    public func encode(to encoder: any Encoder) throws {
        if case .named(let name) = self {
            var value = encoder.singleValueContainer()
            return try value.encode(name)
        }
        var values = encoder.container(keyedBy: CodingKeys.self)
        switch self {
        case .named: break
        case .id(let id): try values.encode(id, forKey: .id)
        case .either(let text): try values.encode(text, forKey: .either)
        }
    }
}

/// The encoded form of a member or an owner: `{"user": "ada"}` or `{"role": "engineers"}`.
extension RoleSubject: Codable {
    private enum CodingKeys: CodingKey { case user, role }
    private enum OldKeys: String, CodingKey { case first = "_0" }

    /// Reads a member or an owner.
    public init(from decoder: any Decoder) throws {
        let values = try decoder.container(keyedBy: CodingKeys.self)
        func reference<Entity>(_ key: CodingKeys) throws -> Reference<Entity> {
            if let old = try? values.nestedContainer(keyedBy: OldKeys.self, forKey: key), old.contains(.first) {
                return try old.decode(Reference<Entity>.self, forKey: .first)
            }
            return try values.decode(Reference<Entity>.self, forKey: key)
        }
        self = values.contains(.role) ? .role(try reference(.role)) : .user(try reference(.user))
    }

    /// Writes the member or owner.
    public func encode(to encoder: any Encoder) throws {
        var values = encoder.container(keyedBy: CodingKeys.self)
        switch self {
        case .user(let user): try values.encode(user, forKey: .user)
        case .role(let role): try values.encode(role, forKey: .role)
        }
    }
}
