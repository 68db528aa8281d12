import Foundation
import Roster
import RosterFixtures
import Testing

@Suite("Import and export")
struct ExchangeTests {
    private func export(_ format: ExchangeFormat, _ directory: Directory) throws -> Data {
        var data = Data()
        try directory.unrestricted.export(format) { data += $0 }
        return data
    }

    /// A directory with the attributes that the other one declares.
    private func empty(like other: Directory) throws -> Directory {
        let directory = try Directory.inMemory()
        try directory.unrestricted.attributes.declare(other.unrestricted.attributes.vocabulary().declared)
        return directory
    }

    @Test("What is exported, imported and exported again is the same to the byte", arguments: ExchangeFormat.allCases)
    func companyRoundTrip(_ format: ExchangeFormat) throws {
        let company = try Fixtures.company()
        let first = try export(format, company)
        let copy = try empty(like: company)
        let report = try copy.unrestricted.importPeople(
            from: first, named: "out", options: .init(format: format, grants: .roles))
        #expect(report.users.created == 40)
        #expect(try export(format, copy) == first)
    }

    private static let pieces = [
        "=1+1", "'=x", "@cmd", "-2", "\"", ",", ";", "a\nb", "a\r\nb", " lead", "trail ", "日本", "é", "e\u{301}", "😀",
        "\u{202E}", ":", "<x>",
        "{\"a\":1}", "[1]", "#", "\\", "'", "uid=x,ou=y", "\t", "0", "true",
    ]

    @Test(
        "Values with everything that formats are afraid of survive a round trip", arguments: ExchangeFormat.allCases,
        1...8)
    func nastyRoundTrip(_ format: ExchangeFormat, _ seedNumber: Int) throws {
        print("seed number \(seedNumber)")
        var state = UInt64(seedNumber) &* 0x9E37_79B9_7F4A_7C15
        func pick(_ count: Int) -> Int {
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            return Int(state >> 33) % count
        }
        func text() -> String { (0...pick(3)).map { _ in Self.pieces[pick(Self.pieces.count)] }.joined() }
        // No address has a line end, and in quotes a quotation mark needs a backslash.
        let quotable = Self.pieces.filter { piece in !piece.contains { "\"\\\t".contains($0) || $0.isNewline } }
        func address() -> String { "\"\(quotable[pick(quotable.count)])\(pick(9))\"@x.org" }
        let directory = try Directory.inMemory()
        let users = directory.unrestricted.users
        for number in 0..<12 {
            let manager: UserReference? = number == 0 ? nil : .named("user\(pick(number)),=\"x\"")
            try users.create(
                "user\(number),=\"x\"",
                attributes: [
                    "givenName": .string(text()), "description": .string(text()), "title": .string(text()),
                    "emails": .list([
                        .string(address()), .complex(["value": .string(address()), "type": .string(text())]),
                    ]),
                    "ims": .list([.string(text()), .complex(["value": .string(text()), "type": .string(text())])]),
                    "addresses": .list([.complex(["formatted": .string(text()), "type": "work"])]),
                    "photo": .binary(Data([0, 1, 255, UInt8(number)])),
                ], manager: manager, isActive: pick(4) > 0)
        }
        try directory.unrestricted.roles.create("r1,\"=", attributes: ["description": .string(text())])
        try directory.unrestricted.roles.add([.user(.named("user3,=\"x\""))], to: .named("r1,\"="))
        let first = try export(format, directory)
        let copy = try Directory.inMemory()
        try copy.unrestricted.importPeople(from: first, named: "out", options: .init(format: format, grants: .roles))
        #expect(try String(decoding: export(format, copy), as: UTF8.self) == String(decoding: first, as: UTF8.self))
    }

