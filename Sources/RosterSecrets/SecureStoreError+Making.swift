import Foundation
import RosterCrypto

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

extension SecureStoreError {
    static func invalidInput(_ message: String, _ advice: String) -> Self {
        Self(.invalidInput, message, advice: advice)
    }

    /// Runs a body, and gives a failure of the cryptographic library as an error of the store.
    static func wrapping<Value>(_ body: () throws -> Value) throws -> Value {
        do {
            return try body()
        } catch let failure as CryptoFailure {
            throw Self(
                .cryptographyFailed, failure.description,
                advice: "Check the free memory and the system's configuration of OpenSSL.")
        }
    }

    static func wrongKey(_ path: String, _ message: String = "was made with another passphrase or key file.") -> Self {
        Self(.wrongKey, "The secure store '\(path)' \(message)", advice: "Give the key that the store was made with.")
    }

    static func damaged(_ path: String, _ problem: String) -> Self {
        Self(
            .damagedStore, "The secure store '\(path)' is damaged: \(problem).",
            advice:
                "Restore the file from a backup. If there is none, delete the file: all its passwords, keys and sign-ins are lost."
        )
    }

    static func unreadable(_ path: String, _ problem: String) -> Self {
        Self(
            .unreadableStore, "The secure store's file '\(path)' cannot be read: \(problem).",
            advice: "Check the path, the permissions and the owner of the file and its folder.")
    }

    static func newer(_ path: String, version: Int) -> Self {
        Self(
            .newerStore, "The secure store '\(path)' has the format \(version), which this library does not know.",
            advice: "Update the app.")
    }

    static func link(_ path: String) -> Self {
        Self(
            .storageFailed, "'\(path)' is a symbolic link, through which no secrets are written. Nothing was changed.",
            advice: "Give the path of the file itself. If you did not make the link, find out who did.")
    }

    static func notWritten(_ path: String, _ problem: String) -> Self {
        Self(
            .storageFailed, "The secure store's file '\(path)' cannot be written: \(problem). The old content is kept.",
            advice: "Check the free space, and the permissions of the folder.")
    }
}

/// What the operating system says about its last failure.
package var systemFailure: String { String(cString: strerror(errno)) }
