import Foundation
import RosterText

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// A secure store's encrypted file.
///
/// A write makes a new file beside the old one and renames the new one, so that a crash leaves either. Writers exclude each
/// other with a lock; readers need none.
final class SecretFile: Sendable {
    private struct State {
        var seal: StoreSeal
        var entries: StoreSeal.Entries
        /// The file that has these entries.
        var version: OpenFile
    }

    /// The path, with no symbolic link among its folders.
    let path: String
    private let state: Locked<State>
    /// Makes the writers of this process wait for each other. The value is the path of the lock between processes.
    private let writing: Locked<String>

    init(_ file: URL, _ key: StoreKey) throws {
        guard file.isFileURL else {
            throw SecureStoreError.invalidInput("The secure store's address is not a file URL.", "Give a file URL.")
        }
        let path = try OpenFile.resolved(file.path)
        self.path = path
        writing = Locked(path + ".lock")
        if let opened = try Self.opened(path, key) {
            state = Locked(opened)
            return
        }
        let lock = try LockFile.take(path + ".lock")
        defer { lock.release() }
        // Another process may have made the store in the meantime.
        if let opened = try Self.opened(path, key) {
            state = Locked(opened)
            return
        }
        let seal = try StoreSeal(new: key, path: path)
        let version = try OpenFile(placing: seal.file([:], path: path), at: path)
        state = Locked(State(seal: seal, entries: [:], version: version))
    }

    // MARK: Operations

    func bytes(named name: String) throws -> [UInt8]? {
        try state.withLock { state in
            try Self.refresh(&state, path)
            return state.entries[Array(name.utf8)]
        }
    }

    func names() throws -> [String] {
        try state.withLock { state in
            try Self.refresh(&state, path)
            return state.entries.keys.map { String(decoding: $0, as: UTF8.self) }
        }
    }

    /// - Parameter isPresent: Whether the name must have a value already; nil if that does not matter.
    /// - Returns: Whether the name had a value, or none, as asked.
    func set(_ value: [UInt8]?, named name: String, if isPresent: Bool?) throws -> Bool {
        var isDone = true
        let bytes = Array(name.utf8)
        try change { state in
            if let isPresent, isPresent != (state.entries[bytes] != nil) {
                isDone = false
                return false
            }
            if value == nil, state.entries[bytes] == nil { return false }
            state.entries[bytes] = value
            return true
        }
        return isDone
    }

    func removeAll(withPrefix prefix: String) throws {
        try change { state in
            let kept = state.entries.filter { !$0.key.starts(with: prefix.utf8) }
            defer { state.entries = kept }
            return kept.count < state.entries.count
        }
    }

    func changeKey(to key: StoreKey) throws {
        try change { state in
            state.seal = try StoreSeal(new: key, path: path)
            return true
        }
    }

    // MARK: Files

    /// Changes the newest entries under the lock of the file, and writes them if the body says so. Readers do not wait.
    private func change(_ body: (inout State) throws -> Bool) throws {
        try writing.withLock { lockPath in
            let lock = try LockFile.take(lockPath)
            defer { lock.release() }
            var changed = try state.withLock { state in
                try Self.refresh(&state, path)
                return state
            }
            guard try body(&changed) else { return }
            changed.version = try OpenFile(placing: changed.seal.file(changed.entries, path: path), at: path)
            let written = changed
            state.withLock { $0 = written }
        }
    }

    private static func opened(_ path: String, _ key: StoreKey) throws -> State? {
        guard let version = try OpenFile(at: path) else { return nil }
        let bytes = try bytes(version, path)
        let seal = try StoreSeal(of: bytes, key: key, path: path)
        return State(seal: seal, entries: try seal.entries(bytes, path: path), version: version)
    }

    /// Reads the file again if another process replaced it.
    private static func refresh(_ state: inout State, _ path: String) throws {
        guard !state.version.isStill(at: path) else { return }
        // An empty store would mean that nobody is signed in, and the next write would make that true.
        guard let version = try OpenFile(at: path) else {
            throw SecureStoreError.unreadable(path, "the file was there, and has disappeared")
        }
        state.entries = try state.seal.entries(try bytes(version, path), path: path)
        state.version = version
    }

    private static func bytes(_ version: OpenFile, _ path: String) throws -> [UInt8] {
        guard let bytes = try version.bytes(atMost: StoreSeal.largestFile) else {
            throw SecureStoreError.damaged(path, "the file is larger than a secure store can be")
        }
        return bytes
    }
}
