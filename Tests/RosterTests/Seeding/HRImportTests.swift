import Foundation
import Roster
import RosterFixtures
import Testing

@Suite("Importing from a personnel system")
struct HRImportTests {
    private static let company = """
        {"people": [
          {"uid": "boss", "mail": "boss@x.org", "employeeNumber": "1", "department": "Sales"},
          {"uid": "ann", "mail": "ann@x.org", "employeeNumber": "2", "department": "Sales", "manager": "boss"},
          {"uid": "ben", "mail": "ben@x.org", "department": "Sales", "manager": "boss"},
          {"uid": "cid", "mail": "twin@x.org", "department": "Border"},
          {"uid": "dan", "mail": "twin@x.org", "department": "Border", "active": false}
        ]}
        """

    private func directory() throws -> Directory {
        let directory = try Directory.inMemory()
        try directory.unrestricted.load(Seed(json: Data(Self.company.utf8), name: "company"))
        return directory
    }

    private func options(_ change: (inout ImportOptions) -> Void = { _ in }) -> ImportOptions {
        var options = ImportOptions(format: .csv)
        change(&options)
        return options
    }

    @discardableResult
    private func load(
        _ text: String, _ directory: Directory, _ change: (inout ImportOptions) -> Void = { _ in }
    ) throws -> ImportReport {
        try directory.unrestricted.importPeople(from: Data(text.utf8), named: "hr.csv", options: options(change))
    }

    private func manager(of name: String, _ directory: Directory) throws -> String? {
        try directory.unrestricted.users.manager(of: .named(name))?.uid
    }

    // MARK: Columns

    @Test("Two columns for one attribute are refused by their names; other columns can have one name")
    func duplicateColumns() throws {
        for (text, columns, message) in [
            ("uid,mail,email\nx,a@x.org,b@x.org", [:], "the columns 'mail' and 'email' are both 'mail'"),
            ("uid,title,title\nx,a,b", [:], "the columns 'title' and 'title' are both 'title'"),
            ("Login,Name,Name\nx,a,b", ["uid": "Login", "title": "Name"], "several columns 'Name'"),
        ] as [(String, [AttributeName: String], String)] {
            let directory = try directory()
            let error = try #require(throws: DirectoryError.self) { try load(text, directory) { $0.columns = columns } }
            #expect(error.code == .invalidInput && error.message.contains(message), "\(error)")
            #expect(error.place?.line == 1 && error.place?.file == "hr.csv")
        }
        #expect(try load("uid,note,note\nx,a,b", directory()).users.created == 1)
    }

    // MARK: Dates

    @Test(
        "Dates are read in the form that the options name",
        arguments: [
            ("DD.MM.YYYY", "31.01.2026", "2026-01-31"), ("D.M.YYYY", "1.2.2026", "2026-02-01"),
            ("MM/DD/YYYY", "2/29/2024", "2024-02-29"), ("YYYY/MM/DD", "2026/12/31", "2026-12-31"),
            ("YYYYMMDD", "20261231", "2026-12-31"),
        ])
    func dates(form: String, text: String, date: String) throws {
        let directory = try directory()
        try directory.unrestricted.attributes.declare(.init("badgeUntil", kind: .time))
        try load("uid,hireDate,badgeUntil\nann,\(text),\(text)", directory) { $0.dateFormat = DateFormat(form) }
        let ann = try directory.unrestricted.users.user("ann")
        #expect(ann["hireDate"] == .string(date))
        #expect(ann["badgeUntil"] == .time(try Date(date + "T00:00:00Z", strategy: .iso8601)))
    }

