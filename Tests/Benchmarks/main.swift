import Foundation
import Roster

// Measures the directory beside bare calls on libsqlite3, in one run on one machine.
// Usage: roster-bench [--people 1000000] [--folder FOLDER] [--only PART,PART]     the first run makes the two files
// With --database it measures a directory on a PostgreSQL server instead, which the first run fills. Its parts: lookups, prefix,
// below, changes.
// Parts: lookups, await, reportees, prefix, positions, contains, lines, changes, fixtures; and, only where it is named,
// loading, same-load and remote, which need none of the two files. same-load takes --page-size BYTES, for pages of another size.

var people = 1_000_000
var folder = FileManager.default.homeDirectoryForCurrentUser.appendingPathComponent(".cache/roster-bench")
var only: Set<String> = []
var database: String?
var pageSize: Int?
var arguments = CommandLine.arguments.dropFirst()
while let argument = arguments.popFirst() {
    switch (argument, arguments.popFirst()) {
    case ("--people", let value?): people = Int(value) ?? people
    case ("--folder", let value?): folder = URL(fileURLWithPath: value)
    case ("--database", let value?): database = value
    case ("--page-size", let value?): pageSize = Int(value)
    case ("--only", let value?): only = Set(value.split(separator: ",").map(String.init))
    default:
        FileHandle.standardError.write(
            Data(
                "usage: roster-bench [--people COUNT] [--folder FOLDER] [--only PART,PART] [--database postgresql://…]\n"
                    .utf8))
        exit(2)
    }
}

do {
    if let database {
        try ServerBenchmarks(people: people, address: database).run(only: only)
        exit(0)
    }
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    if only.contains("loading") {
        try LoadingBenchmarks(people: max(people, 1_000), folder: folder).run()
        exit(0)
    }
    if only.contains("same-load") {
        try SameLoad(people: max(people, 1_000), folder: folder, pageSize: pageSize).run()
        exit(0)
    }
    if only.contains("remote") {
        try await RemoteBenchmarks(people: max(people, 1_000)).run()
        exit(0)
    }
    let bench = try DirectoryBenchmarks(people: max(people, 1_000), folder: folder, only: only)
    if bench.isNew {
        // What a process has just written is in its own way for a while.
        FileHandle.standardError.write(
            Data("roster-bench: the files are made; run it again for the other figures\n".utf8))
        exit(0)
    }
    try await bench.run(only: only)
} catch {
    FileHandle.standardError.write(Data("roster-bench: \(error)\n".utf8))
    exit(1)
}
