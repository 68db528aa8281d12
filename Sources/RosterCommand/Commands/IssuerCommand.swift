import Foundation
import Roster
import RosterServer
import RosterSignIn

let issuerCheckCommand = Command(
    name: "issuer check",
    summary:
        "Explains step by step whether a token would be exchanged, and which roles it gives. The token stays usable.",
    operands: "FILE",
    options: [
        .init("token", "FILE", "the file with the token, a JWT or a SAML assertion in base64; - for standard input"),
        .init("certificates", "FOLDER", "the issuers' certificates in PEM or DER"),
        .init("public-url", "URL", "the address that clients use (default http://127.0.0.1:8080)"),
        .init("backend", "NAME", "the name of the backend that exchanges the token"),
        .init("version", "VERSION", "the backend's version (default 1.0)"),
        .init("client-id", "ID", "the backend's client id"),
        .init(
            "database", "FILE",
            "the directory's file, to look up the token's user and roles"),
    ],
    example: "roster issuer check issuers.json --token token.txt"
) { arguments in
    try arguments.expectOperands(atMost: 1)
    let document = URL(fileURLWithPath: try arguments.operand(0, "The issuers document"))
    let issuers = try IssuerTrust.read(document)
    for note in issuers.notes { Terminal.note("note: \(note)") }
    for warning in issuers.warnings { Terminal.note("warning: \(warning)") }
    guard let file = arguments.value("token") else {
        Terminal.write("The document is valid.\n")
        return
    }
    let token = try readToken(file)
    var base = arguments.value("public-url") ?? "http://127.0.0.1:8080"
    while base.hasSuffix("/") { base.removeLast() }
    let source = IssuerTrust.Source(
        document: document, certificates: arguments.value("certificates").map { URL(fileURLWithPath: $0) })
    try source.check()
    let checker = ExternalTokenChecker(IssuerTrust(source), baseURL: base, explains: true)
    let backend = ExchangingBackend(
        name: arguments.value("backend") ?? "", version: arguments.value("version") ?? "1.0",
        clientID: arguments.value("client-id") ?? "")
    // XML that was not encoded in base64 contains dots as well.
    let isJWT = !token.hasPrefix("<") && token.utf8.count(where: { $0 == UInt8(ascii: ".") }) >= 2
    let report =
        isJWT ? await checker.check(jwt: token, for: backend) : await checker.check(saml: token, for: backend)
    for step in report.steps {
        Terminal.write(
            "\(step.hasPassed ? "passed " : "REFUSED") \(step.rule.rawValue): \(Terminal.safe(step.explanation))\n")
    }
    guard let identity = report.identity else {
        let hint = arguments.value("certificates") != nil ? "" : " A folder of certificates is given by --certificates."
        throw CommandFailure(description: "The token is not accepted.\(hint)")
    }
    var remark = ""
    var roles = identity.roles.map(\.name)
    if arguments.value("database") == nil {
        if case .local = identity.user {
            remark = "  Whether there is such an active user is not checked here: give --database FILE.\n"
        }
        if !roles.isEmpty { remark += "  Which of the roles count is not checked here: give --database FILE.\n" }
    } else {
        let directory = try arguments.readableDirectory()
        if case .local(let mapping, _) = identity.user, let user = try identity.localUser(in: directory) {
            let (isActive, found) = explanation(of: user, identity.username, mapping)
            Terminal.write("\(isActive ? "passed " : "REFUSED") user: \(Terminal.safe(found))\n")
            guard isActive else { throw CommandFailure(description: "The token is not accepted.") }
        }
        roles = try directory.grants.effective(directory.grants.accepted(identity.roles))
    }
    let kind = identity.user == .virtual ? "virtual user" : "user of the directory"
    Terminal.write("\nThe token is accepted.\n  \(kind)  \(Terminal.safe(identity.username))\n\(remark)")
    Terminal.write("  roles  \(Terminal.safe(roles.joined(separator: ", ")))\n")
    Terminal.write("  seconds  \(identity.lifetimeSeconds)\n")
}

/// Reads a token from a file or standard input.
private func readToken(_ file: String) throws -> String {
    guard let data = try InputFile.read(file, upTo: 1 << 20), let text = String(data: data, encoding: .utf8) else {
        throw UsageError("'\(file)' cannot be read. Check the path.")
    }
    let token = text.trimmingCharacters(in: .whitespacesAndNewlines)
    guard !token.isEmpty else {
        throw UsageError("'\(file)' is empty.", advice: "Store the token in it as a client sends it.")
    }
    return token
}

/// Whether a token's user exists and is active, with an explanation.
private func explanation(
    of user: LocalUser, _ name: String, _ mapping: TrustedIssuer.UserMapping
) -> (isActive: Bool, text: String) {
    let attribute = mapping == .name ? "uid" : "primary mail address"
    let whom = "user of the directory whose \(attribute) is '\(name)'"
    return switch user {
    case .found: (true, "The \(whom) is there, and is active.")
    case .disabled: (false, "The \(whom) is there, and is not active.")
    case .unknown: (false, "There is no \(whom), compared byte for byte unless userMappingIgnoresCase is true.")
    case .ambiguous: (false, "There is more than one \(whom), so it is ambiguous.")
    }
}
