import Foundation
import Roster
import RosterFixtures
import Testing

@Suite("Standard attributes as properties, and values of the app's own types", .timeLimit(.minutes(1)))
struct StandardPropertyTests {
    let view: DirectoryView

    init() throws { view = try Directory.inMemory().unrestricted }

    private static let texts:
        [(AttributeName, any KeyPath<User, String?> & Sendable, any WritableKeyPath<AttributeSet, String?> & Sendable)] =
            [
                (.givenName, \.givenName, \.givenName), (.familyName, \.familyName, \.familyName),
                (.middleName, \.middleName, \.middleName), (.honorificPrefix, \.honorificPrefix, \.honorificPrefix),
                (.honorificSuffix, \.honorificSuffix, \.honorificSuffix), (.commonName, \.commonName, \.commonName),
                (.displayName, \.displayName, \.displayName), (.nickName, \.nickName, \.nickName),
                (.initials, \.initials, \.initials), (.maidenName, \.maidenName, \.maidenName),
                (.title, \.title, \.title),
                (.userType, \.userType, \.userType), (.profileUrl, \.profileUrl, \.profileUrl),
                (.preferredLanguage, \.preferredLanguage, \.preferredLanguage), (.locale, \.locale, \.locale),
                (.timezone, \.timezone, \.timezone), (.employeeNumber, \.employeeNumber, \.employeeNumber),
                (.costCenter, \.costCenter, \.costCenter), (.organization, \.organization, \.organization),
                (.organizationalUnit, \.organizationalUnit, \.organizationalUnit), (.division, \.division, \.division),
                (.department, \.department, \.department), (.gender, \.gender, \.gender),
                (.dateOfBirth, \.dateOfBirth, \.dateOfBirth), (.hireDate, \.hireDate, \.hireDate),
                (.activeStartDate, \.activeStartDate, \.activeStartDate),
                (.activeEndDate, \.activeEndDate, \.activeEndDate),
                (.postOfficeBox, \.postOfficeBox, \.postOfficeBox), (.mail, \.mail, \.mail),
                (.telephoneNumber, \.telephoneNumber, \.telephoneNumber), (.mobile, \.mobile, \.mobile),
                (.homePhone, \.homePhone, \.homePhone), (.fax, \.fax, \.fax), (.pager, \.pager, \.pager),
                (.postalAddress, \.postalAddress, \.postalAddress), (.street, \.street, \.street),
                (.locality, \.locality, \.locality), (.region, \.region, \.region),
                (.postalCode, \.postalCode, \.postalCode),
                (.country, \.country, \.country), (.homeAddress, \.homeAddress, \.homeAddress),
            ]
    private static let lists: [(AttributeName, any KeyPath<User, [AttributeValue]> & Sendable)] = [
        (.emails, \.emails), (.phoneNumbers, \.phoneNumbers), (.addresses, \.addresses), (.ims, \.ims),
        (.photos, \.photos), (.entitlements, \.entitlements), (.scimRoles, \.scimRoles),
        (.x509Certificates, \.x509Certificates),
    ]

