import Foundation
import Roster
import RosterClient
import RosterText
import RosterTransport

let clientCommands: [Command] =
    [
        Command(
            client: "sign-in", "Signs a user in as an app does. The redirect URL is http://127.0.0.1/callback.", "",
            [
                .init("client-id", "ID", "the app's client id at the server"),
                .init("client-secret-file", "FILE", "the file whose first line is the app's secret, if there is one"),
                .init(
                    "scope", "SCOPES",
                    "the scopes to ask for, in one word (default 'openid profile offline_access')"),
                .init(
                    "browser", "COMMAND",
                    "the command that opens the sign-in page, whose URL is added (default: the URL is shown)"),
                .init("user", "NAME", "sign in with the password of this user, without a browser"),
                .init(
                    "password-file", "FILE",
                    "the file whose first line is the password; - for standard input (default: asks)"),
                .init("device", nil, "show a code that the user types into a browser elsewhere"),
                Command.format, Command.json,
            ], example: "--client-id shop --browser xdg-open", run: signIn),
        Command(
            client: "token", "Prints an access token that is valid now, renewed if needed, and nothing else."
        ) { arguments in
            try arguments.expectOperands(atMost: 0)
            let account = try ClientApp(arguments).account()
            let token = try await account.validAccessToken()
            if let problem = account.idTokenProblem {
                Terminal.note(
                    "The user is still who signed in, although the server's last id token was not accepted: \(problem)")
            }
            Terminal.write(token + "\n")
        },
        Command(
            client: "call", "Sends a request with the access token to the server, and prints the body of the answer.",
            "METHOD URL", [.init("body", "FILE", "the file with the body, which is JSON; - for standard input")],
            example: "GET /scim/v2/Me", run: call),
    ] + clientDirectoryCommands + [
        Command(
            client: "sign-out", "Removes the tokens, tells the server to end them, and says what is left to do.", "",
            [
                .init("keep-name", nil, "remember the user's name, which the next sign-in gives to the sign-in page"),
                Command.format, Command.json,
            ], run: signOut)
    ]

// MARK: Signing in

@Sendable
private func signIn(_ arguments: Arguments) async throws {
    try arguments.expectOperands(atMost: 0)
    guard let clientID = arguments.value("client-id") else { throw UsageError("Which app? Give --client-id ID.") }
    let ways = [arguments.value("user") != nil, arguments.value("browser") != nil, arguments.has("device")]
    guard ways.count(where: { $0 }) <= 1 else { throw UsageError("Give one of --browser, --user and --device.") }
    if arguments.value("password-file") != nil, arguments.value("user") == nil {
        throw UsageError("--password-file needs --user NAME.")
    }
    _ = try Output(arguments, columns: [])
    let app = try ClientApp(arguments, creating: true)
    let registration = ClientApp.Registration(
        clientID: clientID, secret: try arguments.value("client-secret-file").map { try secret(inFile: $0) },
        scopes: arguments.value("scope")?.words ?? ["openid", "profile", "offline_access"])
    let authenticator = try app.authenticator(registration)
    if let old = try app.registration(), old.clientID != clientID, try app.authenticator(old).account() != nil {
        throw CommandFailure(
            description: "The store has a sign-in of the client '\(Terminal.safe(old.clientID))' at this server. "
                + "End it with 'roster client sign-out'.")
    }
    try app.keep(registration)
    let account: Account
    if let user = arguments.value("user") {
        account = try await signIn(user, arguments, authenticator)
    } else if arguments.has("device") {
        account = try await authenticator.signInOnDevice { code in
            Terminal.note("Open \(code.verificationURL.absoluteString) and type the code \(code.userCode)")
            if let url = code.completeURL { Terminal.note("or open \(url.absoluteString)") }
        }
    } else {
        let command = arguments.value("browser")
        account = try await authenticator.signIn { url, _, continuation in open(url, with: command, continuation) }
    }
    let rows: [(name: String, value: AttributeValue?)] = [
        ("server", .string(app.server)), ("user", account.userName.map { .string($0) }),
        ("subject", account.subject.map { .string($0) }), ("scope", .string(account.scopes.joined(separator: " "))),
    ]
    try Output.show(rows, arguments)
}

