import Foundation
import Roster
import TestSupport
import Testing

@testable import RosterLDAP

@Suite("Following a directory over LDAP", .timeLimit(.minutes(2)))
struct FollowingTests {
    private static let people = ServedCompany.people
    private static let groups = ServedCompany.groups

    private static func persistence(_ kinds: Int32, changesOnly: Bool) -> LDAPControl {
        var writer = BERWriter()
        writer.container { writer in
            writer.integer(kinds)
            writer.boolean(changesOnly)
            writer.boolean(true)
        }
        return LDAPControl(identifier: SupportedControl.persistentSearch, isCritical: true, value: writer.finish())
    }

    /// The number of the change's kind in the control of an entry.
    private static func kind(_ answer: Answer?) throws -> Int32? {
        guard let value = answer?.controls[SupportedControl.entryChange] else { return nil }
        return try BERReader.reading(value) { reader in
            try reader.container(BERReader.Tag.sequence) { try $0.integer(BERReader.Tag.enumerated) }
        }
    }

    @Test("A persistent search sends entries as they change, and ends when it is canceled")
    func persistent() async throws {
        try await ServedCompany.serving { company, client in
            let users = company.directory.acting(as: .administrator("the test")).users
            let id = client.request(controls: [Self.persistence(15, changesOnly: true)]) {
                Message.search(&$0, Self.people, .one, .equal("objectClass", "person"), ["title", "cn"])
            }
            // The answer to another request comes after the search has begun, because a bind would end the search.
            _ = try client.ask { $0.container(0x77) { $0.text(ExtendedOperation.whoAmI, 0x80) } }
            Thread.sleep(forTimeInterval: 0.2)
            try users.create("jane", attributes: ["commonName": "Jane Doe"])
            let created = try client.next()
            #expect(created?.dn == "uid=jane," + Self.people && created?.attributes["cn"] == ["Jane Doe"])
            #expect(try Self.kind(created) == 1)
            try users.modify("jane", attributes: ["title": "Chief"])
            let modified = try client.next()
            #expect(modified?.attributes["title"] == ["Chief"])
            #expect(try Self.kind(modified) == 4)
            try users.modify("jane", [.set("uid", "joan")])
            let renamed = try client.next()
            #expect(renamed?.dn == "uid=joan," + Self.people)
            #expect(try Self.kind(renamed) == 8)
            try users.delete("joan")
            let deleted = try client.next()
            #expect(deleted?.dn == "uid=joan," + Self.people)
            #expect(try Self.kind(deleted) == 2)
            // Other operations go on meanwhile, also those that otherwise run alone.
            let wrong = client.request { $0.text("uid=nobody," + Self.people, 0x4A) }
            #expect(try client.next()?.id == wrong)
            var value = BERWriter()
            value.container { $0.integer(id) }
            let bytes = value.finish() ?? []
            let cancel = client.request { writer in
                writer.container(0x77) { writer in
                    writer.text(ExtendedOperation.cancel, 0x80)
                    writer.octets(bytes, 0x81)
                }
            }
            let canceled = try client.next()
            #expect(canceled?.id == id && canceled?.result == .canceled)
            let answer = try client.next()
            #expect(answer?.id == cancel && answer?.result == .success)
        }
    }

    @Test("The stop of the server ends a persistent search at once")
    func stop() async throws {
        let company = try await ServedCompany()
        let client = try company.client()
        try await onThread { () throws in
            #expect(try client.bind("emma.mueller", ServedCompany.password).result == .success)
            client.request(controls: [Self.persistence(15, changesOnly: true)]) {
                Message.search(&$0, Self.people, .one, .present("uid"))
            }
            Thread.sleep(forTimeInterval: 0.2)
        }
        let begin = ContinuousClock.now
        await company.server.stop(timeout: .seconds(20))
        #expect(ContinuousClock.now - begin < .seconds(10))
        try await onThread { () throws in
            let notice = try client.next()
            #expect(notice?.id == 0 && notice?.result == .unavailable)
        }
    }

    private static func sync(_ mode: Int32, _ cookie: String? = nil) -> LDAPControl {
        var writer = BERWriter()
        writer.container { writer in
            writer.enumerated(mode)
            if let cookie { writer.text(cookie) }
        }
        return LDAPControl(identifier: SupportedControl.sync, isCritical: true, value: writer.finish())
    }

    /// The state of an entry, and its UUID.
    private static func state(_ answer: Answer) throws -> (state: Int32, uuid: [UInt8]) {
        let value = try #require(answer.controls[SupportedControl.syncState])
        return try BERReader.reading(value) { reader in
            try reader.container(BERReader.Tag.sequence) { reader in
                (try reader.integer(BERReader.Tag.enumerated), try reader.octets())
            }
        }
    }

    /// The cookie of the last answer, and whether the deleted entries were named.
    private static func done(_ answer: Answer) throws -> (cookie: String, deletes: Bool) {
        let value = try #require(answer.controls[SupportedControl.syncDone])
        return try BERReader.reading(value) { reader in
            try reader.container(BERReader.Tag.sequence) { reader in
                let cookie = try reader.text()
                return (cookie, reader.isAtEnd ? false : try reader.boolean())
            }
        }
    }

