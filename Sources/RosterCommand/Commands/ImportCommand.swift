import Foundation
import Roster
import RosterSignIn
import RosterText

/// The reports of an import.
private enum ReportForm: String, CaseIterable {
    case text, json
}

/// The attributes that can name managers.
private enum ManagerKey: String, CaseIterable {
    case uid, mail, employeeNumber
}

let importCommand = Command(
    name: "import",
    summary: "Imports users from CSV, LDIF or a seed. Exit code 3 tells that something in the file was not imported.",
    operands: "FILE (- for standard input) or ldap://SERVER",
    options: [
        Command.directory, .init("format", "FORMAT", "csv, ldif or json (default: the ending of the file's name)"),
        .init(
            "preset", "PRODUCT",
            "the product that made the file: " + ImportPreset.allCases.map(\.rawValue).joined(separator: ", ")),
        .init("map", "ATTRIBUTE=FIELD", "read an attribute from a column of CSV or an attribute of LDIF; repeatable"),
        .init("skip", "FIELD", "leave a column or an attribute out; repeatable"),
        .init("date-format", "FORM", "for CSV: the form of dates, such as DD.MM.YYYY (default YYYY-MM-DD)"),
        .init("keep-empty", nil, "for CSV: keep the values for which the file has an empty cell"),
        .init("clear-at-most", "N", "refuse to remove more values of a column (default: a tenth of its values)"),
        .init("manager-by", "ATTRIBUTE", "what names managers: uid (default), mail or employeeNumber"),
        .init("no-manager", "VALUE", "a value that means no manager; repeatable"),
        .init("dry-run", nil, "show what the import would do, and keep nothing"),
        .init(
            "all-or-nothing", nil,
            "with --server: keep nothing after an error; all other changes and sign-ins wait for the whole import"),
        .init("disable-missing", nil, "disable active users in the scope who are not in the file"),
        .init("scope", "FILTER", "with --disable-missing: the users of whom the file has everybody"),
        .init("disable-at-most", "N", "refuse to disable more users (default: a tenth of those in the scope)"),
        .init("skip-bad-rows", nil, "skip faulty rows and values, and report them"),
        .init(
            "with-passwords", nil, "also import the hashes of passwords; users go on with the passwords that they have"),
        .init("grant-roles", nil, "also import memberships and ownerships of roles"),
        Command.grantAdministrators,
        .init("spreadsheet", nil, "for CSV: remove the apostrophe that 'export --spreadsheet' puts before formulas"),
        .init("report", "FORM", "text (default) or json"),
    ] + ldapSourceOptions,
    example: "roster import --database company.db --map uid=Login --map mail='E-Mail' --map manager=Boss people.csv",
    changes: true
) { arguments in
    try arguments.expectOperands(atMost: 1)
    let path = try arguments.operand(0, "The file")
    let source = try arguments.ldapSource(path)
    let name = source?.name ?? InputFile.name(of: path)
    let ending = path == "-" ? "" : source == nil ? URL(fileURLWithPath: path).pathExtension.lowercased() : "ldif"
    guard let format = try arguments.choice("format", ExchangeFormat.self) ?? ExchangeFormat(rawValue: ending) else {
        throw UsageError("The name of \(name) does not show its format. Give --format csv, ldif or json.")
    }
    let form = try arguments.choice("report", ReportForm.self) ?? .text
    let request = try ImportRequest(arguments, format)
    guard let data = try source?.read(request.preset) ?? InputFile.read(path) else {
        throw UsageError("\(path == "-" ? name : "'\(path)'") cannot be read. Check the path.")
    }
    let report = try await request.send(data, named: name)
    switch form {
    case .json: Terminal.write(report.written + "\n")
    case .text: show(report, of: name)
    }
    if report["complete"] == false { throw PartlyDone() }
}

/// An import as the arguments describe it.
private struct ImportRequest {
    private let arguments: Arguments
    private let format: ExchangeFormat
    private let maps: [(attribute: String, column: String)]
    private let dateFormat: DateFormat?
    let preset: ImportPreset?
    private let managerKey: ManagerKey?
    private let mostDisabled: Int?
    private let mostCleared: Int?

