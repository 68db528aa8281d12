import RosterCrypto
import RosterText

/// The scheme of a stored password, with its parameters.
enum PasswordScheme: Sendable, Hashable {
    case scrypt(PasswordParameters, salt: [UInt8], key: [UInt8])
    case pbkdf2(DigestAlgorithm, iterations: Int, salt: [UInt8], key: [UInt8])
    /// The digest of password and salt. `{SHA}` and similar schemes have no salt.
    case digest(DigestAlgorithm, salt: [UInt8], digest: [UInt8])
    /// A scheme that libcrypt verifies.
    case crypt(CryptSetting)
    case argon2(Argon2Setting)

    var name: String {
        switch self {
        case .scrypt: "scrypt"
        case .pbkdf2(let algorithm, _, _, _): "pbkdf2-\(algorithm.rawValue)"
        case .digest(let algorithm, let salt, _): (salt.isEmpty ? "" : "salted ") + algorithm.rawValue
        case .crypt(let setting): setting.kind.rawValue
        case .argon2(let setting): setting.kind.rawValue
        }
    }

    /// Whether a password matches. It is neither empty nor too long, and has no NUL.
    func verify(_ password: UnsafeRawBufferPointer, text: String) throws -> Bool {
        var made: [UInt8]
        let expected: [UInt8]
        switch self {
        case .scrypt(let costs, let salt, let key):
            expected = key
            made = try Scrypt.key(
                password: password, salt: salt, logN: costs.logN, r: costs.r, p: costs.p, length: key.count)
        case .pbkdf2(let algorithm, let iterations, let salt, let key):
            expected = key
            made = try PBKDF2.key(
                password: password, salt: salt, iterations: iterations, algorithm: algorithm, length: key.count)
        case .digest(let algorithm, let salt, let digest):
            expected = digest
            made = try salt.withUnsafeBytes { try algorithm.digest(password, $0) }
        case .argon2(let setting):
            expected = setting.key
            made = try setting.key(of: password)
        case .crypt(let setting):
            // bcrypt uses 72 bytes only. More could exceed the limit of libcrypt.
            let phrase = setting.kind == .bcrypt ? UnsafeRawBufferPointer(rebasing: password.prefix(72)) : password
            return try LibCrypt.verify(phrase, setting.text)
        }
        defer { cleanse(&made) }
        return constantTimeEqual(made, expected)
    }
}

extension PasswordScheme {
    /// Reads a stored text: printable ASCII, of bounded length.
    init(_ text: String) throws(StoredHashProblem) {
        if text.hasPrefix("{") {
            guard let end = text.firstIndex(of: "}") else { throw .clearText }
            let name = text[text.index(after: text.startIndex)..<end].uppercased()
            self = try Self.inBraces(name, text[text.index(after: end)...])
        } else if text.hasPrefix("$") {
            self = try Self.modular(text[...])
        } else if text.hasPrefix("pbkdf2_") {
            self = try Self.django(text[...])
        } else {
            throw .clearText
        }
    }

    /// Reads `{SCHEME}` and the rest, as LDAP directories write it (RFC 2307). The name is in upper case.
    private static func inBraces(_ name: String, _ rest: Substring) throws(StoredHashProblem) -> PasswordScheme {
        switch name {
        case "SHA": try digest(name, .sha1, rest, isSalted: false)
        case "SHA256": try digest(name, .sha256, rest, isSalted: false)
        case "SHA512": try digest(name, .sha512, rest, isSalted: false)
        case "SSHA": try digest(name, .sha1, rest, isSalted: true)
        case "SSHA256": try digest(name, .sha256, rest, isSalted: true)
        case "SSHA512", "SALTEDSHA-512": try digest(name, .sha512, rest, isSalted: true)
        case "PBKDF2", "PBKDF2-SHA1": try pbkdf2(.sha1, rest)
        case "PBKDF2-SHA256": try pbkdf2(.sha256, rest)
        case "PBKDF2-SHA512": try pbkdf2(.sha512, rest)
        case "PBKDF2_SHA256": try directoryServer389(rest)
        case "CRYPT", "BCRYPT":
            // The rest is a scheme of libcrypt, without other braces.
            .crypt(try CryptSetting(rest))
        case "ARGON2": .argon2(try Argon2Setting(rest))
        case "CLEAR", "CLEARTEXT", "PLAIN": throw .clearText
        case "MD5", "SMD5": throw .weakScheme(name == "MD5" ? "MD5" : "salted MD5")
        default: throw .unknownScheme
        }
    }

    /// Reads `$name$` and the rest, as `crypt` and the PHC string format write it.
    private static func modular(_ text: Substring) throws(StoredHashProblem) -> PasswordScheme {
        let name = text.dropFirst().prefix { $0 != "$" }
        let rest = text.dropFirst(name.count + 2)
        switch name {
        case "scrypt": return try scrypt(rest)
        case "pbkdf2", "pbkdf2-sha1": return try pbkdf2(.sha1, rest)
        case "pbkdf2-sha256": return try pbkdf2(.sha256, rest)
        case "pbkdf2-sha512": return try pbkdf2(.sha512, rest)
        case "argon2i", "argon2d", "argon2id": return .argon2(try Argon2Setting(text))
        default: return .crypt(try CryptSetting(text))
        }
    }

