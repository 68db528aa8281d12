import RosterText

/// An answer of the server: the revision of its vocabulary, the vocabulary itself if the client knows another revision, and the
/// value.
package struct WireAnswer<Value: WireValue>: Sendable {
    let vocabulary: Vocabulary?
    let value: Value

    /// The levels of arrays and objects that an answer may have.
    private static var maximumLevels: Int { 64 }

    /// Reads the answer.
    ///
    /// - Throws: ``DirectoryError`` `badAnswer`.
    init(reading body: [UInt8], for view: DirectoryView) throws {
        var revision: Int64?
        var vocabulary: Vocabulary?
        var value: Value?
        do {
            // Values are read by functions that call each other, and a deep answer would overflow the stack.
            try JSONScanner.check(body, levels: Self.maximumLevels)
            try body.withUnsafeBufferPointer { bytes in
                var json = JSONScanner(bytes)
                try json.object { name, json in
                    switch name {
                    case "revision": revision = try json.integer()
                    case "vocabulary": vocabulary = try Vocabulary.read(&json, for: view)
                    case "answer": value = try Value.read(&json, for: view)
                    default: try json.skipValue()
                    }
                }
                _ = json.peek()
                guard json.isAtEnd else { throw json.failure("something follows the answer") }
            }
        } catch {
            throw DirectoryError.badAnswer
        }
        guard revision != nil, let value else { throw DirectoryError.badAnswer }
        (self.vocabulary, self.value) = (vocabulary, value)
    }

    /// The body of an answer.
    ///
    /// - Parameter knownRevision: The revision of the vocabulary that the client knows; nil if the client wants no vocabulary.
    /// - Throws: ``DirectoryError`` `limitExceeded`.
    package static func body(_ value: Value, vocabulary: Vocabulary, knownRevision: Int64?) throws -> [UInt8] {
        var json: [UInt8] = []
        json.reserveCapacity(512)
        json.append(contentsOf: #"{"revision":\#(vocabulary.revision)"#.utf8)
        if let knownRevision, knownRevision != vocabulary.revision {
            json.append(contentsOf: #","vocabulary":"#.utf8)
            try vocabulary.write(to: &json)
        }
        json.append(contentsOf: #","answer":"#.utf8)
        try value.write(to: &json)
        json.append(UInt8(ascii: "}"))
        return json
    }
}

extension DirectoryError {
    static let badAnswer = DirectoryError(
        .badAnswer, "The server's answer is not one of a directory server.",
        advice: "Check the server's address, and that the server's version is not older than the client's.")
}