    @Test("Rows that cannot be taken stop an import, and nothing of it is kept")
    func stopping() throws {
        let directory = try Directory.inMemory()
        let csv = Data("uid,manager\nada,\nbob,ghost\n".utf8)
        let error = try #require(throws: DirectoryError.self) {
            try directory.unrestricted.importPeople(from: csv, named: "p.csv", options: .init(format: .csv))
        }
        #expect(error.code == .invalidInput)
        #expect(error.message.hasPrefix("p.csv, line 3"), "\(error.message)")
        #expect(try directory.unrestricted.users.count() == 0)
        #expect(try directory.unrestricted.changes.lastSequence() == 0)
    }

    @Test("With bad rows skipped each is reported with its line, and the rest is taken")
    func skipping() throws {
        let directory = try Directory.inMemory()
        let csv = Data(
            "Login,Boss,Name\nada,XX,Ada\nADA,,Twice\n,ada,Nameless\nbob,ghost,Bob\ncarl,carl,Carl\ndora,ada,Dora\n"
                .utf8)
        let report = try directory.unrestricted.importPeople(
            from: csv, named: "p.csv",
            options: .init(
                format: .csv, columns: ["uid": "Login", "manager": "Boss", "commonName": "Name"], noManager: ["XX"],
                onBadRow: .skip))
        #expect(report.users.created == 4)
        #expect(report.leftOut == 2)
        #expect(report.problems.map(\.line) == [3, 4, 5, 6])
        #expect(try directory.unrestricted.users.user("bob").managerID == nil)
        #expect(try directory.unrestricted.users.manager(of: "dora")?.uid == "ada")
    }

    @Test("Bad rows of a seed are skipped like those of other formats")
    func skippingInSeeds() throws {
        let directory = try Directory.inMemory()
        let json = """
            {"people": [{"uid": "a"},
            {"uid": "A"},
            {"givenName": "x"},
            {"uid": "b", "nosuch": 1},
            {"uid": "c", "manager": "ghost"},
            {"uid": "d", "manager": "a"}]}
            """
        let report = try directory.unrestricted.importPeople(
            from: Data(json.utf8), named: "p.json", options: .init(format: .json, onBadRow: .skip))
        #expect(report.users.created == 3)
        #expect(report.problems.map(\.line) == [2, 3, 4, 5])
        #expect(report.problems.map(\.isRowLeftOut) == [true, true, true, false])
        #expect(try directory.unrestricted.users.manager(of: "d")?.uid == "a")
    }

    @Test(
        "Many people come in as they went out, whether bad rows end the import or not",
        arguments: ExchangeFormat.allCases,
        [ImportOptions.BadRow.stop, .skip])
    func manyPeople(_ format: ExchangeFormat, _ onBadRow: ImportOptions.BadRow) throws {
        let first = try export(format, Fixtures.organization(people: 1_700, seedNumber: 3))
        let copy = try Directory.inMemory().unrestricted
        let report = try copy.importPeople(
            from: first, named: "out", options: .init(format: format, onBadRow: onBadRow, grants: .roles))
        #expect(report.users.created == 1_700)
        #expect(report.problems.isEmpty)
        var second = Data()
        try copy.export(format) { second += $0 }
        #expect(second == first)
        #expect(try copy.check().isEmpty)
        let again = try copy.importPeople(
            from: first, named: "out", options: .init(format: format, onBadRow: onBadRow, grants: .roles))
        #expect(again.users.unchanged == 1_700)
    }

    @Test("Managers may stand after everyone who reports to them, and twins anywhere")
    func reversed() throws {
        let first = try export(.csv, Fixtures.organization(people: 1_200, seedNumber: 4))
        let rows = String(decoding: first, as: UTF8.self).split(separator: "\r\n").map(String.init)
        let reversed = [rows[0]] + rows.dropFirst().reversed() + [rows[700], rows[3]]
        let view = try Directory.inMemory().unrestricted
        let report = try view.importPeople(
            from: Data(reversed.joined(separator: "\r\n").utf8), named: "out",
            options: .init(format: .csv, onBadRow: .skip))
        #expect(report.users.created == 1_200)
        #expect(report.problems.map(\.line) == [1_202, 1_203])
        #expect(try view.users.withoutManager().count == 1)
        #expect(try view.check().isEmpty)
    }

    @Test("Importing again changes only what is different")
    func importingAgain() throws {
        let directory = try Directory.inMemory()
        func load(_ csv: String) throws -> LoadReport.Counts {
            try directory.unrestricted.importPeople(from: Data(csv.utf8), named: "p.csv", options: .init(format: .csv))
                .users
        }
        #expect(try load("uid,title,mail\nada,Countess,a@x\nbob,,b@x\n").created == 2)
        let counts = try load("uid,title\nada,Countess\nbob,Builder\n")
        #expect(counts.changed == 1)
        #expect(counts.unchanged == 1)
        #expect(try directory.unrestricted.users.user("bob").mail == "b@x", "what the file does not mention stays")
    }

    @Test("A column that is not there is named, with those that are")
    func missingColumn() throws {
        let directory = try Directory.inMemory()
        let error = try #require(throws: DirectoryError.self) {
            try directory.unrestricted.importPeople(
                from: Data("a,b\n1,2\n".utf8), named: "p.csv", options: .init(format: .csv, columns: ["uid": "c"]))
        }
        #expect(error.message.contains("'c'"))
        #expect(error.advice?.contains("'a', 'b'") == true)
    }

    static let ministry = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
        .appendingPathComponent("shared/data/home-office-senior-posts.csv")

    @Test(
        "A ministry's 259 posts come in as they are: three stand twice, one reports to itself",
        .enabled(if: FileManager.default.fileExists(atPath: ministry.path)))
    func realPosts() throws {
        let directory = try Directory.inMemory()
        let report = try directory.unrestricted.importPeople(
            from: Data(contentsOf: Self.ministry), named: "posts.csv",
            options: .init(
                format: .csv,
                columns: [
                    "uid": "Post Unique Reference", "commonName": "Name", "title": "Job Title", "department": "Unit",
                    "manager": "Reports to Senior Post",
                ], noManager: ["XX"], onBadRow: .skip))
        #expect(report.users.created == 256)
        #expect(report.problems.map(\.uid).sorted() == ["1SIIG11", "2SIIGSEC", "2UKBA18", "2UKVI02"])
        #expect(report.leftOut == 3)
        #expect(try directory.unrestricted.users.reporteeCounts(of: "4PO01").direct == 16)
        #expect(try directory.unrestricted.check().isEmpty)
    }

    @Test("Secrets are never exported", arguments: ExchangeFormat.allCases)
    func secrets(_ format: ExchangeFormat) throws {
        let directory = try Directory.inMemory()
        try directory.unrestricted.attributes.declare([AttributeDefinition("pin", readers: .nobody)])
        try directory.unrestricted.users.create("ada", attributes: ["pin": "s3cr3t"])
        #expect(!String(decoding: try export(format, directory), as: UTF8.self).contains("s3cr3t"))
    }

    @Test("A backup is the directory at one moment, and a restored one is equal to it")
    func backup() throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("backup-\(UUID())")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let (file, copy) = (folder.appendingPathComponent("a.db"), folder.appendingPathComponent("copy.db"))
        let directory = try Directory(at: file)
        try OrganizationGenerator(people: 300, seedNumber: 1).load(into: directory.unrestricted)
        let before = try export(.json, directory)
        try directory.backup(to: copy)
        #expect(throws: DirectoryError.self) { try directory.backup(to: copy) }
        try directory.unrestricted.users.create("later")
        #expect(throws: DirectoryError.self, "it is open for writing") {
            try Directory.restore(from: copy, to: file, replacing: true)
        }
        directory.close()
        #expect(throws: DirectoryError.self, "there is a file already") { try Directory.restore(from: copy, to: file) }
        try Directory.restore(from: copy, to: file, replacing: true)
        let restored = try Directory(at: file)
        #expect(try export(.json, restored) == before)
        #expect(try restored.unrestricted.check().isEmpty)
    }
}
