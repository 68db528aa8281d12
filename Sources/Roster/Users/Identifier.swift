/// The permanent identifier of a user or a role.
///
/// An identifier never changes and is never reused, even after a rename. Identifiers grow in the order of creation. The
/// text form is eleven characters without a meaning outside the directory.
public struct Identifier<Entity>: Sendable, Hashable, Comparable, Codable, CustomStringConvertible,
    LosslessStringConvertible
{
    /// The stored number. Users and roles share one sequence, because small numbers make small indexes.
    package let rawValue: Int64

    package init(rawValue: Int64) { self.rawValue = rawValue }

    /// Reads the text form; returns nil for any other text.
    public init?(_ description: String) {
        let digits = description.utf8
        guard digits.count == 11 else { return nil }
        var value: UInt64 = 0
        for digit in digits {
            guard let position = IdentifierText.alphabet.firstIndex(of: digit) else { return nil }
            value = value << 5 | UInt64(position)
        }
        rawValue = Int64(value &* IdentifierText.inverse & IdentifierText.mask)
        guard rawValue > 0 else { return nil }
    }

    /// The text form.
    public var description: String {
        let mixed = UInt64(bitPattern: rawValue) &* IdentifierText.factor & IdentifierText.mask
        return String(unsafeUninitializedCapacity: 11) { bytes in
            for place in 0..<11 { bytes[place] = IdentifierText.alphabet[Int(mixed >> UInt64(50 - 5 * place) & 31)] }
            return 11
        }
    }

    /// Orders by creation.
    public static func < (left: Self, right: Self) -> Bool { left.rawValue < right.rawValue }

    /// Reads the text form.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        guard let identifier = Self(try container.decode(String.self)) else {
            throw DecodingError.dataCorruptedError(in: container, debugDescription: "Not an identifier.")
        }
        self = identifier
    }

    /// Writes the text form.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(description)
    }
}

/// The permanent identifier of a user.
public typealias UserID = Identifier<User>
/// The permanent identifier of a role.
public typealias RoleID = Identifier<Role>

/// A reference to a user or a role.
public enum Reference<Entity>: Sendable, Hashable, ExpressibleByStringLiteral, CustomStringConvertible {
    /// The user or role with that name.
    case named(String)
    /// The user or role with that identifier.
    case id(Identifier<Entity>)
    /// The user or role with that identifier, or else with that name. An identifier match always beats a name match.
    case either(String)

    /// The user or role with that name.
    public init(stringLiteral value: String) { self = .named(value) }
    /// The reference as messages show it.
    public var description: String {
        switch self {
        case .named(let name), .either(let name): EntityName.shown(name)
        case .id(let id): id.description
        }
    }
}

/// A reference to a user.
public typealias UserReference = Reference<User>
/// A reference to a role.
public typealias RoleReference = Reference<Role>

private enum IdentifierText {
    /// Crockford's base-32 alphabet, which omits letters that look like digits.
    static let alphabet = Array("0123456789abcdefghjkmnpqrstvwxyz".utf8)
    /// The range of eleven digits with five bits each.
    static let mask: UInt64 = 1 << 55 - 1
    /// An odd factor and its inverse modulo 2⁵⁵. The factor scatters consecutive numbers, so that nobody takes
    /// an identifier for a count. Factor and inverse are public: an identifier gives no rights.
    static let factor: UInt64 = 0x5D_5886_C9B1_7A35
    static let inverse: UInt64 = 0x2D_A956_6D35_881D
}
