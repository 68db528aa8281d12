import Foundation
import RosterClient

/// The command `openssl`, which checks what the product writes, and writes what the product checks.
enum OpenSSL {
    struct Failure: Error {
        let text: String
    }

    /// Runs a command with files of these names in an empty folder, which is the current folder.
    ///
    /// - Returns: What the command printed.
    @discardableResult
    static func run(_ arguments: String, in folder: URL, files: [String: [UInt8]] = [:]) throws -> [UInt8] {
        for (name, bytes) in files { try Data(bytes).write(to: folder.appendingPathComponent(name)) }
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = ["openssl"] + arguments.split(separator: " ").map(String.init)
        process.currentDirectoryURL = folder
        let (output, errors) = (Pipe(), Pipe())
        process.standardOutput = output
        process.standardError = errors
        try process.run()
        let bytes = output.fileHandleForReading.readDataToEndOfFile()
        let problem = errors.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        guard process.terminationStatus == 0 else {
            throw Failure(text: String(decoding: problem, as: UTF8.self))
        }
        return Array(bytes)
    }

    static func bytes(_ name: String, in folder: URL) throws -> [UInt8] {
        Array(try Data(contentsOf: folder.appendingPathComponent(name)))
    }
}

func hex(_ bytes: [UInt8]) -> String { bytes.map { String($0, radix: 16).leftPadded }.joined() }

extension String {
    fileprivate var leftPadded: String { count == 1 ? "0" + self : self }
}

/// The deprecated functions, which are called through requirements that are not deprecated: warnings are errors here.
protocol WeakCrypto {
    static func authenticationCode(for message: [UInt8], key: [UInt8], old algorithm: OldHashAlgorithm) throws
        -> [UInt8]
    static func hash(
        _ data: [UInt8], old algorithm: OldHashAlgorithm, salt: [UInt8], isSaltAppended: Bool
    ) throws -> [UInt8]
    static func hashText(
        _ data: [UInt8], old algorithm: OldHashAlgorithm, saltBits: Int, isPrefixed: Bool
    ) throws -> String
    static func encrypt(_ data: [UInt8], key: [UInt8], old cipher: OldCipher) throws -> [UInt8]
    static func encryptText(_ data: [UInt8], key: [UInt8], old cipher: OldCipher, isPrefixed: Bool) throws -> String
}

extension CryptoService: WeakCrypto {}

protocol WeakWrapping {
    func wrap(_ key: [UInt8], old scheme: OldWrapScheme) throws -> [UInt8]
}

extension PublicKey: WeakWrapping {}

protocol WeakKeyPairs {
    func sign(_ data: [UInt8], with tag: String, old scheme: OldSignatureScheme) throws -> [UInt8]
    func unwrap(_ wrapped: [UInt8], with tag: String, old scheme: OldWrapScheme) throws -> [UInt8]
}

extension KeyPairs: WeakKeyPairs {}

var weak: any WeakCrypto.Type { CryptoService.self }
