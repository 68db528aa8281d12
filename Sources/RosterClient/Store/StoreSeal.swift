import RosterCrypto

/// The keys of an open store in a file, derived from its key-encryption key, and what they make: the authenticators and
/// the entries.
///
/// Each write of a value draws a new random data key, which is stored wrapped under the key-encryption key. So a new
/// key-encryption key needs no new encryption of the values.
struct StoreSeal: Sendable {
    /// A value with its name, both encrypted with AES-256-GCM under the data key.
    struct Entry: Sendable {
        /// The data key, encrypted with AES-256-GCM.
        let wrappedKey: [UInt8]
        let name: [UInt8]
        let value: [UInt8]

        /// The bytes in the file.
        var bytes: [UInt8] {
            wrappedKey + BigEndian.bytes(UInt16(clamping: name.count)) + BigEndian.bytes(UInt32(clamping: value.count))
                + name + value
        }
    }

    /// The longest name in bytes.
    static let longestName = 1_024
    /// The longest value in bytes.
    static let longestValue = 1 << 20
    /// The largest file in bytes.
    static let largestFile = 1 << 26
    private static let boxOverhead = 28

    let header: StoreHeader
    private let wrappingKey: [UInt8]
    private let authenticationKey: [UInt8]

    /// The keys for a new store, or for an old one whose key changes.
    init(new key: StoreKey, path: String) throws {
        let header = try StoreHeader(key.kind)
        try self.init(header, key.derived(for: header, path: path, isNew: true))
    }

    /// The keys of a store.
    ///
    /// - Throws: ``ClientError`` `wrongKey` if the key is of another kind, or another one.
    init(_ header: StoreHeader, tag: [UInt8], key: StoreKey, path: String) throws {
        guard key.kind == header.kind else {
            throw ClientError.wrongKey(
                path, "was made with \(header.kind == .passphrase ? "a passphrase" : "a key file").")
        }
        try self.init(header, key.derived(for: header, path: path, isNew: false))
        guard constantTimeEqual(try self.tag(), tag) else { throw ClientError.wrongKey(path) }
    }

    private init(_ header: StoreHeader, _ derived: [UInt8]) throws {
        var key = derived
        defer { cleanse(&key) }
        self.header = header
        wrappingKey = try HMACSHA256.code(for: Array("secure store: wrapping".utf8), key: key)
        authenticationKey = try HMACSHA256.code(for: Array("secure store: authentication".utf8), key: key)
    }

    /// The authenticator of the header.
    func tag() throws -> [UInt8] {
        try HMACSHA256.code(for: Array("header".utf8) + header.fields, key: authenticationKey)
    }

    private func tag(body: ArraySlice<UInt8>) throws -> [UInt8] {
        try HMACSHA256.code(for: Array("body".utf8) + header.fields + body, key: authenticationKey)
    }

    // MARK: Files

    /// The whole file: the header, the authenticator of the entries, their number, and the entries.
    func file(_ entries: [[UInt8]: Entry], path: String) throws -> [UInt8] {
        var body = BigEndian.bytes(UInt32(clamping: entries.count))
        for entry in entries.values { body += entry.bytes }
        let checked = header.fields + (try tag())
        let file = try checked + SHA256.digest(checked) + tag(body: body[...]) + body
        guard file.count <= Self.largestFile else {
            throw ClientError.invalidInput(
                "The secure store '\(path)' would have more than \(Self.largestFile >> 20) MiB.", "Store less.")
        }
        return file
    }

    /// Reads the entries after the header. Values stay encrypted.
    func entries(_ file: [UInt8], path: String) throws -> [[UInt8]: Entry] {
        var rest = ByteReader(file.dropFirst(StoreHeader.length))
        guard let tag = rest.take(32),
            constantTimeEqual(try self.tag(body: file.dropFirst(StoreHeader.length + 32)), Array(tag)),
            let count = rest.integer(UInt32.self)
        else { throw ClientError.damaged(path, "the entries were altered") }
        var entries: [[UInt8]: Entry] = [:]
        for _ in 0..<count {
            guard let wrapped = rest.take(32 + Self.boxOverhead), let nameLength = rest.integer(UInt16.self),
                let valueLength = rest.integer(UInt32.self), let name = rest.take(Int(nameLength)),
                let value = rest.take(Int(valueLength)), value.count <= Self.longestValue + Self.boxOverhead
            else { throw ClientError.damaged(path, "an entry is cut off") }
            let entry = Entry(wrappedKey: Array(wrapped), name: Array(name), value: Array(value))
            entries[try self.name(of: entry, path: path)] = entry
        }
        guard rest.isAtEnd else { throw ClientError.damaged(path, "bytes follow the entries") }
        return entries
    }

    // MARK: Entries

    /// Encrypts a value under a new data key.
    func sealed(_ value: [UInt8], name: String) throws -> Entry {
        var key = try SecureRandom.bytes(32)
        defer { cleanse(&key) }
        return Entry(
            wrappedKey: try wrapped(key),
            name: try SecretBox.seal(Array(name.utf8), key: key, context: "name"),
            value: try SecretBox.seal(value, key: key, context: "value of " + name))
    }

    /// Decrypts the value of an entry.
    func value(of entry: Entry, name: String, path: String) throws -> [UInt8] {
        var key = try dataKey(of: entry, path: path)
        defer { cleanse(&key) }
        guard let value = try SecretBox.open(entry.value, key: key, context: "value of " + name) else {
            throw ClientError.damaged(path, "an entry was altered")
        }
        return value
    }

    /// The same entry for a store with another key-encryption key.
    func rewrapped(_ entry: Entry, for seal: StoreSeal, path: String) throws -> Entry {
        var key = try dataKey(of: entry, path: path)
        defer { cleanse(&key) }
        return Entry(wrappedKey: try seal.wrapped(key), name: entry.name, value: entry.value)
    }

    private func name(of entry: Entry, path: String) throws -> [UInt8] {
        var key = try dataKey(of: entry, path: path)
        defer { cleanse(&key) }
        guard let bytes = try SecretBox.open(entry.name, key: key, context: "name"),
            String(validating: bytes, as: UTF8.self) != nil
        else { throw ClientError.damaged(path, "an entry was altered") }
        return bytes
    }

    private func wrapped(_ key: [UInt8]) throws -> [UInt8] {
        try SecretBox.seal(key, key: wrappingKey, context: "data key")
    }

    private func dataKey(of entry: Entry, path: String) throws -> [UInt8] {
        guard let key = try SecretBox.open(entry.wrappedKey, key: wrappingKey, context: "data key") else {
            throw ClientError.damaged(path, "a data key was altered")
        }
        return key
    }
}
