import Foundation
import RosterClient
import RosterCrypto
import RosterSecrets
import RosterText

/// The hashes of passwords that are kept for signing in without the server, and the wrong attempts of each name.
///
/// Names without a hash have attempts too, and cost the same, so that nobody learns whose password the device keeps.
struct OfflineCredentials: Sendable {
    enum Verdict: Sendable {
        /// The password is right.
        ///
        /// - Parameter account: The session of the tokens that came with the password; nil for none.
        case right(account: String?)
        case wrong
        /// The maximum is reached, and nothing is kept any more.
        case exhausted
    }

    private struct Record {
        var hash: String?
        var account: String?
        var failures: Int

        init(hash: String? = nil, account: String? = nil, failures: Int = 0) {
            (self.hash, self.account, self.failures) = (hash, account, failures)
        }

        init?(_ bytes: [UInt8]) {
            guard let json = try? JSONValue(parsing: bytes), case .integer(let failures)? = json["failures"],
                (0...1_000).contains(failures)
            else { return nil }
            (hash, account, self.failures) = (json["hash"]?.text, json["account"]?.text, Int(failures))
        }

        var bytes: [UInt8] {
            var json: JSONValue = ["failures": .integer(Int64(failures))]
            json["hash"] = hash.map { .string($0) }
            json["account"] = account.map { .string($0) }
            return json.bytes
        }
    }

    private let store: SecureStore
    private let prefix: String

    init(_ store: SecureStore, prefix: String) { (self.store, self.prefix) = (store, prefix + "offline/") }

    /// A hash that no password is looked up for, so that names without a hash cost as much.
    private static let decoy =
        "$scrypt$ln=14,r=8,p=5$AAAAAAAAAAAAAAAAAAAAAA$AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA"

    private func key(_ userName: String, _ domain: String?) throws -> String {
        // Keyboards add a space to a word that they complete.
        let userName = userName.trimmingCharacters(in: .whitespacesAndNewlines)
        guard (1...512).contains(userName.utf8.count) else {
            throw ClientError.invalidInput("The user's name is empty or too long.", "Give 1 to 512 bytes.")
        }
        let name = userName.precomposedStringWithCanonicalMapping.lowercased()
        return prefix + (try ClientError.wrapping { try SHA256.hex("\(domain ?? "")\n\(name)") })
    }

    /// Keeps the hash of a password.
    ///
    /// - Parameter account: The session of the tokens that came with the password; nil for none.
    func keep(_ password: String, of userName: String, _ domain: String?, account: String? = nil) async throws {
        guard password.utf8.count <= CryptoService.longestPassword else { return }
        let hash = try await Self.onThread { try CryptoService.passwordHash(OpaqueString.prepared(password)) }
        try await keep(hash: hash, of: userName, domain, account: account)
    }

    /// Keeps a hash.
    func keep(hash: String, of userName: String, _ domain: String?, account: String? = nil) async throws {
        let key = try key(userName, domain)
        try await store.withLock(prefix) { try store.set(Record(hash: hash, account: account).bytes, named: key) }
    }

    /// Deletes the hash of a user whom the server refuses with the very password that the device keeps.
    func forget(_ password: String, of userName: String, _ domain: String?) async throws {
        let key = try key(userName, domain)
        try await store.withLock(prefix) {
            guard let record = try store.bytes(named: key).flatMap(Record.init), let hash = record.hash,
                try await Self.onThread({ try Self.form(of: password, matching: hash) != nil })
            else { return }
            try store.remove(named: key)
        }
    }

    /// Deletes everything.
    func removeAll() async throws {
        guard try !store.names(withPrefix: prefix).isEmpty else { return }
        // A check that is under way must not bring a hash back.
        try await store.withLock(prefix) { try store.removeAll(withPrefix: prefix) }
    }

    /// Checks a password. The attempt counts before it is checked, so that a process that is killed meanwhile, or is started again,
    /// has no further attempt.
    func check(_ password: String, of userName: String, _ domain: String?, maximum: Int) async throws -> Verdict {
        guard (1...CryptoService.longestPassword).contains(password.utf8.count) else {
            throw ClientError.invalidInput("The password is empty or too long.", "Give 1 to 4,096 bytes.")
        }
        let key = try key(userName, domain)
        return try await store.withLock(prefix) {
            let stored = try store.bytes(named: key)
            if stored == nil { try makeRoom() }
            // A record that another version of the library wrote cannot be checked.
            var record = stored.map { Record($0) ?? Record(failures: maximum) } ?? Record()
            guard record.failures < maximum else {
                try store.set(Record(failures: record.failures).bytes, named: key)
                return .exhausted
            }
            record.failures += 1
            try store.set(record.bytes, named: key)
            let hash = record.hash
            let (isRight, better) = try await Self.onThread { try Self.verify(password, hash) }
            if isRight {
                try store.set(Record(hash: better ?? hash, account: record.account).bytes, named: key)
                return .right(account: record.account)
            }
            guard record.failures >= maximum else { return .wrong }
            try store.set(Record(failures: record.failures).bytes, named: key)
            return .exhausted
        }
    }

    /// Checks a password at the cost of one hash with scrypt, or of two if the prepared form of a wrong password is another text.
    ///
    /// - Returns: Whether the password is right, and a better hash in place of one in an old scheme or of an unprepared password.
    private static func verify(_ password: String, _ hash: String?) throws -> (isRight: Bool, better: String?) {
        guard let hash, !hash.hasPrefix("$") else {
            let form = try form(of: password, matching: hash ?? decoy)
            guard let form, hash != nil else { return (false, nil) }
            let prepared = OpaqueString.prepared(password)
            return (true, form.utf8.elementsEqual(prepared.utf8) ? nil : try CryptoService.passwordHash(prepared))
        }
        let better = try CryptoService.passwordHash(OpaqueString.prepared(password))
        return (try form(of: password, matching: hash) != nil, better)
    }

    /// The form of a password that matches a hash: the prepared form, or the password as it was given, of which older versions made the
    /// hash. Nil for a wrong password.
    private static func form(of password: String, matching hash: String) throws -> String? {
        let prepared = OpaqueString.prepared(password)
        if try CryptoService.verify(password: prepared, hash: hash) { return prepared }
        guard !prepared.utf8.elementsEqual(password.utf8) else { return nil }
        return try CryptoService.verify(password: password, hash: hash) ? password : nil
    }

    /// The names without a hash whose attempts are kept.
    private static let mostNames = 64

    private func makeRoom() throws {
        let keys = try store.names(withPrefix: prefix)
        guard keys.count >= Self.mostNames else { return }
        for key in keys {
            if try store.bytes(named: key).flatMap(Record.init)?.hash == nil { try store.remove(named: key) }
        }
    }

    /// Runs slow work on a thread of its own, because Swift's pool has few threads.
    private static func onThread<Value: Sendable>(
        _ work: @escaping @Sendable () throws -> Value
    ) async throws -> Value {
        try await withCheckedThrowingContinuation { continuation in
            Thread.detachNewThread { continuation.resume(with: Result { try work() }) }
        }
    }
}
