import RosterText

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// The text in which the database stores attributes: a record. A record takes half the bytes of the same attributes in JSON, and
/// a reader steps over a value without looking at its bytes.
///
/// A record is a list of entries in the order of the attributes' names. An entry consists of a name, a number and a value:
///
/// - The name of a standard attribute is one character of ``codes``. Another name is a colon, the number of its bytes, and its text.
/// - The number is twice the count of the value's bytes, plus 1 for plain text.
/// - The value is the plain text of a string, or JSON in the form of ``AttributeSet/json``.
///
/// A number consists of digits with five bits each (0x20 to 0x3F), highest first, and a last digit with six bits (0x40 to 0x7F).
/// A record is valid UTF-8 without the character zero, so that both engines store it as text. Text that begins with `{` is
/// the JSON form of earlier versions.
enum RecordText {
    /// The characters that represent names. A character must keep its meaning for ever, because files contain it.
    static let codes: KeyValuePairs<Unicode.Scalar, StaticString> = [
        "g": "givenName", "f": "familyName", "m": "middleName", "P": "honorificPrefix", "S": "honorificSuffix",
        "c": "commonName", "d": "displayName", "n": "nickName", "i": "initials", "M": "maidenName", "D": "description",
        "t": "title", "u": "userType", "U": "profileUrl", "l": "preferredLanguage", "L": "locale", "z": "timezone",
        "N": "employeeNumber", "C": "costCenter", "o": "organization", "O": "organizationalUnit", "v": "division",
        "p": "department", "G": "gender", "b": "dateOfBirth", "h": "hireDate", "s": "activeStartDate",
        "e": "activeEndDate", "B": "postOfficeBox", "E": "emails", "T": "phoneNumbers", "A": "addresses", "I": "ims",
        "q": "photos", "r": "entitlements", "R": "scimRoles", "x": "x509Certificates", "F": "photo", "k": "category",
        "a": "mail", "w": "uid", "y": "active", "j": "manager", "J": "name", "K": "members", "Q": "owners",
        "X": "externalId",
    ]
    static let customName = UInt8(ascii: ":")

    /// The names by the value of their character, as text of the program, which is read without counting references.
    static let texts: [StaticString?] = {
        var texts = [StaticString?](repeating: nil, count: 128)
        for (code, text) in codes { texts[Int(code.value)] = text }
        return texts
    }()

    /// The names by the value of their character.
    static let names: [AttributeName?] = texts.map { $0.map { AttributeName("\($0)") } }

    private static let codeOfName = Dictionary(codes.map { (AttributeName("\($0.value)"), UInt8(ascii: $0.key)) }) {
        $1
    }

    /// Returns a text that each record with an attribute contains: the attribute's name, or no text if a character represents the
    /// name.
    static func mark(of name: AttributeName) -> String { codeOfName[name] == nil ? name.rawValue : "" }

    // MARK: Writing

    /// Appends an entry.
    static func append(_ name: AttributeName, _ value: AttributeValue, to bytes: inout [UInt8]) {
        if let code = codeOfName[name] {
            bytes.append(code)
        } else {
            bytes.append(customName)
            append(number: name.rawValue.utf8.count, to: &bytes)
            bytes.append(contentsOf: name.rawValue.utf8)
        }
        if case .string(let text) = value, !text.utf8.contains(0) {
            append(number: text.utf8.count << 1 | 1, to: &bytes)
            bytes.append(contentsOf: text.utf8)
            return
        }
        var json: [UInt8] = []
        JSONText.append(value, to: &json)
        append(number: json.count << 1, to: &bytes)
        bytes.append(contentsOf: json)
    }

    private static func append(number: Int, to bytes: inout [UInt8]) {
        if number >= 64 { append(digits: number >> 6, to: &bytes) }
        bytes.append(0x40 | UInt8(truncatingIfNeeded: number & 0x3F))
    }

    private static func append(digits number: Int, to bytes: inout [UInt8]) {
        if number >= 32 { append(digits: number >> 5, to: &bytes) }
        bytes.append(0x20 | UInt8(truncatingIfNeeded: number & 0x1F))
    }
}

/// An attribute in stored text, which it points into.
struct RecordEntry {
    /// The bytes of the attribute's name.
    let name: UnsafeBufferPointer<UInt8>
    /// The character that represents the name; 0 if none does.
    let code: UInt8
    /// Whether the value is plain text, as opposed to JSON.
    let isText: Bool
    let value: UnsafeBufferPointer<UInt8>

