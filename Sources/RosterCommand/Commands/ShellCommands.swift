let manualCommand = Command(
    name: "manual", summary: "Shows the manual page in the language of man(7).", operands: "", options: [],
    example: "roster manual | man -l -"
) { arguments in
    try arguments.expectOperands(atMost: 0)
    Terminal.write(Manual(commands: commands).text)
}

let completionsCommand = Command(
    name: "completions", summary: "Shows the completions of a shell: bash, zsh or fish.", operands: "SHELL",
    options: [],
    example: "roster completions bash"
) { arguments in
    try arguments.expectOperands(atMost: 1)
    let name = try arguments.operand(0, "The shell")
    guard let shell = Completions.Shell(rawValue: name) else {
        throw UsageError("There are completions for bash, zsh and fish, not for '\(name)'.")
    }
    Terminal.write(Completions(commands: commands).text(for: shell))
}