    /// Base64 of a digest and the salt after it: 4 to 64 bytes, or none.
    private static func digest(
        _ name: String, _ algorithm: DigestAlgorithm, _ rest: Substring, isSalted: Bool
    ) throws(StoredHashProblem) -> PasswordScheme {
        guard let bytes = Base64.bytes(rest, padding: .optional), bytes.count >= algorithm.length else {
            throw .malformed(name)
        }
        let salt = Array(bytes.dropFirst(algorithm.length))
        guard isSalted ? (4...64).contains(salt.count) : salt.isEmpty else { throw .malformed(name) }
        return .digest(algorithm, salt: salt, digest: Array(bytes.prefix(algorithm.length)))
    }

    /// `iterations$salt$hash` with adapted base64, as OpenLDAP and passlib have it.
    private static func pbkdf2(
        _ algorithm: DigestAlgorithm, _ rest: Substring
    ) throws(StoredHashProblem) -> PasswordScheme {
        let name = "pbkdf2-\(algorithm.rawValue)"
        let fields = rest.split(separator: "$", omittingEmptySubsequences: false)
        guard fields.count == 3, let salt = adaptedBase64(fields[1]), (1...128).contains(salt.count),
            let key = adaptedBase64(fields[2]), key.count == algorithm.length
        else { throw .malformed(name) }
        return .pbkdf2(algorithm, iterations: try iterations(fields[0], name), salt: salt, key: key)
    }

    /// Base64 of the iterations in four bytes, 64 bytes of salt and 256 bytes of hash, as 389 Directory Server has it.
    private static func directoryServer389(_ rest: Substring) throws(StoredHashProblem) -> PasswordScheme {
        let name = "pbkdf2-sha256"
        guard let bytes = Base64.bytes(rest, padding: .optional), bytes.count == 324 else { throw .malformed(name) }
        let count = bytes.prefix(4).reduce(0) { $0 << 8 | Int($1) }
        return .pbkdf2(
            .sha256, iterations: try iterations(String(count)[...], name), salt: Array(bytes[4..<68]),
            key: Array(bytes[68...]))
    }

    /// The bytes of passlib's and OpenLDAP's adapted base64, which has `.` in place of `+` and no padding.
    static func adaptedBase64(_ text: Substring) -> [UInt8]? {
        guard !text.utf8.contains(UInt8(ascii: "+")) else { return nil }
        return Base64.bytes(text.replacing(".", with: "+"), padding: .absent)
    }

    /// `pbkdf2_sha256$iterations$salt$hash`: the salt is text, the hash padded base64.
    private static func django(_ text: Substring) throws(StoredHashProblem) -> PasswordScheme {
        let fields = text.split(separator: "$", omittingEmptySubsequences: false)
        let algorithm: DigestAlgorithm
        switch fields.first {
        case "pbkdf2_sha256": algorithm = .sha256
        case "pbkdf2_sha1": algorithm = .sha1
        default: throw .unknownScheme
        }
        let name = "pbkdf2-\(algorithm.rawValue)"
        guard fields.count == 4, (1...128).contains(fields[2].utf8.count),
            let key = Base64.bytes(fields[3]), key.count == algorithm.length
        else { throw .malformed(name) }
        return .pbkdf2(algorithm, iterations: try iterations(fields[1], name), salt: Array(fields[2].utf8), key: key)
    }

    private static func iterations(_ text: Substring, _ name: String) throws(StoredHashProblem) -> Int {
        guard let iterations = wholeNumber(text) else { throw .malformed(name) }
        guard (1...10_000_000).contains(iterations) else { throw .outOfBounds(name) }
        return iterations
    }

    /// `ln=15,r=8,p=3$salt$hash`, the form that new hashes have.
    private static func scrypt(_ rest: Substring) throws(StoredHashProblem) -> PasswordScheme {
        let fields = rest.split(separator: "$", omittingEmptySubsequences: false)
        guard fields.count == 3, let costs = numbers(fields[0], named: ["ln", "r", "p"]),
            let salt = Base64.bytes(fields[1], padding: .absent), (8...64).contains(salt.count),
            let key = Base64.bytes(fields[2], padding: .absent), (16...64).contains(key.count)
        else { throw .malformed("scrypt") }
        guard let parameters = PasswordParameters(storedLogN: costs[0], r: costs[1], p: costs[2]) else {
            throw .outOfBounds("scrypt")
        }
        return .scrypt(parameters, salt: salt, key: key)
    }

    /// `a=1,b=2`: these names in this order.
    static func numbers(_ text: Substring, named names: [String]) -> [Int]? {
        let fields = text.split(separator: ",", omittingEmptySubsequences: false)
        guard fields.count == names.count else { return nil }
        var numbers: [Int] = []
        for (field, name) in zip(fields, names) {
            guard field.hasPrefix(name + "="), let number = wholeNumber(field.dropFirst(name.count + 1)) else {
                return nil
            }
            numbers.append(number)
        }
        return numbers
    }

    /// Reads one to ten decimal digits without leading zeros, so that each number has one spelling only.
    static func wholeNumber(_ text: some StringProtocol) -> Int? {
        guard (1...10).contains(text.utf8.count), text.utf8.allSatisfy({ (0x30...0x39).contains($0) }),
            text.utf8.count == 1 || !text.hasPrefix("0")
        else { return nil }
        return Int(text)
    }
}