    @Test(
        "A date of another form, or that the calendar does not have, is an error with its line and column",
        arguments: ["31.02.2026", "2026-01-31", "1.1.26", "00.01.2026", "1.13.2026", "soon", "01.01.2026 "])
    func wrongDates(text: String) throws {
        let directory = try directory()
        let document = "uid,hireDate\nboss,01.01.2020\nann,\(text)\n"
        let error = try #require(throws: DirectoryError.self) {
            try load(document, directory) { $0.dateFormat = DateFormat("DD.MM.YYYY") }
        }
        #expect(error.place?.line == 3 && error.place?.field == "hireDate" && error.message.contains("DD.MM.YYYY"))
        #expect(try directory.unrestricted.users.user("boss")["hireDate"] == nil, "nothing was kept")
        let report = try load(document, directory) {
            $0.dateFormat = DateFormat("DD.MM.YYYY")
            $0.onBadRow = .skip
        }
        #expect(report.leftOut == 1 && report.problems.first?.uid == "ann")
    }

    @Test(
        "A form without a day, a month and a year once each is none",
        arguments: ["", "DD.MM", "DD.MM.YY", "DD.DD.MM.YYYY", "dd.mm.yyyy"])
    func wrongForms(text: String) { #expect(DateFormat(text) == nil) }

    // MARK: Managers

    @Test("Managers are found by mail address and by employee number, in the file and in the directory")
    func managers() throws {
        var directory = try directory()
        try load("uid,mail,manager\nnew,new@x.org,ANN@x.org\nann,ann@x.org,late@x.org\nlate,late@x.org,", directory) {
            $0.managersBy = "mail"
        }
        #expect(try manager(of: "new", directory) == "ann")
        #expect(try manager(of: "ann", directory) == "late")
        directory = try self.directory()
        try load("uid,employeeNumber,manager\nnew,9,2\nben,3,9", directory) { $0.managersBy = "employeeNumber" }
        #expect(try manager(of: "new", directory) == "ann")
        #expect(try manager(of: "ben", directory) == "new")
    }

    @Test("A manager whom nobody has, or several have, is an error with its line")
    func unclearManagers() throws {
        for (mail, message) in [
            ("nobody@x.org", "no user with the mail"), ("twin@x.org", "Several users have the mail"),
        ] {
            let directory = try directory()
            let document = "uid,manager\nben,\(mail)"
            let error = try #require(throws: DirectoryError.self) {
                try load(document, directory) { $0.managersBy = "mail" }
            }
            #expect(error.place?.line == 2 && error.message.contains(message), "\(error)")
            let report = try load(document, directory) {
                $0.managersBy = "mail"
                $0.onBadRow = .skip
            }
            #expect(report.problems.count == 1 && report.leftOut == 0)
            #expect(try manager(of: "ben", directory) == "boss")
        }
    }

    // MARK: Leavers

    private static let sales = Filter.compare(AttributePath("department"), .equal, "Sales")

    private func isActive(_ name: String, _ directory: Directory) throws -> Bool {
        try directory.unrestricted.users.user(.named(name)).isActive
    }

    @Test("Active people of the scope who are not in the file are disabled, and nobody else")
    func leavers() throws {
        let directory = try directory()
        let report = try load("uid\nboss\nANN\nnew", directory) { $0.leavers = .init(scope: Self.sales) }
        #expect(report.disabled == 1 && report.users.created == 1)
        #expect(try !isActive("ben", directory))
        for name in ["boss", "ann", "cid", "new"] { #expect(try isActive(name, directory), "\(name)") }
        let entry = try directory.unrestricted.changes.since(0).last
        #expect(entry?.name == "ben" && entry?.after == ["active": false])
    }

    @Test("More leavers than a tenth of the scope, rounded up, need a larger limit, and a refusal keeps nothing")
    func limits() throws {
        let directory = try directory()
        for (most, disabled) in [(nil, nil), (1, nil), (2, 2)] as [(Int?, Int?)] {
            func attempt() throws -> ImportReport {
                try load("uid,title\nboss,CEO", directory) { $0.leavers = .init(scope: Self.sales, most: most) }
            }
            if let disabled {
                #expect(try attempt().disabled == disabled)
            } else {
                let error = try #require(throws: DirectoryError.self) { try attempt() }
                #expect(error.code == .limitExceeded && error.message.contains("2 of the 3 active people"), "\(error)")
                #expect(try directory.unrestricted.users.user("boss")["title"] == nil)
            }
        }
    }

    @Test(
        "A file that names nobody, or has a row that names nobody, disables nobody",
        arguments: ["uid,title\n", "uid,title\nboss,a\nann,b\n,c", "uid,title\nboss,a\nann,b,c\n"])
    func unnamed(document: String) throws {
        let directory = try directory()
        let error = try #require(throws: DirectoryError.self) {
            try load(document, directory) {
                $0.leavers = .init(scope: .everything, most: 100)
                $0.onBadRow = .skip
            }
        }
        #expect(error.code == .invalidInput, "\(error)")
        #expect(try isActive("ben", directory) && isActive("cid", directory))
    }

    @Test("A person whose row is left out for another reason is not disabled")
    func skipped() throws {
        let directory = try directory()
        let report = try load("uid,mail\nboss,boss@x.org\nann,no address\nben,ben@x.org", directory) {
            $0.leavers = .init(scope: Self.sales, most: 100)
            $0.onBadRow = .skip
        }
        #expect(report.leftOut == 1 && report.disabled == 0)
        #expect(try isActive("ann", directory))
    }

    @Test("Administrators are never disabled, and are named")
    func administrators() throws {
        let directory = try directory()
        let role = try directory.unrestricted.write {
            try $0.asPresentAdministrator(to: "test").powers.administratorsRole()
        }
        try directory.unrestricted.roles.add([.user("ben")], to: .id(role.id))
        let report = try load("uid\nboss\nann", directory) { $0.leavers = .init(scope: Self.sales) }
        #expect(report.disabled == 0 && report.keptAdministrators == ["ben"])
        #expect(try isActive("ben", directory))
    }

    // MARK: Previews

    @Test("A preview tells each difference that the import then makes, and keeps nothing")
    func preview() async throws {
        let directory = try directory()
        let view = directory.unrestricted
        let document = Data("uid,title,manager\nann,Chief,\nnew,Clerk,late\nlate,Head,ann\nboss,,".utf8)
        let options = options { $0.leavers = .init(scope: Self.sales) }
        let last = try await view.changes.lastSequence()
        let preview = try await view.previewImport(from: document, named: "hr.csv", options: options)
        #expect(try await view.changes.lastSequence() == last)
        #expect(try await view.users.count() == 5)
        #expect(preview.changes.map(\.name) == ["ann", "new", "late", "ben"])
        #expect(preview.changes.map(\.kind) == [.modified, .created, .created, .modified])
        #expect(preview.changes[0].before == ["manager": "boss"] && preview.changes[0].after == ["title": "Chief"])
        #expect(preview.changes[1].after["manager"] == "late" && preview.changes[2].after["manager"] == "ann")
        #expect(preview.changes[3].before == ["active": true] && preview.changes[3].after == ["active": false])
        let report = try await view.importPeople(from: document, named: "hr.csv", options: options)
        #expect(report == preview.report)
    }

    @Test("A preview shows as many changes as asked for, and says whether there are more")
    func limitedPreview() throws {
        let directory = try directory()
        let document = Data(("uid\n" + (0..<50).map { "p\($0)" }.joined(separator: "\n")).utf8)
        for (limit, isCut) in [(49, true), (50, false)] {
            let preview = try directory.unrestricted.previewImport(
                from: document, named: "hr.csv", options: options(), limit: limit)
            #expect(preview.changes.count == limit && preview.isCut == isCut)
            #expect(preview.report.users.created == 50)
        }
    }

    @Test("A preview of a seed forgets the attributes that the seed declares")
    func previewOfASeed() throws {
        let directory = try directory()
        let seed = Data(#"{"attributes": [{"name": "badge"}], "people": [{"uid": "new", "badge": "7"}]}"#.utf8)
        let preview = try directory.unrestricted.previewImport(
            from: seed, named: "seed", options: ImportOptions(format: .json))
        #expect(preview.changes.map(\.name) == ["badge", "new"])
        #expect(directory.unrestricted.attributes.vocabulary().declared.isEmpty)
        #expect(throws: DirectoryError.self) {
            try directory.unrestricted.users.create("x", attributes: ["badge": "1"])
        }
    }

    @Test("Only administrators import, also for a preview")
    func notPermitted() throws {
        let directory = try directory()
        let ann = try directory.unrestricted.users.user("ann")
        let error = try #require(throws: DirectoryError.self) {
            try directory.acting(as: .user(ann.id)).previewImport(
                from: Data("uid\nx".utf8), named: "hr.csv", options: options())
        }
        #expect(error.code == .notPermitted)
    }
}
