import Foundation
import Roster
import RosterCrypto
import RosterOpenID
import RosterText
import Testing
import TestSupport

import RosterSignIn

/// A folder with a document of issuers and their certificates, and a key that signs for them.
struct IssuerPlace {
    static let issuer = "https://idp.example.com"
    static let base = "https://id.example.com"

    let clock = SettableClock()
    let folder: URL
    let key: SigningKey
    var document: URL { folder.appendingPathComponent("issuers.json") }
    var certificates: URL { folder.appendingPathComponent("certificates") }

    /// Runs a test in a folder with such a document, and a certificate of this subject, as openssl's `-subj` takes it.
    static func with(
        _ root: JSONValue? = nil, subject: String? = "/CN=idp", _ body: (IssuerPlace) async throws -> Void
    ) async throws {
        let place = try IssuerPlace()
        defer { try? FileManager.default.removeItem(at: place.folder) }
        let issuer: JSONValue = [
            "issuerName": .string(Self.issuer), "certificateSubjectNames": ["CN=idp"], "virtualUserEnabled": true,
        ]
        try place.write(root ?? ["issuers": [issuer]])
        if let subject { try place.certify(subject) }
        try await body(place)
    }

    private init() throws {
        folder = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
        key = try SigningKey(generating: .es256)
        try FileManager.default.createDirectory(at: certificates, withIntermediateDirectories: true)
    }

    /// Replaces the document.
    func write(_ root: JSONValue) throws { try Data(root.bytes).write(to: document) }

    /// Stores a certificate of the key.
    func certify(_ subject: String, more: [String] = []) throws {
        let secret = Data(try key.pkcs8()).base64EncodedString()
        let file = folder.appendingPathComponent("key.pem")
        try Data("-----BEGIN PRIVATE KEY-----\n\(secret)\n-----END PRIVATE KEY-----\n".utf8).write(to: file)
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/openssl")
        process.arguments =
            [
                "req", "-x509", "-key", file.path, "-utf8", "-subj", subject, "-batch", "-out",
                certificates.appendingPathComponent(UUID().uuidString + ".pem").path,
            ] + (more.isEmpty ? ["-days", "3650"] : more)
        process.standardError = FileHandle.nullDevice
        try process.run()
        process.waitUntilExit()
        try #require(process.terminationStatus == 0)
    }

    /// A token with these claims beside those that every token has.
    ///
    /// - Parameter header: What stands in the header beside `alg`.
    func token(_ claims: JSONValue = [:], header: JSONValue = ["typ": "JWT"]) throws -> String {
        let now = Int64(clock.now.timeIntervalSince1970)
        var all: JSONValue = [
            "iss": .string(Self.issuer), "sub": "ada", "iat": .integer(now), "exp": .integer(now + 300),
        ]
        for member in claims.members { all[member.name] = member.value }
        var head: JSONValue = ["alg": "ES256"]
        for member in header.members { head[member.name] = member.value }
        let text = Base64URL.text(head.bytes) + "." + Base64URL.text(all.bytes)
        let secret = try key.pkcs8()
        let handle = try #require(KeyHandle(.p256, pkcs8: secret))
        return text + "." + Base64URL.text(try handle.sign(Array(text.utf8), .init(digest: .sha256)))
    }

    /// What is found out about a token.
    func report(_ token: String, explains: Bool = false) async -> ExchangeReport {
        let trust = IssuerTrust(.init(document: document, certificates: certificates), clock: { [clock] in clock.now })
        let checker = ExternalTokenChecker(
            trust, baseURL: Self.base, explains: explains, clock: { [clock] in clock.now })
        return await checker.check(jwt: token, for: ExchangingBackend(name: "a", version: "1.0", clientID: "a"))
    }

    /// Why a token is refused, as an administrator is told and as the change feed has it.
    func refusal(_ token: String) async throws -> (told: String, logged: String) {
        (
            try #require(await report(token, explains: true).refusal).explanation,
            try #require(await report(token).refusal).explanation
        )
    }
}
