import Foundation
import Roster
import Testing
import TestSupport

@Suite("Files", .timeLimit(.minutes(2)))
struct FileTests {
    static func bytes(_ url: URL) throws -> Data { try Data(contentsOf: url) }

    static func names(in folder: URL) throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted()
    }

    /// A closed file with Ada in it.
    static func withFile(_ body: (URL) throws -> Void) throws {
        try withFolder { folder in
            let url = folder.appendingPathComponent("test.db")
            let directory = try Directory(at: url)
            try directory.unrestricted.users.create("ada", attributes: ["title": "Countess"])
            directory.close()
            try body(url)
        }
    }

    @Test("What was written is there when the file is opened again, and at once")
    func reopened() throws {
        try withFolder { folder in
            let url = folder.appendingPathComponent("test.db")
            for round in 0..<20 {
                let directory = try Directory(at: url)
                #expect(try directory.unrestricted.users.count() == round)
                try directory.unrestricted.users.create("u\(round)")
                directory.close()
                directory.close()
            }
        }
    }

    @Test("A new file and its companions are for their owner only; a file that is there keeps its mode")
    func modes() throws {
        try withFolder { folder in
            let url = folder.appendingPathComponent("test.db")
            for mode in [0o600, 0o640] {
                let directory = try Directory(at: url)
                try directory.unrestricted.users.create("u\(mode)")
                for path in ["", "-wal", "-shm"].map({ url.path + $0 }) {
                    let attributes = try FileManager.default.attributesOfItem(atPath: path)
                    #expect(attributes[.posixPermissions] as? Int == mode, "\(path)")
                    try FileManager.default.setAttributes([.posixPermissions: 0o640], ofItemAtPath: path)
                }
                directory.close()
            }
        }
    }

    @Test("A closed directory refuses everything", arguments: Place.allCases)
    func closed(place: Place) async throws {
        try await withDirectory(place) { (directory: Directory) async throws in
            let users = directory.unrestricted.users
            let ada = try await users.create("ada")
            directory.close()
            #expect(await code { try await users.user("ada") } == .closed)
            #expect(await code { try await users.count() } == .closed)
            #expect(await code { try await users.create("bob") } == .closed)
            #expect(await code { try await ada.reportees() } == .closed)
            let synchronous = try await onThread { (code { try users.user("ada") }, code { try users.delete("ada") }) }
            #expect(synchronous.0 == .closed)
            #expect(synchronous.1 == .closed)
        }
    }

    @Test("Closing ends the changes that are in line, and loses none that was acknowledged")
    func closingEnds() async throws {
        try await withFolder { (folder: URL) async throws in
            let url = folder.appendingPathComponent("test.db")
            let directory = try Directory(at: url)
            let users = directory.unrestricted.users
            let results = Gathered<Bool>()
            for number in 0..<100 {
                users.createAsynchronously(
                    attributes: ["uid": .string("u\(number)")], deliveringOn: DispatchQueue(label: "test")
                ) { result, _ in results.append((try? result.get()) != nil) }
            }
            try await onThread { directory.close() }
            let all = try await onThread { results.wait(for: 100) }
            #expect(all.count == 100)
            #expect(try await reopen(url).unrestricted.users.count() == all.count { $0 })
        }
    }

    @Test("A second writer is refused and told who has the file; reading goes on beside a writer")
    func lock() throws {
        try Self.withFile { url in
            let directory = try Directory(at: url)
            do {
                _ = try Directory(at: url)
                Issue.record("a second writer was let in")
            } catch let error as DirectoryError {
                #expect(error.code == .fileInUse)
                #expect(error.message.contains("\(ProcessInfo.processInfo.processIdentifier)"))
                #expect(error.message.contains(ProcessInfo.processInfo.processName))
            }
            let reader = try Directory(at: url, readOnly: true)
            #expect(try reader.unrestricted.users.user("ada").title == "Countess")
            for number in 0..<20 {
                try directory.unrestricted.users.create("u\(number)")
                #expect(try reader.unrestricted.users.count() == number + 2, "a reader sees what was written last")
            }
            #expect(code { try reader.unrestricted.users.create("eve") } == .readOnly)
            #expect(code { try reader.unrestricted.users.modify("ada", attributes: ["title": "x"]) } == .readOnly)
            reader.close()
            #expect(try directory.unrestricted.users.count() == 21)
            directory.close()
        }
    }

    @Test("Opening for reading touches nothing")
    func readOnly() throws {
        try Self.withFile { url in
            let folder = url.deletingLastPathComponent()
            for name in try Self.names(in: folder) where name != "test.db" {
                try FileManager.default.removeItem(at: folder.appendingPathComponent(name))
            }
            let before = try Self.bytes(url)
            do {
                let directory = try Directory(at: url, readOnly: true)
                #expect(try directory.unrestricted.users.user("ada").title == "Countess")
                #expect(try directory.unrestricted.check() == [])
                directory.close()
            }
            #expect(try Self.bytes(url) == before)
            #expect(try !Self.names(in: folder).contains("test.db-lock"))
            let missing = folder.appendingPathComponent("missing.db")
            #expect(code { try Directory(at: missing, readOnly: true) } == .fileNotFound)
            #expect(try !Self.names(in: folder).contains { $0.hasPrefix("missing") })
            #expect(code { try Directory(at: folder.appendingPathComponent("no/folder.db")) } == .fileNotFound)
            #expect(code { try Directory(at: folder) } == .notADirectory)
            #expect(code { try Directory(at: folder, readOnly: true) } == .notADirectory)
        }
    }

    static let garbage: [(String, Data)] = [
        ("text", Data("hello".utf8)), ("one byte", Data([0])),
        ("long text", Data(String(repeating: "x", count: 10_000).utf8)),
        ("SQLite's first words only", Data("SQLite format 3\0".utf8)),
        ("SQLite's first words and zeros", Data("SQLite format 3\0".utf8) + Data(count: 4_080)),
        ("SQLite's first words and noise", Data("SQLite format 3\0".utf8) + Data((0..<8_176).map { UInt8($0 % 251) })),
    ]

    @Test("Garbage is refused, and its bytes stay as they were", arguments: garbage)
    func garbageIsRefused(what: String, data: Data) throws {
        try withFolder { folder in
            let url = folder.appendingPathComponent("test.db")
            try data.write(to: url)
            for readOnly in [true, false] {
                let code = code { try Directory(at: url, readOnly: readOnly) }
                #expect([.notADirectory, .damaged].contains(code), "\(what)")
                #expect(try Self.bytes(url) == data)
            }
        }
    }

    @Test(
        "A truncated or overwritten file is refused or found to be damaged; nothing crashes and nothing is changed by opening it"
    )
    func damaged() throws {
        try withFolder { folder in
            let whole = folder.appendingPathComponent("whole.db")
            let directory = try Directory(at: whole)
            for number in 0..<300 {
                try directory.unrestricted.users.create("user\(number)", attributes: ["title": "t", "mail": "m@x"])
            }
            directory.close()
            let data = try Self.bytes(whole)
            let seed = randomSeed()
            var numbers = SeededNumbers(seed: seed)
            for round in 0..<40 {
                var broken = data
                if round % 2 == 0 {
                    broken = data.prefix(Int.random(in: 101..<data.count - 1, using: &numbers))
                } else {
                    for index in 0..<200 {
                        broken[Int.random(in: 4096..<data.count - 200, using: &numbers) / 200 * 200 + index] ^= 0x5A
                    }
                }
                let url = folder.appendingPathComponent("broken\(round).db")
                try broken.write(to: url)
                do {
                    let directory = try Directory(at: url, readOnly: true)
                    var names = 0
                    do {
                        for number in 0..<300 {
                            names += try directory.unrestricted.users.user("user\(number)").uid.isEmpty ? 0 : 1
                        }
                        let problems = try directory.unrestricted.check()
                        #expect(
                            !problems.isEmpty || round % 2 == 1,
                            "a truncated file is not whole, seed \(seed), round \(round)")
                    } catch {
                        #expect(error is DirectoryError, "seed \(seed), round \(round)")
                    }
                    directory.close()
                } catch {
                    #expect(
                        [.damaged, .notADirectory, .storageFailed].contains((error as? DirectoryError)?.code),
                        "\(error)")
                }
                #expect(try Self.bytes(url) == broken, "seed \(seed), round \(round)")
            }
        }
    }

    @Test("Identifiers and times stay in order when the clock jumps by a day", arguments: Place.allCases)
    func clockJumps(place: Place) throws {
        let clock = SettableClock()
        try withDirectory(place, clock: { clock.now }) { directory in
            let view = directory.unrestricted
            var last: UserID?
            var seen: Set<UserID> = []
            for (number, jump) in [0, 86_400, -172_800, 1, -86_400 * 400, 0, 86_400 * 500, -3_600].enumerated() {
                clock.advance(by: TimeInterval(jump))
                let user = try view.users.create("u\(number)")
                if let last { #expect(user.id > last, "jump \(jump)") }
                #expect(seen.insert(user.id).inserted)
                last = user.id
                let first = try view.users.modify("u0", attributes: ["title": .string("\(number)")])
                #expect(first.modified >= first.created)
                #expect(first.version == Int64(number + 2))
            }
            let modified = try view.changes.since(0).filter { $0.name == "u0" }
            #expect(
                zip(modified, modified.dropFirst()).allSatisfy { $0.time <= $1.time },
                "of one user the times are in order")
            let first = try view.users.user("u0")
            try view.users.delete("u7")
            clock.advance(by: -86_400 * 1_000)
            #expect(try view.users.create("u7").id > (last ?? first.id), "an identifier is never given again")
        }
    }

    @Test("The clock's jumps do not hurt across reopening either")
    func clockJumpsAcrossReopening() throws {
        let clock = SettableClock()
        try withFolder { folder in
            let url = folder.appendingPathComponent("test.db")
            var ids: [UserID] = []
            for round in 0..<4 {
                let directory = try reopen(url, clock: { clock.now })
                ids.append(try directory.unrestricted.users.create("u\(round)").id)
                try directory.unrestricted.users.delete(.named("u\(round)"))
                directory.close()
                clock.advance(by: -86_400)
            }
            #expect(ids == ids.sorted())
            #expect(Set(ids).count == ids.count)
        }
    }
}
