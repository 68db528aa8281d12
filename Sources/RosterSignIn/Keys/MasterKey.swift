package import Foundation
package import Roster
import RosterCrypto
package import RosterStore
import RosterText

/// The key that encrypts what a directory must be able to read again: private keys, shared secrets. It stands in a file of
/// its own beside the directory's, so that neither a copy nor a backup of the directory is worth anything to a thief.
///
/// A key file is made only for a directory that has nothing encrypted yet: a new key in place of a lost one would hide the
/// loss.
package struct MasterKey: Sendable {
    private let bytes: [UInt8]

    /// For a directory in memory, where nothing is to be kept apart: made of the directory's own random key.
    package init(inMemory directory: Directory) throws {
        bytes = try SHA256.digest(Array(directory.signingKey().utf8))
    }

    /// The key of an open directory. The file is made where nothing was encrypted until now.
    ///
    /// - Throws: `DirectoryError` `unusableKey` where the file is missing although something is encrypted, cannot be read or
    ///   made, or belongs to another directory.
    package init(of directory: Directory) throws {
        if let file = directory.file {
            self = try MasterKey(of: file, opening: directory.sealedSamples())
        } else {
            self = try MasterKey(inMemory: directory)
        }
    }

    /// The key of a directory's file.
    ///
    /// - Parameter sealed: What the key must open; the key file is made only where this is empty.
    package init(of file: DirectoryFile, opening sealed: [SealedSecret]) throws {
        if let found = try Self.found(for: file, opening: sealed) {
            self = found
            return
        }
        let text = Hexadecimal.text(try SecureRandom.bytes(32)) + "\n"
        try file.addKey(try file.prepareKey(Data(text.utf8)))
        // Another thread's key may have been the first one.
        self = try MasterKey(reading: file.keyPath)
    }

    private init(reading path: String) throws {
        guard let file = FileHandle(forReadingAtPath: path), let data = try? file.read(upToCount: 4_096) else {
            throw Self.failure(path, "cannot be read", advice: "Check its permissions. " + Self.resetAdvice)
        }
        let text = String(decoding: data, as: UTF8.self).trimmingCharacters(in: .whitespacesAndNewlines)
        guard let bytes = Self.bytes(ofHexadecimal: text) else {
            throw Self.failure(path, "is damaged: a key has 64 hexadecimal digits")
        }
        self.bytes = bytes
    }

    private static let resetAdvice =
        "Put the right one in place from where keys are kept. If it is lost for good, 'roster key reset' makes a new one and "
        + "says what is gone."

    private static func failure(_ path: String, _ problem: String, advice: String = resetAdvice) -> DirectoryError {
        DirectoryError(.unusableKey, "The key file '\(path)' \(problem).", advice: advice)
    }

    private static func bytes(ofHexadecimal text: String) -> [UInt8]? {
        text.utf8.count == 64 ? Hexadecimal.bytes(text.utf8) : nil
    }

    /// A key for one purpose only.
    func key(for purpose: String) throws -> [UInt8] { try HMACSHA256.code(for: Array(purpose.utf8), key: bytes) }

    // MARK: Files

    /// What stands in the key file.
    package var fileContent: Data { Data((Hexadecimal.text(bytes) + "\n").utf8) }

    /// The key of a directory's file, which need not be open. Nothing is changed.
    ///
    /// - Returns: nil where there is no key file and none is needed yet.
    /// - Throws: `DirectoryError` `unusableKey`.
    package static func found(for file: DirectoryFile) throws -> MasterKey? {
        try found(for: file, opening: try Directory.sealedSamples(in: file))
    }

    private static func found(for file: DirectoryFile, opening sealed: [SealedSecret]) throws -> MasterKey? {
        guard let path = file.foundKey else {
            if sealed.isEmpty { return nil }
            throw failure(file.keyPath, "is missing, and secrets of the directory are encrypted with it")
        }
        let key = try MasterKey(reading: path)
        guard try key.opens(sealed) else {
            throw failure(path, "does not fit: the directory's secrets were encrypted with another key file")
        }
        return key
    }

    /// The key that must be put beside a file when a backup is restored to it.
    ///
    /// - Parameters:
    ///   - backup: The backup, with its key file beside it; without one, the key file at the target must fit.
    ///   - target: The file that is to be replaced or made.
    /// - Returns: nil where the right key is there already, or none is needed.
    /// - Throws: `DirectoryError` `unusableKey` where no key file opens the backup's secrets.
    package static func toRestore(from backup: DirectoryFile, to target: DirectoryFile) throws -> MasterKey? {
        let sealed = try Directory.sealedSamples(in: backup)
        let present = try? target.foundKey.map { try MasterKey(reading: $0) }
        if backup.foundKey == nil, let present, try present.opens(sealed) { return nil }
        let key = try found(for: backup, opening: sealed)
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
    /// What a secret is bound to: it opens for the same owner only.
    var context: String {
        switch self {
        case .signingKey(let id): "key " + id
        case .secondFactor(let user): "second factor " + user.description
        case .backend(let clientID): clientID
        }
    }
}
