package import Roster
import RosterCrypto
import RosterText

/// Verifies passwords so that every refusal takes the same time, whether the account exists or not, and however its password is hashed.
///
/// A refusal costs one hash of each stored scheme, with the costs of its costliest hash, and one of the scheme of new passwords. The
/// time is spent hashing and not waiting, so that it is the same on a busy machine as well.
package struct DummyHash: Sendable {
    /// A stored hash that no password matches.
    package let text: String
    private let new: PasswordCost

    /// - Parameter parameters: The parameters of new passwords.
    package init(_ parameters: PasswordParameters = .standard) throws {
        new = PasswordCost(scryptLogN: parameters.logN, r: parameters.r, p: parameters.p)
        text = Self.scrypt(
            parameters.logN, parameters.r, parameters.p, salt: Base64.text(try SecureRandom.bytes(16), isPadded: false),
            key: Base64.text(try SecureRandom.bytes(32), isPadded: false))
    }

    /// The form in which the password is the stored one; nil for a wrong password. Every sign-in must ask in this way.
    ///
    /// - Parameters:
    ///   - stored: The stored hash; nil for an account without one.
    ///   - isUsable: Whether the account may sign in. If not, the right password takes as long as a wrong one.
    ///   - costliest: The costliest stored hash of each scheme.
    /// - Throws: The same as ``PasswordHash/match(_:)``.
    package func match(
        _ password: String, against stored: PasswordHash?, isUsable: Bool = true,
        costliest: [PasswordCost.Scheme: PasswordCost] = [:]
    ) throws -> PasswordHash.Form? {
        let form = try stored?.match(password)
        if form != nil, isUsable { return form }
        for hash in padding(beside: stored, costliest) { _ = try hash.match(password) }
        return form
    }

    /// The hashes that are made besides the stored one: for each scheme as many steps as its costliest hash has, less those of the
    /// stored hash.
    func padding(
        beside stored: PasswordHash?, _ costliest: [PasswordCost.Scheme: PasswordCost]
    ) -> [PasswordHash] {
        var all = costliest
        if (all[.scrypt]?.steps ?? 0) < new.steps { all[.scrypt] = new }
        let own = stored.flatMap { PasswordCost($0.text) }
        return PasswordCost.Scheme.allCases.compactMap { all[$0] }.flatMap { cost in
            let done = own?.scheme == cost.scheme ? own?.steps ?? 0 : 0
            // A scheme that this system cannot verify takes no time, because nobody with such a hash can sign in.
            return Self.texts(like: cost, steps: max(cost.steps - done, 0)).compactMap { try? PasswordHash($0) }
        }
    }

    // MARK: Hashes of nobody's password

    private static func salt(_ count: Int) -> String { String(repeating: "A", count: count) }

    /// Hashes that have this many steps together, or slightly fewer if the scheme is too coarse.
    private static func texts(like cost: PasswordCost, steps: Int) -> [String] {
        func bits(_ range: ClosedRange<Int>) -> [Int] { range.filter { steps & (1 << $0) != 0 } }
        switch cost.scheme {
        case .pbkdf2SHA1: return steps > 0 ? ["{PBKDF2}\(steps)$\(salt(22))$\(salt(27))"] : []
        case .pbkdf2SHA256: return steps > 0 ? ["{PBKDF2-SHA256}\(steps)$\(salt(22))$\(salt(43))"] : []
        case .pbkdf2SHA512: return steps > 0 ? ["{PBKDF2-SHA512}\(steps)$\(salt(22))$\(salt(86))"] : []
        case .md5crypt: return steps > 0 ? ["$1$\(salt(8))$\(salt(22))"] : []
        case .sha256crypt: return steps >= 1_000 ? ["$5$rounds=\(steps)$\(salt(16))$\(salt(43))"] : []
        case .sha512crypt: return steps >= 1_000 ? ["$6$rounds=\(steps)$\(salt(16))$\(salt(86))"] : []
        case .bcrypt: return bits(4...16).map { "$2b$\($0 < 10 ? "0" : "")\($0)$\(String(repeating: ".", count: 53))" }
        case .scrypt:
            return tables(like: cost, steps).map {
                scrypt($0.logN, cost.width, $0.passes, salt: salt(22), key: salt(43))
            }
        case .yescrypt:
            return tables(like: cost, steps).map {
                "$y$j\(character($0.logN - 1))\(character(cost.width - 1))$\(salt(8))$\(salt(43))"
            }
        case .cryptScrypt:
            return tables(like: cost, steps).map {
                "$7$\(character($0.logN))\(characters(cost.width))\(characters($0.passes))\(salt(8))$\(salt(43))"
            }
        case .argon2i, .argon2d, .argon2id:
            let rest = steps % cost.pass
            return [(cost.pass, steps / cost.pass), (rest >= 8 * cost.width ? rest : 0, 1)].compactMap {
                memory, passes in
                guard memory > 0, passes > 0 else { return nil }
                return "$\(cost.scheme.rawValue)$v=19$m=\(memory),t=\(passes),p=\(cost.width)$\(salt(22))$\(salt(43))"
            }
        }
    }

    /// Tables of scrypt and yescrypt that take this many steps together: as many passes over the largest table as fit, then smaller
    /// tables.
    private static func tables(like cost: PasswordCost, _ steps: Int) -> [(logN: Int, passes: Int)] {
        var logN = (cost.pass / cost.width).trailingZeroBitCount
        var (passes, rest) = steps.quotientAndRemainder(dividingBy: cost.pass)
        var tables: [(logN: Int, passes: Int)] = []
        while logN > 0, passes > 0 || rest > cost.pass / 64 {
            if passes > 0 { tables.append((logN, passes)) }
            logN -= 1
            (passes, rest) = rest.quotientAndRemainder(dividingBy: cost.width << logN)
        }
        return tables
    }

    private static func scrypt(_ logN: Int, _ r: Int, _ p: Int, salt: String, key: String) -> String {
        "$scrypt$ln=\(logN),r=\(r),p=\(p)$\(salt)$\(key)"
    }

    /// A number from 0 to 63 in `crypt`'s alphabet.
    private static func character(_ number: Int) -> Character {
        let alphabet = Array("./0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz")
        return alphabet[number & 63]
    }

    /// A number of 30 bits, the least significant six first.
    private static func characters(_ number: Int) -> String {
        String((0..<5).map { character(number >> ($0 * 6)) })
    }
}
