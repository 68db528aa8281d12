public import Foundation
public import RosterText

/// A place for named secret values, such as tokens and private keys.
///
/// On Linux the values are in one file, encrypted with AES-256-GCM; on Apple systems they can be in the keychain. Several
/// tasks, threads and processes can use one store: each sees what another wrote before, and a crash never leaves a half
/// written value. A removed value is no longer in the file. An open store has the values of its file in memory, in the clear.
/// An attacker who can write to the folder can put back a whole older file, and nothing shows that.
///
/// ```swift
/// let store = try SecureStore(file: url, key: .passphrase(passphrase))
/// try store.set(Data("secret".utf8), named: "account/ada")
/// ```
///
/// Mirrors Oracle's `OMSecureStorage` and `OMKeyStore`.
public final class SecureStore: Sendable, Redacted {
    private enum Place: Sendable {
        case file(SecretFile)
        #if canImport(Security)
            case keychain(KeychainItems, lockFolder: URL)
        #endif
    }

    private let place: Place

    /// Opens the store in a file, or makes a new one if there is no file.
    ///
    /// - Parameters:
    ///   - file: The file, in a folder that exists. Locks and a temporary file are made beside the file. A store behind a symbolic link
    ///     can be read, and is not written.
    ///   - key: The key that opens the store.
    /// - Throws: ``SecureStoreError``: `wrongKey`; `badConfiguration` for a key file that other users can read or write;
    ///   `damagedStore` for an altered file or another kind of file; `unreadableStore` if the file is a folder, or the system
    ///   refuses to open it; `newerStore`; `busyStore`; `storageFailed`.
    public init(file: URL, key: StoreKey) throws {
        place = .file(try SecureStoreError.wrapping { try SecretFile(file, key) })
    }

    #if canImport(Security)
        /// Uses the system's keychain. Values stay on the device. This initializer is not compiled on Linux, where the project is tested.
        ///
        /// - Parameters:
        ///   - service: The name under which the keychain keeps the values, such as the app's identifier.
        ///   - accessGroup: The group of apps that share the values; nil for this app only.
        ///   - protection: When new values can be read. An app that renews tokens in the background takes ``KeychainProtection/afterFirstUnlock``.
        ///   - lockFolder: The folder of the locks. Apps that share the values need one folder, that of the app group.
        /// - Throws: ``SecureStoreError`` `invalidInput` for an empty service or a URL that is not a file URL.
        public init(
            keychain service: String, accessGroup: String? = nil, protection: KeychainProtection = .whenUnlocked,
            lockFolder: URL
        ) throws {
            guard !service.isEmpty, lockFolder.isFileURL else {
                throw SecureStoreError.invalidInput("A keychain needs a service and a folder for locks.", "Give both.")
            }
            place = .keychain(
                KeychainItems(service: service, group: accessGroup, protection: protection), lockFolder: lockFolder)
        }
    #endif

    /// Reads a value.
    ///
    /// - Parameter name: The name of the value.
    /// - Returns: The value; nil if there is none.
    /// - Throws: ``SecureStoreError``: `damagedStore`; `unreadableStore`, also if the file has disappeared since the store was
    ///   opened; `wrongKey` if the store's key was changed since then; `deviceLocked` if the keychain cannot be read now.
    public func data(named name: String) throws -> Data? { try bytes(named: name).map { Data($0) } }

    /// Reads a value as an array.
    package func bytes(named name: String) throws -> [UInt8]? {
        switch place {
        case .file(let file): try SecureStoreError.wrapping { try file.bytes(named: name) }
        #if canImport(Security)
            case .keychain(let items, _): try items.bytes(named: name)
        #endif
        }
    }

    /// Stores or replaces a value. The value is on the disk afterwards.
    ///
    /// The call blocks the thread for the time of the disk, and while another process writes, for ten seconds at most.
    ///
    /// - Parameters:
    ///   - value: At most 1 MiB.
    ///   - name: 1 to 1,024 bytes of UTF-8.
    /// - Throws: ``SecureStoreError``: `invalidInput`, `storageFailed`, `busyStore`, and the errors of ``data(named:)``. The old
    ///   value is kept then.
    public func set(_ value: some DataProtocol, named name: String) throws {
        _ = try set(Array(value), named: name, if: nil)
    }

    /// Removes a value, if there is one. The value is gone from the disk afterwards.
    ///
    /// - Parameter name: The name of the value.
    /// - Throws: The errors of ``set(_:named:)``.
    public func remove(named name: String) throws { _ = try set(nil, named: name, if: nil) }

