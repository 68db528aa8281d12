/// The completions of a shell, from the table of commands.
struct Completions {
    /// The shells that can complete words.
    enum Shell: String, CaseIterable {
        case bash, zsh, fish
    }

    let commands: [Command]

    func text(for shell: Shell) -> String {
        let text =
            switch shell {
            case .bash: bash
            case .zsh: zsh
            case .fish: fish
            }
        return text + "\n"
    }

    /// The first words of the commands in their order.
    private var firstWords: [String] {
        var words: [String] = []
        for command in commands {
            let word = String(command.name.prefix { $0 != " " })
            if !words.contains(word) { words.append(word) }
        }
        return words
    }

    /// The second words of the commands that begin with a word, such as `user`.
    private func family(_ word: String) -> [(word: String, command: Command)] {
        commands.filter { $0.name.hasPrefix(word + " ") }.map { (String($0.name.dropFirst(word.count + 1)), $0) }
    }

    private var families: [String] { firstWords.filter { !family($0).isEmpty } }

    /// The meaning of a first word: the command, or the second words that may follow.
    private func summary(of word: String) -> String {
        commands.first { $0.name == word }?.summary ?? family(word).map(\.word).joined(separator: ", ")
    }

    private func options(_ command: Command) -> [Command.Option] {
        command.allOptions + [Command.Option("help", nil, "show the help")]
    }

    // MARK: bash

    private var bash: String {
        func list(_ options: [Command.Option]) -> String { options.map { "--" + $0.name }.joined(separator: " ") }
        let seconds = families.map { "        \($0)) words=\"\(family($0).map(\.word).joined(separator: " "))\" ;;" }
        let cases = commands.map { command in
            let all = options(command)
            return
                "        \"\(command.name)\") options=\"\(list(all))\" values=\"\(list(all.filter { $0.value != nil }))\" ;;"
        }
        return """
            # Completions of roster for bash, made by 'roster completions bash'.
            _roster() {
                local current=${COMP_WORDS[COMP_CWORD]} previous=${COMP_WORDS[COMP_CWORD-1]}
                local words= options= values= name
                if [ "$COMP_CWORD" -eq 1 ]; then
                    COMPREPLY=($(compgen -W "\(firstWords.joined(separator: " ")) help --help --version" -- "$current"))
                    return
                fi
                if [ "$COMP_CWORD" -eq 2 ]; then
                    case "${COMP_WORDS[1]}" in
            \(seconds.joined(separator: "\n"))
                    esac
                fi
                for name in "${COMP_WORDS[1]}" "${COMP_WORDS[1]} ${COMP_WORDS[2]}"; do
                    case "$name" in
            \(cases.joined(separator: "\n"))
                    esac
                done
                case " $values " in
                    *" $previous "*) COMPREPLY=($(compgen -f -- "$current")); return ;;
                esac
                COMPREPLY=($(compgen -W "$words $options" -- "$current"))
                if [ ${#COMPREPLY[@]} -eq 0 ]; then COMPREPLY=($(compgen -f -- "$current")); fi
            }
            complete -o filenames -F _roster roster
            """
    }

    // MARK: zsh

    private var zsh: String {
        func quoted(_ text: String) -> String { "'" + text.replacing("'", with: "'\\''") + "'" }
        func entry(_ word: String, _ text: String) -> String { quoted("\(word):\(text.replacing(":", with: "\\:"))") }
        func option(_ option: Command.Option) -> String {
            let help = option.help.replacing("[", with: "\\[").replacing("]", with: "\\]").replacing(":", with: "\\:")
            return quoted(
                "*--\(option.name)[\(help)]" + (option.value.map { ":\($0.replacing(":", with: "\\:")):_files" } ?? ""))
        }
        let seconds = families.map { word in
            "        \(word)) names=(\(family(word).map { entry($0.word, $0.command.summary) }.joined(separator: " ")))"
                + "; _describe 'command' names ;;"
        }
        let cases = commands.map { command in
            let words = command.name.split(separator: " ").count
            return
                "        \(quoted(command.name))) skip=\(words); options=(\(options(command).map(option).joined(separator: " "))) ;;"
        }
        return """
            #compdef roster
            # Completions of roster for zsh, made by 'roster completions zsh'.
            _roster() {
                local -a names options
                local name skip=0
                if (( CURRENT == 2 )); then
                    names=(\(firstWords.map { entry($0, summary(of: $0)) }.joined(separator: " ")))
                    _describe 'command' names
                    return
                fi
                for name in "$words[2]" "$words[2] $words[3]"; do
                    case "$name" in
            \(cases.joined(separator: "\n"))
                    esac
                done
                if (( CURRENT == 3 && skip != 1 )); then
                    case "$words[2]" in
            \(seconds.joined(separator: "\n"))
                    esac
                    return
                fi
                shift $skip words
                (( CURRENT -= skip ))
                _arguments -S $options '*:operand:_files'
            }
            _roster "$@"
            """
    }

    // MARK: fish

    private var fish: String {
        func quoted(_ text: String) -> String {
            "'" + text.replacing("\\", with: "\\\\").replacing("'", with: "\\'") + "'"
        }
        var lines = firstWords.map {
            "complete -c roster -n '__roster_after' -f -a \($0) -d \(quoted(summary(of: $0)))"
        }
        for word in families {
            lines += family(word).map {
                "complete -c roster -n '__roster_after \(word)' -f -a \($0.word) -d \(quoted($0.command.summary))"
            }
        }
        for command in commands {
            lines += options(command).map { option in
                "complete -c roster -n '__roster_in \(command.name)' -l \(option.name)"
                    + (option.value == nil ? "" : " -r") + " -d \(quoted(option.help))"
            }
        }
        return """
            # Completions of roster for fish, made by 'roster completions fish'.
            function __roster_after # Whether exactly these words follow roster.
                set -l words (commandline -opc)
                test "$words[2..-1]" = "$argv"
            end
            function __roster_in # Whether the command has these words.
                set -l words (commandline -opc)
                set -l last (math (count $argv) + 1)
                test (count $words) -ge $last; and test "$words[2..$last]" = "$argv"
            end
            \(lines.joined(separator: "\n"))
            """
    }
}
