import Foundation
import Roster

/// What loading or importing came to, in one line.
private func summary(_ what: String, _ counts: LoadReport.Counts) -> String {
    "\(what): \(counts.created) created, \(counts.changed) changed, \(counts.unchanged) unchanged\n"
}

let seedCommand = Command(
    name: "seed", summary: "Loads people, roles and reporting lines that were written by hand.", operands: "FILE …",
    options: [Command.database], example: "roster seed --database company.db Seeds/company.json", changes: true
) { arguments in
    guard !arguments.operands.isEmpty else { throw UsageError("Which seed? Name a file.") }
    // Read before anything is made: a seed that cannot be read leaves no directory behind.
    let seeds = try arguments.operands.map { try Seed(contentsOf: URL(fileURLWithPath: $0)) }
    let view = try arguments.writableDirectory(creating: true).unrestricted
    for (file, seed) in zip(arguments.operands, seeds) {
        let report = try await view.load(seed)
        if seeds.count > 1 { Terminal.write("\(file)\n") }
        Terminal.write(summary("users", report.users) + summary("roles", report.roles))
        if report.attributes.created + report.attributes.unchanged > 0 {
            Terminal.write(summary("attributes", report.attributes))
        }
    }
}

let importCommand = Command(
    name: "import", summary: "Imports people from CSV, LDIF or a seed.", operands: "FILE",
    options: [
        Command.database, .init("format", "FORMAT", "csv, ldif or json (by the file's ending where not given)"),
        .init("map", "ATTRIBUTE=COLUMN", "of CSV: from which column an attribute comes; as often as needed"),
        .init("no-manager", "VALUE", "what stands for no manager; as often as needed"),
        .init("skip-bad-rows", nil, "go on without what cannot be taken, and tell what it was"),
    ],
    example: "roster import --database company.db --map uid=Login --map mail='E-Mail' --map manager=Boss people.csv",
    changes: true
) { arguments in
    try arguments.expectOperands(atMost: 1)
    let url = URL(fileURLWithPath: try arguments.operand(0, "The file"))
    let ending = url.pathExtension.lowercased()
    guard let format = try arguments.choice("format", ExchangeFormat.self) ?? ExchangeFormat(rawValue: ending) else {
        throw UsageError("'.\(ending)' does not say what the file is. Give --format csv, ldif or json.")
    }
    var columns: [AttributeName: String] = [:]
    for map in arguments.all("map") {
        guard let sign = map.firstIndex(of: "="), sign > map.startIndex else {
            throw UsageError("--map needs ATTRIBUTE=COLUMN, not '\(map)'.")
        }
        columns[AttributeName(String(map[..<sign]))] = String(map[map.index(after: sign)...])
    }
    guard let data = try? Data(contentsOf: url, options: .alwaysMapped) else {
        throw UsageError("'\(url.path)' cannot be read. Check the path.")
    }
    let options = ImportOptions(
        format: format, columns: columns, noManager: Set(arguments.all("no-manager")),
        onBadRow: arguments.has("skip-bad-rows") ? .skip : .stop)
    let rows = max(1, data.count { $0 == 0x0A } - 1)
    let progress = Progress("importing", total: rows)
    defer { progress.finish() }
    let view = try arguments.writableDirectory(creating: true).unrestricted
    let report = try await view.importPeople(from: data, named: url.lastPathComponent, options: options) {
        progress.show($0)
    }
    progress.finish()
    for problem in report.problems {
        let consequence = problem.isRowLeftOut ? "row left out" : "taken without it"
        Terminal.note(
            "\(url.lastPathComponent), line \(problem.line): \(Terminal.safe(problem.message)) (\(consequence))")
    }
    if !report.ignored.isEmpty { Terminal.note("not taken: \(Terminal.safe(report.ignored.joined(separator: ", ")))") }
    Terminal.write(summary("users", report.users))
    if report.leftOut > 0 { Terminal.write("rows left out: \(report.leftOut)\n") }
}

let exportCommand = Command(
    name: "export", summary: "Writes the whole directory as a seed, as CSV or as LDIF.", operands: "",
    options: [
        Command.database, .init("format", "FORMAT", "json (where not given), csv or ldif"),
        .init("output", "FILE", "the file (standard output where not given)"),
    ],
    example: "roster export --database company.db --format ldif > company.ldif"
) { arguments in
    try arguments.expectOperands(atMost: 0)
    let format = try arguments.choice("format", ExchangeFormat.self) ?? .json
    let view = try arguments.readableDirectory().unrestricted
    guard let path = arguments.value("output") else {
        try view.export(format) { Terminal.write($0) }
        return
    }
    guard FileManager.default.createFile(atPath: path, contents: nil), let file = FileHandle(forWritingAtPath: path)
    else {
        throw UsageError("'\(path)' cannot be written.")
    }
    try view.export(format) { try file.write(contentsOf: $0) }
    try file.close()
}
