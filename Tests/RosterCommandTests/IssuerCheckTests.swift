import Foundation
import Testing

/// An issuer whose tokens openssl signs, with the document and the folder that name it.
private struct Issuer {
    static let name = "https://idp.example.com"

    let tool: CommandLineTool

    /// Costs a key of RSA, which takes a moment.
    init(_ tool: CommandLineTool, _ more: [String: Any] = [:]) throws {
        self.tool = tool
        try FileManager.default.createDirectory(atPath: tool.path("certificates"), withIntermediateDirectories: true)
        try openssl(
            "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-subj", "/CN=idp", "-days", "2", "-keyout", "key.pem",
            "-out", "certificates/idp.pem")
        let issuer = ["issuerName": Self.name, "certificateSubjectNames": ["CN=idp"]].merging(more) { $1 }
        try JSONSerialization.data(withJSONObject: ["issuers": [issuer]])
            .write(to: URL(fileURLWithPath: tool.path("issuers.json")))
    }

    private func openssl(_ arguments: String...) throws {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/openssl")
        process.arguments = arguments
        process.currentDirectoryURL = tool.folder
        process.standardError = FileHandle.nullDevice
        try process.run()
        process.waitUntilExit()
        try #require(process.terminationStatus == 0)
    }

    /// A token of somebody, and for `alg` anything else without a signature.
    func token(_ claims: [String: Any], algorithm: String = "RS256", type: String = "JWT") throws -> String {
        func part(_ data: Data) -> String {
            data.base64EncodedString().replacing("+", with: "-").replacing("/", with: "_").replacing("=", with: "")
        }
        let now = Int(Date().timeIntervalSince1970)
        let all = ["iss": Self.name, "iat": now, "exp": now + 300].merging(claims) { $1 }
        let text = try [["alg": algorithm, "typ": type], all]
            .map { part(try JSONSerialization.data(withJSONObject: $0)) }.joined(separator: ".")
        guard algorithm == "RS256" else { return text + "." }
        try Data(text.utf8).write(to: URL(fileURLWithPath: tool.path("text")))
        try openssl("dgst", "-sha256", "-sign", "key.pem", "-out", "signature", "text")
        return text + "." + part(try Data(contentsOf: URL(fileURLWithPath: tool.path("signature"))))
    }

    func check(_ token: String, _ more: String...) throws -> CommandLineTool.Outcome {
        try token.write(toFile: tool.path("token.txt"), atomically: true, encoding: .utf8)
        return try tool.run(
            ["issuer", "check", "issuers.json", "--certificates", "certificates", "--token", "token.txt"] + more)
    }
}

@Suite("'roster issuer check' tells why a token is taken or not")
struct IssuerCheckTests {
    @Test("A user of the directory is looked up where the directory is given, and else it says that nobody looked")
    func localUsers() throws {
        try withCompany { tool in
            let issuer = try Issuer(tool)
            let ren = try issuer.token(["sub": "ren.watanabe"])
            let unknown = try issuer.check(ren)
            #expect(unknown.code == 0, "\(unknown.output)\(unknown.errors)")
            #expect(unknown.output.contains("active user is not checked here: give --database FILE."))
            let known = try issuer.check(ren, "--database", "company.db")
            #expect(known.code == 0 && known.output.contains("passed  user: The user of the directory whose uid is"))
            #expect(!known.output.contains("not checked"))
            for (name, reason) in [("nobody", "There is no user"), ("matthias.schmidt", "is there, and is not active")]
            {
                let refused = try issuer.check(try issuer.token(["sub": name]), "--database", "company.db")
                #expect(refused.code == 1 && refused.output.contains("REFUSED user: "), "\(refused.output)")
                #expect(refused.output.contains(reason) && !refused.output.contains("The token is accepted"))
            }
            #expect(try issuer.check(ren, "--database", "nosuch.db").code != 0)
        }
    }

