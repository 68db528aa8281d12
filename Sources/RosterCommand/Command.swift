import Foundation
import RosterText

/// A subcommand: its names, its options and its action.
struct Command: Sendable {
    /// An option of a subcommand.
    struct Option: Sendable, Equatable {
        let name: String
        /// The placeholder for the value in the help; nil for a flag.
        let value: String?
        let help: String
        /// The names that older versions had. They are read, and not shown in the help.
        let olderNames: [String]

        init(_ name: String, _ value: String? = nil, _ help: String, olderNames: [String] = []) {
            self.name = name
            self.value = value
            self.help = help
            self.olderNames = olderNames
        }
    }

    let name: String
    let summary: String
    /// The operands as the help shows them, such as `NAME [ATTRIBUTE=VALUE …]`.
    let operands: String
    let options: [Option]
    /// An example call.
    let example: String
    /// Whether the command changes the directory. The message after an interruption depends on it.
    var changes = false
    let run: @Sendable (Arguments) async throws -> Void

    /// The directory of a command that works on a file only.
    static let database = Option(
        "database", "DATABASE",
        "the directory's file, or postgresql://… (or ROSTER_DATABASE); a server must not have the file open")
    /// The directory of a command that works on a file or at a server.
    static let directory = Option(
        "database", "DATABASE",
        "the directory's file, or postgresql://… (or the environment variable ROSTER_DATABASE)")
    /// The key of a directory on a database server, beside which there is no file.
    static let masterKey = Option(
        "master-key", "FILE",
        "with postgresql://…: the directory's key file, the same on each machine (or ROSTER_MASTER_KEY)")
    /// The options that name a server in place of a file, and prove who asks.
    static let serverOptions = [
        Option("server", "URL", "work on the directory of this server, in place of a file"),
        Option("token-file", "FILE", "with --server: the file whose first line is a token; - for standard input"),
        Option("store", "FILE", "with --server: the secure store of 'roster client sign-in', in place of a token"),
        Option("key-file", "FILE", "the file with the store's key (default: the store's path with .key)"),
        Option("passphrase", nil, "the store has a passphrase in place of a key file: ask for the passphrase"),
        Option("passphrase-file", "FILE", "the file whose first line is that passphrase; - for standard input"),
        authorities,
    ]
    static let authorities = Option(
        "ca-file", "FILE",
        "certificates of authorities to trust beside those of the system, such as a company's own (or ROSTER_CA_FILE)")
    static let format = Option("format", "FORMAT", "table (on a terminal), json or csv")
    static let spreadsheet = Option(
        "spreadsheet", nil, "for CSV: put an apostrophe before values that a spreadsheet could run as formulas")
    static let grantAdministrators = Option(
        "grant-administrators", nil, "also import changes that make administrators, or affect how they sign in")

    static let batch = Option("batch", "N", "the number of the batch of the change, as 'roster batch' has printed it")

    /// Whether the change of the command can belong to a batch.
    private var isBatched: Bool { changes && (name.hasPrefix("user ") || name.hasPrefix("role ")) }

    /// Whether the command also works at a server.
    var worksAtServers: Bool { options.contains(Self.directory) }

    /// All accepted options. Commands with a choice of formats also accept the option for spreadsheets.
    var allOptions: [Option] {
        options + (options.contains(Self.format) ? [Self.spreadsheet] : [])
            + (worksAtServers || options.contains(Self.database) ? [Self.masterKey] : [])
            + (worksAtServers ? Self.serverOptions : []) + (isBatched ? [Self.batch] : [])
    }

    /// The text of `--help`.
    var help: String {
        var text = "\(summary)\n\nUsage: roster \(name)\(operands.isEmpty ? "" : " " + operands)\n"
        let rows = (allOptions + [Option("help", nil, "show this help")]).map { option in
            ("--\(option.name)" + (option.value.map { " " + $0 } ?? ""), option.help)
        }
        let width = rows.map(\.0.count).max() ?? 0
        text += "\nOptions:\n"
        for (option, help) in rows {
            text += "  \(option)\(String(repeating: " ", count: width - option.count))  \(help)\n"
        }
        return text + "\nExample:\n  \(example)\n"
    }
}

extension Command {
    /// A command that works on the directory of `--database` or `--server`.
    init(
        _ name: String, _ summary: String, _ operands: String = "", _ options: [Option] = [], changes: Bool = false,
        example: String = "", run: @escaping @Sendable (Arguments) async throws -> Void
    ) {
        self.init(
            name: name, summary: summary, operands: operands, options: [Self.directory] + options,
            example: "roster \(name) --database company.db" + (example.isEmpty ? "" : " ") + example, changes: changes,
            run: run)
    }
}

