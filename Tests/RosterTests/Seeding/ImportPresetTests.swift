import Foundation
import Roster
import Testing

/// The samples in `Tests/Fixtures/Imports` are made up, with the columns and attributes that each product documents for its export.
@Suite("Exports of other products")
struct ImportPresetTests {
    private static let folder = URL(fileURLWithPath: #filePath)
        .deletingLastPathComponent().appendingPathComponent("../../Fixtures/Imports")

    private func file(_ preset: ImportPreset) throws -> (data: Data, format: ExchangeFormat) {
        for format in [ExchangeFormat.ldif, .csv] {
            let url = Self.folder.appendingPathComponent("\(preset.rawValue).\(format.rawValue)")
            if let data = try? Data(contentsOf: url) { return (data, format) }
        }
        throw CocoaError(.fileNoSuchFile)
    }

    private func load(
        _ preset: ImportPreset, into directory: Directory, _ change: (inout ImportOptions) -> Void = { _ in }
    ) throws -> ImportReport {
        let (data, format) = try file(preset)
        var options = ImportOptions(format: format, preset: preset)
        options.skips = ["userPassword"]
        change(&options)
        return try directory.unrestricted.importPeople(from: data, named: preset.rawValue, options: options)
    }

    @Test(
        "Each sample comes in with every row accounted for: who was shut out stays so", arguments: ImportPreset.allCases
    )
    func samples(preset: ImportPreset) throws {
        let directory = try Directory.inMemory()
        let report = try load(preset, into: directory)
        let isOpenLDAP = preset == .openLDAP
        // OpenLDAP's entry has a second common name, in another language.
        #expect(report.problems.map(\.field) == (isOpenLDAP ? ["cn;lang-de"] : []), "\(report.problems)")
        #expect(report.ignored.isEmpty && report.notGranted.isEmpty, "\(report.ignored) \(report.notGranted)")
        let users = directory.unrestricted.users
        let people = try users.search(Search(.uid.present, pageSize: 10)).elements
        #expect(people.count == 2)
        let ada = try #require(people.first { $0.attributes["familyName"] == "Lovelace" })
        let other = try #require(people.first { $0.id != ada.id })
        #expect(ada.isActive)
        #expect(other.isActive == (preset == .lldap))
        if ![.lldap, .entra].contains(preset) { #expect(other.managerID == ada.id) }
        #expect(ada.attributes["mail"]?.text?.hasSuffix("@example.com") == true)
        // The same file again changes nothing.
        let again = try load(preset, into: directory)
        #expect(again.users.unchanged == 2 && again.cleared.isEmpty)
    }

    @Test("Active Directory: the login name is sAMAccountName, and machines, services and contacts are no people")
    func activeDirectory() throws {
        let directory = try Directory.inMemory()
        let report = try load(.activeDirectory, into: directory)
        #expect(
            report.otherEntries.map { "\($0.name) \($0.count)" } == [
                "containers 2", "computers 1", "service accounts 1", "contacts 1",
            ])
        let ada = try directory.unrestricted.users.user("alovelace")
        #expect(ada.attributes["employeeNumber"] == "1815" && ada.attributes["organization"] == "Example Ltd")
        #expect(ada.attributes["activeEndDate"] == nil)
        let charles = try directory.unrestricted.users.user("cbabbage")
        #expect(charles.attributes["activeEndDate"] == "2022-12-31")
    }

    @Test("Several telephone numbers and addresses of one kind are all kept")
    func several() throws {
        let directory = try Directory.inMemory()
        _ = try load(.directoryServer389, into: directory)
        let phones = try directory.unrestricted.users.user("ada").attributes["phoneNumbers"]
        #expect(phones?.elements.count == 2)
        let other = try Directory.inMemory()
        _ = try load(.openLDAP, into: other)
        let ada = try other.unrestricted.users.user("ada")
        #expect(ada.attributes["emails"]?.elements.count == 2)
        #expect(ada.attributes["commonName"] == "Ada Lovelace" && ada.attributes["activeEndDate"] == "2030-12-31")
    }

    @Test("Mapped fields of LDIF go before those of the preset, and skipped ones are counted")
    func mapped() throws {
        let directory = try Directory.inMemory()
        let report = try load(.activeDirectory, into: directory) {
            $0.columns = ["uid": "mail", "nickName": "department"]
            $0.skips = ["title", "mobile"]
            $0.onBadRow = .skip
        }
        let ada = try directory.unrestricted.users.user("ada.lovelace@example.com")
        #expect(
            ada.attributes["nickName"] == "Research" && ada.attributes["title"] == nil
                && ada.attributes["mobile"] == nil)
        #expect(report.skipped.contains { $0.name == "title" && $0.count == 1 })
    }

    @Test(
        "The state of an account is read as its source means it",
        arguments: [
            ("userAccountControl: 66050", false, nil), ("userAccountControl: 66048", true, nil),
            ("nsAccountLock: true", false, nil), ("loginDisabled: TRUE", false, nil),
            ("pwdAccountLockedTime: 20260101000000Z", false, nil), ("sambaAcctFlags: [UD         ]", false, nil),
            ("sambaAcctFlags: [U          ]", true, nil), ("shadowExpire: -1", true, nil),
            ("shadowExpire: 1", true, "1970-01-01"), ("accountExpires: 0", true, nil),
            ("accountExpires: 9223372036854775807", true, nil),
            ("krbPrincipalExpiration: 20301231120000Z", true, "2030-12-31T12:00:00Z"),
            ("loginExpirationTime: 20310101000000Z", true, "2030-12-31"),
        ])
    func states(line: String, isActive: Bool, end: String?) throws {
        let directory = try Directory.inMemory()
        let text = "dn: uid=x,dc=example\nobjectClass: inetOrgPerson\nuid: x\n\(line)\n"
        let report = try directory.unrestricted.importPeople(
            from: Data(text.utf8), named: "x.ldif", options: .init(format: .ldif))
        let user = try directory.unrestricted.users.user("x")
        #expect(user.isActive == isActive && user.attributes["activeEndDate"]?.text == end && report.isComplete)
    }

    @Test("A state that cannot be read leaves the row out, so that nobody comes in who was shut out")
    func unreadableState() throws {
        let directory = try Directory.inMemory()
        let text = "dn: uid=x,dc=example\nobjectClass: inetOrgPerson\nuid: x\nuserAccountControl: normal\n"
        let report = try directory.unrestricted.importPeople(
            from: Data(text.utf8), named: "x.ldif", options: .init(format: .ldif, onBadRow: .skip))
        #expect(report.leftOut == 1 && report.problems.first?.field == "userAccountControl")
    }
}