    var attributeName: AttributeName {
        RecordText.names[Int(code)] ?? AttributeName(String(decoding: name, as: UTF8.self))
    }

    /// Whether the attribute has this name.
    @inline(__always)
    func isNamed(_ other: UnsafeBufferPointer<UInt8>) -> Bool {
        guard name.count == other.count, let start = name.baseAddress, let otherStart = other.baseAddress else {
            return name.count == other.count
        }
        return memcmp(start, otherStart, name.count) == 0
    }

    /// Decodes the value.
    func decoded() throws(JSONScanner.Failure) -> AttributeValue {
        if isText { return .string(String(decoding: value, as: UTF8.self)) }
        var scanner = JSONScanner(value)
        return try AttributeSet.value(&scanner, depth: 0)
    }

    /// Passes the value to a closure as JSON.
    func withJSON<Value>(_ body: (UnsafeBufferPointer<UInt8>) throws -> Value) rethrows -> Value {
        guard isText else { return try body(value) }
        var json: [UInt8] = []
        json.reserveCapacity(value.count + 2)
        JSONText.append(utf8: value, to: &json)
        return try json.withUnsafeBufferPointer(body)
    }
}

/// Reads the entries of stored text one after the other: of a record, or of the JSON form of earlier versions.
struct RecordScanner {
    private let bytes: UnsafeBufferPointer<UInt8>
    private var offset = 0
    /// Reads the JSON form; nil for a record.
    private var json: JSONScanner?

    init(_ bytes: UnsafeBufferPointer<UInt8>) {
        self.bytes = bytes
        if bytes.first == UInt8(ascii: "{") { json = JSONScanner(bytes) }
    }

    /// The next entry; nil at the end.
    mutating func next() throws(JSONScanner.Failure) -> RecordEntry? {
        if json != nil { return try nextOfJSON() }
        guard offset < bytes.count else { return nil }
        let code = bytes[offset]
        offset += 1
        let name: UnsafeBufferPointer<UInt8>
        if code == RecordText.customName {
            name = try text(try number())
        } else if code < 128, let known = RecordText.texts[Int(code)] {
            name = UnsafeBufferPointer(start: known.utf8Start, count: known.utf8CodeUnitCount)
        } else {
            throw failure("no attribute has this character")
        }
        let size = try number()
        return RecordEntry(
            name: name, code: code == RecordText.customName ? 0 : code, isText: size & 1 == 1,
            value: try text(size >> 1))
    }

    private mutating func text(_ count: Int) throws(JSONScanner.Failure) -> UnsafeBufferPointer<UInt8> {
        guard count <= bytes.count - offset else { throw failure("the text ends") }
        defer { offset += count }
        return UnsafeBufferPointer(rebasing: bytes[offset..<offset + count])
    }

    private mutating func number() throws(JSONScanner.Failure) -> Int {
        var number = 0
        while offset < bytes.count {
            let digit = Int(bytes[offset])
            offset += 1
            if digit & 0xC0 == 0x40 { return number << 6 | digit & 0x3F }
            guard digit & 0xE0 == 0x20, number < 1 << 40 else { break }
            number = number << 5 | digit & 0x1F
        }
        throw failure("expected a length")
    }

    private func failure(_ problem: String) -> JSONScanner.Failure {
        JSONScanner.Failure(offset: offset, problem: problem)
    }

    private mutating func nextOfJSON() throws(JSONScanner.Failure) -> RecordEntry? {
        guard var scanner = json else { return nil }
        defer { json = scanner }
        if scanner.offset == 0 {
            try scanner.expect(UInt8(ascii: "{"))
            if scanner.take(UInt8(ascii: "}")) { return nil }
        } else if !scanner.take(UInt8(ascii: ",")) {
            try scanner.expect(UInt8(ascii: "}"))
            return nil
        }
        let key = try scanner.skipString()
        try scanner.expect(UInt8(ascii: ":"))
        _ = scanner.peek()
        let start = scanner.offset
        try scanner.skipValue()
        return RecordEntry(
            name: scanner.text(key), code: 0, isText: false, value: scanner.text(start..<scanner.offset))
    }
}
