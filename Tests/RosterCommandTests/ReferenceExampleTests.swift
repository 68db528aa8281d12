import Foundation
import Testing

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

@Suite("The reference documents' examples, as files that the program reads", .serialized)
struct ReferenceExampleTests {
    static func fixture(_ name: String) -> URL {
        CommandLineTool.package.appendingPathComponent("Tests/Fixtures/Reference/\(name)")
    }

    @Test(
        "A sample configuration of Sync Gateway is a document of providers",
        arguments: ["sync-gateway-auth-code.json", "sync-gateway-implicit.json"])
    func syncGateway(name: String) async throws {
        try await withTool { tool in
            let server = try RunningServer(
                tool, "--in-memory", "--providers", Self.fixture(name).path, "--test-provider")
            func status(_ path: String) async throws -> Int {
                try await server.client.ask(server.client.request("GET", path)).status
            }
            #expect(try await status("/default/_oidc_challenge?provider=test") == 401)
            #expect(try await status("/default/_oidc_challenge?provider=nobody") == 400)
            for path in ["/other/_oidc_challenge?provider=test", "/other/_oidc", "/other/_oidc_callback?state=x"] {
                let answer = try await server.client.ask(server.client.request("GET", path))
                #expect(answer.status == (path.contains("callback") ? 400 : 404), "\(path) is of no database")
            }
            #expect(server.stop() == 0)
            let log = try server.logText()
            #expect(
                log.contains("log, databases.default.server, databases.default.bucket change nothing here"), "\(log)")
            #expect(!log.contains("as 'interface'"), "--listen was given")
        }
    }

    @Test("Without --listen the server listens where 'interface' says, without TLS on this machine alone")
    func interface() async throws {
        try await withTool { tool in
            let sample = try String(contentsOf: Self.fixture("sync-gateway-auth-code.json"), encoding: .utf8)
            for (interface, host) in [(":0", "127.0.0.1"), ("127.0.0.1:0", "127.0.0.1")] {
                let file = tool.folder.appendingPathComponent("gateway.json")
                try Data(sample.replacing(":4984", with: interface).utf8).write(to: file)
                let server = try RunningServer(tool, "--in-memory", "--providers", "gateway.json", listen: nil)
                #expect(server.url.host() == host)
                #expect(try await server.client.ask(server.client.request("GET", "/healthz")).status == 200)
                #expect(try server.logText().contains("as 'interface' in gateway.json says"))
                server.stop()
            }
        }
    }

    @Test("Cloud Access Manager's application is made with its claim rules, and its token settings are the server's")
    func cloudAccessManager() async throws {
        try await withTool { tool in
            try Data("a long enough secret\n".utf8).write(to: tool.folder.appendingPathComponent("pw"))
            let settings = Self.fixture("token-settings.json")
            var server = try RunningServer(
                tool, "--in-memory", "--admin-password-file", "pw", "--token-settings", settings.path)
            func make(_ body: String) async throws -> (status: Int, body: [String: Any]) {
                try await server.client.ask(
                    server.client.request("POST", "/admin/backends", user: "admin:a long enough secret", body: body))
            }
            let app = try String(contentsOf: Self.fixture("native-app.json"), encoding: .utf8)
            let made = try await make(
                app.replacing("\"public\"", with: "\"name\": \"native\", \"public\"", maxReplacements: 1))
            #expect(made.status == 201, "\(made.body)")
            let claims = try #require(made.body["claims"] as? [String: Any])
            #expect(claims["roleClaimName"] as? String == "urn:cam/sso/role")
            // "Sign token with shared secret" for a public client: nobody could keep that secret.
            let shared = try await make(#"{"name": "x", "public": true, "id_token_signed_response_alg": "HS256"}"#)
            #expect(shared.status == 400 && (shared.body["detail"] as? String)?.contains("Take ES256") == true)
            server.stop()

            func lifetime(_ serverSettings: String, _ own: String) async throws -> Int? {
                try Data(serverSettings.utf8).write(to: tool.folder.appendingPathComponent("tokens.json"))
                server = try RunningServer(
                    tool, "--in-memory", "--admin-password-file", "pw", "--token-settings", "tokens.json")
                defer { server.stop() }
                let made = try await make(#"{"name": "program", "directory_role": "monitoring"\#(own)}"#).body
                let (id, secret) = try (
                    #require(made["client_id"] as? String), #require(made["client_secret"] as? String)
                )
                var request = server.client.request("POST", "/oauth2/token", user: "\(id):\(secret)")
                request.setValue("application/x-www-form-urlencoded", forHTTPHeaderField: "Content-Type")
                request.httpBody = Data("grant_type=client_credentials".utf8)
                return try await server.client.ask(request).body["expires_in"] as? Int
            }
            #expect(try await lifetime("{}", "") == 604_800)
            #expect(try await lifetime(#"{"consumer_token_expiry_seconds": 120}"#, "") == 120)
            #expect(
                try await lifetime(
                    #"{"oauthtoken.consumer_token_expiry_seconds": 120}"#, #", "consumer_token_expiry_seconds": 90"#)
                    == 90)
            for wrong in [
                "[]", #"{"access_token_expiry": 0}"#, #"{"acess_token_expiry": 5}"#, #"{"use_refresh_tokens": "no"}"#,
            ] {
                try Data(wrong.utf8).write(to: tool.folder.appendingPathComponent("tokens.json"))
                let refused = try tool.run(
                    "serve", "--in-memory", "--listen", "127.0.0.1:0", "--token-settings", "tokens.json")
                #expect(refused.code == 1 && refused.output.isEmpty, "\(wrong): \(refused.errors)")
            }
        }
    }

    @Test(
        "The documents of issuers are read as they stand, with the issuer's address put in",
        arguments: ["issuers-minimal.json", "issuers-audience.json", "issuers-username.json"])
    func issuers(name: String) throws {
        try withTool { tool in
            let text = try String(contentsOf: Self.fixture(name), encoding: .utf8)
                .replacing("BASE-TOKEN-ISSUER-URL", with: "https://idp.example").replacing(
                    "TOKEN-ISSUER-URL", with: "https://idp.example")
            for document in [text, text.replacing("\n", with: " ")] {
                try Data(document.utf8).write(to: tool.folder.appendingPathComponent("issuers.json"))
                let server = try RunningServer(tool, "--in-memory", "--issuers", "issuers.json")
                server.stop()
                #expect(try server.logText().contains("stopped"))
            }
        }
    }
}
