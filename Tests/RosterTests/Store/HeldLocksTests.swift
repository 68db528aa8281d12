import Foundation
import Roster
import Testing
import TestSupport

@Suite(
    "Locks of an open directory", .enabled(if: FileManager.default.fileExists(atPath: "/proc/locks")))
struct HeldLocksTests {
    /// The locks by which SQLite tells other processes that a file is in use: one byte of the log's index, and the shared range of the
    /// file.
    private func locks(of file: URL) throws -> Set<String> {
        let process = ProcessInfo.processInfo.processIdentifier
        return Set(
            try String(contentsOfFile: "/proc/locks", encoding: .utf8).split(separator: "\n").compactMap { line in
                let words = line.split(separator: " ")
                guard words.contains("POSIX"), words.contains("\(process)"), words.count == 8 else { return nil }
                for (name, range) in [("-shm", "128 128"), ("", "1073741826 1073742335")] {
                    let number = try? FileManager.default.attributesOfItem(atPath: file.path + name)[.systemFileNumber]
                    guard let number = number as? Int, words[5].hasSuffix(":\(number)") else { continue }
                    if "\(words[6]) \(words[7])" == range { return "\(name) \(range)" }
                }
                return nil
            })
    }

    @Test("Nothing that the process does to its directory's file releases a lock of the file")
    func locksAreKept() async throws {
        try await withFolder { folder in
            let file = folder.appendingPathComponent("company.db")
            let directory = try Directory(at: file)
            defer { directory.close() }
            let users = directory.unrestricted.users
            try await users.create("ada")
            let held = try locks(of: file)
            #expect(held.count == 2)
            let copy = folder.appendingPathComponent("copy.db")
            let link = folder.appendingPathComponent("link.db")
            try FileManager.default.createSymbolicLink(at: link, withDestinationURL: file)
            let uses: [(name: String, use: () async throws -> Void)] = [
                ("a second opening for changes", { #expect(throws: DirectoryError.self) { try Directory(at: file) } }),
                ("one by a symbolic link", { #expect(throws: DirectoryError.self) { try Directory(at: link) } }),
                (
                    "an opening for reading",
                    {
                        let other = try Directory(at: file, readOnly: true)
                        let count = try await other.unrestricted.users.count()
                        #expect(count == 1)
                        other.close()
                    }
                ),
                ("a backup", { try await directory.backup(to: copy) }),
                (
                    "a restore in its place",
                    {
                        #expect(throws: DirectoryError.self) {
                            try Directory.restore(from: copy, to: file, replacing: true)
                        }
                    }
                ),
                (
                    "a restore elsewhere",
                    { try Directory.restore(from: file, to: folder.appendingPathComponent("other.db")) }
                ),
                (
                    "a copy",
                    {
                        let other = try Directory(at: folder.appendingPathComponent("third.db"))
                        try await directory.copy(to: other)
                        other.close()
                    }
                ),
                (
                    "a check",
                    {
                        let problems = try await directory.unrestricted.check()
                        #expect(problems.isEmpty)
                    }
                ),
                ("a change", { try await users.create("ben") }),
                (
                    "an erasure",
                    {
                        try await users.delete("ben")
                        _ = try await users.erase(try await users.deleted("ben"))
                    }
                ),
            ]
            for (name, use) in uses {
                try await use()
                #expect(try locks(of: file) == held, "\(name)")
            }
        }
    }

    @Test(
        "What the process writes after a second opening survives another program and a crash", arguments: [false, true])
    func laterChangesSurvive(readOnly: Bool) async throws {
        try await withFolder { folder in
            let file = folder.appendingPathComponent("company.db")
            let directory = try Directory(at: file)
            defer { directory.close() }
            try await directory.unrestricted.users.create("first")
            if readOnly {
                let second = try Directory(at: file, readOnly: true)
                _ = try await second.unrestricted.users.count()
                second.close()
            } else {
                #expect(throws: DirectoryError.self) { try Directory(at: file) }
            }
            // Another process that believes to be alone would fold the log into the file and delete it.
            let shell = Process()
            shell.executableURL = URL(fileURLWithPath: "/usr/bin/env")
            shell.arguments = [
                "python3", "-c",
                "import sqlite3,sys; c=sqlite3.connect(sys.argv[1]); c.execute('select count(*) from sqlite_schema').fetchone(); c.close()",
                file.path,
            ]
            try shell.run()
            shell.waitUntilExit()
            #expect(shell.terminationStatus == 0)
            for number in 0..<20 { try await directory.unrestricted.users.create("later\(number)") }
            // The copy of the files is what a crash would leave.
            let crashed = folder.appendingPathComponent("crashed.db")
            for ending in ["", "-wal"] {
                try FileManager.default.copyItem(atPath: file.path + ending, toPath: crashed.path + ending)
            }
            let left = try Directory(at: crashed)
            #expect(try await left.unrestricted.users.count() == 21)
            left.close()
        }
    }
}
