import Roster
import RosterCrypto

/// A complete hash of libcrypt whose cost is within bounds.
struct CryptSetting: Sendable, Hashable {
    enum Kind: String, Sendable {
        case md5crypt = "md5-crypt"
        case sha256crypt = "sha256-crypt"
        case sha512crypt = "sha512-crypt"
        case bcrypt = "bcrypt"
        case yescrypt = "yescrypt"
        case scrypt = "crypt-scrypt"
    }

    let kind: Kind
    /// The text that libcrypt takes as its setting, and returns for the right password.
    let text: String

    /// Reads `$id$…`. The form is checked completely, so that libcrypt only sees texts like its own.
    init(_ text: Substring) throws(StoredHashProblem) {
        guard text.hasPrefix("$") else {
            // DES: two characters of salt and eleven of hash; its longer form begins with an underscore.
            let isDES =
                [13, 20].contains(text.utf8.count)
                && text.utf8.allSatisfy { PasswordCost.value($0) != nil || $0 == 0x5F }
            throw isDES ? .weakScheme("DES crypt") : .clearText
        }
        let fields = text.dropFirst().split(separator: "$", omittingEmptySubsequences: false)
        switch fields.first {
        case "1":
            kind = .md5crypt
            guard fields.count == 3, Self.isText(fields[1], 1...8), Self.isText(fields[2], 22...22) else {
                throw .malformed(kind.rawValue)
            }
        case "5", "6":
            kind = fields[0] == "5" ? .sha256crypt : .sha512crypt
            try Self.checkSHA(fields.dropFirst(), kind)
        case "2a", "2b", "2y":
            kind = .bcrypt
            try Self.checkBcrypt(fields.dropFirst())
        case "y":
            kind = .yescrypt
            try Self.checkYescrypt(fields.dropFirst())
        case "7":
            kind = .scrypt
            try Self.checkScrypt(fields.dropFirst())
        default: throw .unknownScheme
        }
        guard LibCrypt.isAvailable else { throw .unsupported(kind.rawValue) }
        self.text = String(text)
    }

    /// `[rounds=N$]salt$hash`; 1,000 to 5,000,000 rounds, 5,000 by default.
    private static func checkSHA(_ fields: ArraySlice<Substring>, _ kind: Kind) throws(StoredHashProblem) {
        var fields = fields
        if let first = fields.first, first.hasPrefix("rounds=") {
            guard let rounds = PasswordScheme.wholeNumber(first.dropFirst(7)) else { throw .malformed(kind.rawValue) }
            guard (1_000...5_000_000).contains(rounds) else { throw .outOfBounds(kind.rawValue) }
            fields = fields.dropFirst()
        }
        let length = kind == .sha256crypt ? 43 : 86
        guard fields.count == 2, let salt = fields.first, isText(salt, 1...16), let hash = fields.last,
            isText(hash, length...length)
        else { throw .malformed(kind.rawValue) }
    }

    /// `cost$` and 22 characters of salt with 31 of hash; the cost is 4 to 16. A hash that is set now costs at most 2^12
    /// (``PasswordCost``), but an older version may have stored a more expensive one.
    private static func checkBcrypt(_ fields: ArraySlice<Substring>) throws(StoredHashProblem) {
        guard fields.count == 2, let costText = fields.first, costText.utf8.count == 2,
            let cost = PasswordScheme.wholeNumber(costText.hasPrefix("0") ? costText.dropFirst() : costText),
            let rest = fields.last, isText(rest, 53...53)
        else { throw .malformed(Kind.bcrypt.rawValue) }
        guard (4...16).contains(cost) else { throw .outOfBounds(Kind.bcrypt.rawValue) }
    }

    /// `jNr$salt$hash`: flavour, N and r in one character each, which is all that `crypt_gensalt` ever writes.
    private static func checkYescrypt(_ fields: ArraySlice<Substring>) throws(StoredHashProblem) {
        guard fields.count == 3, let costs = fields.first.map({ Array($0.utf8) }), costs.count == 3,
            costs[0] == UInt8(ascii: "j"), let logN = PasswordCost.value(costs[1]),
            let r = PasswordCost.value(costs[2]), logN <= 47, r <= 47,
            let salt = fields.dropFirst().first, isText(salt, 1...86), let hash = fields.last, isText(hash, 43...43)
        else { throw .malformed(Kind.yescrypt.rawValue) }
        guard PasswordParameters(storedLogN: logN + 1, r: r + 1, p: 1) != nil else {
            throw .outOfBounds(Kind.yescrypt.rawValue)
        }
    }

    /// `N`, five characters of r, five of p, then `salt$hash`.
    private static func checkScrypt(_ fields: ArraySlice<Substring>) throws(StoredHashProblem) {
        guard fields.count == 2, let first = fields.first, isText(first, 12...97), let hash = fields.last,
            isText(hash, 43...43)
        else { throw .malformed(Kind.scrypt.rawValue) }
        let values = first.utf8.prefix(11).compactMap { PasswordCost.value($0) }
        // The least significant six bits come first.
        let r = values[1...5].reversed().reduce(0) { $0 << 6 | $1 }
        let p = values[6...10].reversed().reduce(0) { $0 << 6 | $1 }
        guard PasswordParameters(storedLogN: values[0], r: r, p: p) != nil else {
            throw .outOfBounds(Kind.scrypt.rawValue)
        }
    }

    /// Whether a text has an allowed length and only characters of `crypt`'s alphabet.
    private static func isText(_ text: Substring, _ length: ClosedRange<Int>) -> Bool {
        length.contains(text.utf8.count) && text.utf8.allSatisfy { PasswordCost.value($0) != nil }
    }
}