    /// - Throws: `UsageError` for options that do not go together.
    init(_ arguments: Arguments, _ format: ExchangeFormat) throws {
        (self.arguments, self.format) = (arguments, format)
        maps = try arguments.all("map").map { map in
            guard let sign = map.firstIndex(of: "="), sign > map.startIndex else {
                throw UsageError("--map needs ATTRIBUTE=FIELD, not '\(map)'.")
            }
            return (attribute: String(map[..<sign]), column: String(map[map.index(after: sign)...]))
        }
        dateFormat = try arguments.value("date-format").map { text in
            guard let format = DateFormat(text) else {
                throw UsageError("--date-format needs a form such as DD.MM.YYYY or M/D/YYYY, not '\(text)'.")
            }
            return format
        }
        for option in ["date-format", "clear-at-most"] where format != .csv && arguments.value(option) != nil {
            throw UsageError("--\(option) is for CSV: \(format.rawValue) has no columns.")
        }
        for option in ["map", "preset", "skip"] where format == .json && arguments.value(option) != nil {
            throw UsageError("--\(option) is for CSV and LDIF: a seed has the directory's own names.")
        }
        preset = try arguments.choice("preset", ImportPreset.self)
        managerKey = try arguments.choice("manager-by", ManagerKey.self)
        mostDisabled = try arguments.number("disable-at-most")
        mostCleared = try arguments.number("clear-at-most")
        let disables = arguments.has("disable-missing")
        for option in ["scope", "disable-at-most"] where !disables && arguments.value(option) != nil {
            throw UsageError("--\(option) needs --disable-missing.")
        }
        guard !disables || arguments.value("scope") != nil else {
            throw UsageError(
                "Of whom does the file have everybody? Give --scope FILTER.",
                advice: "For example: --scope 'department eq \"Sales\"', or --scope 'uid pr' for all users.")
        }
    }

    /// Imports a document, and returns the report.
    func send(_ data: Data, named name: String) async throws -> JSONValue {
        if let server = try AdministeredServer(arguments) {
            return try await server.importPeople(data, query: [(name: "name", value: name)] + query)
        }
        let isDry = arguments.has("dry-run")
        let view = try directory(isDry).commandView
        let options = try options(view.attributes.vocabulary())
        if isDry { return try await view.previewImport(from: data, named: name, options: options).json }
        let rows = max(1, data.withUnsafeBytes { $0.count { $0 == 0x0A } } - 1)
        let progress = Progress("importing", total: rows)
        defer { progress.finish() }
        return try await view.importPeople(from: data, named: name, options: options) { progress.show($0) }.json
    }

    /// The directory of the file. A dry run creates none.
    private func directory(_ isDry: Bool) throws -> Directory {
        if isDry, case .file(let url) = try arguments.database(), !FileManager.default.fileExists(atPath: url.path) {
            return try Directory.inMemory()
        }
        return try isDry ? arguments.readableDirectory() : arguments.writableDirectory(creating: true)
    }

    private func options(_ vocabulary: Vocabulary) throws -> ImportOptions {
        let columns = try maps.map { (try attribute($0.attribute, of: .user, vocabulary).name, $0.column) }
        if let twice = columns.map(\.0).first(where: { name in columns.count { $0.0 == name } > 1 }) {
            throw UsageError("--map gives the attribute '\(twice)' twice.")
        }
        var options = ImportOptions(
            format: format, columns: Dictionary(columns) { $1 }, noManager: Set(arguments.all("no-manager")),
            onBadRow: arguments.has("skip-bad-rows") ? .skip : .stop,
            grants: arguments.has(Command.grantAdministrators.name)
                ? .administrators : arguments.has("grant-roles") ? .roles : .nothing,
            isFromSpreadsheet: arguments.has("spreadsheet"), preset: preset)
        if let managerKey { options.managersBy = AttributeName(managerKey.rawValue) }
        options.skips = Set(arguments.all("skip"))
        options.keepsEmpty = arguments.has("keep-empty")
        options.mostCleared = mostCleared
        if arguments.has("with-passwords") { options.takePasswords() }
        options.dateFormat = dateFormat
        if let scope = arguments.value("scope") {
            options.leavers = .init(scope: try searchFilter(scope, of: .user, vocabulary), most: mostDisabled)
        }
        return options
    }

