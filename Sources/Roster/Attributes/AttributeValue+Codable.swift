import Foundation
import RosterText

/// A value in the form in which the database stores it: text, whole numbers, booleans, lists and objects as they are, and
/// `{"$time": milliseconds since 1970}`, `{"$binary": "base64"}` and `{"$decimal": number}` for the others. Nothing is lost.
extension AttributeValue: Codable {
    private struct Part: CodingKey {
        var stringValue: String
        var intValue: Int? { nil }
        init(stringValue: String) { self.stringValue = stringValue }
        init?(intValue: Int) { nil }
        static let time = Part(stringValue: "$time")
        static let binary = Part(stringValue: "$binary")
        static let decimal = Part(stringValue: "$decimal")
    }

    /// Reads a value.
    public init(from decoder: any Decoder) throws {
        if let parts = try? decoder.container(keyedBy: Part.self) {
            if parts.allKeys.count == 1, let tagged = try Self.tagged(parts) {
                self = tagged
            } else {
                let values = try parts.allKeys.map {
                    ($0.stringValue, try parts.decode(AttributeValue.self, forKey: $0))
                }
                self = .complex(Dictionary(values) { $1 })
            }
            return
        }
        if var elements = try? decoder.unkeyedContainer() {
            var values: [AttributeValue] = []
            while !elements.isAtEnd { values.append(try elements.decode(AttributeValue.self)) }
            self = .list(values)
            return
        }
        let value = try decoder.singleValueContainer()
        if let isTrue = try? value.decode(Bool.self) {
            self = .boolean(isTrue)
        } else if let number = try? value.decode(Int64.self) {
            self = .integer(number)
        } else if let number = try? value.decode(Double.self) {
            self = .decimal(number)
        } else {
            self = .string(try value.decode(String.self))
        }
    }

    private static func tagged(_ parts: KeyedDecodingContainer<Part>) throws -> AttributeValue? {
        if parts.contains(.time) { return .time(Date(milliseconds: try parts.decode(Int64.self, forKey: .time))) }
        if parts.contains(.decimal) { return .decimal(try parts.decode(Double.self, forKey: .decimal)) }
        guard parts.contains(.binary) else { return nil }
        guard let bytes = Base64.bytes(try parts.decode(String.self, forKey: .binary)) else {
            throw DecodingError.dataCorruptedError(forKey: .binary, in: parts, debugDescription: "Not base64.")
        }
        return .binary(Data(bytes))
    }

    /// Writes the value.
    public func encode(to encoder: any Encoder) throws {
        switch self {
        case .string(let text): try text.encode(to: encoder)
        case .integer(let number): try number.encode(to: encoder)
        case .boolean(let isTrue): try isTrue.encode(to: encoder)
        case .decimal(let number):
            var parts = encoder.container(keyedBy: Part.self)
            try parts.encode(number, forKey: .decimal)
        case .time(let date):
            var parts = encoder.container(keyedBy: Part.self)
            try parts.encode(date.milliseconds, forKey: .time)
        case .binary(let data):
            var parts = encoder.container(keyedBy: Part.self)
            try parts.encode(Base64.text(data), forKey: .binary)
        case .list(let values):
            var elements = encoder.unkeyedContainer()
            for value in values { try elements.encode(value) }
        case .complex(let values):
            var parts = encoder.container(keyedBy: Part.self)
            for (name, value) in values { try parts.encode(value, forKey: Part(stringValue: name)) }
        }
    }
}

/// A set as an object with a member for each attribute.
extension AttributeSet: Codable {
    /// Reads a set.
    public init(from decoder: any Decoder) throws {
        let values = try [String: AttributeValue](from: decoder)
        self.init(sorted: values.map { Entry(AttributeName($0.key), $0.value) }.sorted { $0.name < $1.name })
    }

    /// Writes the set.
    public func encode(to encoder: any Encoder) throws {
        try Dictionary(map { ($0.name.rawValue, $0.value) }) { $1 }.encode(to: encoder)
    }
}
