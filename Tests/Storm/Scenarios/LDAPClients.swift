import Foundation
import RosterText
import TestSupport

extension Scenario {
    /// What programs do over LDAP, with OpenLDAP's own. Each binds anew.
    static let ldapClients = Scenario("LDAP") { world, numbers in
        guard let server = world.servers.randomElement(using: &numbers) else { return }
        let client = LDAPTools(
            world: world, server: server, name: "l\(UInt64.random(in: 0..<UInt64.max, using: &numbers))")
        try client.use()
        world.wait(Double.random(in: 0.05...0.5, using: &numbers))
    }
}

/// Makes a person over LDAP, changes and finds the person, and deletes the person again.
private struct LDAPTools {
    private static let base = "dc=example,dc=com"
    /// The codes after which nobody knows whether a change was made: 'other', 'unavailable', and no answer.
    private static let uncertain: Set<Int32> = [80, 52, 255, 1]
    private static let busy: Int32 = 51

    let world: World
    let server: ServerProcess
    let name: String

    private var dn: String { "uid=\(name),ou=people,\(Self.base)" }

    func use() throws {
        let group = "cn=\(Load.role),ou=groups,\(Self.base)"
        var person = Person(title: "made-\(name)")
        try change(
            person,
            "dn: \(dn)\nchangetype: add\nobjectClass: inetOrgPerson\nuid: \(name)\ntitle: made-\(name)\n")
        try find(person)
        person.title = "changed-\(name)"
        try change(
            person, "dn: \(dn)\nchangetype: modify\nreplace: title\ntitle: changed-\(name)\n-\n")
        person.isMember = true
        try change(person, "dn: \(group)\nchangetype: modify\nadd: member\nmember: \(dn)\n-\n")
        try find(person)
        try change(nil, "dn: \(dn)\nchangetype: delete\n")
    }

    /// Makes a change that must succeed in the state that was acknowledged.
    private func change(_ next: Person?, _ text: String) throws {
        guard let state = world.model.settled(name), (state == nil) == text.contains("changetype: add") else { return }
        let file = world.path("change-\(name).ldif")
        try text.write(toFile: file, atomically: false, encoding: .utf8)
        defer { try? FileManager.default.removeItem(atPath: file) }
        world.model.begin(name, next)
        let ended = try run("ldapmodify", "-f", file)
        if ended.isSuccess {
            world.model.end(name, wasMade: true)
        } else if ended.status > 0, !Self.uncertain.contains(ended.status) {
            world.model.end(name, wasMade: false)
        }
    }

    private func find(_ person: Person) throws {
        guard world.model.settled(name) == .some(person) else { return }
        let begun = ContinuousClock.now
        let ended = try run(
            "ldapsearch", "-LLL", "-o", "ldif-wrap=no", "-b", Self.base, "(&(objectClass=person)(uid=\(name)))",
            "title", "memberOf")
        guard ended.isSuccess, !world.judge.hadFault(since: begun) else { return }
        let isMember = ended.output.contains("memberOf: cn=\(Load.role),")
        if !ended.output.contains("title: \(person.title ?? "")\n") || isMember != person.isMember {
            world.judge.report("\(name) over LDAP", expected: "\(person)", found: ended.output)
        }
    }

    /// Runs a program. A failure is a finding, unless a fault is there or the server is busy.
    private func run(_ tool: String, _ arguments: String...) throws -> Ended {
        let begun = ContinuousClock.now
        let login = [
            "-x", "-H", "ldap://\(server.ldapPlace)", "-D", "cn=admin," + Self.base, "-y", world.tokenFile, "-o",
            "nettimeout=60",
        ]
        let ended = try RunningProgram(
            systemProgram(tool), login + arguments, in: world.folder, environment: ["LDAPNOINIT": "1"]
        ).end()
        if !ended.isSuccess, ended.status != Self.busy, !world.judge.hadFault(since: begun) {
            world.judge.report("\(tool) of \(name)", expected: "exit code 0", found: ended.problem)
        }
        return ended
    }
}
