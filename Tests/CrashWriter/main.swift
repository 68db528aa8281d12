import Foundation
import Roster
import RosterPostgreSQL

// Writes changes of every kind from several threads until it is killed, and says so of each one when it is done.
// Usage: roster-crash DATABASE ROUND, where DATABASE is a file or postgresql://…

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// Writes a line in one piece, past every buffer of the process.
func acknowledge(_ words: String...) {
    let line = Array((words.joined(separator: " ") + "\n").utf8)
    _ = write(STDOUT_FILENO, line, line.count)
}

func work(in directory: Directory, round: String, thread: Int) throws {
    let users = directory.unrestricted.users
    let roles = directory.unrestricted.roles
    let role = "r\(round)-\(thread)"
    try roles.create(role)
    acknowledge("role", role)
    var previous: String?
    for number in 0... {
        let uid = "u\(round)-\(thread)-\(number)"
        try users.create(uid, attributes: ["title": "new", "mail": .string("\(uid)@example.com")])
        acknowledge("created", uid)
        // Title and department change together: whoever reads one without the other has seen half a change.
        try users.modify(.named(uid), attributes: ["title": "changed", "department": "changed"])
        acknowledge("modified", uid)
        try roles.add([.user(.named(uid))], to: .named(role))
        acknowledge("added", uid, role)
        if let previous {
            try users.setManager(.named(previous), of: .named(uid))
            acknowledge("reports", uid, previous)
        }
        if number % 3 == 2 {
            try users.delete(.named(uid))
            acknowledge("deleted", uid)
        } else {
            previous = uid
        }
    }
}

let arguments = CommandLine.arguments
guard arguments.count == 3 else {
    acknowledge("usage: roster-crash DATABASE ROUND")
    exit(64)
}
do {
    let name = arguments[1]
    let directory =
        name.hasPrefix("postgresql://")
        ? try Directory(connectedTo: name) : try Directory(at: URL(fileURLWithPath: name))
    acknowledge("opened")
    let round = arguments[2]
    for thread in 0..<4 {
        Thread.detachNewThread {
            do {
                try work(in: directory, round: round, thread: thread)
            } catch {
                acknowledge("failed", "\(error)")
                exit(1)
            }
        }
    }
    while true { sleep(60) }
} catch {
    acknowledge("failed", "\(error)")
    exit(1)
}
