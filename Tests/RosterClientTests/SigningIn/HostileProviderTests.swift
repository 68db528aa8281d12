import Foundation
import RosterClient
import RosterCrypto
import RosterOpenID
import RosterSecrets
import RosterSignIn
import RosterText
import ServiceTestSupport
import TestSupport
import Testing

@Suite("Signing in at a hostile or broken server", .timeLimit(.minutes(3)))
struct HostileProviderTests {
    /// A fault of a server, and the error that the app gets.
    struct Fault: Sendable, CustomTestStringConvertible {
        let name: String
        let code: ClientError.Code
        var script = HostileProvider.Script()
        var secret: String?
        var testDescription: String { name }

        init(
            _ name: String, _ code: ClientError.Code, secret: String? = nil,
            _ change: (inout HostileProvider.Script) -> Void
        ) {
            (self.name, self.code, self.secret) = (name, code, secret)
            change(&script)
        }

        static func claim(_ name: String, _ value: JSONValue?, _ code: ClientError.Code = .badToken) -> Fault {
            Fault("'\(name)' is \(value?.written ?? "missing")", code) { $0.claims = { $0[name] = value } }
        }

        static func member(_ name: String, _ value: JSONValue?, _ code: ClientError.Code = .badAnswer) -> Fault {
            Fault("'\(name)' is \(value?.written.prefix(60) ?? "missing")", code) { $0.answer = { $0[name] = value } }
        }

        static func body(_ name: String, at path: String, _ text: String, _ code: ClientError.Code = .badAnswer)
            -> Fault
        {
            Fault("\(name) at \(path)", code) {
                $0.serve = { asked, peer in
                    guard asked == path else { return false }
                    peer.send(text)
                    return true
                }
            }
        }

        static func token(
            _ name: String, secret: String? = nil, _ make: @escaping @Sendable (JSONValue) throws -> String
        ) -> Fault {
            Fault(name, .badToken, secret: secret) { $0.token = make }
        }
    }

    private static let now = Date().timeIntervalSince1970
    private static let endpoints = ["/.well-known/openid-configuration", "/keys", "/token"]

    static let faults: [Fault] = claims + answers + tokens + documents + endpoints.flatMap(bodies)

    private static let documents: [Fault] = [
        Fault("another issuer in the discovery document", .badAnswer) {
            $0.discovery = { $0["issuer"] = "https://evil" }
        },
        Fault("an issuer with a slash more", .badAnswer) {
            $0.discovery = { $0["issuer"] = .string(($0["issuer"]?.text ?? "") + "/") }
        },
        Fault("a token endpoint that is not a URL", .badAnswer) {
            $0.discovery = { $0["token_endpoint"] = "javascript:a" }
        },
        Fault("a token endpoint of another machine without TLS", .badAnswer) {
            $0.discovery = { $0["token_endpoint"] = "http://192.0.2.1/token" }
        },
        Fault("no key set", .badAnswer) { $0.discovery = { $0["jwks_uri"] = nil } },
    ]

    private static let claims: [Fault] = [
        .claim("iss", "https://evil.example.com"), .claim("iss", nil), .claim("aud", "another app"), .claim("aud", []),
        .claim("aud", ["the app", "another app"]), .claim("azp", "another app"), .claim("sub", nil),
        .claim("sub", .string(String(repeating: "x", count: 256))), .claim("nonce", "another"), .claim("nonce", nil),
        .claim("exp", .integer(Int64(now) - 600)), .claim("exp", nil), .claim("exp", .decimal(1e30)),
        .claim("iat", nil),
        .claim("at_hash", "AAAAAAAAAAAAAAAAAAAAAA"), .claim("at_hash", 5), .claim("at_hash", ""),
        .claim("iat", .integer(Int64(now) + 3_600)), .claim("nbf", .integer(Int64(now) + 3_600)), .claim("exp", "soon"),
    ]