    /// The options as `/admin/import` takes them.
    private var query: [(name: String, value: String)] {
        var query = [(name: "format", value: format.rawValue)]
        if let managerKey { query.append((name: "managers_by", value: managerKey.rawValue)) }
        if let preset { query.append((name: "preset", value: preset.rawValue)) }
        if let mostCleared { query.append((name: "clear_at_most", value: String(mostCleared))) }
        query += arguments.all("skip").map { (name: "skip", value: $0) }
        query += maps.map { (name: "map", value: "\($0.attribute)=\($0.column)") }
        query += arguments.all("no-manager").map { (name: "no_manager", value: $0) }
        if let dateFormat { query.append((name: "date_format", value: dateFormat.description)) }
        if let scope = arguments.value("scope") { query.append((name: "scope", value: scope)) }
        if let mostDisabled { query.append((name: "disable_at_most", value: String(mostDisabled))) }
        let flags = [
            "skip-bad-rows", "grant-roles", "grant-administrators", "spreadsheet", "disable-missing", "dry-run",
            "all-or-nothing", "keep-empty", "with-passwords",
        ]
        for flag in flags where arguments.has(flag) {
            query.append((name: flag.replacing("-", with: "_"), value: "true"))
        }
        return query
    }
}

// MARK: The report

private func show(_ report: JSONValue, of name: String) {
    let problems = report["problems"]?.elements ?? []
    for problem in problems {
        let consequence = problem["left_out"] == true ? "row left out" : "imported without it"
        Terminal.note(
            "\(name), line \(number(problem, "line")): \(Terminal.safe(problem["message"]?.text ?? "")) (\(consequence))"
        )
    }
    func names(_ member: String) -> String? {
        let texts = report[member]?.texts ?? []
        return texts.isEmpty ? nil : Terminal.safe(texts.joined(separator: ", "))
    }
    func note(_ member: String, _ words: String, _ advice: String = "") {
        let fields = report[member]?.elements ?? []
        if fields.isEmpty { return }
        let list = fields.map { field in
            "\(Terminal.safe(field["name"]?.text ?? "")) (\(number(field, "values")), first in line \(number(field, "line")))"
        }
        Terminal.note("\(words): \(list.joined(separator: ", ")).\(advice)")
    }
    note(
        "not_granted", "not imported, because it gives rights",
        " Import roles with --grant-roles and passwords with --with-passwords, or leave the field out with --skip.")
    note(
        "ignored", "not imported, because the directory has no such attribute",
        " Give --map, or leave it out with --skip.")
    if let names = names("kept_administrators") {
        Terminal.note("not in the file, but still active, because they are administrators: \(names)")
    }
    for change in report["changes"]?.elements ?? [] { show(change) }
    if report["more_changes"] == true { Terminal.write("… and more\n") }
    Terminal.write(summary("users", report["users"]))
    for (member, words) in [
        ("cleared", "values removed by empty cells"), ("skipped", "left out on purpose"),
        ("other_entries", "neither people nor roles"),
    ] {
        let fields = report[member]?.elements ?? []
        if fields.isEmpty { continue }
        let list = fields.map { "\(Terminal.safe($0["name"]?.text ?? "")) \(number($0, "values"))" }
        Terminal.write("\(words): \(list.joined(separator: ", "))\n")
    }
    let disabled = number(report, "disabled")
    if disabled > 0 { Terminal.write("disabled because they are not in the file: \(disabled)\n") }
    // Programs read this line, so it is always written.
    let inPart = Set(problems.filter { $0["left_out"] != true }.map { number($0, "line") }).count
    Terminal.write("rows left out: \(number(report, "rows_left_out")), imported in part: \(inPart)\n")
    if report["dry_run"] == true { Terminal.write("This was a dry run: nothing was kept.\n") }
}

/// Shows a change of a dry run: the verb and the name, and below them each value that would be new.
private func show(_ change: JSONValue) {
    let (before, after) = (change["before"] ?? [:], change["after"] ?? [:])
    let kind = change["kind"]?.text ?? ""
    let isDisabling = kind == "modified" && after.members == [.init("active", false)]
    let verb = isDisabling ? "disable" : ["created": "create", "modified": "change", "deleted": "delete"][kind] ?? kind
    let entity = change["entity"]?.text ?? ""
    Terminal.write("\(verb) \(entity == "user" ? "" : entity + " ")\(Terminal.safe(change["name"]?.text ?? ""))\n")
    if isDisabling { return }
    var names = after.members.map(\.name)
    names += before.members.map(\.name).filter { !names.contains($0) }
    for name in names where kind != "created" || name != "uid" {
        let new = after[name].map(text) ?? "(none)"
        Terminal.write(
            "    \(name): " + (kind == "created" ? new : "\(before[name].map(text) ?? "(none)") → \(new)") + "\n")
    }
}

private func text(_ value: JSONValue) -> String {
    Terminal.safe(value.isNull ? "(none)" : value.text ?? value.written)
}