    @Test("Each standard attribute is a property under its own name")
    func everyAttribute() throws {
        var attributes = AttributeSet()
        for (name, _, property) in Self.texts {
            let text =
                switch name {
                case .mail: "ada@example.com"
                case .dateOfBirth, .hireDate, .activeStartDate: "2020-01-31"
                case .activeEndDate: "2090-01-31"
                default: "\(name) of Ada"
                }
            attributes[keyPath: property] = text
            #expect(attributes[name] == .string(text))
        }
        attributes[.description] = "A person"
        attributes.photo = Data([1, 2, 3])
        attributes.entitlements = ["print"]
        try view.users.create("ada", attributes: attributes)
        let ada = try view.users.user("ada", attributes: .all)
        for (name, property, _) in Self.texts { #expect(ada[keyPath: property] == attributes[name]?.text, "\(name)") }
        for (name, property) in Self.lists { #expect(ada[keyPath: property] == ada[name]?.elements ?? [], "\(name)") }
        #expect(ada.description == "A person" && ada.photo == Data([1, 2, 3]) && ada.entitlements == ["print"])
        #expect(ada.memberOf == [] && ada.firstName == ada.givenName && ada.lastName == ada.familyName)

        let known = Set(Self.texts.map(\.0) + Self.lists.map(\.0) + [.description, .photo])
        let system: Set<AttributeName> = [
            .id, .uid, .active, .manager, .memberOf, .created, .modified, .version, .externalId, .password,
        ]
        let all = view.attributes.vocabulary().definitions(for: .user).map(\.name)
        #expect(Set(all).subtracting(system) == known)

        attributes.title = nil
        attributes.entitlements = []
        #expect(attributes[.title] == nil && attributes[.entitlements] == nil)
    }

    private enum Shift: String, CaseIterable, AttributeConvertible { case day, night }
    private enum Level: Int, AttributeConvertible { case junior = 1, senior }
    private enum Own {
        static let shift = Attribute<Shift>("shift")
        static let level = Attribute<Level>("level")
        static let shifts = Attribute<[Shift]>("shifts")
        static let page = Attribute<URL>("page")
        static let device = Attribute<UUID>("device")
        static let since = Attribute<Date>("since")
    }

    @Test("Attributes have enumerations, addresses, UUIDs and dates as values")
    func types() throws {
        try view.attributes.declare([
            AttributeDefinition(Own.shift), AttributeDefinition(Own.level), AttributeDefinition(Own.shifts),
            AttributeDefinition(Own.page), AttributeDefinition(Own.device), AttributeDefinition(Own.since),
        ])
        let kinds = [Own.level.name, Own.since.name, Own.page.name].map {
            view.attributes.vocabulary().definition(of: $0)?.kind
        }
        #expect(kinds == [.integer, .time, .string])
        let page = try #require(URL(string: "https://example.com/ada?x=1"))
        let (device, since) = (UUID(), Date(timeIntervalSince1970: 1_700_000_000.25))
        try view.users.create("ada")
        let ada = try view.users.modify(
            "ada",
            [
                .set(Own.shift, .night), .set(Own.level, .senior), .set(Own.shifts, Shift.allCases),
                .set(Own.page, page), .set(Own.device, device), .set(Own.since, since),
            ])
        #expect(ada[Own.shift] == .night && ada[Own.level] == .senior && ada[Own.shifts] == [.day, .night])
        #expect(ada[Own.page] == page && ada[Own.device] == device && ada[Own.since] == since)
        #expect(try view.users.count(matching: .attribute(Own.shift).equals(Shift.night)) == 1)
        try view.users.modify("ada", [.set(Own.shift.name, "evening")])
        #expect(try view.users.user("ada")[Own.shift] == nil)
    }

    @Test("An unknown attribute is answered with the one that was probably meant")
    func didYouMean() throws {
        func advice(_ body: () throws -> Void) -> String? {
            do {
                try body()
                return nil
            } catch {
                return (error as? DirectoryError)?.advice
            }
        }
        try view.users.create("ada")
        let meant = "Did you mean 'title'?"
        #expect(advice { try view.users.modify("ada", [.set("tittle", "x")]) } == meant)
        #expect(advice { try view.users.create("eve", attributes: ["tittle": "x"]) } == meant)
        #expect(advice { _ = try view.users.user("ada", attributes: ["Tilte"]) } == meant)
        #expect(advice { _ = try view.users.count(matching: .attribute("titel").equals("x")) } == meant)
        #expect(advice { try view.attributes.declare(AttributeDefinition("locker")) } == nil)
        #expect(advice { try view.users.modify("ada", [.set("loker", "x")]) } == "Did you mean 'locker'?")
        #expect(
            advice { _ = try Filter(ldap: "(mial=x)", vocabulary: view.attributes.vocabulary()) }?
                .hasPrefix("Did you mean 'mail'?") == true)
        #expect(
            advice { _ = try Filter(scim: "usrName eq \"x\"", vocabulary: view.attributes.vocabulary()) }?
                .hasPrefix("Did you mean 'userName'?") == true)
        #expect(
            advice { try view.users.modify("ada", [.set("zzzzzzzz", "x")]) }?.hasPrefix("Check the spelling") == true)
    }

    @Test("Attributes, a manager and a delegate's source are printed so that people can read them")
    func printing() throws {
        let ada = try view.users.create(
            "ada", attributes: [.givenName: "Ada", .entitlements: ["print", "scan"], .photo: .binary(Data([1, 2]))])
        #expect("\(ada.attributes)" == #"[entitlements: ["print", "scan"], givenName: "Ada"]"#)
        #expect(String(reflecting: AttributeSet()) == "[:]" && "\(AttributeValue.binary(Data([1, 2])))" == "2 bytes")
        #expect("\(AttributeValue.time(Date(timeIntervalSince1970: 0)))".hasPrefix("1970-01-01T00:00:00"))
        let users = view.users
        #expect("\(users)" == "users for \(view.caller)" && "\(view.roles)" == "roles for \(view.caller)")
        #expect("\(EntitySource.users(users))" == "\(users)" && "\(EntitySource.user(ada))" == "user ada (\(ada.id))")
        #expect(!"\(EntitySource.user(ada))".contains("Ada"))
    }
}