    private static let answers: [Fault] = [
        .member("expires_in", .decimal(1e30)), .member("expires_in", -1), .member("expires_in", "soon"),
        .member("access_token", nil), .member("access_token", ""), .member("access_token", "a\r\nX: y"),
        .member("access_token", .string(String(repeating: "a", count: 70_000))), .member("token_type", "mac"),
        .member("token_type", nil), .member("id_token", nil), .member("id_token", "a.b.c", .badToken),
        .member("id_token", .string(String(repeating: "a", count: 70_000))),
    ]

    private static let tokens: [Fault] = [
        .token("algorithm none") { claims in
            Base64URL.text(Array(#"{"alg":"none"}"#.utf8)) + "." + Base64URL.text(claims.bytes) + "."
        },
        .token("an unknown key") { try SigningKey(generating: .es256).sign($0.members, type: "JWT") },
        .token("a token of another kind") { try SigningKey(generating: .es256).sign($0.members, type: "at+jwt") },
        .token("HS256 with the public key as secret") { try hs256($0, key: Array("public".utf8)) },
        .token("HS256 with a short secret", secret: "short") { try hs256($0, key: Array("short".utf8)) },
        .token("HS256 with another secret", secret: HostileProvider.secret) { try hs256($0, key: Array("other".utf8)) },
    ]

    static func hs256(_ claims: JSONValue, key: [UInt8]) throws -> String {
        let text = Base64URL.text(Array(#"{"alg":"HS256"}"#.utf8)) + "." + Base64URL.text(claims.bytes)
        return text + "." + Base64URL.text(try HMACSHA256.code(for: Array(text.utf8), key: key))
    }

    private static func bodies(_ path: String) -> [Fault] {
        [
            .body("a redirect", at: path, SocketServer.answer("", "302 Found", headers: "Location: https://evil/\r\n")),
            .body("HTML", at: path, SocketServer.answer("<html>the-refresh-token</html>")),
            .body("cut JSON", at: path, SocketServer.answer("{\"issuer\":\"")),
            .body(
                "a duplicate member", at: path, SocketServer.answer("{\"access_token\":\"a\",\"access_token\":\"b\"}")),
            .body("nothing", at: path, SocketServer.answer("")), .body("an array", at: path, SocketServer.answer("[]")),
            .body("deep JSON", at: path, SocketServer.answer(String(repeating: "[", count: 100_000))),
            .body("a broken head", at: path, "HTTP/9 hello\r\n\r\n"),
            .body("status 500", at: path, SocketServer.answer("the-refresh-token", "500 Broken"), .serverFailed),
            .body("status 503", at: path, SocketServer.answer("", "503 Busy"), .serverBusy),
            .body("a closed connection", at: path, "", .unreachable),
            .body("a body that ends early", at: path, "HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n{}", .unreachable),
            Fault("an endless body at \(path)", .badAnswer) {
                $0.serve = { asked, peer in
                    guard asked == path else { return false }
                    peer.send("HTTP/1.1 200 OK\r\n\r\n")
                    while peer.send([UInt8](repeating: 0x20, count: 65_536)) {}
                    return true
                }
            },
        ]
    }

    @Test(
        "Each fault is a typed error with advice; nothing is stored, and no secret is in the error", arguments: faults)
    func fault(_ fault: Fault) async throws {
        try await withFolder { folder in
            let provider = try HostileProvider(fault.script)
            let authenticator = try provider.authenticator(in: folder, secret: fault.secret)
            let error = try await clientError { _ = try await provider.signIn(authenticator) }
            #expect(error.code == fault.code, "\(error)")
            #expect(error.advice.hasSuffix(".") && error.message.count < 400)
            for secret in ["the-code", "the-access-token", "the-refresh-token", HostileProvider.secret] {
                #expect(!"\(error) \(String(reflecting: error))".contains(secret))
            }
            #expect(try ServedApp.store(in: folder).names(withPrefix: "sign-in/").isEmpty)
        }
    }

    @Test("A server that sends byte after byte, or a bomb of compressed zeros, ends within seconds and little memory")
    func drip() async throws {
        let bomb = try Self.bomb()
        for (path, code) in [
            ("/.well-known/openid-configuration", ClientError.Code.unreachable), ("/token", .badAnswer),
        ] {
            var script = HostileProvider.Script()
            script.serve = { asked, peer in
                guard asked == path else { return false }
                if path == "/token" {
                    peer.send("HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: \(bomb.count)\r\n\r\n")
                    peer.send(bomb)
                } else {
                    peer.send("HTTP/1.1 200 OK\r\nContent-Length: 1000000\r\n\r\n")
                    while peer.send("{") { Thread.sleep(forTimeInterval: 0.05) }
                }
                return true
            }
            try await withFolder { folder in
                let provider = try HostileProvider(script)
                let error = try await clientError {
                    _ = try await provider.signIn(provider.authenticator(in: folder))
                }
                #expect(error.code == code, "\(error)")
            }
        }
    }

    private static func bomb() throws -> [UInt8] {
        let process = Process()
        let output = Pipe()
        process.executableURL = URL(fileURLWithPath: "/bin/sh")
        process.arguments = ["-c", "head -c 300000000 /dev/zero | gzip -9"]
        process.standardOutput = output
        try process.run()
        return Array(output.fileHandleForReading.readDataToEndOfFile())
    }

    @Test(
        "An answer of the browser that names another server, no server or a parameter twice signs nobody in",
        arguments: ["iss=https%3A%2F%2Fevil", "none", "twice", "error", "no code"])
    func answers(_ kind: String) async throws {
        try await withFolder { folder in
            let provider = try HostileProvider()
            let authenticator = try provider.authenticator(in: folder)
            let error = try await clientError {
                _ = try await provider.signIn(authenticator) { url in
                    let parts = url.split(separator: "&").map(String.init)
                    return switch kind {
                    case "none": parts.dropLast().joined(separator: "&")
                    case "twice": url + "&code=another"
                    case "error": url.replacing("code=the-code", with: "error=the-refresh-token")
                    case "no code": url.replacing("code=the-code", with: "x=y")
                    default: (parts.dropLast() + [kind]).joined(separator: "&")
                    }
                }
            }
            let expected: [String: ClientError.Code] = [
                "error": .refused
            ]
            #expect(error.code == expected[kind] ?? .badAnswer, "\(error)")
            #expect(!"\(error)".contains("the-refresh-token"))
            #expect(!provider.paths.contains("/token"))
            #expect(try ServedApp.store(in: folder).names(withPrefix: "sign-in/").isEmpty)
        }
    }

    @Test("A sound server of others signs a user in, also with HS256 and a secret, and after it changed its key")
    func sound() async throws {
        try await withFolder { folder in
            let provider = try HostileProvider()
            let authenticator = try provider.authenticator(in: folder)
            let account = try await provider.signIn(authenticator)
            #expect(account.subject == "mira")
            #expect(try await account.validAccessToken() == HostileProvider.accessToken)
            // The left half of the SHA-256 of the access token.
            provider.change { $0.claims = { $0["at_hash"] = "uby9Z8Gb_H_x4fPjwNzguw" } }
            _ = try await provider.signIn(authenticator)
            #expect(provider.paths.filter { $0 == "/keys" }.count == 1)
            provider.publish([provider.otherKey, provider.key])
            _ = try await provider.signIn(authenticator)
            #expect(provider.paths.filter { $0 == "/keys" }.count == 2)
        }
        try await withFolder { folder in
            var script = HostileProvider.Script()
            script.token = { try Self.hs256($0, key: Array(HostileProvider.secret.utf8)) }
            let provider = try HostileProvider(script)
            let account = try await provider.signIn(provider.authenticator(in: folder, secret: HostileProvider.secret))
            #expect(account.subject == "mira")
        }
    }

    @Test(
        "Tokens with unknown keys cause one fetch of the keys, and the next after ten seconds, whatever the sign-in is")
    func unknownKeys() async throws {
        try await withFolder { folder in
            let (provider, clock) = (try HostileProvider(), SettableClock(Date()))
            let authenticator = try provider.authenticator(in: folder, clock: { clock.now })
            let account = try await provider.signIn(authenticator)
            provider.change { $0.token = { try SigningKey(generating: .es256).sign($0.members, type: "JWT") } }
            func fetches() -> Int { provider.paths.count { $0 == "/keys" } }
            for number in 0..<100 {
                if number % 2 == 0 {
                    #expect(try await clientError { _ = try await provider.signIn(authenticator) }.code == .badToken)
                } else {
                    _ = try await account.accessToken(replacing: HostileProvider.accessToken)
                    #expect(account.idTokenProblem?.code == .badToken)
                }
            }
            #expect(fetches() == 2)
            clock.advance(by: 9)
            _ = try await account.accessToken(replacing: HostileProvider.accessToken)
            #expect(fetches() == 2)
            clock.advance(by: 1)
            _ = try await account.accessToken(replacing: HostileProvider.accessToken)
            #expect(fetches() == 3)
        }
    }

    @Test("A key that the server withdrew signs nobody in after half a day, though the app was not started anew")
    func withdrawnKey() async throws {
        try await withFolder { folder in
            let clock = SettableClock(Date())
            let withdrawn = try SigningKey(generating: .es256)
            var script = HostileProvider.Script()
            script.token = { try withdrawn.sign($0.members, type: "JWT") }
            script.claims = { claims in
                let now = Int64(clock.now.timeIntervalSince1970)
                (claims["iat"], claims["exp"]) = (.integer(now), .integer(now + 300))
            }
            let provider = try HostileProvider(script)
            provider.publish([withdrawn])
            let authenticator = try provider.authenticator(in: folder, clock: { clock.now })
            _ = try await provider.signIn(authenticator)
            provider.publish([provider.key])
            _ = try await provider.signIn(authenticator)
            clock.advance(by: 43_201)
            let error = try await clientError { _ = try await provider.signIn(authenticator) }
            #expect(error.code == .badToken, "\(error)")
        }
    }

    @Test(
        "A clock that is wrong by more than five minutes is named, with the amount",
        arguments: [7_300, -86_400 * 3] as [Double])
    func clock(_ difference: Double) async throws {
        try await withFolder { folder in
            var script = HostileProvider.Script()
            let begun = Date()
            script.date = begun
            let provider = try HostileProvider(script)
            let error = try await clientError {
                _ = try await provider.signIn(
                    provider.authenticator(in: folder, clock: { Date().addingTimeInterval(difference) }))
            }
            #expect(error.code == .clockWrong, "\(error)")
            #expect(error.message.contains(difference > 0 ? "2 hours ahead of" : "3 days behind"), "\(error)")
            for (amount, text) in [
                (7_199.0, "2 hours"), (7_201, "2 hours"), (172_799, "2 days"), (3_600, "60 minutes"),
            ] {
                let error = try await clientError {
                    _ = try await provider.signIn(
                        provider.authenticator(in: folder, clock: { begun.addingTimeInterval(amount) }))
                }
                #expect(error.message.contains("is \(text) ahead of"), "\(error)")
            }
            let near = try provider.authenticator(
                in: folder, clock: { Date().addingTimeInterval(difference.sign == .minus ? -250 : 250) })
            _ = try await provider.signIn(near)
        }
    }

    @Test("A registration that no server accepts is refused before anything is sent")
    func registrations() throws {
        try withFolder { folder in
            let store = try ServedApp.store(in: folder)
            let registrations = [
                AppRegistration(issuer: "http://id.example.com", clientID: "a"),
                AppRegistration(issuer: "https://id.example.com?a=b", clientID: "a"),
                AppRegistration(issuer: "id.example.com", clientID: "a"),
                AppRegistration(issuer: "https://id.example.com", clientID: ""),
                AppRegistration(issuer: "https://id.example.com", clientID: "a", scopes: ["a b"]),
                AppRegistration(issuer: "https://id.example.com", clientID: "a", redirect: .url("http://example.com/")),
                AppRegistration(issuer: "https://id.example.com", clientID: "a", redirect: .loopback(path: "a?b")),
            ]
            for registration in registrations {
                let error = #expect(throws: ClientError.self) { try Authenticator(registration, store: store) }
                #expect(error?.code == .badConfiguration)
            }
        }
    }
}
