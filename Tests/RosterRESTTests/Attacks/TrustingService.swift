import Foundation
import Roster
import RosterFixtures
import RosterOpenID
import RosterDialects
import RosterREST
import RosterSignIn
import RosterText
import ServiceTestSupport
import Testing
import TestSupport

/// Somebody else who signs tokens: a key, and a certificate by which a service knows it.
struct Party: Sendable {
    let name: String
    let certificate: Data
    let key: [UInt8]

    static let first = Result { try Party("one.example.com") }
    static let second = Result { try Party("two.example.com") }

    var issuer: String { "https://" + name }

    /// Cost: a key of RSA, which takes a moment: tests share those two.
    private init(_ name: String) throws {
        self.name = name
        (certificate, key) = try withFolder { folder in
            let process = Process()
            process.executableURL = URL(fileURLWithPath: "/usr/bin/openssl")
            process.arguments = [
                "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-keyout", "key", "-out", "pem", "-days", "2",
                "-subj", "/CN=\(name)",
            ]
            process.currentDirectoryURL = folder
            process.standardError = FileHandle.nullDevice
            try process.run()
            process.waitUntilExit()
            let text = try String(contentsOf: folder.appendingPathComponent("key"), encoding: .utf8)
            let lines = text.split(separator: "\n").filter { !$0.hasPrefix("-") }.joined()
            return (
                try Data(contentsOf: folder.appendingPathComponent("pem")),
                Array(try #require(Data(base64Encoded: lines)))
            )
        }
    }

    /// A token with these claims, beside those that every token has.
    func token(
        _ claims: [String: JSONValue] = [:], without: Set<String> = [], at now: Date = Date(), type: String = "JWT"
    ) throws -> String {
        let time = Int64(now.timeIntervalSince1970)
        var all: JSONValue = [
            "iss": .string(issuer), "sub": "mira", "aud": .string(TrustingService.base), "iat": .integer(time),
            "exp": .integer(time + 300), "jti": .string(UUID().uuidString),
        ]
        for (name, value) in claims { all[name] = value }
        return try SigningKey(.rs256, pkcs8: key).sign(all.members.filter { !without.contains($0.name) }, type: type)
    }
}

/// A service that takes the tokens of two others, with an app that exchanges them.
struct TrustingService: Sendable {
    static let base = "https://id.example.com"
    static let jwtGrant = BackendSettings.Grant.assertion.rawValue
    static let exchangeGrant = BackendSettings.Grant.tokenExchange.rawValue

    let directory: Directory
    let service: RESTService
    let signIn: SignIn
    let app: Backend
    let secret: String
    let log: Gathered<RequestRecord>

    /// Runs a test with a service whose document names these issuers of JWTs, and of SAML assertions.
    ///
    /// - Parameters:
    ///   - settings: Of the app, beside those that let it exchange.
    ///   - hasDocument: Whether the service is started with the document.
    static func running(
        issuers: JSONValue, saml: JSONValue = [], settings: JSONValue = [:], hasDocument: Bool = true,
        clock: @escaping @Sendable () -> Date = { Date() },
        _ body: (TrustingService) async throws -> Void
    ) async throws {
        try await withFolder { folder in
            let document = folder.appendingPathComponent("issuers.json")
            let certificates = folder.appendingPathComponent("certificates")
            try FileManager.default.createDirectory(at: certificates, withIntermediateDirectories: true)
            for party in [try Party.first.get(), try Party.second.get()] {
                try party.certificate.write(to: certificates.appendingPathComponent(party.name + ".pem"))
            }
            let root: JSONValue = ["issuers": issuers, "samlIssuers": saml]
            try Data(root.bytes).write(to: document)
            let image = try Fixtures.company().memoryImage()
            let directory = try Directory.inMemory(image: image, clock: clock)
            let parameters = PasswordParameters.forTests
            let signIn = try SignIn(
                directory, issuer: base, passwordCost: parameters,
                trust: .init(document: hasDocument ? document : nil, certificates: certificates), clock: clock)
            var all: JSONValue = [
                "sso": true, "scope": "openid profile roles directory",
                "grant_types": ["client_credentials", .string(jwtGrant), .string(exchangeGrant)],
            ]
            for member in settings.members { all[member.name] = member.value }
            let (backend, secrets) = try await Backend.create(
                .init(name: "shop", settings: BackendSettings(all)), keys: signIn.oauth.keys,
                in: directory.unrestricted)
            let log = Gathered<RequestRecord>()
            let context = try ServiceContext(
                directory: directory, baseURL: base, signIn: signIn, log: { log.append($0) }, interfaces: .dialects)
            try await body(
                TrustingService(
                    directory: directory, service: RESTService(context), signIn: signIn, app: backend,
                    secret: secrets.secret ?? "", log: log))
        }
    }

    /// An issuer as the document names it.
    static func issuer(_ party: Party, _ fields: JSONValue = [:]) -> JSONValue {
        var issuer: JSONValue = [
            "issuerName": .string(party.issuer), "certificateSubjectNames": [.string("CN=" + party.name)],
        ]
        for member in fields.members { issuer[member.name] = member.value }
        return issuer
    }

    func send(
        _ method: String, _ path: String, _ authorization: String?, form: [(String, String)]? = nil
    ) async -> Answer {
        var headers = HTTPHeaders()
        if let authorization { headers.add("Authorization", authorization) }
        if form != nil { headers.add("Content-Type", "application/x-www-form-urlencoded") }
        let body = form.map { Array(App.encoded($0).utf8) } ?? []
        return Answer(await service.respond(to: HTTPRequest(method, path, headers: headers, body: body)))
    }

    func ask(_ form: [(String, String)]) async -> Answer {
        await send("POST", "/oauth2/token", ServiceUnderTest.basic(app.clientID, secret), form: form)
    }

    /// Exchanges somebody else's token by RFC 7523.
    func bring(_ token: String, _ more: (String, String)...) async -> Answer {
        await ask([("grant_type", Self.jwtGrant), ("assertion", token)] + more)
    }

    /// The same by RFC 8693.
    func exchange(_ token: String, type: String = "jwt", _ more: (String, String)...) async -> Answer {
        await ask(
            [
                ("grant_type", Self.exchangeGrant), ("subject_token", token),
                ("subject_token_type", "urn:ietf:params:oauth:token-type:" + type),
            ] + more)
    }

    /// Tries every way by which a token can be exchanged. Returns what was given for it.
    func everyWay(_ token: String) async -> [String] {
        var given: [Answer] = [await bring(token)]
        for type in ["jwt", "id_token", "access_token", "saml2"] { given.append(await exchange(token, type: type)) }
        given.append(
            await send(
                "POST", "/mobile/platform/auth/token", ServiceUnderTest.basic(app.clientID, secret),
                form: [("grant_type", Self.jwtGrant), ("assertion", token)]))
        var headers: HTTPHeaders = ["Authorization": "Bearer " + token]
        headers.add("Oracle-Mobile-Backend-ID", app.backendID)
        given.append(
            Answer(
                await service.respond(
                    to: HTTPRequest("GET", "/mobile/platform/sso/exchange-token", headers: headers))))
        // A token of somebody else's is none of ours, without an exchange.
        for path in ["/scim/v2/Me", "/mobile/platform/users/~", "/oauth2/userinfo"] {
            given.append(await send("GET", path, "Bearer " + token))
        }
        return given.filter { $0.status < 400 }.map(\.text)
    }
}