/// Signs in with a password, and asks for the second factor if the server does.
private func signIn(_ user: String, _ arguments: Arguments, _ authenticator: Authenticator) async throws -> Account {
    let password =
        try arguments.value("password-file").map { try secret(inFile: $0) }
        ?? Prompt.secret("Password of \(user)")
    do {
        return try await authenticator.signIn(userName: user, password: password)
    } catch let error as ClientError where error.code == .secondFactorRequired {
        var factor = SecondFactorAnswer()
        if error.questions.isEmpty { factor.code = try Prompt.secret("Code of the authenticator app") }
        for question in error.questions { factor.answers[question] = try Prompt.secret(question) }
        return try await authenticator.signIn(userName: user, password: password, secondFactor: factor)
    }
}

/// Opens the sign-in page with a command, or shows the URL of the page.
private func open(_ url: URL, with command: String?, _ continuation: LoginContinuation) {
    guard let command else {
        return Terminal.note("Open this page in a browser on this machine:\n\(url.absoluteString)")
    }
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/bin/sh")
    // The shell gets the URL as a value, so that nothing in the URL is run.
    process.arguments = ["-c", command + " \"$1\"", "sh", url.absoluteString]
    process.standardInput = FileHandle.nullDevice
    // Standard output is for the results of this command.
    process.standardOutput = FileHandle.standardError
    process.terminationHandler = { process in
        guard process.terminationStatus != 0 else { return }
        continuation(
            nil,
            error: CommandFailure(
                description: "The command of --browser ended with status \(process.terminationStatus)."))
    }
    do { try process.run() } catch {
        continuation(nil, error: CommandFailure(description: "The command of --browser cannot be started."))
    }
}

// MARK: Calling

@Sendable
private func call(_ arguments: Arguments) async throws {
    try arguments.expectOperands(atMost: 2)
    let method = try arguments.operand(0, "The method")
    let target = try arguments.operand(1, "The URL")
    guard method.wholeMatch(of: #/[A-Z]+/#) != nil else {
        throw UsageError("'\(method)' is not a method such as GET or POST.")
    }
    let body = try arguments.value("body").map { path in
        guard let data = try InputFile.read(path, upTo: 16 << 20) else {
            throw UsageError("'\(path)' cannot be read. Check the path.")
        }
        return Array(data)
    }
    let response = try await ClientApp(arguments).send(method, target, body: body)
    if Terminal.outputIsTerminal {
        let lines = String(decoding: response.body, as: UTF8.self).split(
            separator: "\n", omittingEmptySubsequences: false)
        Terminal.write(lines.map { Terminal.safe(String($0)) }.joined(separator: "\n") + "\n")
    } else {
        Terminal.write(Data(response.body))
    }
    guard (200..<300).contains(response.status) else {
        throw CommandFailure(description: "The server answered with the status \(response.status).")
    }
}

// MARK: Signing out

@Sendable
private func signOut(_ arguments: Arguments) async throws {
    try arguments.expectOperands(atMost: 0)
    var output = try Output(arguments, columns: ["wasSignedIn", "revoked", "tokensToRevoke", "endSessionURL"])
    let app = try ClientApp(arguments)
    var report: SignOutReport?
    var left = 0
    if let authenticator = try app.registration().map({ try app.authenticator($0) }) {
        let keepsName = arguments.has("keep-name")
        report = try await authenticator.account()?.signOut(keepingUserName: keepsName)
        if !keepsName { try await authenticator.forgetUserName() }
        left = try await authenticator.revokePendingTokens()
    }
    let isRevoked = report.map { $0.revocation == .revoked || $0.revocation == .pending && left == 0 }
    // The id token in the URL would stay on the screen and in logs. Without it, the server asks the user.
    let page = report?.endSessionURL.flatMap { url -> String? in
        var parts = URLComponents(url: url, resolvingAgainstBaseURL: false)
        let items = parts?.queryItems?.filter { $0.name != "id_token_hint" }
        parts?.queryItems = items
        return parts?.string
    }
    guard output.format == .table else {
        output.add([
            .boolean(report != nil), isRevoked.map { .boolean($0) }, .integer(Int64(left)), page.map { .string($0) },
        ])
        return try output.show()
    }
    Terminal.write(report == nil ? "Nobody was signed in.\n" : "Signed out. The tokens are removed from the store.\n")
    if left > 0 {
        Terminal.write("The server could not be told to end \(left) of the tokens: sign out again later.\n")
    } else if isRevoked == true {
        Terminal.write("The server has ended the tokens.\n")
    } else if report != nil {
        Terminal.write("The server did not end the tokens. The access token is valid until its end.\n")
    }
    if let page {
        Terminal.write("The browser may still be signed in. This page signs it out:\n\(Terminal.safe(page))\n")
    }
}
