import Foundation
import RosterClient
import RosterMobileSDK

/// The command `openssl`, which checks what the product writes, and writes what the product checks.
enum OpenSSL {
    struct Failure: Error {
        let text: String
    }

    /// Runs a command with files of these names in an empty folder, which is the current folder.
    ///
    /// - Returns: What the command printed.
    @discardableResult
    static func run(_ arguments: String, in folder: URL, files: [String: Data] = [:]) throws -> Data {
        for (name, bytes) in files { try bytes.write(to: folder.appendingPathComponent(name)) }
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
        return bytes
    }

    static func bytes(_ name: String, in folder: URL) throws -> Data {
        try Data(contentsOf: folder.appendingPathComponent(name))
    }
}

func hex(_ bytes: Data) -> String { bytes.map { String($0, radix: 16).leftPadded }.joined() }

extension String {
    fileprivate var leftPadded: String { count == 1 ? "0" + self : self }
}

/// The deprecated functions, which are called through requirements that are not deprecated: warnings are errors here.
protocol WeakCrypto {
    static func authenticationCode(
        for message: some DataProtocol, key: some DataProtocol, insecure algorithm: InsecureHashAlgorithm
    ) throws -> Data
    static func hash(
        _ data: some DataProtocol, insecure algorithm: InsecureHashAlgorithm, salt: some DataProtocol,
        isSaltAppended: Bool
    ) throws -> Data
    static func hashText(
        _ data: some DataProtocol, insecure algorithm: InsecureHashAlgorithm, saltBits: Int, isPrefixed: Bool
    ) throws -> String
    static func encrypt(
        _ data: some DataProtocol, key: some DataProtocol, insecure cipher: InsecureCipher
    ) throws -> Data
    static func encryptText(
        _ data: some DataProtocol, key: some DataProtocol, insecure cipher: InsecureCipher, isPrefixed: Bool
    ) throws -> String
}

extension CryptoService: WeakCrypto {}

protocol WeakWrapping {
    func wrap(_ key: some DataProtocol, insecure scheme: InsecureWrapScheme) throws -> Data
}

extension PublicKey: WeakWrapping {}

protocol WeakKeyPairs {
    func sign(_ data: some DataProtocol, with tag: String, insecure scheme: InsecureSignatureScheme) throws -> Data
}

extension KeyPairs: WeakKeyPairs {}

var weak: any WeakCrypto.Type { CryptoService.self }
