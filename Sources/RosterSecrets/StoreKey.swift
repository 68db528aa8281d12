public import Foundation
import RosterCrypto
public import RosterText

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// The secret that opens a ``SecureStore`` in a file, after the key-encryption key of Oracle's `OMKeyStore`.
///
/// Descriptions and mirrors of this type do not show the passphrase.
public enum StoreKey: Sendable, CustomStringConvertible, Redacted {
    /// A passphrase, from which scrypt (RFC 7914) derives the key with 16 MiB of memory.
    case passphrase(String)
    /// A file with 32 random bytes. A new store makes the file, with mode 0600, if the file is missing. A file that other users
    /// can read or write is refused.
    case keyFile(URL)

    /// The kind of the key, and the path of a key file.
    public var description: String {
        switch self {
        case .passphrase: "a passphrase"
        case .keyFile(let file): "the key file '\(file.path)'"
        }
    }

    var kind: StoreHeader.Kind {
        switch self {
        case .passphrase: .passphrase
        case .keyFile: .keyFile
        }
    }

    /// Derives the key-encryption key for a header.
    ///
    /// - Parameters:
    ///   - header: The header, with costs within their bounds.
    ///   - path: The store's path, for errors.
    ///   - isNew: Whether the store is made now, so that a missing key file is made.
    func derived(for header: StoreHeader, path: String, isNew: Bool) throws -> [UInt8] {
        switch self {
        case .passphrase(let passphrase):
            // Keyboards of different systems compose letters with accents in different ways.
            let passphrase = passphrase.precomposedStringWithCanonicalMapping
            guard !passphrase.isEmpty else {
                throw SecureStoreError.invalidInput("The passphrase of a secure store is empty.", "Give a passphrase.")
            }
            return try passphrase.withUTF8Bytes {
                try Scrypt.key(
                    password: $0, salt: header.salt, logN: header.costs.logN, r: header.costs.r, p: header.costs.p,
                    length: 32)
            }
        case .keyFile(let file):
            if isNew { try Self.make(file) }
            var bytes = try Self.read(file, path)
            defer { cleanse(&bytes) }
            return try HMACSHA256.code(for: header.salt, key: bytes)
        }
    }

    private static func read(_ file: URL, _ path: String) throws -> [UInt8] {
        guard let open = try OpenFile(at: file.path) else {
            throw SecureStoreError.wrongKey(path, "needs the key file '\(file.path)', which is missing.")
        }
        guard open.isPrivate else {
            throw SecureStoreError(
                .badConfiguration,
                "The key file '\(file.path)' belongs to another user, or others can read or write it.",
                advice:
                    "Run 'chmod 600' and 'chown' on the file. If others may have read the key, change the store's key.")
        }
        guard let bytes = try open.bytes(atMost: 32), bytes.count == 32 else {
            throw SecureStoreError.wrongKey(
                path, "needs a key file of 32 bytes, and '\(file.path)' has another length.")
        }
        return bytes
    }

    /// Makes a key file if there is none. Several stores may make the same file at once, so there is a lock.
    private static func make(_ file: URL) throws {
        guard file.isFileURL else {
            throw SecureStoreError.invalidInput("The key file is not a file URL.", "Give a file URL.")
        }
        guard access(file.path, F_OK) != 0 else { return }
        let lock = try LockFile.take(file.path + ".lock")
        defer { lock.release() }
        guard access(file.path, F_OK) != 0 else { return }
        var key = try SecureRandom.bytes(32)
        defer { cleanse(&key) }
        _ = try OpenFile(placing: key, at: file.path)
    }
}
