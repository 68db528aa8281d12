import Foundation
import Roster
import Testing

@Suite("What exchanges keep and tell")
struct ExchangeFaithTests {
    private func export(_ format: ExchangeFormat, _ directory: Directory) throws -> String {
        var data = Data()
        try directory.unrestricted.export(format) { data += $0 }
        return String(decoding: data, as: UTF8.self)
    }

    private func expectRoundTrip(_ directory: Directory, _ formats: [ExchangeFormat] = ExchangeFormat.allCases) throws {
        for format in formats {
            let first = try export(format, directory)
            let copy = try Directory.inMemory()
            if format != .json {
                try copy.unrestricted.attributes.declare(directory.unrestricted.attributes.vocabulary().declared)
            }
            try copy.unrestricted.importPeople(
                from: Data(first.utf8), named: "out", options: .init(format: format, grants: .roles))
            #expect(try export(format, copy) == first, "\(format)")
        }
    }

    @Test("An element that is only a number survives a round trip", arguments: ExchangeFormat.allCases)
    func numericElement(_ format: ExchangeFormat) throws {
        let directory = try Directory.inMemory()
        try directory.unrestricted.users.create("a", attributes: ["ims": .list([.complex(["value": 5])])])
        try expectRoundTrip(directory, [format])
    }

    @Test("Parts that are numbers, truths and times survive a round trip", arguments: ExchangeFormat.allCases)
    func typedParts(_ format: ExchangeFormat) throws {
        let directory = try Directory.inMemory()
        try directory.unrestricted.users.create(
            "a",
            attributes: [
                "phoneNumbers": .list([
                    .complex([
                        "value": 5, "type": "work", "primary": true, "until": .time(Date(timeIntervalSince1970: 1.001)),
                    ])
                ])
            ])
        try expectRoundTrip(directory, [format])
    }

    @Test(
        "Own attributes of each type survive a round trip, times to the millisecond", arguments: ExchangeFormat.allCases
    )
    func ownAttributes(_ format: ExchangeFormat) throws {
        let directory = try Directory.inMemory()
        let view = directory.unrestricted
        try view.attributes.declare([
            AttributeDefinition("since", kind: .time),
            AttributeDefinition("keys", kind: .binary, isMultiValued: true, isSearchable: false),
            AttributeDefinition("scores", kind: .decimal, isMultiValued: true),
            AttributeDefinition("days", kind: .time, isMultiValued: true),
        ])
        try view.users.create("a", attributes: ["keys": .list([.binary(Data([1, 2])), .binary(Data([255]))])])
        try expectRoundTrip(directory, [format])
        try view.users.create("b", attributes: ["scores": .list([.decimal(1), .decimal(1e300), .decimal(-0.5)])])
        try expectRoundTrip(directory, [format])
        for number in 0..<300 {
            let date = Date(timeIntervalSince1970: Double(1_700_000_000_000 + number * 1_000_003) / 1000)
            try view.users.create("t\(number)", attributes: ["since": .time(date), "days": .list([.time(date)])])
        }
        let copy = try Directory.inMemory()
        try copy.unrestricted.attributes.declare(directory.unrestricted.attributes.vocabulary().declared)
        try copy.unrestricted.importPeople(
            from: Data(export(format, directory).utf8), named: "out", options: .init(format: format))
        for number in 0..<300 {
            let name = "t\(number)"
            let (old, new) = (try view.users.user(name), try copy.unrestricted.users.user(name))
            if old.attributes != new.attributes {
                Issue.record("\(format) \(name)")
                break
            }
        }
    }

    @Test("Times long ago and far ahead survive a round trip", arguments: ExchangeFormat.allCases)
    func farTimes(_ format: ExchangeFormat) throws {
        let directory = try Directory.inMemory()
        try directory.unrestricted.attributes.declare([AttributeDefinition("since", kind: .time)])
        try directory.unrestricted.users.create("old", attributes: ["since": .time(.distantPast)])
        try expectRoundTrip(directory, [format])
        try directory.unrestricted.users.create("far", attributes: ["since": .time(Date(timeIntervalSince1970: 1e12))])
        try expectRoundTrip(directory, [format])
    }

