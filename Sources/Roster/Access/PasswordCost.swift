import RosterStore
import RosterText

/// The cost of verifying a password against a stored hash, as the parameters in the hash determine it.
///
/// Plain and salted digests have no cost, because their time is too short to matter.
package struct PasswordCost: Sendable, Hashable {
    /// A hash function whose time is proportional to its steps.
    package enum Scheme: String, Sendable, CaseIterable {
        case scrypt
        case pbkdf2SHA1 = "PBKDF2 with SHA-1"
        case pbkdf2SHA256 = "PBKDF2 with SHA-256"
        case pbkdf2SHA512 = "PBKDF2 with SHA-512"
        case md5crypt = "md5-crypt"
        case sha256crypt = "sha256-crypt"
        case sha512crypt = "sha512-crypt"
        case bcrypt
        case yescrypt
        case cryptScrypt = "crypt-scrypt"
        case argon2i
        case argon2d
        case argon2id

        /// The most steps of a hash that is imported or set. Each maximum takes 0.15 to 0.35 s on the machine of the
        /// README's figures.
        package var mostSteps: Int {
            switch self {
            case .scrypt, .cryptScrypt, .yescrypt: 1_048_576
            case .pbkdf2SHA1: 1_400_000
            case .pbkdf2SHA256: 1_200_000
            case .pbkdf2SHA512: 500_000
            case .md5crypt: 1
            case .sha256crypt, .sha512crypt: 1_000_000
            case .bcrypt: 1 << 12
            case .argon2i, .argon2d, .argon2id: 262_144
            }
        }

        /// The meaning of a step.
        fileprivate var unit: String {
            switch self {
            case .scrypt, .cryptScrypt: "N·r·p"
            case .yescrypt: "N·r"
            case .pbkdf2SHA1, .pbkdf2SHA256, .pbkdf2SHA512: "iterations"
            case .md5crypt, .sha256crypt, .sha512crypt: "rounds"
            case .bcrypt: "2^cost"
            case .argon2i, .argon2d, .argon2id: "KiB × passes"
            }
        }
    }

    /// The hash function.
    package let scheme: Scheme
    /// The number of steps: iterations, rounds, 2^cost of bcrypt, N·r·p of scrypt, N·r of yescrypt, KiB × passes of
    /// Argon2.
    package let steps: Int
    /// The steps of one pass over the memory: N·r for scrypt and yescrypt, KiB for Argon2, 1 for other schemes.
    package let pass: Int
    /// r of scrypt and yescrypt, or the lanes of Argon2; 1 for other schemes.
    package let width: Int

    private init(_ scheme: Scheme, _ factors: Int..., width: Int = 1, pass: Int = 1) {
        self.scheme = scheme
        steps = Self.product(factors)
        // A hash without blocks or lanes is invalid, and must not cause a division by zero.
        self.width = max(width, 1)
        self.pass = max(pass, 1)
    }

    /// The cost of a scrypt hash.
    package init(scryptLogN logN: Int, r: Int, p: Int) {
        let pass = Self.product([Self.power(logN), r])
        self.init(.scrypt, pass, p, width: r, pass: pass)
    }

    /// Reads the cost from a stored hash; returns nil for digests and unknown schemes.
    package init?(_ text: String) {
        var rest = text[...]
        if text.hasPrefix("{") {
            guard let end = text.firstIndex(of: "}") else { return nil }
            rest = text[text.index(after: end)...]
            let first = rest.prefix { $0 != "$" }
            switch text[..<end].dropFirst().uppercased() {
            case "PBKDF2", "PBKDF2-SHA1": self.init(.pbkdf2SHA1, of: first)
            case "PBKDF2-SHA256": self.init(.pbkdf2SHA256, of: first)
            case "PBKDF2-SHA512": self.init(.pbkdf2SHA512, of: first)
            case "PBKDF2_SHA256":
                // Four bytes of iterations are six characters of base64, of which the last one has four bits of the salt.
                guard let bytes = Base64.bytes(rest.prefix(8)), bytes.count == 6 else { return nil }
                // The hash has eight blocks of SHA-256, and each takes all iterations.
                self.init(.pbkdf2SHA256, bytes.prefix(4).reduce(0) { $0 << 8 | Int($1) }, 8)
            case "CRYPT", "BCRYPT", "ARGON2":
                self.init(fields: rest.split(separator: "$", omittingEmptySubsequences: false))
            default: return nil
            }
        } else {
            self.init(fields: rest.split(separator: "$", omittingEmptySubsequences: false))
        }
    }

    private init?(_ scheme: Scheme, of iterations: Substring) {
        guard let iterations = Int(iterations) else { return nil }
        self.init(scheme, iterations)
    }

    /// Reads `$name$…`, or Django's `name$…`.
    private init?(fields: [Substring]) {
        guard fields.count >= 3 else { return nil }
        let costs = fields[0].isEmpty ? fields[2] : fields[1]
        switch fields[0].isEmpty ? fields[1] : fields[0] {
        case "scrypt":
            guard let numbers = Self.numbers(costs, ["ln", "r", "p"]) else { return nil }
            self.init(scryptLogN: numbers[0], r: numbers[1], p: numbers[2])
        case "pbkdf2", "pbkdf2-sha1", "pbkdf2_sha1": self.init(.pbkdf2SHA1, of: costs)
        case "pbkdf2-sha256", "pbkdf2_sha256": self.init(.pbkdf2SHA256, of: costs)
        case "pbkdf2-sha512": self.init(.pbkdf2SHA512, of: costs)
        case "1": self.init(.md5crypt, 1)
        case "5": self.init(.sha256crypt, Self.rounds(costs))
        case "6": self.init(.sha512crypt, Self.rounds(costs))
        case "2a", "2b", "2y":
            guard let cost = Int(costs) else { return nil }
            self.init(.bcrypt, Self.power(cost))
        case "y":
            let numbers = costs.utf8.dropFirst().compactMap(Self.value)
            guard numbers.count == 2 else { return nil }
            let pass = Self.product([Self.power(numbers[0] + 1), numbers[1] + 1])
            self.init(.yescrypt, pass, width: numbers[1] + 1, pass: pass)
        case "7":
            let numbers = costs.utf8.prefix(11).compactMap(Self.value)
            guard numbers.count == 11 else { return nil }
            // The least significant six bits come first.
            let r = numbers[1...5].reversed().reduce(0) { $0 << 6 | $1 }
            let p = numbers[6...10].reversed().reduce(0) { $0 << 6 | $1 }
            let pass = Self.product([Self.power(numbers[0]), r])
            self.init(.cryptScrypt, pass, p, width: r, pass: pass)
        case "argon2i", "argon2d", "argon2id":
            guard fields.count >= 4, let scheme = Scheme(rawValue: String(fields[1])),
                let numbers = Self.numbers(fields[3], ["m", "t", "p"])
            else { return nil }
            self.init(scheme, numbers[0], numbers[1], width: numbers[2], pass: numbers[0])
        default: return nil
        }
    }

    /// Refuses a hash that takes too long to verify, because every failed sign-in takes as long as the slowest stored
    /// hash.
    ///
    /// - Throws: `invalidAttribute`.
    func checkBounds() throws {
        guard steps > scheme.mostSteps else { return }
        throw DirectoryError(
            .invalidAttribute,
            "The hash of 'password' is too costly: \(scheme.rawValue) is accepted with up to \(scheme.mostSteps) "
                + "\(scheme.unit), and this one has \(steps == .max ? "far more" : String(steps)).",
            advice: "Leave the hash out and let the user set a new password.", attribute: "password")
    }

    // MARK: Numbers

    /// The product, or the largest integer on overflow.
    private static func product(_ factors: [Int]) -> Int {
        factors.reduce(1) { product, factor in
            let (result, isTooLarge) = product.multipliedReportingOverflow(by: max(factor, 0))
            return isTooLarge ? .max : result
        }
    }

    /// The power of two, or the largest integer on overflow.
    private static func power(_ exponent: Int) -> Int {
        (0..<62).contains(exponent) ? 1 << exponent : exponent < 0 ? 1 : .max
    }

    /// Reads `rounds=N`; returns the default of 5,000 for any other text.
    private static func rounds(_ text: Substring) -> Int {
        text.hasPrefix("rounds=") ? Int(text.dropFirst(7)) ?? .max : 5_000
    }

    /// Reads `a=1,b=2` with exactly these names in this order.
    private static func numbers(_ text: Substring, _ names: [String]) -> [Int]? {
        let fields = text.split(separator: ",", omittingEmptySubsequences: false)
        let numbers = zip(fields, names).compactMap { field, name in
            field.hasPrefix(name + "=") ? Int(field.dropFirst(name.utf8.count + 1)) : nil
        }
        return fields.count == names.count && numbers.count == names.count ? numbers : nil
    }

    /// The value of a character in `crypt`'s alphabet, `./0-9A-Za-z`.
    package static func value(_ character: UInt8) -> Int? {
        switch character {
        case 0x2E...0x39: Int(character) - 0x2E
        case 0x41...0x5A: Int(character) - 0x41 + 12
        case 0x61...0x7A: Int(character) - 0x61 + 38
        default: nil
        }
    }
}

