import Foundation
import Roster
import Testing
import TestSupport

/// A table of filters, each in every language that can say it, on directories with more people than a search looks at one by one.
@Suite("Filters in every language", .timeLimit(.minutes(10)))
struct FilterTableTests {
    struct Line: Sendable {
        let filter: Filter
        var scim: String?
        var ldap: String?
    }

    private static let enterprise = "urn:ietf:params:scim:schemas:extension:enterprise:2.0:User:"

    static let lines: [Line] = [
        Line(filter: .uid.equals("u42"), scim: #"userName eq "u42""#, ldap: "(uid=u42)"),
        Line(
            filter: .all(.uid.equals("u41"), .member(of: "large", .direct)),
            scim: #"userName eq "u41" and groups.display eq "large""#, ldap: "(&(uid=u41)(memberOf=large))"),
        Line(
            filter: .all(.uid.equals("u41"), .not(.member(of: "large", .direct))),
            scim: #"userName eq "u41" and not (groups.display eq "large")"#,
            ldap: "(&(uid=u41)(!(memberOf=cn=large,ou=groups)))"),
        Line(
            filter: .any(.uid.equals("u42"), .mail.equals("u43@example.com")),
            scim: #"userName eq "u42" or emails.value eq "u43@example.com""#, ldap: "(|(uid=u42)(mail=u43@example.com))"
        ),
        Line(
            filter: .all(
                .any(.uid.equals("u41"), .mail.equals("shared10@example.com")), .member(of: "large", .direct)),
            scim: #"(userName eq "u41" or emails.value eq "shared10@example.com") and groups.display eq "large""#,
            ldap: "(&(|(uid=u41)(mail=shared10@example.com))(memberOf=large))"),
        Line(filter: .member(of: "large", .direct), scim: #"groups.display eq "large""#, ldap: "(memberOf=large)"),
        Line(filter: .member(of: "small", .direct), scim: #"groups eq "small""#, ldap: "(memberOf=cn=small,dc=x)"),
        Line(
            filter: .member(of: "staff"), scim: #"groups.effective eq "staff""#,
            ldap: "(memberOf:1.2.840.113556.1.4.1941:=cn=staff,ou=groups)"),
        Line(
            filter: .all(.member(of: "engineering"), .department.equals("research")),
            scim: #"groups.effective eq "engineering" and \#(enterprise)department eq "research""#,
            ldap: "(&(memberOf:1.2.840.113556.1.4.1941:=engineering)(departmentNumber=research))"),
        Line(
            filter: .department.equals("research"), scim: #"\#(enterprise)department eq "research""#,
            ldap: "(departmentNumber=research)"),
        Line(
            filter: .all(.title.equals("title 1"), .department.equals("dept3")),
            scim: #"title eq "title 1" and \#(enterprise)department eq "dept3""#,
            ldap: "(&(title=title 1)(departmentNumber=dept3))"),
        Line(
            filter: .not(.manager.present), scim: #"not (\#(enterprise)manager pr)"#, ldap: "(!(manager=*))"),
        Line(filter: .not(.title.present), scim: "not (title pr)", ldap: "(!(title=*))"),
        Line(filter: .not(.mail.present), scim: "not (emails.value pr)", ldap: "(!(mail=*))"),
        Line(filter: .not(.present(AttributePath("emails"))), scim: "not (emails pr)"),
        Line(filter: .title.present, scim: "title pr", ldap: "(title=*)"),
        Line(
            filter: .attribute("country").equals("aq"), scim: #"addresses.country eq "AQ""#, ldap: "(c=AQ)"),
        Line(filter: .attribute("country").equals("XX"), scim: #"addresses.country eq "XX""#, ldap: "(c=XX)"),
        Line(
            filter: .all(.attribute("tags").equals("red"), .attribute("level").isLess(than: 30)),
            scim: #"tags eq "red" and level lt 30"#, ldap: nil),
        Line(filter: .attribute("tags").starts("tag3"), scim: #"tags sw "tag3""#, ldap: "(tags=tag3*)"),
        Line(
            filter: .all(.uid.contains("77"), .member(of: "large", .direct)),
            scim: #"userName co "77" and groups.display eq "large""#, ldap: "(&(uid=*77*)(memberOf=large))"),
        Line(filter: .manager.equals("u3"), scim: #"manager.value eq "u3""#, ldap: "(manager=uid=u3,ou=people)"),
        Line(
            filter: .below("u3"), scim: #"managers eq "u3""#,
            ldap: "(manager:1.2.840.113556.1.4.1941:=uid=u3,ou=people,dc=example,dc=com)"),
        Line(filter: .below("u3", levels: 1), scim: #"managers[value eq "u3" and depth le 1]"#, ldap: "(manager=u3)"),
        Line(filter: .below("u0", levels: 2), scim: #"managers[depth lt 3 and value eq "u0"]"#),
        Line(
            filter: .below("nobody"), scim: #"managers eq "nobody""#, ldap: "(manager:1.2.840.113556.1.4.1941:=nobody)"),
        Line(
            filter: .all(.below("u1"), .active, .department.equals("research")),
            scim: #"managers eq "u1" and active eq true and \#(enterprise)department eq "research""#,
            ldap: "(&(manager:1.2.840.113556.1.4.1941:=u1)(active=TRUE)(departmentNumber=research))"),
        Line(
            filter: .all(.not(.below("u1")), .title.equals("title 2")),
            scim: #"not (managers eq "u1") and title eq "title 2""#,
            ldap: "(&(!(manager:1.2.840.113556.1.4.1941:=u1))(title=title 2))"),
        Line(
            filter: .any(.below("u300"), .member(of: "small", .direct)),
            scim: #"managers eq "u300" or groups.display eq "small""#,
            ldap: "(|(manager:1.2.840.113556.1.4.1941:=u300)(memberOf=small))"),
        Line(
            filter: .attribute(.phoneNumbers).contains("555 77"), scim: #"phoneNumbers.value co "555 77""#, ldap: nil),
        Line(filter: .attribute("mobile").contains("171/2"), scim: nil, ldap: "(mobile=*171/2*)"),
        Line(filter: .not(.active), scim: "active eq false", ldap: "(active=FALSE)"),
    ]

    static let orders: [[Search.Sort]] = [
        [], [.init(.familyName)], [.init(.title, descending: true)], [.init("modified", descending: true)],
        [.init(.department), .init(.uid, descending: true)], [.init("manager")], [.init("country")],
    ]

    @Test("Each filter finds what a plain scan finds, in each language, order and page", arguments: Place.allCases)
    func table(place: Place) throws {
        let scan = PlainScan.make(2_600)
        try withDirectory(place) { (directory: Directory) throws in
            try scan.fill(directory)
            for isIndexed in [false, true] {
                if isIndexed { try directory.unrestricted.attributes.index("country") }
                for line in Self.lines { try Self.check(line, scan, directory.unrestricted) }
            }
        }
    }

    private static func check(_ line: Line, _ scan: PlainScan, _ view: DirectoryView) throws {
        let users = view.users
        let expected = scan.names(line.filter)
        let vocabulary = view.attributes.vocabulary()
        var all = [line.filter]
        if let scim = line.scim { all.append(try Filter(scim: scim, vocabulary: vocabulary)) }
        if let ldap = line.ldap { all.append(try Filter(ldap: ldap, vocabulary: vocabulary)) }
        for filter in all {
            #expect(try users.count(matching: filter) == expected.count, "\(filter)")
            let page = try users.search(Search(filter, pageSize: 10_000, includesTotal: true))
            #expect(page.elements.map(\.uid).sorted() == expected.sorted(), "\(filter)")
            #expect(page.total == expected.count)
        }
        for order in orders {
            var read: [String] = []
            try users.all(Search(line.filter, sortedBy: order, pageSize: max(7, expected.count / 3))).forEach {
                read.append($0.uid)
            }
            #expect(read.count == expected.count && Set(read) == Set(expected), "\(line.filter) by \(order)")
            let offset = expected.count / 2
            let later = try users.search(
                Search(line.filter, sortedBy: order, pageSize: 5, from: .offset(offset), includesTotal: true))
            #expect(later.elements.map(\.uid) == Array(read[offset...].prefix(5)), "\(line.filter) by \(order)")
            #expect(later.total == expected.count)
        }
    }

    @Test("An order is the same whatever way finds the users", arguments: Place.allCases)
    func order(place: Place) throws {
        let scan = PlainScan.make(2_600)
        try withDirectory(place) { (directory: Directory) throws in
            try scan.fill(directory)
            let users = directory.unrestricted.users
            for order in Self.orders where !order.isEmpty {
                // Nothing finds all users by an index, so that this one sorts or walks.
                let all = try users.search(Search(sortedBy: order, pageSize: 10_000)).elements.map(\.uid)
                for line in Self.lines {
                    let expected = Set(scan.names(line.filter))
                    let read = try users.search(Search(line.filter, sortedBy: order, pageSize: 10_000))
                    #expect(read.elements.map(\.uid) == all.filter(expected.contains), "\(line.filter) by \(order)")
                }
            }
        }
    }

    @Test("Names of Roster's own in filters refuse what they do not mean")
    func refusals() throws {
        let directory = try Directory.inMemory()
        let vocabulary = directory.unrestricted.attributes.vocabulary()
        for text in [
            #"managers gt "a""#, "managers eq 5", #"managers[depth le 2]"#, #"managers[value eq "a" or value eq "b"]"#,
            #"managers[value eq "a" and depth ge 2]"#, #"managers[value eq "a" and depth le 0]"#,
        ] {
            #expect(code { try Filter(scim: text, vocabulary: vocabulary) } == .invalidFilter, "\(text)")
        }
        #expect(code { try Filter(ldap: "(sn:1.2.840.113556.1.4.1941:=a)", vocabulary: vocabulary) } == .invalidFilter)
        let users = directory.unrestricted.users
        #expect(code { try users.count(matching: .below("a", levels: 0)) } == .invalidFilter)
        #expect(code { try directory.unrestricted.roles.count(matching: .below("a")) } == .invalidFilter)
    }
}
