package import Foundation
package import Roster

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// The key that encrypts what a directory must be able to read again: private keys, shared secrets. It stands in a file of
/// its own beside the directory's, so that neither a copy nor a backup of the directory is worth anything to a thief.
package struct MasterKey: Sendable {
    private let bytes: [UInt8]

    /// For a directory in memory, where nothing is to be kept apart: made of the directory's own random key.
    package init(inMemory directory: Directory) throws {
        bytes = try SHA256.digest(Array(directory.credentials.signingKey().utf8))
    }

    /// Reads a key file, or makes one that only its owner can read where there is none.
    ///
    /// - Throws: `DirectoryError` `storageFailed` where it cannot be read or made, or is no key.
    package init(at url: URL) throws {
        let path = url.path
        if !FileManager.default.fileExists(atPath: path) {
            let text = Hexadecimal.text(try SecureRandom.bytes(32)) + "\n"
            let descriptor = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
            guard descriptor >= 0 else { throw Self.failure(path, "cannot be made") }
            let file = FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
            do {
                try file.write(contentsOf: Data(text.utf8))
                try file.synchronize()
            } catch {
                throw Self.failure(path, "cannot be written")
            }
        }
        guard let text = try? String(contentsOf: url, encoding: .utf8) else {
            throw Self.failure(path, "cannot be read")
        }
        guard let bytes = Self.bytes(ofHexadecimal: text.trimmingCharacters(in: .whitespacesAndNewlines)) else {
            throw Self.failure(path, "holds no key of 64 hexadecimal digits")
        }
        self.bytes = bytes
    }

    private static func failure(_ path: String, _ problem: String) -> DirectoryError {
        DirectoryError(
            .storageFailed, "The key file '\(path)' \(problem).",
            advice: "Check its permissions, or restore it from where keys are kept.")
    }

    private static func bytes(ofHexadecimal text: String) -> [UInt8]? {
        guard text.utf8.count == 64 else { return nil }
        let digits = text.compactMap(\.hexDigitValue)
        guard digits.count == 64 else { return nil }
        return stride(from: 0, to: 64, by: 2).map { UInt8(digits[$0] << 4 | digits[$0 + 1]) }
    }

    /// A key for one purpose only.
    func key(for purpose: String) throws -> [UInt8] { try HMACSHA256.code(for: Array(purpose.utf8), key: bytes) }
}
