import Foundation
package import RosterText

/// A value that a server can answer with. Its JSON form keeps everything of the value.
package protocol WireValue: Sendable {
    /// Appends the JSON form.
    ///
    /// - Throws: ``DirectoryError`` `limitExceeded` for a list that is too large.
    func write(to json: inout [UInt8]) throws
    /// Reads the JSON form.
    ///
    /// - Parameter view: The view of the users and roles in the value.
    static func read(_ json: inout JSONScanner, for view: DirectoryView) throws -> Self
}

/// The JSON form of values is that of their `Codable` conformance unless they have one of their own.
extension WireValue where Self: Codable {
    package func write(to json: inout [UInt8]) throws {
        json.append(contentsOf: try JSONEncoder().encode(self))
    }

    package static func read(_ json: inout JSONScanner, for view: DirectoryView) throws -> Self {
        try json.decoded()
    }
}

extension Retention: WireValue {}
extension MembershipChange: WireValue {}

extension Identifier: WireValue {}

extension Bool: WireValue {
    package func write(to json: inout [UInt8]) throws { JSONText.append(self, to: &json) }

    package static func read(_ json: inout JSONScanner, for view: DirectoryView) throws -> Bool {
        if json.take(word: "true") { return true }
        if json.take(word: "false") { return false }
        throw json.failure("expected true or false")
    }
}

extension Int: WireValue {
    package func write(to json: inout [UInt8]) throws { JSONText.append(Int64(self), to: &json) }

    package static func read(_ json: inout JSONScanner, for view: DirectoryView) throws -> Int {
        guard let number = Int(exactly: try json.integer()) else { throw json.failure("too large a number") }
        return number
    }
}

extension Int64: WireValue {
    package func write(to json: inout [UInt8]) throws { JSONText.append(self, to: &json) }

    package static func read(_ json: inout JSONScanner, for view: DirectoryView) throws -> Int64 { try json.integer() }
}

extension String: WireValue {
    package func write(to json: inout [UInt8]) throws { JSONText.append(string: self, to: &json) }

    package static func read(_ json: inout JSONScanner, for view: DirectoryView) throws -> String { try json.string() }
}

extension Optional: WireValue where Wrapped: WireValue {
    package func write(to json: inout [UInt8]) throws {
        if let self { try self.write(to: &json) } else { json.append(contentsOf: "null".utf8) }
    }

    package static func read(_ json: inout JSONScanner, for view: DirectoryView) throws -> Self {
        json.takeNull() ? nil : try Wrapped.read(&json, for: view)
    }
}

extension Array: WireValue where Element: WireValue {
    package func write(to json: inout [UInt8]) throws {
        try JSONText.append(self, in: .square, to: &json) { element, json in
            try element.write(to: &json)
            guard json.count <= ClientLimits.largestAnswer else { throw ClientLimits.exceeded }
        }
    }

    package static func read(_ json: inout JSONScanner, for view: DirectoryView) throws -> Self {
        var elements: [Element] = []
        try json.array { json in
            // No answer of a directory server has more within its limit of bytes. Empty elements would take far more memory.
            guard elements.count < 100_000 else { throw json.failure("too many elements") }
            elements.append(try Element.read(&json, for: view))
        }
        return elements
    }
}

extension JSONScanner {
    /// Reads the members of an object. `body` must read the value.
    mutating func object(_ body: (_ name: String, inout JSONScanner) throws -> Void) throws {
        try expect(UInt8(ascii: "{"))
        if take(UInt8(ascii: "}")) { return }
        repeat {
            let name = try string()
            try expect(UInt8(ascii: ":"))
            try body(name, &self)
        } while take(UInt8(ascii: ","))
        try expect(UInt8(ascii: "}"))
    }

    /// Reads the elements of an array. `body` must read an element.
    mutating func array(_ body: (inout JSONScanner) throws -> Void) throws {
        try expect(UInt8(ascii: "["))
        if take(UInt8(ascii: "]")) { return }
        repeat { try body(&self) } while take(UInt8(ascii: ","))
        try expect(UInt8(ascii: "]"))
    }

    /// Skips a value, and passes its text on.
    package mutating func withValue<Result>(_ body: (UnsafeBufferPointer<UInt8>) throws -> Result) throws -> Result {
        _ = peek()
        let start = offset
        try skipValue()
        return try body(text(start..<offset))
    }

    /// Decodes a value with Foundation's decoder.
    ///
    /// - Throws: `Failure` for more than 2 MiB, because the decoder takes ten times the memory of the text.
    mutating func decoded<Value: Decodable>() throws -> Value {
        let start = offset
        return try withValue { text in
            guard text.count <= 2 << 20 else {
                throw Failure(offset: start, problem: "a large value where a small one belongs")
            }
            return try JSONDecoder().decode(Value.self, from: Data(text))
        }
    }

    mutating func integer() throws -> Int64 {
        guard case .integer(let number) = try number() else { throw failure("expected a whole number") }
        return number
    }

    mutating func takeNull() -> Bool {
        _ = peek()
        return take(word: "null")
    }
}
