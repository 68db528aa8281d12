import Foundation
import Roster
import RosterServer
import RosterSignIn

let issuerCheckCommand = Command(
    name: "issuer check",
    summary:
        "Tells step by step whether a token would be exchanged, why, and which roles it gives. Nothing is used up.",
    operands: "FILE",
    options: [
        .init("token", "FILE", "the token: a JWT, or a SAML assertion in base64; - for standard input"),
        .init("certificates", "FOLDER", "the issuers' certificates, in PEM or DER"),
        .init("public-url", "URL", "where clients reach the server (http://127.0.0.1:8080 where not given)"),
        .init("backend", "NAME", "the backend that asks"),
        .init("version", "VERSION", "its version; 1.0 where not given"),
        .init("client-id", "ID", "its client id"),
        .init("database", "FILE", "the directory's file, to look up a user of the directory whom the token names"),
    ],
    example: "roster issuer check issuers.json --token token.txt"
) { arguments in
    try arguments.expectOperands(atMost: 1)
    let document = URL(fileURLWithPath: try arguments.operand(0, "The issuers document"))
    for note in try IssuerTrust.read(document).notes { Terminal.note("note: \(note)") }
    guard let file = arguments.value("token") else {
        Terminal.write("The document can be used.\n")
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
    // XML that somebody forgot to put into base64 has dots, too.
    let isJWT = !token.hasPrefix("<") && token.utf8.count(where: { $0 == UInt8(ascii: ".") }) >= 2
    let report =
        isJWT ? await checker.check(jwt: token, for: backend) : await checker.check(saml: token, for: backend).report
    for step in report.steps {
        Terminal.write("\(step.hasPassed ? "passed " : "REFUSED") \(step.name): \(Terminal.safe(step.explanation))\n")
    }
    guard let identity = report.identity else { throw CommandFailure(description: "The token is not taken.") }
    let kind = identity.user == .virtual ? "virtual user" : "user of the directory"
    var remark = ""
    if case .local(let mapping) = identity.user {
        if arguments.value("database") == nil {
            remark = "  Whether there is such an active user is not checked here: give --database FILE.\n"
        } else {
            let (isActive, found) = try find(identity.username, by: mapping, in: try arguments.readableDirectory())
            Terminal.write("\(isActive ? "passed " : "REFUSED") user: \(Terminal.safe(found))\n")
            guard isActive else { throw CommandFailure(description: "The token is not taken.") }
        }
    }
    Terminal.write("\nThe token is taken.\n  \(kind)  \(Terminal.safe(identity.username))\n\(remark)")
    Terminal.write("  roles  \(Terminal.safe(identity.roles.joined(separator: ", ")))\n")
    Terminal.write("  seconds  \(identity.lifetimeSeconds)\n")
}

/// The token in a file, or in what comes by standard input.
private func readToken(_ file: String) throws -> String {
    guard let data = try InputFile.read(file, upTo: 1 << 20), let text = String(data: data, encoding: .utf8) else {
        throw UsageError("'\(file)' cannot be read. Check the path.")
    }
    let token = text.trimmingCharacters(in: .whitespacesAndNewlines)
    guard !token.isEmpty else {
        throw UsageError("'\(file)' is empty.", advice: "Put the token into it, as a client sends it.")
    }
    return token
}

/// Whether a token's user is an active one of the directory, found as the exchange finds them, and what to tell.
private func find(
    _ name: String, by mapping: TrustedIssuer.UserMapping, in directory: Directory
) throws -> (isActive: Bool, text: String) {
    let found: [Bool]
    switch mapping {
    case .name: found = try directory.credentials.account(named: name).map { [$0.isActive] } ?? []
    case .mail:
        let search = Search(Filter.mail.equals(.string(name)), pageSize: 2)
        found = try directory.unrestricted.users.search(search).elements.map(\.isActive)
    }
    let whom = "user of the directory whose \(mapping.rawValue) is '\(name)'"
    switch (found.first, found.count) {
    case (let isActive?, 1): return (isActive, "The \(whom) is there, and is \(isActive ? "" : "not ")active.")
    case (nil, _): return (false, "There is no \(whom).")
    default: return (false, "There is more than one \(whom): it names none of them.")
    }
}
