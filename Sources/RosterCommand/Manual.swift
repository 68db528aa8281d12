import RosterText

/// Writes the manual page roster(1) in the markup of man(7), from the table of commands.
struct Manual {
    let commands: [Command]

    var text: String {
        var text = """
            .\\" Made by 'roster manual' from the program's table of commands.
            .TH ROSTER 1 "" "roster \(programVersion)" "User Commands"
            .SH NAME
            roster \\- a directory of users, roles and reporting lines
            .SH SYNOPSIS
            .B roster
            .I COMMAND
            .RI [ OPTION " ...]"
            .RI [ OPERAND " ...]"
            .SH DESCRIPTION
            Roster keeps users, roles and reporting lines in one file or in a PostgreSQL database, and serves them over HTTP:
            SCIM 2.0, OAuth 2.1 and OpenID Connect, the change feed, and a web page. Options can stand before and after operands; after
            .B \\-\\-
            each word is an operand.
            .SH COMMANDS

            """
        for command in commands {
            text += ".SS \"roster \(Self.escaped(command.name))"
            text += command.operands.isEmpty ? "\"\n" : " \(Self.escaped(command.operands))\"\n"
            text += Self.line(command.summary)
            for option in command.allOptions {
                let name = "\\-\\-" + Self.escaped(option.name)
                text += ".TP\n" + (option.value.map { ".BI \"\(name) \" \"\(Self.escaped($0))\"\n" } ?? ".B \(name)\n")
                text += Self.line(option.help)
            }
            text += ".PP\nExample:\n.PP\n.RS 4\n.EX\n\(Self.line(command.example)).EE\n.RE\n"
        }
        return text + """
            .SH ENVIRONMENT
            .TP
            .B ROSTER_DATABASE
            The directory's file or database, for commands without
            .BR \\-\\-database .
            .TP
            .B ROSTER_CA_FILE
            Certificates of authorities to trust beside those of the system, for commands without
            .BR \\-\\-ca\\-file .
            .TP
            .B NOTIFY_SOCKET
            The socket of systemd that hears when
            .B roster serve
            is ready.
            .SH EXIT STATUS
            .TP
            .B 0
            The command succeeded.
            .TP
            .B 1
            The command failed; standard error says why.
            .TP
            .B 2
            The call was wrong.
            .TP
            .B 3
            A part of the work was done, and the rest reported.
            .TP
            .B 130
            The command was interrupted.

            """
    }

    /// A line of text. A point or an apostrophe at its beginning would be a request.
    private static func line(_ text: String) -> String {
        let text = escaped(text)
        return (text.hasPrefix(".") || text.hasPrefix("'") ? "\\&" : "") + text + "\n"
    }

    private static func escaped(_ text: String) -> String {
        text.replacing("\\", with: "\\e").replacing("-", with: "\\-").replacing("\"", with: "\\(dq")
            .replacing("'", with: "\\(aq")
    }
}
