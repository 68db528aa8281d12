import Foundation
import Roster
import Testing
import TestSupport

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

@Suite("A file and its names", .timeLimit(.minutes(2)))
struct FileNamesTests {
    private static let files = FileManager.default

    private static func names(in folder: URL) throws -> [String] {
        try files.contentsOfDirectory(atPath: folder.path).sorted()
    }

    /// A folder `real` with a closed directory `company.db`, and the folder around it.
    private static func withFile(_ body: (_ folder: URL, _ file: URL) throws -> Void) throws {
        try withFolder { folder in
            let real = folder.appendingPathComponent("real")
            try files.createDirectory(at: real, withIntermediateDirectories: true)
            let file = real.appendingPathComponent("company.db")
            let directory = try Directory(at: file)
            try directory.unrestricted.users.create("ada")
            directory.close()
            try body(folder, file)
        }
    }

    @Test("Every symbolic link to a file has the same lock: to the file, to a link, to a folder above")
    func links() throws {
        try Self.withFile { folder, file in
            let link = folder.appendingPathComponent("link.db")
            let second = folder.appendingPathComponent("second.db")
            let above = folder.appendingPathComponent("above")
            try Self.files.createSymbolicLink(atPath: link.path, withDestinationPath: "real/company.db")
            try Self.files.createSymbolicLink(at: second, withDestinationURL: link)
            try Self.files.createSymbolicLink(atPath: above.path, withDestinationPath: "real")
            let all = [file, link, second, above.appendingPathComponent("company.db")]
            for first in all {
                let directory = try Directory(at: first)
                for other in all { #expect(code { try Directory(at: other) } == .fileInUse, "\(first) \(other)") }
                directory.close()
            }
            #expect(try Self.names(in: folder) == ["above", "link.db", "real", "second.db"])
        }
    }

    @Test("A link to a file that is not there yet makes the file where the link leads, with its companions there")
    func danglingLink() throws {
        try withFolder { folder in
            let real = folder.appendingPathComponent("real")
            try Self.files.createDirectory(at: real, withIntermediateDirectories: true)
            let link = folder.appendingPathComponent("link.db")
            try Self.files.createSymbolicLink(atPath: link.path, withDestinationPath: "real/new.db")
            let directory = try Directory(at: link)
            #expect(code { try Directory(at: real.appendingPathComponent("new.db")) } == .fileInUse)
            directory.close()
            #expect(try Self.names(in: folder) == ["link.db", "real"])
            #expect(try Self.names(in: real).contains("new.db-lock"))
            let circle = folder.appendingPathComponent("circle.db")
            try Self.files.createSymbolicLink(atPath: circle.path, withDestinationPath: "circle.db")
            #expect(code { try Directory(at: circle) } == .fileNotFound)
        }
    }

    @Test("Restoring to a link replaces the file that the link leads to")
    func restoringToLink() throws {
        try Self.withFile { folder, file in
            let copy = folder.appendingPathComponent("copy.db")
            let link = folder.appendingPathComponent("link.db")
            try Self.files.createSymbolicLink(at: link, withDestinationURL: file)
            let directory = try Directory(at: link)
            try directory.backup(to: copy)
            #expect(code { try Directory.restore(from: copy, to: link, replacing: true) } == .fileInUse)
            try directory.unrestricted.users.create("bob")
            directory.close()
            try Directory.restore(from: copy, to: link, replacing: true)
            #expect(try Self.files.destinationOfSymbolicLink(atPath: link.path) == file.path)
            #expect(try Directory(at: file, readOnly: true).unrestricted.users.count() == 1)
        }
    }

    @Test("A file with two names (hard links) is refused, for writing and for reading, until one of them is gone")
    func hardLinks() throws {
        try Self.withFile { folder, file in
            let other = folder.appendingPathComponent("other.db")
            try Self.files.linkItem(at: file, to: other)
            for url in [file, other] {
                for readOnly in [true, false] {
                    let error = #expect(throws: DirectoryError.self) { try Directory(at: url, readOnly: readOnly) }
                    #expect(error?.message.contains("2 names (hard links)") == true)
                    #expect(error?.advice?.contains("Remove the other names") == true)
                }
            }
            #expect(try Self.names(in: folder) == ["other.db", "real"], "nothing was made beside the second name")
            try Self.files.removeItem(at: other)
            let directory = try Directory(at: file)
            #expect(try directory.unrestricted.users.count() == 1)
            directory.close()
        }
    }

    @Test("A file that is deleted while it is open is noticed at the next change, which is not acknowledged")
    func deleted() async throws {
        try await withFolder { (folder: URL) async throws in
            let file = folder.appendingPathComponent("company.db")
            let aside = folder.appendingPathComponent("aside.db")
            let directory = try Directory(at: file)
            let users = directory.unrestricted.users
            try await users.create("ada")
            try Self.files.moveItem(at: file, to: aside)
            #expect(await code { try await users.create("bob") } == .fileNotFound)
            try Self.files.moveItem(at: aside, to: file)
            try await users.create("carl")
            try Self.files.removeItem(at: file)
            #expect(await code { try await users.create("dora") } == .fileNotFound)
            let synchronous = try await onThread { code { try users.modify("ada", attributes: ["title": "x"]) } }
            #expect(synchronous == .fileNotFound)
            #expect(try await users.count() == 2, "nothing of a change that was refused is kept")
            directory.close()
        }
    }

    @Test("A file that is replaced by another one while it is open is noticed at the next change")
    func replaced() throws {
        try Self.withFile { folder, file in
            let copy = folder.appendingPathComponent("copy.db")
            let directory = try Directory(at: file)
            try directory.backup(to: copy)
            let bytes = try Data(contentsOf: copy)
            #expect(rename(copy.path, file.path) == 0)
            let error = #expect(throws: DirectoryError.self) { try directory.unrestricted.users.create("bob") }
            #expect(error?.code == .storageFailed)
            #expect(error?.message.contains("was replaced by another file") == true)
            directory.close()
            #expect(try Data(contentsOf: file) == bytes)
        }
    }

    @Test(
        "Only the URL of a file of this machine is taken, and nothing is made for any other",
        arguments: [
            "https://id.example.com/roster-test.db", "http://user:secret@h.example/roster-test.db", "roster-test.db",
            "file://other.example/roster-test.db", "ftp:/roster-test.db", "file:///tmp/a%00roster-test.db",
        ])
    func urls(text: String) throws {
        let url = try #require(URL(string: text))
        for readOnly in [true, false] {
            let error = #expect(throws: DirectoryError.self) { try Directory(at: url, readOnly: readOnly) }
            #expect(error?.code == .fileNotFound)
            #expect(error?.description.contains("secret") == false)
        }
        let directory = try Directory.inMemory()
        #expect(code { try directory.backup(to: url) } == .fileNotFound)
        #expect(code { try Directory.restore(from: url, to: url) } == .fileNotFound)
        #expect(!Self.files.fileExists(atPath: "/roster-test.db"))
        #expect(!Self.files.fileExists(atPath: "roster-test.db"))
    }
}
