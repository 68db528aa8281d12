import Foundation
import Roster
import RosterSignIn
import RosterStore
import RosterText

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// The result of a load or import in one line.
func summary(_ what: String, _ counts: JSONValue?) -> String {
    let (created, changed) = (number(counts, "created"), number(counts, "changed"))
    return "\(what): \(created) created, \(changed) changed, \(number(counts, "unchanged")) unchanged\n"
}

func number(_ counts: JSONValue?, _ name: String) -> Int64 {
    if case .integer(let number)? = counts?[name] { return number }
    return 0
}

/// Shows the secrets of the backends that a seed made.
func showBackends(of report: JSONValue) {
    for backend in report["backends"]?.elements ?? [] {
        let secret = backend["client_secret"]?.text.map { "  client_secret \($0)" } ?? ""
        Terminal.write(
            "backend \(Terminal.safe(backend["name"]?.text ?? ""))  client_id \(backend["client_id"]?.text ?? "")"
                + "\(secret)\n")
    }
}

let seedCommand = Command(
    name: "seed", summary: "Loads users, roles and reporting lines from seed files.",
    operands: "FILE … (- for standard input)",
    options: [Command.directory, Command.grantAdministrators],
    example: "roster seed --database company.db Seeds/company.json", changes: true
) { arguments in
    guard !arguments.operands.isEmpty else { throw UsageError("Which seed? Name a file.") }
    // Seeds are read first, so that a faulty seed leaves no directory behind.
    let seeds = try arguments.operands.map { try InputFile.seed($0) }
    let server = try AdministeredServer(arguments)
    if server == nil, seeds.contains(where: { !$0.backends.isEmpty || $0.organization != nil }) {
        try arguments.checkKey()
    }
    let target = try server.map { .server($0) } ?? SeedTarget.directory(arguments.directory(.creating))
    let grants: Grants = arguments.has(Command.grantAdministrators.name) ? .administrators : .roles
    for (file, seed) in zip(arguments.operands, seeds) {
        if seeds.count > 1 { Terminal.write("\(file)\n") }
        let report = try await target.load(seed, grants: grants)
        Terminal.write(summary("users", report["users"]) + summary("roles", report["roles"]))
        let attributes = report["attributes"]
        if ["created", "changed", "unchanged"].contains(where: { number(attributes, $0) > 0 }) {
            Terminal.write(summary("attributes", attributes))
        }
        if seed.organization != nil { Terminal.write("organization: stored\n") }
        showBackends(of: report)
    }
}

let exportCommand = Command(
    name: "export", summary: "Writes the whole directory as a seed, as CSV or as LDIF.", operands: "",
    options: [
        Command.directory, .init("format", "FORMAT", "json (default), csv or ldif"),
        .init("output", "FILE", "the file to write; - for standard output (default)"), Command.spreadsheet,
        .init(
            "base-dn", "DN", "for LDIF: write what an LDAP server takes, under this entry, such as dc=example,dc=com"),
        .init("ldap-schema", nil, "only write the schema that the server needs for that, as LDIF of cn=config"),
    ],
    example: "roster export --database company.db --format ldif --base-dn dc=example,dc=com > company.ldif"
) { arguments in
    try arguments.expectOperands(atMost: 0)
    if arguments.has("ldap-schema") { return Terminal.write(LDAPSchema.configuration) }
    let format = try arguments.choice("format", ExchangeFormat.self) ?? .json
    let base = arguments.value("base-dn")
    if base != nil, format != .ldif { throw UsageError("--base-dn is for LDIF. Add --format ldif.") }
    let isForSpreadsheet = arguments.has(Command.spreadsheet.name)
    let path = arguments.value("output").flatMap { $0 == "-" ? nil : $0 }
    if let server = try AdministeredServer(arguments) {
        guard let path else {
            return try await server.export(format, isForSpreadsheet: isForSpreadsheet, under: base) {
                Terminal.write($0)
            }
        }
        return try await ExportFile.write(to: path) { file in
            let progress = Progress("exporting", unit: "MB")
            defer { progress.finish() }
            var bytes = 0
            try await server.export(format, isForSpreadsheet: isForSpreadsheet, under: base) { piece in
                try file.write(contentsOf: piece)
                bytes += piece.count
                progress.show(bytes >> 20)
            }
        }
    }
    let view = try arguments.readableDirectory().commandView
    guard let path else {
        try await view.export(format, isForSpreadsheet: isForSpreadsheet, under: base) { Terminal.write($0) }
        return
    }
    if case .file(let url) = try arguments.database() {
        let database = url.resolvingSymlinksInPath().path
        guard
            !["", "-wal", "-shm", "-lock", "-key"].map({ database + $0 })
                .contains(URL(fileURLWithPath: path).resolvingSymlinksInPath().path)
        else { throw UsageError("'\(path)' is the directory itself.", advice: "Choose another name.") }
    }
    try await ExportFile.write(to: path) { file in
        let progress = Progress("exporting", unit: "MB")
        defer { progress.finish() }
        let bytes = Locked(0)
        try await view.export(format, isForSpreadsheet: isForSpreadsheet, under: base) { piece in
            try file.write(contentsOf: piece)
            progress.show(
                bytes.withLock { bytes in
                    bytes += piece.count
                    return bytes >> 20
                })
        }
    }
}

/// Writes a file under a temporary name and renames it when it is complete. After an error the previous file remains.
private enum ExportFile {
    static func write(to path: String, _ body: (FileHandle) async throws -> Void) async throws {
        // Devices and pipes are written directly.
        var status = stat()
        let exists = stat(path, &status) == 0
        let isReplaceable = !exists || status.st_mode & S_IFMT == S_IFREG
        let target = URL(fileURLWithPath: path).resolvingSymlinksInPath().path
        let partial = isReplaceable ? "\(target).partial-\(getpid())" : path
        let flags = isReplaceable ? O_WRONLY | O_CREAT | O_EXCL : O_WRONLY
        // Only the owner can read personal data, unless the existing file has other permissions.
        let descriptor = open(partial, flags | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw failure(path) }
        if exists, isReplaceable { fchmod(descriptor, status.st_mode & 0o777) }
        let file = FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
        do {
            try await body(file)
            try file.close()
            guard !isReplaceable || rename(partial, target) == 0 else { throw failure(path) }
        } catch {
            if isReplaceable { unlink(partial) }
            throw error is CancellationError || error is DirectoryError || error is CommandFailure
                ? error : CommandFailure(description: "'\(path)' cannot be written. Check the space on the disk.")
        }
    }

    private static func failure(_ path: String) -> CommandFailure {
        CommandFailure(description: "'\(path)' cannot be written: \(Terminal.systemMessage(errno)).")
    }
}
