import Foundation
import Roster
import TestSupport
import Testing

@testable import RosterLDAP

@Suite("Controls of LDAP", .timeLimit(.minutes(2)))
struct ControlTests {
    private static let people = ServedCompany.people
    private static let groups = ServedCompany.groups

    private func serving(_ body: @escaping @Sendable (ServedCompany) throws -> Void) async throws {
        try await ServedCompany.serving(as: nil) { company, _ in try body(company) }
    }

    /// The values of an attribute in the output of `ldapsearch`, in its order.
    private static func values(_ name: String, in output: String) -> [String] {
        output.split(separator: "\n").filter { $0.hasPrefix(name + ": ") }.map { String($0.dropFirst(name.count + 2)) }
    }

    @Test("ldapsearch gets entries in the order of an attribute, in both directions, and by pages")
    func sorted() async throws {
        try await serving { company throws in
            let view = company.directory.unrestricted
            func found(_ order: String, _ more: String...) throws -> [String] {
                let outcome = try Tool.run(
                    "ldapsearch",
                    [
                        "-x", "-LLL", "-H", "ldap://127.0.0.1:\(company.port)", "-D", "emma.mueller", "-w",
                        ServedCompany.password, "-b", Self.people, "-s", "one", "-E", order,
                    ] + more + ["(uid=*)", "uid"])
                #expect(outcome.status == 0, "\(outcome.errors)")
                return Self.values("uid", in: outcome.output)
            }
            let up = try view.users.search(Search(sortedBy: [.init("uid")], pageSize: 1_000)).elements.map(\.uid)
            #expect(try found("!sss=uid") == up)
            #expect(try found("!sss=-uid") == up.reversed())
            #expect(try found("!sss=uid", "-E", "pr=3/noprompt") == up)
            let names = try view.users.search(
                Search(sortedBy: [.init("familyName"), .init("givenName", descending: true)], pageSize: 1_000)
            ).elements.map(\.uid)
            #expect(try found("!sss=sn/-givenName") == names)
        }
    }

    @Test("An order that the server does not have ends a search only if the control is critical")
    func orders() async throws {
        try await serving { company throws in
            func status(_ order: String, _ base: String) throws -> Int32 {
                try company.tool("ldapsearch", "-b", base, "-E", order, "(objectClass=*)", "1.1").status
            }
            #expect(try status("!sss=noSuchThing", Self.people) == 12)
            #expect(try status("sss=noSuchThing", Self.people) == 0)
            #expect(try status("!sss=cn", ServedCompany.base) == 12)
            #expect(try status("sss=cn", ServedCompany.base) == 0)
        }
    }

    /// The control for a part of a list: with so many entries around the entry with a number, or around the first one from a value on.
    private static func list(_ before: Int32, _ after: Int32, number: Int32 = 0, value: String? = nil) -> LDAPControl {
        var writer = BERWriter()
        writer.container { writer in
            writer.integer(before)
            writer.integer(after)
            if let value {
                writer.text(value, 0x81)
            } else {
                writer.container(0xA0) { writer in
                    writer.integer(number)
                    writer.integer(0)
                }
            }
        }
        return LDAPControl(identifier: SupportedControl.virtualList, isCritical: true, value: writer.finish())
    }

    private static func sort(_ attribute: String, descending: Bool = false) -> LDAPControl {
        var writer = BERWriter()
        writer.container { writer in
            writer.container { writer in
                writer.text(attribute)
                if descending { writer.boolean(true, 0x81) }
            }
        }
        return LDAPControl(identifier: SupportedControl.sort, isCritical: true, value: writer.finish())
    }

    @Test("A part of a sorted list has the entries around its target")
    func lists() async throws {
        try await ServedCompany.serving { company, client in
            let all = try company.directory.unrestricted.users.search(
                Search(sortedBy: [.init("uid")], pageSize: 1_000)
            ).elements.map(\.uid)
            func found(
                _ list: LDAPControl, descending: Bool = false
            ) throws -> (names: [String], target: Int32, total: Int32) {
                let answer = try client.search(
                    Self.people, .one, .present("uid"), ["uid"],
                    controls: [Self.sort("uid", descending: descending), list])
                #expect(answer.end.result == .success, "\(answer.end.text)")
                let value = try #require(answer.end.controls[SupportedControl.virtualListAnswer])
                let (target, total) = try BERReader.reading(value) { reader in
                    try reader.container(BERReader.Tag.sequence) { (try $0.integer(), try $0.integer()) }
                }
                return (answer.entries.compactMap { $0.attributes["uid"]?.first }, target, total)
            }
            let first = try found(Self.list(0, 4, number: 1))
            #expect(first.names == Array(all.prefix(5)) && first.target == 1 && first.total == Int32(all.count))
            let middle = try found(Self.list(2, 2, number: 6))
            #expect(middle.names == Array(all[3...7]) && middle.target == 6)
            let last = try found(Self.list(1, 9, number: 9_999))
            #expect(last.names == Array(all.suffix(2)) && last.target == Int32(all.count))
            let place = try #require(all.firstIndex { $0 >= "k" })
            let typed = try found(Self.list(1, 1, value: "k"))
            #expect(typed.names == Array(all[(place - 1)...(place + 1)]) && typed.target == Int32(place + 1))
            let down = try found(Self.list(0, 2, number: 1), descending: true)
            #expect(down.names == Array(all.reversed().prefix(3)))
            let unsorted = try client.search(Self.people, .one, controls: [Self.list(0, 1, number: 1)])
            #expect(unsorted.end.result == .sortControlMissing)
        }
    }