    @Test("A copy is refreshed by what has changed since its cookie (RFC 4533)")
    func refresh() async throws {
        try await ServedCompany.serving { company, client in
            let view = company.directory.acting(as: .administrator("the test"))
            func refresh(_ cookie: String?, _ filter: LDAPFilter = .equal("objectClass", "person")) throws -> (
                entries: [Answer], cookie: String, deletes: Bool
            ) {
                let found = try client.search(Self.people, .one, filter, ["title"], controls: [Self.sync(1, cookie)])
                #expect(found.end.result == .success, "\(found.end.text)")
                let outcome = try Self.done(found.end)
                return (found.entries, outcome.cookie, outcome.deletes)
            }
            try view.users.create("jane", attributes: ["commonName": "Jane Doe"])
            let first = try refresh(nil)
            #expect(try first.entries.count == view.users.count() && !first.deletes)
            #expect(try first.entries.allSatisfy { try Self.state($0).state == 1 })
            #expect(try Set(first.entries.map { try Self.state($0).uuid }).count == first.entries.count)
            let jane = try #require(first.entries.first { $0.dn.hasPrefix("uid=jane,") })
            let nothing = try refresh(first.cookie)
            #expect(nothing.entries.isEmpty && nothing.deletes)
            try view.users.modify("emma.mueller", attributes: ["title": "Chief"])
            try view.users.modify("emma.mueller", attributes: ["title": "Queen"])
            try view.users.delete("jane")
            let second = try refresh(nothing.cookie)
            #expect(second.deletes && second.entries.count == 2)
            let emma = try #require(second.entries.first { $0.dn == ServedCompany.emma })
            #expect(try emma.attributes["title"] == ["Queen"] && Self.state(emma).state == 2)
            let gone = try #require(second.entries.first { $0.dn.hasPrefix("uid=jane,") })
            #expect(try Self.state(gone).state == 3 && Self.state(gone).uuid == Self.state(jane).uuid)
            // A cookie of another search is worth nothing: all entries come.
            let other = try refresh(second.cookie, .present("uid"))
            #expect(try !other.deletes && other.entries.count == view.users.count())
            // slapd names its copy, and sends the numbers of several servers.
            let named = try refresh("rid=007")
            #expect(named.cookie == "rid=007," + second.cookie && !named.deletes)
            let several = named.cookie.replacing("csn=", with: "csn=20261128234847.000123Z#000000#000#000000;")
            #expect(try refresh(several).deletes)
            let short = String(named.cookie.dropLast())
            for damaged in [named.cookie.replacing("Z#", with: "#"), short, "csn=", "csn=;;#", "rid=", "csn=#000000#"] {
                #expect(try !refresh(damaged).deletes)
            }
            // An entry that no longer satisfies the filter leaves the copy.
            let titled = try refresh(nil, .equal("title", "Queen"))
            #expect(titled.entries.count == 1)
            try view.users.modify("emma.mueller", attributes: ["title": "Chief"])
            let left = try refresh(titled.cookie, .equal("title", "Queen"))
            #expect(try left.entries.count == 1 && Self.state(left.entries[0]).state == 3)
        }
    }

    @Test("ldapsearch keeps a copy, once and for as long as it runs")
    func ldapsearch() async throws {
        try await ServedCompany.serving(as: nil) { company, _ in
            let once = try company.tool("ldapsearch", "-b", Self.people, "-E", "!sync=ro", "(uid=emma.mueller)", "uid")
            #expect(once.status == 0 && once.output.contains("uid: emma.mueller"), "\(once.errors)")
            let process = Process()
            let output = Pipe()
            // ldapsearch writes in large pieces otherwise.
            process.executableURL = URL(fileURLWithPath: "/usr/bin/stdbuf")
            process.arguments = [
                "-oL", "/usr/bin/ldapsearch", "-x", "-LLL", "-H", "ldap://127.0.0.1:\(company.port)", "-D",
                "emma.mueller", "-w",
                ServedCompany.password,
                "-b", Self.people, "-E", "!sync=rp", "(uid=*)", "title",
            ]
            process.environment = ["LDAPNOINIT": "1"]
            process.standardOutput = output
            try process.run()
            defer { process.terminate() }
            // The end of the program ends a wait for what never comes.
            let number = process.processIdentifier
            DispatchQueue.global().asyncAfter(deadline: .now() + 30) { kill(number, SIGKILL) }
            var text = ""
            func wait(for piece: String) {
                while !text.contains(piece) {
                    let data = output.fileHandleForReading.availableData
                    if data.isEmpty { return }
                    text += String(decoding: data, as: UTF8.self)
                }
            }
            wait(for: "dn: " + ServedCompany.emma)
            Thread.sleep(forTimeInterval: 0.3)
            try company.directory.acting(as: .administrator("the test")).users.modify(
                "emma.mueller", attributes: ["title": "Followed"])
            wait(for: "title: Followed")
            #expect(text.contains("title: Followed"))
        }
    }
}