    /// Stores, replaces or removes a value if the name has one already, or has none.
    ///
    /// - Parameter isPresent: Whether the name must have a value already; nil if that does not matter.
    /// - Returns: Whether the name had a value, or none, as asked.
    package func set(_ value: [UInt8]?, named name: String, if isPresent: Bool?) throws -> Bool {
        guard (1...StoreSeal.longestName).contains(name.utf8.count) else {
            throw SecureStoreError.invalidInput(
                "A name in the secure store has \(name.utf8.count) bytes.",
                "Give a name with 1 to \(StoreSeal.longestName) bytes.")
        }
        guard (value?.count ?? 0) <= StoreSeal.longestValue else {
            throw SecureStoreError.invalidInput(
                "A value for the secure store has more than \(StoreSeal.longestValue) bytes.",
                "Keep large values elsewhere, encrypted with a key in the store.")
        }
        switch place {
        case .file(let file): return try SecureStoreError.wrapping { try file.set(value, named: name, if: isPresent) }
        #if canImport(Security)
            case .keychain(let items, _): return try items.set(value, named: name, if: isPresent)
        #endif
        }
    }

    /// The names that begin with a text, in ascending order.
    ///
    /// - Parameter prefix: The text; an empty one selects all names.
    /// - Throws: The errors of ``data(named:)``.
    public func names(withPrefix prefix: String = "") throws -> [String] {
        let names: [String]
        switch place {
        case .file(let file): names = try SecureStoreError.wrapping { try file.names() }
        #if canImport(Security)
            case .keychain(let items, _): names = try items.names()
        #endif
        }
        return names.filter { $0.utf8.starts(with: prefix.utf8) }.sorted()
    }

    /// Removes all values whose names begin with a text; in a file, all at once.
    ///
    /// - Parameter prefix: The text; an empty one selects all values.
    /// - Throws: The errors of ``set(_:named:)``.
    public func removeAll(withPrefix prefix: String) throws {
        switch place {
        case .file(let file): try SecureStoreError.wrapping { try file.removeAll(withPrefix: prefix) }
        #if canImport(Security)
            case .keychain(let items, _):
                for name in try names(withPrefix: prefix) { _ = try items.set(nil, named: name, if: nil) }
        #endif
        }
    }

    /// Gives the store in a file another key. All values are encrypted again, under a new data key. Mirrors
    /// `updateKeyEncryptionKey:` of Oracle's `OMKeyStore`.
    ///
    /// Other processes that have the store open get `wrongKey`, and must open the store with the new key.
    ///
    /// - Parameter key: The new key. A missing key file is made.
    /// - Throws: ``SecureStoreError``: `invalidInput` for a store in the keychain, and the errors of ``set(_:named:)``. The old key
    ///   is kept then.
    public func changeKey(to key: StoreKey) throws {
        switch place {
        case .file(let file): try SecureStoreError.wrapping { try file.changeKey(to: key) }
        #if canImport(Security)
            case .keychain:
                throw SecureStoreError.invalidInput(
                    "The system keeps the keys of the keychain.", "Do not change the key.")
        #endif
        }
    }

    /// Runs a body while no other task, thread or process runs a body under the same name with this store.
    ///
    /// The wait suspends the task and blocks no thread; cancelling the task ends the wait. The kernel releases the lock of
    /// a process that ends, also by `kill -9`. A body that takes the same lock again waits for ever.
    ///
    /// - Parameters:
    ///   - name: The name of the lock, independent of the names of values.
    ///   - isolation: The caller's actor, on which the body runs.
    ///   - body: What to do under the lock.
    /// - Returns: What the body returns.
    /// - Throws: `CancellationError`; ``SecureStoreError`` `storageFailed` if the lock's file cannot be made; the body's errors.
    public func withLock<Value>(
        _ name: String, isolation: isolated (any Actor)? = #isolation, _ body: () async throws -> Value
    ) async throws -> Value {
        let path: String
        switch place {
        case .file(let file): path = try SecureStoreError.wrapping { try LockFile.path(beside: file.path, name: name) }
        #if canImport(Security)
            case .keychain(let items, let folder):
                path = try LockFile.path(beside: folder.appendingPathComponent(items.service).path, name: name)
        #endif
        }
        let lock = try await LockFile.wait(path)
        defer { lock.release() }
        return try await body()
    }
}
