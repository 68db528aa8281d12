import RosterCrypto
import RosterText

/// The fields at the beginning of a secure store's file, which are in the clear and authenticated:
///
/// | bytes | content |
/// |---|---|
/// | 8 | the magic `ROSTERSS` |
/// | 2 | the version of the format, 1 |
/// | 1 | the kind of key: 1 for a passphrase, 2 for a key file |
/// | 5 | scrypt's costs: log2 of N, r and p in 1, 2 and 2 bytes; zeros for a key file |
/// | 32 | the salt |
///
/// Numbers are big-endian. ``StoreSeal`` has the rest of the file.
package struct StoreHeader: Sendable, Equatable {
    enum Kind: UInt8, Sendable {
        case passphrase = 1
        case keyFile = 2
    }

    /// The costs of scrypt.
    package struct Costs: Sendable, Equatable {
        package var logN: Int
        package var r: Int
        package var p: Int

        package init(logN: Int, r: Int, p: Int) { (self.logN, self.r, self.p) = (logN, r, p) }

        static let none = Costs(logN: 0, r: 0, p: 0)
        /// The costs of a new store: 16 MiB, as OWASP recommends for little memory.
        package static let new = Costs(logN: 14, r: 8, p: 5)

        /// Whether an attacker could not use the costs to take up memory or time: at most 128 MiB, and 8 times the time of
        /// a new store.
        package var areBounded: Bool {
            (1...16).contains(logN) && (1...64).contains(r) && (1...64).contains(p)
                && Scrypt.memory(logN: logN, r: r, p: p) <= 1 << 27 && (1 << logN) * r * p <= 8 * (1 << 14) * 8 * 5
        }
    }

    static let magic = Array("ROSTERSS".utf8)
    static let version = 1
    /// The length of the fields.
    static let length = 48

    let kind: Kind
    let costs: Costs
    let salt: [UInt8]

    /// A header for a new key.
    init(_ kind: Kind) throws {
        self.kind = kind
        costs = kind == .passphrase ? .new : .none
        salt = try SecureRandom.bytes(32)
    }

    /// The fields.
    var bytes: [UInt8] {
        Self.magic + BigEndian.bytes(UInt16(Self.version)) + [kind.rawValue, UInt8(clamping: costs.logN)]
            + BigEndian.bytes(UInt16(clamping: costs.r)) + BigEndian.bytes(UInt16(clamping: costs.p)) + salt
    }

    /// Reads the magic and the version, so that a file of a newer library is not called damaged.
    static func checkVersion(_ file: [UInt8], path: String) throws {
        var bytes = ByteReader(file)
        guard let magic = bytes.take(magic.count) else {
            throw SecureStoreError.damaged(path, file.isEmpty ? "the file is empty" : "the file is too short")
        }
        guard Array(magic) == Self.magic, let version = bytes.integer(UInt16.self) else {
            throw SecureStoreError.damaged(path, "the file is not a secure store")
        }
        guard version <= Self.version else { throw SecureStoreError.newer(path, version: Int(version)) }
    }

    /// Reads the fields.
    init(reading file: [UInt8], path: String) throws {
        var bytes = ByteReader(file.dropFirst(Self.magic.count))
        guard bytes.integer(UInt16.self) == UInt16(Self.version),
            let kind = bytes.integer(UInt8.self).flatMap(Kind.init(rawValue:)),
            let logN = bytes.integer(UInt8.self), let r = bytes.integer(UInt16.self),
            let p = bytes.integer(UInt16.self), let salt = bytes.take(32)
        else { throw SecureStoreError.damaged(path, "the header was altered") }
        self.kind = kind
        costs = Costs(logN: Int(logN), r: Int(r), p: Int(p))
        self.salt = Array(salt)
        guard kind == .keyFile ? costs == .none : costs.areBounded else {
            throw SecureStoreError.damaged(path, "the header's costs of scrypt are out of bounds")
        }
    }
}
