import Roster
import RosterOpenID
import RosterSignIn
import RosterText
import Testing

@Suite("Where an issuer's keys are fetched, and how, is what jwks says")
struct KeySetSourceTests {
    typealias Documents = IssuerDocuments

    @Test("Every field has the default of the reference, and TLS begins with 1.2")
    func defaults() throws {
        let source = try #require(try Documents.readKeySet())
        #expect(source.location == .keySet("https://idp.example/keys") && !source.allowsHTTP)
        #expect(source.reload == ReloadRule(minimumSeconds: 60, maximumSeconds: 28_800))
        #expect(source.connectTimeoutSeconds == 30 && source.readTimeoutSeconds == 60)
        #expect(source.tlsVersions == [.version12, .version13] && source.authorizationHeader == nil)
    }

    @Test("Every field is read, and jwksUri wins over discoveryUri")
    func fields() throws {
        let source = try #require(
            try Documents.readKeySet([
                "discoveryUri": "http://idp.example/.well-known/openid-configuration", "allowHttp": true,
                "minReloadInterval": 5, "maxReloadInterval": 50, "connectTimeout": 1, "readTimeout": 2,
                "tlsVersions": ["TLSv1.3"], "authorizationHeader": "Basic Zm9v",
            ]))
        #expect(source.location == .keySet("https://idp.example/keys") && source.allowsHTTP)
        #expect(source.reload == ReloadRule(minimumSeconds: 5, maximumSeconds: 50))
        #expect(source.connectTimeoutSeconds == 1 && source.readTimeoutSeconds == 2)
        #expect(source.tlsVersions == [.version13] && source.authorizationHeader == "Basic Zm9v")
        let discovery = try Documents.readKeySet(["jwksUri": nil, "discoveryUri": "https://idp.example:8443/d?a=b"])
        #expect(discovery?.location == .discovery("https://idp.example:8443/d?a=b"))
    }

    @Test(
        "A wrong value is refused by its path",
        arguments: [
            ("discoveryUri", 5), ("discoveryUri", "idp.example/keys"), ("discoveryUri", "http://idp.example/d"),
            ("jwksUri", ""), ("jwksUri", "http://idp.example/keys"), ("jwksUri", "file:///etc/passwd"),
            ("jwksUri", "https://"), ("jwksUri", "https:///keys"), ("jwksUri", "https://user:word@idp.example/keys"),
            ("jwksUri", "https://idp.example/keys#a"), ("jwksUri", "https://idp.example/a b"),
            ("jwksUri", "https://idp.example\\@evil.example/"), ("jwksUri", "https://idp.example/\r\nHost: x"),
            ("jwksUri", "https://idp.example:99999/"), ("jwksUri", "//idp.example/keys"), ("jwksUri", "/keys"),
            ("allowHttp", "false"), ("minReloadInterval", 0), ("minReloadInterval", "60"), ("maxReloadInterval", 0),
            ("maxReloadInterval", .decimal(1.5)), ("connectTimeout", 0), ("connectTimeout", 3_601),
            ("connectTimeout", "30"), ("readTimeout", -1), ("readTimeout", .null), ("tlsVersions", "TLSv1.2"),
            ("tlsVersions", []), ("tlsVersions", ["TLSv1.1"]), ("tlsVersions", ["SSLv3", "TLSv1", "SSL", "SSLv2"]),
            ("tlsVersions[1]", ["TLSv1.2", "TLSv1.4"]), ("tlsVersions[0]", ["tlsv1.2"]), ("tlsVersions[0]", [12]),
            ("authorizationHeader", 1), ("authorizationHeader", "a\nb"), ("authorizationHeader", "ä"),
            ("conectTimeout", 30),
        ] as [(String, JSONValue)])
    func wrongFields(path: String, value: JSONValue) throws {
        let field = String(path.prefix { $0 != "[" })
        let message = try #require(Documents.problem(["issuers": [Documents.issuer(jwks: [field: value])]]))
        #expect(message.hasPrefix("issuers[0].jwks.\(path) "), "\(message)")
    }

    @Test("Neither of the two addresses is refused, and so is a longest interval below the shortest")
    func combinations() throws {
        let none = Documents.problem(["issuers": [Documents.issuer(jwks: ["jwksUri": nil])]])
        #expect(none?.hasPrefix("issuers[0].jwks names neither") == true)
        let intervals: [String: JSONValue?] = ["minReloadInterval": 10, "maxReloadInterval": 9]
        #expect(
            Documents.problem(["issuers": [Documents.issuer(jwks: intervals)]])
                == "issuers[0].jwks.maxReloadInterval is shorter than minReloadInterval.")
        let short = try Documents.readKeySet(["maxReloadInterval": 20])
        #expect(short?.reload == ReloadRule(minimumSeconds: 20, maximumSeconds: 20))
    }

    @Test("http is taken where allowHttp says so, and both it and old TLS are told")
    func notes() throws {
        let issuers = try Documents.read([
            "issuers": [
                Documents.issuer(jwks: [
                    "jwksUri": "http://127.0.0.1:8080/keys", "allowHttp": true, "tlsVersions": ["TLSv1.1", "TLSv1.2"],
                ])
            ]
        ])
        guard case .keySet(let source) = issuers.jwtIssuers[0].keys else {
            Issue.record("no key set")
            return
        }
        #expect(source.location == .keySet("http://127.0.0.1:8080/keys") && source.tlsVersions == [.version12])
        try #require(issuers.notes.count == 2)
        #expect(issuers.notes[0].hasPrefix("issuers[0].jwks.tlsVersions[0]: TLSv1.1 is not spoken"))
        #expect(issuers.notes[1].hasPrefix("issuers[0].jwks.allowHttp: "))
        #expect(try Documents.readKeySet(["tlsVersions": ["TLS"]])?.tlsVersions == [.version12, .version13])
    }
}