    @Test(
        "A name that says something else in seeds, LDIF or the change feed cannot be an attribute's",
        arguments: ["control", "dn", "objectClass", "Member", "changetype", "members", "owners", "roles", "ownerRoles"])
    func reservedNames(_ name: String) throws {
        let view = try Directory.inMemory().unrestricted
        for entity in [AttributeDefinition.Entity.user, .role] {
            let error = try #require(throws: DirectoryError.self) {
                try view.attributes.declare([AttributeDefinition(AttributeName(name), of: entity)])
            }
            #expect(error.code == .invalidAttribute)
        }
    }

    @Test("An attribute that nobody may write cannot be declared")
    func nobodyWrites() throws {
        let view = try Directory.inMemory().unrestricted
        #expect(throws: DirectoryError.self) {
            try view.attributes.declare([AttributeDefinition("kept", writers: .nobody)])
        }
    }

    @Test("Own attributes of roles survive a round trip", arguments: [ExchangeFormat.json, .ldif])
    func typedRoleAttributes(_ format: ExchangeFormat) throws {
        let directory = try Directory.inMemory()
        try directory.unrestricted.attributes.declare([
            AttributeDefinition("level", of: .role, kind: .integer),
            AttributeDefinition("tags", of: .role, isMultiValued: true),
        ])
        try directory.unrestricted.roles.create("r", attributes: ["level": 5, "tags": ["a", "b"]])
        try expectRoundTrip(directory, [format])
    }

    @Test("The order of roles survives a round trip, whoever names them first", arguments: ExchangeFormat.allCases)
    func orderOfRoles(_ format: ExchangeFormat) throws {
        let directory = try Directory.inMemory()
        let view = directory.unrestricted
        for name in ["A", "B", "C"] { try view.roles.create(name) }
        for name in ["u", "v"] { try view.users.create(name) }
        try view.roles.add([.user("u")], to: "B")
        try view.roles.add([.user("v")], to: "A")
        try view.roles.add([.user("v")], to: "B")
        try view.roles.add([.role("C")], to: "A")
        try expectRoundTrip(directory, [format])
    }

    @Test("A department can be turned around in one file", arguments: [ExchangeFormat.csv, .json])
    func reorganisation(_ format: ExchangeFormat) throws {
        let directory = try Directory.inMemory()
        let view = directory.unrestricted
        try view.users.create("b")
        try view.users.create("a", manager: "b")
        try view.users.create("c")
        let text =
            format == .csv
            ? "uid,manager\nb,a\na,c\n"
            : #"{"people": [{"uid": "b", "manager": "a"}, {"uid": "a", "manager": "c"}]}"#
        try view.importPeople(from: Data(text.utf8), named: "x", options: .init(format: format))
        #expect(try view.users.manager(of: "b")?.uid == "a")
        #expect(try view.users.manager(of: "a")?.uid == "c")
    }

    @Test("What stands for no manager ends the line that was there")
    func noManagerEndsALine() throws {
        let view = try Directory.inMemory().unrestricted
        try view.users.create("b")
        try view.users.create("a", manager: "b")
        try view.importPeople(
            from: Data("uid,manager\na,XX\n".utf8), named: "x", options: .init(format: .csv, noManager: ["XX"]))
        #expect(try view.users.manager(of: "a") == nil)
    }

    @Test("Whether an account is active is never guessed")
    func unreadableActiveIsTold() throws {
        let view = try Directory.inMemory().unrestricted
        #expect(throws: DirectoryError.self) {
            try view.importPeople(
                from: Data("uid,active\na,nope\n".utf8), named: "x", options: .init(format: .csv))
        }
    }

    @Test("A row with too many fields is a bad row like others")
    func tooManyFieldsAreABadRow() throws {
        let view = try Directory.inMemory().unrestricted
        let report = try view.importPeople(
            from: Data("uid,title\na,x,y\nb,z\n".utf8), named: "x", options: .init(format: .csv, onBadRow: .skip))
        #expect(report.users.created == 1)
        #expect(report.problems.map(\.line) == [2])
    }

    @Test("A record of LDIF that cannot be read is a bad row like others")
    func badRecordIsSkipped() throws {
        let view = try Directory.inMemory().unrestricted
        let report = try view.importPeople(
            from: Data("dn: uid=a,ou=people\nnonsense\n\ndn: uid=b,ou=people\nuid: b\n".utf8), named: "x",
            options: .init(format: .ldif, onBadRow: .skip))
        #expect(report.users.created == 1)
    }

    @Test("An error names file, line and column as the file calls it")
    func errorsSayFields() throws {
        let view = try Directory.inMemory().unrestricted
        for (csv, field) in [
            ("Login,Boss\na,ghost\n", "'Boss'"), ("Login,Boss\na,\na,\n", "'Login'"),
            ("Login,Boss\n a  b,\n", "'Login'"),
            ("Login,Boss\na,a\n", "'Boss'"), ("Login,Boss\n,a\n,a\n", "'Login'"),
        ] {
            let error = try #require(throws: DirectoryError.self) {
                try view.importPeople(
                    from: Data(csv.utf8), named: "p.csv",
                    options: .init(format: .csv, columns: ["uid": "Login", "manager": "Boss"]))
            }
            #expect(error.message.contains(field), "\(error.message)")
            #expect(error.place?.file == "p.csv" && error.place?.line != nil, "\(error)")
            #expect(error.place?.field.map { "'\($0)'" } == field, "\(error)")
        }
    }

    @Test(
        "Each mistake in a seed is placed",
        arguments: [
            ("{\"attributes\": [\n{\"name\": \"1x\"}]}", 2), ("{\"attributes\": [\n{\"name\": \"title\"}]}", 2),
            ("{\"attributes\": [\n{\"name\": \"a\"},\n{\"name\": \"a\", \"type\": \"integer\"}]}", 3),
            ("{\"attributes\": [\n{\"name\": \"a\", \"of\": \"role\",\n\"unique\": true}]}", 2),
            ("{\"people\": [\n{\"uid\": \"a\", \"emails\": [\"x@x\",\n [\"y\"]]}]}", 2),
            ("{\"people\": [\n{\"uid\": \"a\", \"mail\": {\"value\": \"x\"}}]}", 2),
            ("{\"people\": [\n{\"uid\": \"a\"}], \"roles\": [{\"name\": \"r\", \"owners\":\n[\"a\", \"a\"]}]}", 3),
        ])
    func seedErrors(_ json: String, _ line: Int) throws {
        let directory = try Directory.inMemory()
        let error = try #require(throws: DirectoryError.self) {
            _ = try directory.unrestricted.load(Seed(json: Data(json.utf8), name: "s.json"))
        }
        #expect(error.code == .invalidInput)
        #expect(error.message.hasPrefix("s.json, line \(line)"), "\(error.message)")
    }

    /// Expects that loading a seed is a change once, and no change the second time.
    private func expectOneChange(
        _ json: String, to counts: KeyPath<LoadReport, LoadReport.Counts>, in view: DirectoryView
    ) throws {
        let seed = try Seed(json: Data(json.utf8), name: "s")
        #expect(try view.load(seed)[keyPath: counts].changed == 1)
        #expect(try view.load(seed)[keyPath: counts].unchanged == 1)
    }

    @Test("Lines are drawn once: a new person is one change, and a changed line counts as a change")
    func oneChangeEach() throws {
        let view = try Directory.inMemory().unrestricted
        let csv = Data("uid,manager\nada,\nbob,ada\n".utf8)
        try view.importPeople(from: csv, named: "x", options: .init(format: .csv))
        #expect(try view.changes.lastSequence() == 2)
        #expect(try view.users.user("bob").version == 1)
        let report = try view.importPeople(
            from: Data("uid,manager\nbob,carl\ncarl,ada\n".utf8), named: "x", options: .init(format: .csv))
        #expect(report.users.changed == 1)
        #expect(report.users.created == 1)
        try expectOneChange(#"{"people": [{"uid": "bob", "manager": "ada"}]}"#, to: \.users, in: view)
    }

    @Test("A role that somebody comes to counts as changed")
    func changedRoles() throws {
        let view = try Directory.inMemory().unrestricted
        try view.users.create("ada")
        try view.roles.create("r")
        try expectOneChange(#"{"roles": [{"name": "r", "members": ["ada"]}]}"#, to: \.roles, in: view)
    }

    @Test("Of a circle the last line in the file is left out, and an old line that still fits is kept")
    func circles() throws {
        let view = try Directory.inMemory().unrestricted
        let options = ImportOptions(format: .csv, onBadRow: .skip)
        let first = try view.importPeople(
            from: Data("uid,manager\na,b\nb,c\nc,a\nd,\n".utf8), named: "x", options: options)
        #expect(first.problems.map(\.uid) == ["c"])
        #expect(first.problems.first?.field == "manager")
        #expect(try view.users.chain(of: "a").map(\.uid) == ["b", "c"])
        try view.users.setManager("d", of: "c")
        let second = try view.importPeople(
            from: Data("uid,manager\nc,a\n".utf8), named: "x", options: options)
        #expect(second.problems.count == 1)
        #expect(try view.users.manager(of: "c")?.uid == "d")
        #expect(try view.check().isEmpty)
    }

    @Test("Of those who are to belong to a role, only whoever is not there is left out")
    func unknownMembers() throws {
        let view = try Directory.inMemory().unrestricted
        let ldif = """
            dn: uid=ada,ou=people
            uid: ada

            dn: cn=r,ou=roles
            objectClass: groupOfNames
            cn: r
            member: uid=ghost,ou=people
            member: uid=ada,ou=people
            """
        let report = try view.importPeople(
            from: Data(ldif.utf8), named: "x", options: .init(format: .ldif, onBadRow: .skip, grants: .roles))
        #expect(report.problems.map(\.line) == [7])
        #expect(try view.roles.role("r").members().map(\.uid) == ["ada"])
    }

    @Test("A value cannot add a line to LDIF, nor a formula to CSV")
    func injection() throws {
        let directory = try Directory.inMemory()
        let nasty = "x\nuserPassword: secret\n\ndn: uid=eve,ou=people\nuid: eve"
        try directory.unrestricted.users.create(
            "ada",
            attributes: [
                "title": .string(nasty), "nickName": "=HYPERLINK(\"http://x\")", "initials": "@SUM(1)",
                "mail": "=1+1@x.org",
            ])
        let ldif = try export(.ldif, directory)
        #expect(!ldif.contains("eve"))
        var sheet = Data()
        try directory.unrestricted.export(.csv, isForSpreadsheet: true) { sheet += $0 }
        let csv = String(decoding: sheet, as: UTF8.self)
        #expect(!csv.contains(",=") && !csv.contains(",\"=") && !csv.contains(",@") && !csv.contains(",\"@"))
        try expectRoundTrip(directory)
    }
}
