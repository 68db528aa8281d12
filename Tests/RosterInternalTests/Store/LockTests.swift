import Foundation
import RosterStore
import Testing
import TestSupport

@testable import Roster

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

@Suite("The lock and the owner of a file", .timeLimit(.minutes(1)))
struct LockTests {
    @Test(
        "A lock that cannot be had for another reason than that somebody has it says so",
        arguments: [ENOLCK, EBADF, EOPNOTSUPP, EIO])
    func otherReasons(number: Int32) throws {
        try withFolder { folder in
            let file = try DirectoryFile(folder.appendingPathComponent("test.db"))
            let error = #expect(throws: StoreError.self) {
                try FileLock(for: file) { _ in
                    errno = number
                    return -1
                }
            }
            #expect(error?.kind == .storageFailed)
            #expect(error?.message.contains(String(cString: strerror(number))) == true)
            #expect(error?.message.contains("open for writing in") == false)
        }
    }

    @Test("A lock that is taken says who has it, and one that was interrupted is tried again")
    func taken() throws {
        try withFolder { folder in
            let file = try DirectoryFile(folder.appendingPathComponent("test.db"))
            var tries = 0
            let lock = try FileLock(for: file) { descriptor in
                tries += 1
                if tries == 1 {
                    errno = EINTR
                    return -1
                }
                return flock(descriptor, LOCK_EX | LOCK_NB)
            }
            #expect(tries == 2)
            #expect { try FileLock(for: file) } throws: { ($0 as? StoreError)?.kind == .fileInUse }
            withExtendedLifetime(lock) {}
        }
    }

    @Test("A lock ends with its owner, although a program that is starting still has the descriptor")
    func startingProgram() throws {
        try withFolder { folder in
            let file = try DirectoryFile(folder.appendingPathComponent("test.db"))
            var copy: Int32 = -1
            defer { close(copy) }
            var lock: FileLock? = try FileLock(for: file) { descriptor in
                copy = dup(descriptor)
                return flock(descriptor, LOCK_EX | LOCK_NB)
            }
            #expect(lock != nil && copy >= 0)
            lock = nil
            #expect(throws: Never.self) { try FileLock(for: file) }
        }
    }

    private static func status(_ path: String) throws -> stat {
        var status = stat()
        try #require(lstat(path, &status) == 0, "\(path)")
        return status
    }

    @Test(
        "Companions that root makes belong to the file's owner and group, and so does what a restore puts in place",
        .enabled(if: geteuid() == 0, "only root can make companions for somebody else"))
    func owner() throws {
        try withFolder { folder in
            let url = folder.appendingPathComponent("test.db")
            let copy = folder.appendingPathComponent("copy.db")
            try Directory(at: url).close()
            for companion in ["-lock", "-wal", "-shm"] {
                try? FileManager.default.removeItem(atPath: url.path + companion)
            }
            try #require(chown(url.path, 12_345, 23_456) == 0)
            try #require(chmod(url.path, 0o640) == 0)
            let directory = try Directory(at: url)
            try directory.unrestricted.users.create("ada")
            let file = try #require(directory.file)
            try file.addKey(try file.prepareKey(Data("key".utf8)))
            for companion in ["", "-lock", "-wal", "-shm", "-key"] {
                let status = try Self.status(url.path + companion)
                #expect(status.st_uid == 12_345 && status.st_gid == 23_456, "\(companion)")
            }
            #expect(try Self.status(url.path + "-key").st_mode & 0o777 == 0o600)
            #expect(try Self.status(url.path + "-lock").st_mode & 0o777 == 0o600)
            try directory.backup(to: copy)
            directory.close()
            try Directory.restore(from: copy, to: url, replacing: true)
            let restored = try Self.status(url.path)
            #expect(restored.st_uid == 12_345 && restored.st_gid == 23_456 && restored.st_mode & 0o777 == 0o640)
            let old = try file.replaceKey(with: try file.prepareKey(Data("new".utf8)))
            #expect(old == url.path + "-key.old")
            #expect(try Self.status(url.path + "-key").st_uid == 12_345)
        }
    }

    @Test(
        "A companion that root made earlier is given to the file's owner when root opens the file again; whoever may write the file may take its lock",
        .enabled(if: geteuid() == 0, "only root can give files away"))
    func repaired() throws {
        try withFolder { folder in
            let url = folder.appendingPathComponent("test.db")
            try Directory(at: url).close()
            try #require(chown(url.path, 12_345, 23_456) == 0)
            try #require(chmod(url.path, 0o660) == 0)
            #expect(try Self.status(url.path + "-lock").st_uid == 0)
            try Directory(at: url).close()
            let lock = try Self.status(url.path + "-lock")
            #expect(lock.st_uid == 12_345 && lock.st_gid == 23_456 && lock.st_mode & 0o777 == 0o660)
        }
    }

    @Test("A running statement ends with 'closed' when the store is closed", arguments: Place.allCases)
    func closing(place: Place) async throws {
        let endless = "WITH RECURSIVE n (i) AS (VALUES (1) UNION ALL SELECT i + 1 FROM n) SELECT count(*) FROM n"
        for writes in [true, false] {
            try await withFolder { (folder: URL) async throws in
                let path = folder.appendingPathComponent("test.db").path
                let store = try Store(
                    place == .memory ? .memory : .file(path, readOnly: false), mappedBytes: 0, now: Date())
                let gate = Gate()
                gate.open()
                let body: @Sendable (Connection) throws -> Void = { connection in
                    gate.pass()
                    try connection.run(dynamic: endless)
                }
                let running = Task {
                    await code {
                        if writes {
                            try await store.awaitWrite(body)
                        } else {
                            try await store.awaitRead(for: .search(nil), body)
                        }
                    }
                }
                #expect(try await onThread { gate.waitForArrivals() })
                let waiting = Task { await code { try await store.awaitWrite { _ in } } }
                try await onThread { store.close() }
                #expect(await running.value == .closed)
                let last = await waiting.value
                #expect([.closed, nil].contains(last))
            }
        }
    }
}