/// A mistake in the call: exit code 2.
struct UsageError: Error {
    let message: String
    /// Advice on what to do next; nil refers to the command's help.
    let advice: String?
    init(_ message: String, advice: String? = nil) {
        self.message = message
        self.advice = advice
    }
}

/// A failure that has no other error type: exit code 1.
struct CommandFailure: Error, CustomStringConvertible {
    let description: String
}

/// The command has completed a part of its work, and reported the rest: exit code 3.
struct PartlyDone: Error {}

/// The words after the subcommand.
struct Arguments: Sendable {
    private(set) var operands: [String] = []
    private var values: [String: [String]] = [:]
    private var flags: Set<String> = []
    /// Whether the command also works at a server.
    private let worksAtServers: Bool

    /// Reads options (`--name value`, `--name=value`), flags and operands. After `--` every word is an operand, and `-`
    /// alone always is.
    init(_ words: some Sequence<String>, for command: Command) throws {
        worksAtServers = command.worksAtServers
        let options = Dictionary(
            command.allOptions.flatMap { option in ([option.name] + option.olderNames).map { ($0, option) } }
        ) { $1 }
        var words = Array(words)[...]
        while let word = words.popFirst() {
            if word == "--" {
                operands += words
                break
            }
            guard word.hasPrefix("-"), word.count > 1 else {
                operands.append(word)
                continue
            }
            guard word.hasPrefix("--") else {
                throw UsageError(
                    "There is no option \(word) of 'roster \(command.name)'; options begin with two hyphens.",
                    advice: "Write -- before a name that begins with one.")
            }
            let parts = word.dropFirst(2).split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            guard let option = options[String(parts[0])] else {
                let hint =
                    SimilarWord.nearest(to: String(parts[0]), among: command.allOptions.map(\.name))
                    .map { " Did you mean --\($0)?" } ?? ""
                throw UsageError("There is no option --\(parts[0]) of 'roster \(command.name)'.\(hint)")
            }
            let name = option.name
            if option.value == nil {
                guard parts.count == 1 else { throw UsageError("--\(name) takes no value.") }
                flags.insert(name)
            } else if parts.count == 2 {
                values[name, default: []].append(String(parts[1]))
            } else if let value = words.first, !value.hasPrefix("--") {
                words.removeFirst()
                values[name, default: []].append(value)
            } else {
                throw UsageError("--\(name) needs a value.")
            }
        }
    }

    /// The error for a call that names no directory.
    var withoutDirectory: UsageError {
        UsageError("Which directory? Give --database FILE\(worksAtServers ? ", or --server URL" : "").")
    }

    /// The operands, and the values of all options.
    var words: [String] { operands + values.values.flatMap { $0 } }

    func has(_ flag: String) -> Bool { flags.contains(flag) }
    func all(_ option: String) -> [String] { values[option] ?? [] }
    func value(_ option: String) -> String? { values[option]?.last }

    /// The elements of a list with commas, such as that of `--networks`; nil if the option is missing.
    ///
    /// An empty list is refused: it is mostly a shell variable without a value, and a token without networks is accepted from everywhere.
    func list(_ option: String) throws -> [String]? {
        guard let text = value(option) else { return nil }
        let elements = text.split(separator: ",").map { $0.trimmingCharacters(in: .whitespaces) }
        guard !elements.isEmpty else { throw UsageError("--\(option) needs one name or more.") }
        return elements
    }

    /// Reads a number of at least `least`.
    func number(_ option: String, least: Int = 0) throws -> Int? {
        guard let text = value(option) else { return nil }
        guard let number = Int(text), number >= least else {
            throw UsageError("--\(option) needs a whole number of at least \(least), not '\(text)'.")
        }
        return number
    }

    /// Reads one of several words.
    func choice<Value: RawRepresentable & CaseIterable>(_ option: String, _: Value.Type = Value.self) throws -> Value?
    where Value.RawValue == String {
        guard let text = value(option) else { return nil }
        guard let choice = Value(rawValue: text) else {
            throw UsageError(
                "--\(option) needs one of \(Value.allCases.map(\.rawValue).joined(separator: ", ")), not '\(text)'.")
        }
        return choice
    }

    /// The version of `--if-version`.
    func expectedVersion() throws -> Int64? { try number("if-version", least: 1).map(Int64.init) }

    /// The operand at an index, which is required.
    func operand(_ index: Int, _ what: String) throws -> String {
        guard operands.indices.contains(index) else { throw UsageError("\(what) is missing.") }
        return operands[index]
    }

    /// Refuses surplus operands.
    func expectOperands(atMost count: Int) throws {
        if operands.count > count { throw UsageError("'\(operands[count])' is one word too many.") }
    }
}