/// The costliest hash of each scheme that the directory stores, or has stored since it was opened.
final class StoredPasswordCosts: Sendable {
    private let state = Locked((costliest: [PasswordCost.Scheme: PasswordCost](), isComplete: false))

    /// Records a hash that is stored.
    func note(_ cost: PasswordCost) {
        state.withLock { state in
            guard state.costliest[cost.scheme].map({ $0.steps < cost.steps }) ?? true else { return }
            state.costliest[cost.scheme] = cost
        }
    }

    /// The costliest verifiable hashes. The first call reads all hashes, about a million per second.
    func costliest(
        in store: Store, where isVerifiable: (String) -> Bool
    ) throws -> [PasswordCost.Scheme: PasswordCost] {
        if !state.withLock({ $0.isComplete }) {
            // Hashes stored during the scan are recorded by `note`.
            try store.read { connection in
                try connection.forEachInPages(AccessStatements.passwordHashes) { row in
                    let text = row.text(1)
                    guard let cost = PasswordCost(text) else { return }
                    // An older version may have accepted a hash that is too costly to verify.
                    if cost.steps <= cost.scheme.mostSteps || isVerifiable(text) { note(cost) }
                }
            }
            state.withLock { $0.isComplete = true }
        }
        return state.withLock { $0.costliest }
    }
}
