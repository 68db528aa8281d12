import Roster
import RosterCrypto
import RosterText

/// Makes the UUIDs of entries. A UUID holds the identifier, so that it never changes, and differs from those of other directories.
struct EntryUUID: Sendable {
    /// The kind of an entry. Users and roles have numbers of one sequence; the other entries have numbers of their own.
    enum Kind: UInt8 {
        case entry = 0, container, sudoRole
    }

    private let prefix: [UInt8]
    private let mask: UInt64

    init(_ directory: Directory) throws {
        let code = try HMACSHA256.code(for: Array("entryUUID".utf8), key: Array(try directory.signingKey().utf8))
        var prefix = Array(code.prefix(8))
        // Version 8 of RFC 9562: the other bits have a meaning of their own.
        prefix[6] = prefix[6] & 0x0F | 0x80
        self.prefix = prefix
        var number: UInt64 = 0
        for byte in code[8..<16] { number = number << 8 | UInt64(byte) }
        mask = number & Self.numberMask
    }

    private static let numberMask: UInt64 = 1 << 56 - 1

    /// The UUID of the user or role with an identifier, as 16 bytes.
    func bytes(_ number: Int64, _ kind: Kind = .entry) -> [UInt8] {
        let mixed = (UInt64(bitPattern: number) ^ mask) & Self.numberMask
        var bytes = prefix
        bytes.append(0x80 | kind.rawValue)
        for place in 0..<7 {
            let shift = UInt64(48 - 8 * place)
            bytes.append(UInt8(truncatingIfNeeded: mixed >> shift))
        }
        return bytes
    }

    /// The UUID of the user or role with an identifier.
    func text(_ number: Int64, _ kind: Kind = .entry) -> String {
        let digits = Array("0123456789abcdef".utf8)
        var text: [UInt8] = []
        for (index, byte) in bytes(number, kind).enumerated() {
            if [4, 6, 8, 10].contains(index) { text.append(UInt8(ascii: "-")) }
            text += [digits[Int(byte >> 4)], digits[Int(byte & 15)]]
        }
        return String(decoding: text, as: UTF8.self)
    }

    /// The number of the user or role that a UUID is of; nil if no user or role has the UUID.
    func number(_ text: String) -> Int64? {
        let characters = Array(text.utf8)
        guard characters.count == 36, [8, 13, 18, 23].allSatisfy({ characters[$0] == UInt8(ascii: "-") }) else {
            return nil
        }
        let digits = characters.filter { $0 != UInt8(ascii: "-") }.compactMap(\.hexDigit)
        guard digits.count == 32 else { return nil }
        let bytes = stride(from: 0, to: 32, by: 2).map { digits[$0] << 4 | digits[$0 + 1] }
        guard bytes.starts(with: prefix), bytes[8] == 0x80 | Kind.entry.rawValue else { return nil }
        var mixed: UInt64 = 0
        for byte in bytes[9...] { mixed = mixed << 8 | UInt64(byte) }
        let number = Int64(mixed ^ mask)
        return number > 0 ? number : nil
    }
}
