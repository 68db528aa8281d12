import RosterCrypto
import RosterText

/// An Argon2 hash of version 1.3 in the PHC string format: `$argon2id$v=19$m=19456,t=2,p=1$<salt>$<hash>`.
///
/// It can be read only if this build has the function; see ``Argon2``.
struct Argon2Setting: Sendable, Hashable {
    let kind: Argon2.Kind
    /// KiB of memory: 8 to 262,144.
    let memory: Int
    /// Passes: 1 to 16.
    let passes: Int
    let lanes: Int
    let salt: [UInt8]
    let key: [UInt8]

    init(_ text: Substring) throws(StoredHashProblem) {
        let fields = text.split(separator: "$", omittingEmptySubsequences: false)
        guard fields.count >= 2, fields[0].isEmpty, let kind = Argon2.Kind(rawValue: String(fields[1])) else {
            throw .unknownScheme
        }
        guard Argon2.isAvailable(kind) else { throw .unsupported(kind.rawValue) }
        self = try Self(kind, fields.dropFirst(2))
    }

    /// Reads the fields after the name.
    init(_ kind: Argon2.Kind, _ fields: ArraySlice<Substring>) throws(StoredHashProblem) {
        let fields = Array(fields)
        guard fields.count == 4, fields[0] == "v=19",
            let costs = PasswordScheme.numbers(fields[1], named: ["m", "t", "p"]),
            let salt = Base64.bytes(fields[2], padding: .absent), (8...64).contains(salt.count),
            let key = Base64.bytes(fields[3], padding: .absent), (16...64).contains(key.count)
        else { throw .malformed(kind.rawValue) }
        (memory, passes, lanes) = (costs[0], costs[1], costs[2])
        guard (1...16).contains(passes), (1...16).contains(lanes), (8 * lanes...262_144).contains(memory),
            memory * passes <= 1_048_576
        else { throw .outOfBounds(kind.rawValue) }
        (self.kind, self.salt, self.key) = (kind, salt, key)
    }

    /// The key that a password makes.
    func key(of password: UnsafeRawBufferPointer) throws -> [UInt8] {
        try Argon2.key(
            kind, password: password, salt: salt, memory: memory, passes: passes, lanes: lanes, length: key.count)
    }
}
