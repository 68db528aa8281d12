import Foundation
import Roster
import Testing
import TestSupport

@Suite("What a document may give")
struct GrantingTests {
    private static let documents: [(ExchangeFormat, String, String)] = [
        (.csv, "uid,memberOf\nada,staff\n", "memberOf"),
        (.csv, "Login,Groups\nada,\"[\"\"staff\"\"]\"\n", "Groups"),
        (.ldif, "dn: uid=ada,ou=people\nuid: ada\nmemberOf: cn=staff,ou=roles\n", "memberOf"),
        (
            .ldif,
            """
            dn: uid=ada,ou=people
            uid: ada

            dn: cn=staff,ou=roles
            objectClass: groupOfNames
            cn: staff
            member: uid=ada,ou=people

            """, "member"
        ),
        (.json, #"{"people": [{"uid": "ada"}], "roles": [{"name": "staff", "members": ["ada"]}]}"#, "members"),
    ]

    private func options(_ format: ExchangeFormat, _ text: String, _ grants: Grants?) -> ImportOptions {
        var options = ImportOptions(format: format)
        if text.hasPrefix("Login") { options.columns = ["uid": "Login", "memberOf": "Groups"] }
        if let grants { options.grants = grants }
        return options
    }

    @Test("An import gives no roles unless it is told to, and reports what it left out", arguments: documents)
    func grantsNothingUnasked(_ format: ExchangeFormat, _ text: String, _ field: String) throws {
        let view = try emptyDirectory().unrestricted
        let report = try view.importPeople(
            from: Data(text.utf8), named: "x", options: options(format, text, nil))
        #expect(report.users.created == 1)
        #expect(report.notGranted.map(\.name) == [field])
        #expect(try view.roles.roles(having: .user("ada")).isEmpty)
        let again = try view.importPeople(
            from: Data(text.utf8), named: "x", options: options(format, text, .roles))
        #expect(again.notGranted.isEmpty)
        #expect(try view.roles.roles(having: .user("ada")).map(\.name) == ["staff"])
    }

    /// A directory in which `boss` is an administrator, `chiefs` is nested in the administrators' role, and `ada` is not.
    private func company() throws -> (DirectoryView, Role) {
        let view = try emptyDirectory().unrestricted
        try view.users.create("boss", attributes: ["mail": "boss@example.com"])
        try view.users.create("ada")
        let role = try view.write { try $0.asPresentAdministrator(to: "test").powers.administratorsRole() }
        try view.roles.add([.user("boss")], to: .id(role.id))
        try view.roles.create("chiefs")
        try view.roles.add([.role("chiefs")], to: .id(role.id))
        return (view, role)
    }

    @Test(
        "Nobody becomes an administrator by a document that may only give roles",
        arguments: [
            (ExchangeFormat.csv, "uid,memberOf\nada,administrators\n"), (.csv, "uid,memberOf\nada,chiefs\n"),
            (.ldif, "dn: uid=ada,ou=people\nuid: ada\nmemberOf: cn=chiefs,ou=roles\n"),
            (.json, #"{"roles": [{"name": "administrators", "owners": ["ada"]}]}"#),
            (.json, #"{"roles": [{"name": "x", "members": ["ada"]}, {"name": "chiefs", "roles": ["x"]}]}"#),
        ])
    func administrators(_ format: ExchangeFormat, _ text: String) throws {
        let (view, role) = try company()
        let error = #expect(throws: DirectoryError.self) {
            try view.importPeople(from: Data(text.utf8), named: "x", options: options(format, text, .roles))
        }
        #expect(error?.description.contains("Grants.administrators") == true)
        #expect(try view.roles.users(of: .id(role.id), reach: .effective).map(\.uid) == ["boss"])
        try view.importPeople(from: Data(text.utf8), named: "x", options: options(format, text, .administrators))
        let isIn = try view.roles.roles(having: .user("ada"), as: .member, reach: .effective).contains {
            $0.id == role.id
        }
        let isOwner = try !view.roles.roles(having: .user("ada"), as: .owner, reach: .effective).isEmpty
        #expect(isIn || isOwner)
    }

    @Test(
        "A document does not change how an administrator signs in unless it may; what is as it was is no change",
        arguments: [
            "uid,mail\nboss,eve@example.com\n", "uid,password\nboss,$6$salt$hash\n", "uid,active\nboss,false\n",
            "uid,activeEndDate\nboss,2020-01-01T00:00:00Z\n",
        ])
    func takeover(_ csv: String) throws {
        let (view, role) = try company()
        // The last administrator cannot be disabled in any case.
        try view.users.create("another")
        try view.roles.add([.user("another")], to: .id(role.id))
        try view.importPeople(
            from: Data("uid,mail,title\nboss,boss@example.com,Boss\n".utf8), named: "x", options: .init(format: .csv))
        let before = try view.users.user("boss").version
        #expect(throws: DirectoryError.self) {
            try view.importPeople(from: Data(csv.utf8), named: "x", options: .init(format: .csv, grants: .roles))
        }
        #expect(try view.users.user("boss").version == before)
        try view.importPeople(from: Data(csv.utf8), named: "x", options: .init(format: .csv, grants: .administrators))
    }

    private static let hostile = [
        "+49 30 1234", "=1+1", "-", "-1", "@", "@SUM(A1)", "\tx", "\rx", "\nx", "'+49", "''=", "'", "＝1", " =", "\"=\"",
        "=HYPERLINK(\"x\";\"y\")", "a,b;c\td", "{\"a\":1}", "[1]", "\u{FEFF}x", "x\r\n", "=\u{301}", "'\t",
    ]

    @Test("Every value comes back from CSV byte for byte, with and without a spreadsheet", arguments: [false, true])
    func roundTrip(_ isForSpreadsheet: Bool) throws {
        let view = try emptyDirectory().unrestricted
        for (number, text) in Self.hostile.enumerated() {
            try view.users.create(
                "u\(number)",
                attributes: ["title": .string(text), "telephoneNumber": .string(text), "ims": [.string(text)]])
        }
        var file = Data()
        try view.export(.csv, isForSpreadsheet: isForSpreadsheet) { file += $0 }
        let copy = try emptyDirectory().unrestricted
        var options = ImportOptions(format: .csv)
        options.isFromSpreadsheet = isForSpreadsheet
        try copy.importPeople(from: file, named: "x", options: options)
        for (number, text) in Self.hostile.enumerated() {
            let user = try copy.users.user("u\(number)")
            for value in [user.title, user.telephoneNumber, user["ims"]?.text] {
                #expect(value.map { Array($0.utf8) } == Array(text.utf8), "\(text.debugDescription)")
            }
        }
    }
}
