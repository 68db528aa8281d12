import Foundation

/// One subcommand: what it is called, what it takes, and what it does.
struct Command: Sendable {
    /// An option of a subcommand.
    struct Option: Sendable, Equatable {
        let name: String
        /// What stands for the value in the help; nil for a flag.
        let value: String?
        let help: String

        init(_ name: String, _ value: String? = nil, _ help: String) {
            self.name = name
            self.value = value
            self.help = help
        }
    }

    let name: String
    let summary: String
    /// What follows the name, such as `NAME [ATTRIBUTE=VALUE …]`.
    let operands: String
    let options: [Option]
    /// A call that works.
    let example: String
    /// Whether it changes the directory: what to say when it is interrupted.
    var changes = false
    let run: @Sendable (Arguments) async throws -> Void

    static let database = Option(
        "database", "FILE", "the directory's file (or the environment variable ROSTER_DATABASE)")
    static let format = Option("format", "FORMAT", "table (on a terminal), json or csv")
    static let spreadsheet = Option(
        "spreadsheet", nil, "of CSV: put an apostrophe before values that a spreadsheet could take for formulas")
    static let grantAdministrators = Option(
        "grant-administrators", nil, "also take what makes administrators, or changes how they sign in")

    /// The options that a call may give: where there is a choice of formats, that of CSV for a spreadsheet too.
    var allOptions: [Option] {
        options.contains(Self.format) ? options + [Self.spreadsheet] : options
    }

    /// What `--help` shows.
    var help: String {
        var text = "\(summary)\n\nUsage: roster \(name)\(operands.isEmpty ? "" : " " + operands)\n"
        let rows = (allOptions + [Option("help", nil, "show this")]).map { option in
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

/// A call that cannot be understood: exit code 2.
struct UsageError: Error {
    let message: String
    /// What to do next; nil to look into the command's help.
    let advice: String?
    init(_ message: String, advice: String? = nil) {
        self.message = message
        self.advice = advice
    }
}

/// Something that could not be done and that no other error tells: exit code 1.
struct CommandFailure: Error, CustomStringConvertible {
    let description: String
}

/// The command did its work, but not all of it, and has said so: exit code 3.
struct PartlyDone: Error {}

/// What stands on the command line after the subcommand.
struct Arguments: Sendable {
    private(set) var operands: [String] = []
    private var values: [String: [String]] = [:]
    private var flags: Set<String> = []

    /// Reads options (`--name value`, `--name=value`), flags and operands; after `--` everything is an operand, and `-`
    /// alone is one.
    init(_ words: some Sequence<String>, for command: Command) throws {
        let options = Dictionary(command.allOptions.map { ($0.name, $0) }) { $1 }
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
            let name = String(parts[0])
            guard let option = options[name] else {
                let hint = nearest(to: name, among: options.keys).map { " Did you mean --\($0)?" } ?? ""
                throw UsageError("There is no option --\(name) of 'roster \(command.name)'.\(hint)")
            }
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

    func has(_ flag: String) -> Bool { flags.contains(flag) }
    func all(_ option: String) -> [String] { values[option] ?? [] }
    func value(_ option: String) -> String? { values[option]?.last }

    /// A number of at least `least`.
    func number(_ option: String, least: Int = 0) throws -> Int? {
        guard let text = value(option) else { return nil }
        guard let number = Int(text), number >= least else {
            throw UsageError("--\(option) needs a whole number of at least \(least), not '\(text)'.")
        }
        return number
    }

    /// One of several words.
    func choice<Value: RawRepresentable & CaseIterable>(_ option: String, _: Value.Type = Value.self) throws -> Value?
    where Value.RawValue == String {
        guard let text = value(option) else { return nil }
        guard let choice = Value(rawValue: text) else {
            throw UsageError(
                "--\(option) needs one of \(Value.allCases.map(\.rawValue).joined(separator: ", ")), not '\(text)'.")
        }
        return choice
    }

    /// The operand at a place, which must be there.
    func operand(_ index: Int, _ what: String) throws -> String {
        guard operands.indices.contains(index) else { throw UsageError("\(what) is missing.") }
        return operands[index]
    }

    /// Refuses more operands than a command takes.
    func expectOperands(atMost count: Int) throws {
        if operands.count > count { throw UsageError("'\(operands[count])' is one word too many.") }
    }
}

/// The word that was meant, where one is near enough to what was written.
func nearest(to word: String, among words: some Sequence<String>) -> String? {
    // Nobody misspells hundreds of letters, and comparing them would take its time.
    guard word.count <= 64 else { return nil }
    let found = words.map { (word: $0, distance: editDistance($0.lowercased(), word.lowercased())) }
        .min { ($0.distance, $0.word) < ($1.distance, $1.word) }
    guard let found, found.distance <= max(1, min(3, word.count / 2)) else { return nil }
    return found.word
}

/// How many letters are different, at least.
private func editDistance(_ left: String, _ right: String) -> Int {
    let (left, right) = (Array(left), Array(right))
    var row = Array(0...right.count)
    for (i, a) in left.enumerated() {
        var previous = row[0]
        row[0] = i + 1
        for (j, b) in right.enumerated() {
            (previous, row[j + 1]) = (row[j + 1], min(row[j + 1] + 1, row[j] + 1, previous + (a == b ? 0 : 1)))
        }
    }
    return row.last ?? 0
}
