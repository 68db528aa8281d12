import RosterCrypto
import RosterText

/// The data key of an open store in a file, and the form of the file:
///
/// | bytes | content |
/// |---|---|
/// | 48 | the fields of ``StoreHeader`` |
/// | 60 | the data key, encrypted with AES-256-GCM under the key-encryption key; the fields are authenticated data |
/// | 32 | the SHA-256 of the bytes so far, which tells a damaged file from a wrong key |
/// | the rest | all entries, encrypted with AES-256-GCM under the data key; the bytes so far are authenticated data |
///
/// A new key-encryption key comes with a new data key, so that whoever had the old one cannot read later files.
struct StoreSeal: Sendable {
    /// The values by the bytes of their names, so that composed and decomposed letters differ.
    typealias Entries = [[UInt8]: [UInt8]]

    /// The longest name in bytes.
    static let longestName = 1_024
    /// The longest value in bytes.
    static let longestValue = 1 << 20
    /// The largest file in bytes.
    static let largestFile = 1 << 26

    private static let boxOverhead = 28
    private static let wrappedLength = 32 + boxOverhead
    private static let checkedLength = StoreHeader.length + wrappedLength
    private static let headLength = checkedLength + 32

    /// The bytes before the entries.
    private let head: [UInt8]
    private let dataKey: [UInt8]

    /// The seal of a new store, or of an old one whose key changes.
    init(new key: StoreKey, path: String) throws {
        let header = try StoreHeader(key.kind)
        var wrapping = try key.derived(for: header, path: path, isNew: true)
        defer { cleanse(&wrapping) }
        dataKey = try SecureRandom.bytes(32)
        let checked = try header.bytes + SecretBox.seal(dataKey, key: wrapping, context: Base64.text(header.bytes))
        head = try checked + SHA256.digest(checked)
    }

    /// The seal of a file.
    ///
    /// - Throws: ``SecureStoreError`` `wrongKey` if the key is of another kind, or another one; `damagedStore`; `newerStore`.
    init(of file: [UInt8], key: StoreKey, path: String) throws {
        try Self.check(file, path: path)
        let header = try StoreHeader(reading: file, path: path)
        guard key.kind == header.kind else {
            throw SecureStoreError.wrongKey(
                path, "was made with \(header.kind == .passphrase ? "a passphrase" : "a key file").")
        }
        var wrapping = try key.derived(for: header, path: path, isNew: false)
        defer { cleanse(&wrapping) }
        let wrapped = Array(file[StoreHeader.length..<Self.checkedLength])
        let opened = try SecretBox.open(wrapped, key: wrapping, context: Base64.text(header.bytes))
        guard let opened, opened.count == 32 else { throw SecureStoreError.wrongKey(path) }
        dataKey = opened
        head = Array(file[..<Self.headLength])
    }

    private static func check(_ file: [UInt8], path: String) throws {
        try StoreHeader.checkVersion(file, path: path)
        guard file.count >= headLength else { throw SecureStoreError.damaged(path, "the file is too short") }
        guard try SHA256.digest(Array(file[..<checkedLength])) == Array(file[checkedLength..<headLength]) else {
            throw SecureStoreError.damaged(path, "the header was altered")
        }
    }

    /// The whole file with the entries.
    func file(_ entries: Entries, path: String) throws -> [UInt8] {
        var text = BigEndian.bytes(UInt32(clamping: entries.count))
        defer { cleanse(&text) }
        for (name, value) in entries {
            text += BigEndian.bytes(UInt16(clamping: name.count)) + BigEndian.bytes(UInt32(clamping: value.count))
            text += name
            text += value
        }
        guard Self.headLength + text.count + Self.boxOverhead <= Self.largestFile else {
            throw SecureStoreError.invalidInput(
                "The secure store '\(path)' would have more than \(Self.largestFile >> 20) MiB.", "Store less.")
        }
        return head + (try SecretBox.seal(text, key: dataKey, context: Base64.text(head)))
    }

    /// The entries of a file.
    ///
    /// - Throws: ``SecureStoreError`` `wrongKey` if the file has another data key, because the store's key was changed.
    func entries(_ file: [UInt8], path: String) throws -> Entries {
        guard file.starts(with: head) else {
            try Self.check(file, path: path)
            throw SecureStoreError(
                .wrongKey, "The key of the secure store '\(path)' was changed after the store was opened.",
                advice: "Open the store again with the new key.")
        }
        let box = Array(file[Self.headLength...])
        guard var text = try SecretBox.open(box, key: dataKey, context: Base64.text(head)) else {
            throw SecureStoreError.damaged(path, "the entries were altered")
        }
        defer { cleanse(&text) }
        var rest = ByteReader(text)
        let malformed = SecureStoreError.damaged(path, "the entries are malformed")
        guard let count = rest.integer(UInt32.self) else { throw malformed }
        var entries: Entries = [:]
        for _ in 0..<count {
            guard let nameLength = rest.integer(UInt16.self), let valueLength = rest.integer(UInt32.self),
                let name = rest.take(Int(nameLength)), let value = rest.take(Int(valueLength)),
                String(validating: name, as: UTF8.self) != nil
            else { throw malformed }
            entries[Array(name)] = Array(value)
        }
        guard rest.isAtEnd else { throw malformed }
        return entries
    }
}
