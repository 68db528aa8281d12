import Foundation
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
    let handle = file == "-" ? FileHandle.standardInput : FileHandle(forReadingAtPath: file)
    guard let data = try handle?.read(upToCount: 1 << 20), let text = String(data: data, encoding: .utf8) else {
        throw UsageError("'\(file)' cannot be read. Check the path.")
    }
    var base = arguments.value("public-url") ?? "http://127.0.0.1:8080"
    while base.hasSuffix("/") { base.removeLast() }
    let trust = IssuerTrust(
        .init(
            document: document,
            certificates: arguments.value("certificates").map { URL(fileURLWithPath: $0) }))
    let checker = ExternalTokenChecker(trust, baseURL: base)
    let backend = ExchangingBackend(
        name: arguments.value("backend") ?? "", version: arguments.value("version") ?? "1.0",
        clientID: arguments.value("client-id") ?? "")
    let token = text.trimmingCharacters(in: .whitespacesAndNewlines)
    let report =
        token.utf8.count(where: { $0 == UInt8(ascii: ".") }) >= 2
        ? await checker.check(jwt: token, for: backend) : await checker.check(saml: token, for: backend).report
    for step in report.steps {
        Terminal.write("\(step.hasPassed ? "passed " : "REFUSED") \(step.name): \(Terminal.safe(step.explanation))\n")
    }
    guard let identity = report.identity else { throw CommandFailure(description: "The token is not taken.") }
    let kind = identity.user == .virtual ? "virtual user" : "user of the directory"
    Terminal.write("\nThe token is taken.\n  \(kind)  \(Terminal.safe(identity.username))\n")
    Terminal.write("  roles  \(Terminal.safe(identity.roles.joined(separator: ", ")))\n")
    Terminal.write("  seconds  \(identity.lifetimeSeconds)\n")
}