    @Test("A user of the directory is found by the mail address where the issuer says so")
    func mail() throws {
        try withCompany { tool in
            let issuer = try Issuer(tool, ["userMappingAttribute": "mail", "emailVerificationWaived": true])
            for (name, code) in [
                ("ren.watanabe@nordwind.example", 0), ("ren.watanabe", 1), ("matthias.schmidt@nordwind.example", 1),
                ("Ren.Watanabe@nordwind.example", 1), ("ren.watanabe@nordw\u{131}nd.example", 1),
            ] {
                let outcome = try issuer.check(try issuer.token(["sub": name]), "--database", "company.db")
                #expect(Int(outcome.code) == code, "\(name): \(outcome.output)")
            }
            let claims: [String: Any] = ["sub": "ren.watanabe@nordwind.example", "email_verified": false]
            let unverified = try issuer.check(try issuer.token(claims), "--database", "company.db")
            #expect(
                unverified.code == 1 && unverified.output.contains("REFUSED verified mail: "), "\(unverified.output)")
        }
    }

    @Test("A name that is only like a user's is refused as the server refuses it, and roles are those that would count")
    func likeTheServer() throws {
        try withCompany { tool in
            let issuer = try Issuer(
                tool, ["roleAttributes": ["groups"], "roleMappings": [["tokenRole": "x", "mappedRoles": ["outside"]]]])
            for name in ["REN.watanabe", "ren.watanabe\u{301}", "ｒen.watanabe"] {
                let outcome = try issuer.check(try issuer.token(["sub": name]), "--database", "company.db")
                #expect(outcome.code == 1 && outcome.output.contains("REFUSED user: "), "\(name): \(outcome.output)")
            }
            let token = try issuer.token(["sub": "ren.watanabe", "groups": ["x", "products", "unheard of"]])
            let known = try issuer.check(token, "--database", "company.db")
            #expect(known.output.contains("  roles  outside, products, engineering, everyone\n"), "\(known.output)")
            #expect(try issuer.check(token).output.contains("Which of the roles count is not checked here"))
        }
    }

    @Test("A virtual user needs no directory, and nothing is said of one")
    func virtualUsers() throws {
        try withTool { tool in
            let issuer = try Issuer(tool, ["virtualUserEnabled": true])
            let outcome = try issuer.check(try issuer.token(["sub": "ada"]))
            #expect(outcome.code == 0 && !outcome.output.contains("--database"))
        }
    }

    @Test("What is no token that can be taken is called what it is")
    func forms() throws {
        try withTool { tool in
            let issuer = try Issuer(tool, ["virtualUserEnabled": true])
            for (token, reason) in [
                (try issuer.token(["sub": "ada"], algorithm: "none"), "is not signed ('alg' is 'none')"),
                ("e30..e30.e30.e30", "is encrypted"), ("<saml:Assertion a=\"http://x.y.z\"/>", "Put it into base64"),
                (try issuer.token(["sub": "ada"], type: "logout+jwt"), "logout+jwt"),
                (try issuer.token(["iss": "https://idp.example.com/"]), "\"https://idp.example.com/\""),
                (try issuer.token(["iss": "https://idp.example.com/"]), "these are \"https://idp.example.com\"."),
                (try issuer.token(["exp": 1_000_000_000]), "2001-09-09T01:46:40Z"),
            ] {
                let outcome = try issuer.check(token)
                #expect(outcome.code == 1 && outcome.output.contains(reason), "\(outcome.output)\(outcome.errors)")
            }
        }
    }

    @Test("It warns of an entry without an audience, and tells where requireClientAuth is written out")
    func warnings() throws {
        try withTool { tool in
            let open = try Issuer(tool, ["virtualUserEnabled": true])
            let warned = try open.check(try open.token(["sub": "ada"]))
            #expect(warned.code == 0 && warned.errors.contains("warning: issuers[0].audience is not given"))
            let named = try Issuer(
                tool,
                ["virtualUserEnabled": true, "audience": ["urn:us"], "requireClientAuth": true, "tokenUsedOnce": true])
            let told = try named.check(try named.token(["sub": "ada", "aud": "urn:us", "jti": "1"]))
            #expect(told.code == 0 && told.errors.contains("warning: issuers[0].requireClientAuth is written out"))
            #expect(!told.errors.contains("audience is not given"), "\(told.errors)")
            #expect(try named.check(try named.token(["sub": "ada", "aud": "urn:us"])).output.contains("REFUSED use"))
            #expect(try named.check(try named.token(["sub": "ada", "jti": "1"])).output.contains("REFUSED audience"))
        }
    }

    @Test("An empty file and a folder that is not there are told as such")
    func files() throws {
        try withTool { tool in
            let issuer = try Issuer(tool, ["virtualUserEnabled": true])
            for text in ["", " \n"] { #expect(try issuer.check(text).errors.contains("'token.txt' is empty.")) }
            let folder = try issuer.check(try issuer.token(["sub": "ada"]), "--certificates", "nosuch")
            #expect(folder.code == 1 && folder.errors.contains("nosuch' is not there"), "\(folder.errors)")
            #expect(try issuer.check("a.b.c", "--token", "nosuch").errors.contains("cannot be read"))
        }
    }
}