    @Test("ldapmodify changes an entry only if a condition holds, and shows the entry before and after")
    func conditions() async throws {
        try await serving { company throws in
            func modify(_ title: String, _ more: String...) throws -> Tool.Outcome {
                try Tool.run(
                    "ldapmodify",
                    [
                        "-x", "-H", "ldap://127.0.0.1:\(company.port)", "-D", "admin", "-w", ServedCompany.password,
                    ] + more,
                    input: "dn: \(ServedCompany.emma)\nchangetype: modify\nreplace: title\ntitle: \(title)\n")
            }
            let before = try company.directory.unrestricted.users.user("emma.mueller").title ?? ""
            #expect(try modify("A", "-e", "!assert=(title=nothing)").status == 122)
            let outcome = try modify(
                "A", "-e", "!assert=(title=\(before))", "-e", "!preread=title,memberOf", "-e", "!postread=title")
            #expect(outcome.status == 0, "\(outcome.errors)")
            #expect(Self.values("title", in: outcome.output).contains(before), "\(outcome.output)")
            #expect(Self.values("title", in: outcome.output).last == "A", "\(outcome.output)")
            #expect(outcome.output.contains("memberOf: cn=everyone,\(Self.groups)"))
            #expect(try company.directory.unrestricted.users.user("emma.mueller").title == "A")
            let deleted = try company.tool("ldapdelete", as: "admin", "-e", "!preread=cn", "cn=nobody,\(Self.groups)")
            #expect(deleted.status == 32)
            let search = try company.tool(
                "ldapsearch", "-b", ServedCompany.emma, "-s", "base", "-e", "!assert=(title=B)", "1.1")
            #expect(search.status == 122, "\(search.errors)")
        }
    }

    @Test("A deleted group is shown as it was, and a new one as it is")
    func groupsRead() async throws {
        try await serving { company throws in
            let added = try company.tool(
                "ldapadd", as: "admin", "-e", "!postread=member,entryUUID",
                input:
                    "dn: cn=staff,\(Self.groups)\nobjectClass: groupOfNames\ncn: staff\nmember: \(ServedCompany.emma)\n"
            )
            #expect(added.status == 0 && added.output.contains("member: " + ServedCompany.emma), "\(added.output)")
            let deleted = try company.tool(
                "ldapdelete", as: "admin", "-e", "!preread=member", "cn=staff,\(Self.groups)")
            #expect(
                deleted.status == 0 && deleted.output.contains("member: " + ServedCompany.emma), "\(deleted.output)")
            #expect(try company.directory.unrestricted.roles.find("staff") == nil)
        }
    }

    @Test("A critical control that the server does not have, or not for the operation, refuses the operation")
    func critical() async throws {
        try await serving { company throws in
            func search(_ control: String) throws -> Int32 {
                try company.tool("ldapsearch", "-b", ServedCompany.emma, "-E", control, "1.1").status
            }
            #expect(try search("!domainScope") == 12)
            #expect(try search("domainScope") == 0)
            #expect(try search("!dontUseCopy") == 0)
            #expect(try company.tool("ldapwhoami", "-e", "!manageDSAit").status != 0)
            #expect(try company.tool("ldapsearch", "-b", ServedCompany.emma, "-e", "!manageDSAit", "1.1").status == 0)
            // `authzid` is proxied authorization, which is for programs: this administrator is a user.
            #expect(try company.tool("ldapwhoami", as: "admin", "-e", "!authzid=u:emma.mueller").status != 0)
        }
    }

    @Test("Canceling what does not run is refused")
    func cancelNothing() async throws {
        try await ServedCompany.serving { _, client in
            var value = BERWriter()
            value.container { $0.integer(4_711) }
            let bytes = value.finish() ?? []
            let answer = try client.ask { writer in
                writer.container(0x77) { writer in
                    writer.text(ExtendedOperation.cancel, 0x80)
                    writer.octets(bytes, 0x81)
                }
            }
            #expect(answer.result == .noSuchOperation)
        }
    }
}
