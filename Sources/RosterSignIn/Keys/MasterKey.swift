package import Foundation
package import Roster
import RosterCrypto
package import RosterStore
import RosterText

/// The key that encrypts private keys and shared secrets. It is in its own file beside the directory's file, so that a stolen
/// copy or backup of the directory does not reveal them.
///
/// A key file is made only for a directory that has nothing encrypted yet, because a new key would hide the loss of the old one.
package struct MasterKey: Sendable {
    private let bytes: [UInt8]

    /// The key of a directory in memory, derived from the directory's own random key.
    package init(inMemory directory: Directory) throws {
        bytes = try SHA256.digest(Array(directory.signingKey().utf8))
    }

    /// The key of an open directory. The key file is made if nothing was encrypted until now.
    ///
    /// - Throws: `DirectoryError` `unusableKey` for a key file that is missing although something is encrypted, that cannot be
    ///   read or made, or that belongs to another directory.
    package init(of directory: Directory) throws {
        if let file = directory.file {
            self = try MasterKey(of: file, opening: directory.sealedSecrets.samples())
        } else if directory.isOnServer {
            self = try MasterKey(ofServer: directory)
        } else {
            self = try MasterKey(inMemory: directory)
        }
    }

    /// The key of a directory on a database server, which has none beside it.
    private init(ofServer directory: Directory) throws {
        guard let path = directory.keyPath else {
            throw DirectoryError(
                .unusableKey, "A directory on a database server needs a key file for what is encrypted in it.",
                advice: "Name one where the directory is opened, the same on each machine.")
        }
        let known = try directory.store.read { try $0.first(MasterKeyStatements.fingerprint) { $0.text(0) } }
        let isNew = !FileManager.default.fileExists(atPath: path)
        if isNew {
            guard known == nil else {
                throw Self.failure(path, "is missing, and secrets of the directory are encrypted with it")
            }
            let text = Hexadecimal.text(try SecureRandom.bytes(32)) + "\n"
            try DirectoryError.translating { try DirectoryFile.addKey(Data(text.utf8), at: path) }
        }
        // Another server on this machine may have made the file first.
        self = try MasterKey(reading: path)
        // The first key counts, if several servers make one at the same time.
        let fingerprint = Base64URL.text(try key(for: "fingerprint"))
        let first =
            try known
            ?? directory.store.write { connection in
                try connection.run(MasterKeyStatements.keepFingerprint, [.text(fingerprint)])
                return try connection.first(MasterKeyStatements.fingerprint) { $0.text(0) } ?? ""
            }
        guard first == fingerprint else {
            if isNew { try? FileManager.default.removeItem(atPath: path) }
            throw Self.failure(path, "does not fit: the directory's secrets are encrypted with another key file")
        }
    }

    /// The key of a directory's file.
    ///
    /// - Parameter sealed: Secrets that the key must open. The key file is made only if there are none.
    package init(of file: DirectoryFile, opening sealed: [SealedSecret]) throws {
        if let found = try Self.found(for: file, opening: sealed) {
            // The restore of the directory was interrupted before it renamed the key file.
            if found.path == file.restoredKeyPath { try file.replaceKey(with: found.path) }
            self = found.key
            return
        }
        let text = Hexadecimal.text(try SecureRandom.bytes(32)) + "\n"
        try file.addKey(try file.prepareKey(Data(text.utf8)))
        // Another thread may have made the file first.
        self = try MasterKey(reading: file.keyPath)
    }

    private init(reading path: String) throws {
        guard let file = FileHandle(forReadingAtPath: path), let data = try? file.read(upToCount: 4_096) else {
            throw Self.failure(path, "cannot be read", advice: "Check its permissions. " + Self.resetAdvice)
        }
        let text = String(decoding: data, as: UTF8.self).trimmingCharacters(in: .whitespacesAndNewlines)
        guard text.utf8.count == 64, let bytes = Hexadecimal.bytes(text.utf8) else {
            throw Self.failure(path, "is damaged: a key has 64 hexadecimal digits")
        }
        self.bytes = bytes
    }

    private static let resetAdvice =
        "Restore the right key file from its backup. If it is lost for good, the command-line tool makes a new one "
        + "and lists what is lost."

    private static func failure(_ path: String, _ problem: String, advice: String = resetAdvice) -> DirectoryError {
        DirectoryError(.unusableKey, "The key file '\(path)' \(problem).", advice: advice)
    }

    /// A key that is derived for one purpose.
    func key(for purpose: String) throws -> [UInt8] { try HMACSHA256.code(for: Array(purpose.utf8), key: bytes) }

    // MARK: Files

    package var fileContent: Data { Data((Hexadecimal.text(bytes) + "\n").utf8) }

    /// The key of a directory's file, which need not be open. No file is changed.
    ///
    /// - Returns: nil if there is no key file and none is needed yet.
    /// - Throws: `DirectoryError` `unusableKey`.
    package static func found(for file: DirectoryFile) throws -> MasterKey? {
        try found(for: file, opening: try DirectorySecrets.samples(in: file))?.key
    }

    private static func found(
        for file: DirectoryFile, opening sealed: [SealedSecret]
    ) throws -> (key: MasterKey, path: String)? {
        let restored = file.restoredKeyPath
        let paths = [file.foundKey, FileManager.default.fileExists(atPath: restored) ? restored : nil].compactMap { $0 }
        for path in paths.dropLast() where try (try? MasterKey(reading: path))?.opens(sealed) == true {
            return (try MasterKey(reading: path), path)
        }
        guard let path = paths.last else {
            if sealed.isEmpty { return nil }
            throw failure(file.keyPath, "is missing, and secrets of the directory are encrypted with it")
        }
        let key = try MasterKey(reading: path)
        guard try key.opens(sealed) else {
            throw failure(
                paths[0], "does not fit: the directory's secrets were encrypted with another key file")
        }
        return (key, path)
    }

    /// The key that a restored backup needs beside it.
    ///
    /// - Parameters:
    ///   - backup: The backup. Without a key file beside it, the key file at the target must fit.
    ///   - target: The file that is replaced or made.
    /// - Returns: nil if the right key is there already, or none is needed.
    /// - Throws: `DirectoryError` `unusableKey` if no key file opens the backup's secrets.
    package static func toRestore(from backup: DirectoryFile, to target: DirectoryFile) throws -> MasterKey? {
        let sealed = try DirectorySecrets.samples(in: backup)
        let present = try? target.foundKey.map { try MasterKey(reading: $0) }
        if backup.foundKey == nil, let present, try present.opens(sealed) { return nil }
        let key = try found(for: backup, opening: sealed)?.key
        return key?.bytes == present?.bytes ? nil : key
    }

    private func opens(_ sealed: [SealedSecret]) throws -> Bool {
        let box = try key(for: KeyRing.boxPurpose)
        return try sealed.allSatisfy { secret in
            guard let bytes = Base64URL.bytes(secret.sealed) else { return false }
            return try SecretBox.open(bytes, key: box, context: secret.owner.context) != nil
        }
    }
}

extension SealedSecret.Owner {
    /// The context of the encryption, so that a secret can be decrypted for its owner only.
    var context: String {
        switch self {
        case .signingKey(let id): "key " + id
        case .secondFactor(let user): "second factor " + user.description
        case .backend(let clientID): clientID
        case .setting(let kind, let name): kind.rawValue + " " + name
        }
    }
}
