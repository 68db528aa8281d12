import Roster
import RosterSignIn

/// The options that name the mail server.
let mailOptions: [Command.Option] = [
    .init("smtp", "URL", "the mail server: smtps://user@host:465, or smtp://user@host:587 with STARTTLS"),
    .init("mail-from", "ADDRESS", "the sender of mails"),
    .init("smtp-password-file", "FILE", "the file whose first line is the password of the user at the mail server"),
]

let mailTestCommand = Command(
    name: "mail test", summary: "Sends one mail, to try the mail server with the options of 'serve'.",
    operands: "ADDRESS",
    options: mailOptions + [Command.authorities],
    example: "roster mail test --smtp smtp://roster@mail.example.com:587 --smtp-password-file smtp-password "
        + "--mail-from roster@example.com ada@example.com"
) { arguments in
    try arguments.expectOperands(atMost: 1)
    let recipient = try arguments.operand(0, "The address")
    guard let settings = try mailSettings(arguments) else {
        throw UsageError("Which mail server? Give --smtp and --mail-from.")
    }
    try await Mailer.test(settings, to: recipient)
    Terminal.write("The mail server has accepted a mail to \(Terminal.safe(recipient)).\n")
}

/// Reads the settings of mail from the options. Returns nil if `--smtp` is not given.
func mailSettings(_ arguments: Arguments) throws -> Mailer.Settings? {
    let (url, sender) = (arguments.value("smtp"), arguments.value("mail-from"))
    let file = arguments.value("smtp-password-file")
    guard let url, let sender else {
        guard url == nil, sender == nil, file == nil else {
            throw UsageError("--smtp and --mail-from go together, and --smtp-password-file needs them.")
        }
        return nil
    }
    return try Mailer.Settings(
        url: url, password: try file.map { try secret(inFile: $0) }, sender: sender,
        authorities: arguments.authorities())
}
