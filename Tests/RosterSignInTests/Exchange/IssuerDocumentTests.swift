import Foundation
import Roster
import RosterOpenID
import RosterText
import Testing
import TestSupport

@testable import RosterSignIn

@Suite("The document of trusted issuers is read as the reference describes it, and strictly")
struct IssuerDocumentTests {
    typealias Documents = IssuerDocuments

    @Test("The reference's examples are taken")
    func examples() throws {
        let minimal = """
            {"issuers": [{"issuerName": "TOKEN-ISSUER-URL",
              "jwks": {"discoveryUri": "https://TOKEN-ISSUER-URL/.well-known/openid-configuration"},
              "virtualUserEnabled": true, "roleAttributes": ["roles"]}]}
            """
        let issuers = try TrustedIssuers(document: Array(minimal.utf8))
        let issuer = try #require(issuers.issuer(named: "TOKEN-ISSUER-URL", format: .jwt))
        #expect(issuer.hasVirtualUsers && issuer.roleAttributes == ["roles"] && issuer.audience.isEmpty)
        guard case .keySet(let source) = issuer.keys else {
            Issue.record("no key set")
            return
        }
        #expect(source.location == .discovery("https://TOKEN-ISSUER-URL/.well-known/openid-configuration"))
        #expect(issuers.notes.isEmpty)
        let guid = "GUID-12345678-ABCD-EFAB-CDEF-123456789ABC"
        let second = try Documents.readIssuer(["audience": [.string(guid)], "usernameAttribute": "unique_name"])
        #expect(second.audience == [guid] && second.usernameAttribute == "unique_name")
    }

    @Test("Every field of an issuer has the default of the reference")
    func defaults() throws {
        let issuer = try Documents.readIssuer()
        #expect(issuer.format == .jwt && issuer.name == Documents.issuerName)
        #expect(issuer.keys == .certificates(subjectNames: ["CN=idp"]))
        #expect(issuer.isEnabled && !issuer.hasVirtualUsers && issuer.requiresClientAuthentication)
        #expect(issuer.audience.isEmpty && issuer.filters.isEmpty && issuer.allowedBackends == nil)
        #expect(issuer.usernameAttribute == nil && issuer.clientIDAttribute == nil && issuer.userMapping == .name)
        #expect(issuer.timeoutSeconds == nil && issuer.timeoutPolicy == nil)
        #expect(issuer.nameComparison == .exact && !issuer.waivesMailVerification)
        #expect(issuer.defaultRoles.isEmpty && issuer.issuerRoles.isEmpty)
        #expect(issuer.roleAttributes.isEmpty && issuer.roleMappings.isEmpty)
    }

    @Test("Every field of an issuer is read")
    func fields() throws {
        let issuer = try Documents.readIssuer([
            "enabled": false, "audience": ["a", "b"], "virtualUserEnabled": true, "usernameAttribute": "upn",
            "requireClientAuth": false, "clientIdAttribute": "cid", "tokenTimeoutSeconds": 60,
            "tokenTimeoutPolicy": "FromExternalToken", "userMappingAttribute": "mail",
            "filters": [["name": "group", "type": "exclude", "values": ["x*"]], ["name": "a", "values": ["b"]]],
            "allowedMbes": [["name": "FixItFast", "version": "1.0"], ["clientId": "client-7"]],
            "defaultRoles": ["d"], "issuerRoles": ["i"], "roleAttributes": ["roles", "groups"],
            "roleMappings": [["tokenRole": "t", "mappedRoles": ["m", "n"]]],
        ])
        #expect(!issuer.isEnabled && issuer.hasVirtualUsers && !issuer.requiresClientAuthentication)
        #expect(
            issuer.audience == ["a", "b"] && issuer.usernameAttribute == "upn" && issuer.clientIDAttribute == "cid")
        #expect(
            issuer.timeoutSeconds == 60 && issuer.timeoutPolicy == .fromExternalToken && issuer.userMapping == .mail)
        #expect(
            issuer.filters == [
                .rule(name: "group", kind: .exclude, values: ["x*"]), .rule(name: "a", kind: .include, values: ["b"]),
            ])
        #expect(
            issuer.allowedBackends == [
                .backend(name: "FixItFast", version: "1.0", clientID: nil),
                .backend(name: nil, version: nil, clientID: "client-7"),
            ])
        #expect(
            issuer.defaultRoles == ["d"] && issuer.issuerRoles == ["i"] && issuer.roleAttributes == ["roles", "groups"])
        #expect(issuer.roleMappings == [.init(tokenRole: "t", mappedRoles: ["m", "n"])])
    }

    @Test(
        "A wrong value of a field is refused by the field's path",
        arguments: [
            ("issuerName", "must be a text", 5), ("issuerName", "must not be empty", ""),
            ("enabled", "must be true or false", "true"), ("enabled", "must be true or false", .null),
            ("audience", "must be an array", "a"), ("audience[0]", "must be a text", [5]),
            ("audience[1]", "must not be empty", ["a", ""]), ("virtualUserEnabled", "must be true or false", 1),
            ("usernameAttribute", "must be a text", ["sub"]), ("requireClientAuth", "must be true or false", "false"),
            ("clientIdAttribute", "must be a text", false), ("tokenTimeoutSeconds", "must be a whole number", "60"),
            ("tokenTimeoutSeconds", "must be a whole number", .decimal(60.5)),
            ("tokenTimeoutSeconds", "from 1 to 31536000, not 0", 0),
            ("tokenTimeoutSeconds", "from 1 to 31536000, not -9", -9),
            ("tokenTimeoutSeconds", "not 9223372036854775807", .integer(.max)),
            ("tokenTimeoutPolicy", "none of the values", "fromTimeoutSecs"),
            ("tokenTimeoutPolicy", "must be a text", 1),
            ("jwks", "must be an object", "https://idp.example/keys"),
            ("certificateSubjectNames", "must be an array", "CN=idp"), ("certificateSubjectNames", "is empty", []),
            ("filters", "must be an array", ["name": "a", "values": ["b"]]), ("filters", "must be an array", .null),
            ("allowedMbes", "must be an array", "FixItFast"), ("userMappingAttribute", "none of the values", "UID"),
            ("defaultRoles", "must be an array", "role"), ("issuerRoles[0]", "must be a text", [["role"]]),
            ("roleAttributes", "must be an array", "roles"), ("roleMappings", "must be an array", ["t": "m"]),
            ("roleMappings[0]", "must be an object", ["t"]),
            ("roleMappings[0].tokenRole", "is missing", [["mappedRoles": ["m"]]]),
            ("roleMappings[0].mappedRoles", "is missing", [["tokenRole": "t"]]),
            ("roleMappings[0].mappedRoles", "is empty", [["tokenRole": "t", "mappedRoles": []]]),
            ("roleMappings[0].mappedRoles", "must be an array", [["tokenRole": "t", "mappedRoles": "m"]]),
            ("roleMappings[0].role", "is not a field", [["tokenRole": "t", "mappedRoles": ["m"], "role": "x"]]),
            ("enable", "is not a field", true), ("Audience", "is not a field", ["a"]),
        ] as [(String, String, JSONValue)])
    func wrongFields(path: String, problem: String, value: JSONValue) throws {
        let field = String(path.prefix { $0 != "[" && $0 != "." })
        var changes: [String: JSONValue?] = [field: value]
        if field == "jwks" { changes["certificateSubjectNames"] = .some(nil) }
        let second = Documents.issuer(changes)
        let root: JSONValue = ["issuers": [["issuerName": "first", "certificateSubjectNames": ["CN=1"]], second]]
        let message = try #require(Documents.problem(root))
        #expect(message.hasPrefix("issuers[1].\(path) "), "\(message)")
        #expect(message.contains(problem), "\(message)")
    }

    @Test("The root has its intervals, their defaults and nothing else")
    func root() throws {
        let empty = try Documents.read(["issuers": []])
        #expect(empty.jwtIssuers.isEmpty && empty.samlIssuers.isEmpty)
        #expect(empty.policyReload == ReloadRule(minimumSeconds: 10, maximumSeconds: 120))
        #expect(empty.certificatesReload == ReloadRule(minimumSeconds: 10, maximumSeconds: 300))
        #expect(empty == TrustedIssuers.none)
        let set = try Documents.read([
            "issuers": [], "policyMinReloadInterval": 1, "policyMaxReloadInterval": 2,
            "certificatesMinReloadInterval": 3, "certificatesMaxReloadInterval": 4,
        ])
        #expect(set.policyReload == ReloadRule(minimumSeconds: 1, maximumSeconds: 2))
        #expect(set.certificatesReload == ReloadRule(minimumSeconds: 3, maximumSeconds: 4))
        let short = try Documents.read([
            "issuers": [], "policyMaxReloadInterval": 5, "certificatesMinReloadInterval": 900,
        ])
        #expect(short.policyReload == ReloadRule(minimumSeconds: 5, maximumSeconds: 5))
        #expect(short.certificatesReload == ReloadRule(minimumSeconds: 900, maximumSeconds: 900))
    }

    @Test(
        "A wrong root is refused",
        arguments: [
            ([:], "issuers is missing"), ([], "The document must be an object"),
            (["issuers": ["issuerName": "a"]], "issuers must be an array"), (["issuers": ["a"]], "issuers[0] must be"),
            (["issuers": [], "issuer": []], "issuer is not a field"),
            (["issuers": [], "policyMinReloadInterval": "10"], "policyMinReloadInterval must be a whole number"),
            (["issuers": [], "policyMaxReloadInterval": 0], "policyMaxReloadInterval must be a whole number from 1"),
            (["issuers": [], "certificatesMinReloadInterval": -1], "certificatesMinReloadInterval must be"),
            (["issuers": [], "certificatesMaxReloadInterval": true], "certificatesMaxReloadInterval must be"),
            (
                ["issuers": [], "policyMinReloadInterval": 20, "policyMaxReloadInterval": 10],
                "policyMaxReloadInterval is shorter"
            ), (["issuers": [], "samlIssuers": "x"], "samlIssuers must be an array"),
        ] as [(JSONValue, String)])
    func wrongRoot(root: JSONValue, problem: String) throws {
        let message = try #require(Documents.problem(root))
        #expect(message.hasPrefix(problem), "\(message)")
    }

    @Test("What is no JSON, names a field twice, is too deep or too long, is refused")
    func noJSON() throws {
        for text in [
            "", "{", "{'issuers': []}", "{\"issuers\": [],}", "{\"issuers\": [], \"issuers\": []}", "[]", "null",
            String(repeating: "[", count: 100_000), "{\"issuers\": 1e400}",
        ] {
            #expect(Documents.problem(Array(text.utf8)) != nil, "\(text.prefix(40))")
        }
        let long = "{\"issuers\": []" + String(repeating: " ", count: TrustedIssuers.maximumBytes) + "}"
        #expect(Documents.problem(Array(long.utf8))?.contains("longer than 1048576 bytes") == true)
    }

    @Test("An issuer has exactly one source of keys, and a name")
    func keys() throws {
        let both = Documents.issuer(["jwks": ["jwksUri": "https://idp.example/keys"]])
        #expect(Documents.problem(["issuers": [both]])?.contains("both jwks and certificateSubjectNames") == true)
        let neither: JSONValue = ["issuers": [["issuerName": "a"]]]
        #expect(Documents.problem(neither)?.contains("neither jwks nor certificateSubjectNames") == true)
        let nameless = Documents.issuer(["issuerName": nil])
        #expect(Documents.problem(["issuers": [nameless]]) == "issuers[0].issuerName is missing.")
    }

    @Test("The same issuer twice is refused; names are compared code for code")
    func duplicates() throws {
        let two: JSONValue = ["issuers": [Documents.issuer(), Documents.issuer(["enabled": false])]]
        #expect(Documents.problem(two)?.hasPrefix("issuers[1].issuerName is the same") == true)
        let saml: JSONValue = ["issuers": [], "samlIssuers": [Documents.issuer(), Documents.issuer()]]
        #expect(Documents.problem(saml)?.hasPrefix("samlIssuers[1].issuerName is the same") == true)
        let cases = try Documents.read([
            "issuers": [
                Documents.issuer(["issuerName": "https://IDP.example"]), Documents.issuer(),
                Documents.issuer(["issuerName": "caf\u{E9}"]), Documents.issuer(["issuerName": "cafe\u{301}"]),
            ]
        ])
        #expect(cases.jwtIssuers.count == 4)
        #expect(cases.issuer(named: "https://idp.example/", format: .jwt) == nil)
        #expect(cases.issuer(named: "cafe\u{301}", format: .jwt) == cases.jwtIssuers[3])
        #expect(cases.issuer(named: "https://idp.example", format: .saml) == nil)
        let shared = try Documents.read(["issuers": [Documents.issuer()], "samlIssuers": [Documents.issuer()]])
        #expect(shared.notes.count == 1 && shared.notes[0].hasPrefix("samlIssuers[0].issuerName: "))
    }

    @Test(
        "A whole number may be written with a fraction of nothing or an exponent",
        arguments: ["60", "60.0", "6e1", "6.0E+1"])
    func numbers(text: String) throws {
        func document(_ number: String) -> [UInt8] {
            Array(
                #"""
                {"policyMinReloadInterval": \#(number), "issuers": [{"issuerName": "i", "tokenTimeoutSeconds": \#(number),
                  "certificateSubjectNames": ["CN=a"]}]}
                """#.utf8)
        }
        let read = try TrustedIssuers(document: document(text))
        #expect(read.policyReload.minimumSeconds == 60 && read.jwtIssuers.first?.timeoutSeconds == 60)
        for wrong in ["60.5", "6e-1", "6e300", "-6e1", "0.0", "1e19"] {
            #expect(Documents.problem(document(wrong)) != nil, "\(wrong)")
        }
    }

    @Test("A SAML issuer has the fields that an administrator registers, and their defaults")
    func saml() throws {
        let least = try Documents.readSAML()
        #expect(least.format == .saml && least.isEnabled && !least.hasVirtualUsers && least.usernameAttribute == nil)
        #expect(least.roleAttributes.isEmpty && least.roleMappings.isEmpty && least.defaultRoles.isEmpty)
        #expect(least.keys == .certificates(subjectNames: ["CN=idp"]) && least.requiresClientAuthentication)
        let full = try Documents.readSAML([
            "enabled": false, "virtualUserEnabled": true, "usernameAttribute": "mail", "defaultRoles": ["d"],
            "roleAttributes": " groups ,http://schemas.example/role", "certificateSubjectNames": ["CN=a", "CN=b"],
            "roleMappings": [["tokenRole": "t", "mappedRoles": ["m"]]],
        ])
        #expect(!full.isEnabled && full.hasVirtualUsers && full.usernameAttribute == "mail")
        #expect(full.roleAttributes == ["groups", "http://schemas.example/role"] && full.defaultRoles == ["d"])
        #expect(full.roleMappings == [.init(tokenRole: "t", mappedRoles: ["m"])])
        // A name in an array may have a comma in it.
        let listed = try Documents.readSAML(["roleAttributes": ["groups", "http://schemas.example/role,a"]])
        #expect(listed.roleAttributes == ["groups", "http://schemas.example/role,a"])
        #expect(try Documents.readSAML(["roleAttributes": []]).roleAttributes.isEmpty)
        for (fields, problem) in [
            (["issuerName": nil], "issuerName is missing"), (["issuerName": 7], "issuerName must be a text"),
            (["certificateSubjectNames": nil], "certificateSubjectNames is missing"),
            (["certificateSubjectNames": []], "certificateSubjectNames is empty"),
            (["jwks": [:]], "jwks is not a field"), (["enabled": "yes"], "enabled must be"),
            (["virtualUserEnabled": 0], "virtualUserEnabled must be"),
            (["usernameAttribute": 1], "usernameAttribute must"),
            (["roleAttributes": ["groups", ""]], "roleAttributes[1] must not be empty"),
            (["roleAttributes": ["groups", 5]], "roleAttributes[1] must be a text"),
            (["roleAttributes": 5], "roleAttributes must be a text or an array of texts, not a number"),
            (["roleAttributes": ""], "roleAttributes must not be empty"),
            (["roleAttributes": "a,,b"], "roleAttributes has a comma"),
            (["roleAttributes": "a,"], "roleAttributes has"),
            (["defaultRoles": "d"], "defaultRoles must be"), (["roleMappings": 1], "roleMappings must be"),
        ] as [([String: JSONValue?], String)] {
            let message = Documents.problem(["issuers": [], "samlIssuers": [Documents.issuer(fields)]])
            #expect(message?.hasPrefix("samlIssuers[0].\(problem)") == true, "\(message ?? "taken")")
        }
    }

    @Test("Wrong filters and backends do not refuse the document, but are told")
    func notes() throws {
        let issuers = try Documents.read([
            "issuers": [Documents.issuer(["filters": [["name": "a"]], "allowedMbes": [["name": "x"]]])]
        ])
        try #require(issuers.notes.count == 2)
        #expect(issuers.notes[0].contains("issuers[0].filters[0].values is missing"))
        #expect(issuers.notes[1].contains("issuers[0].allowedMbes[0] has a name or a version without the other"))
        let empty = try Documents.read(["issuers": [Documents.issuer(["allowedMbes": []])]])
        #expect(empty.notes.count == 1 && empty.notes[0].contains("the list is empty"))
    }

    @Test("No change of a document makes it trust more quietly, or anything crash")
    func mutations() throws {
        let seed = randomSeed()
        var random = SeededNumbers(seed: seed)
        let document = Documents.merged(
            ["issuers": [Documents.issuer(["enabled": false]), Documents.issuer(jwks: ["issuerName": "b"])]],
            ["samlIssuers": [Documents.issuer(["roleAttributes": "a,b"])], "policyMinReloadInterval": 5])
        let alphabet = Array("{}[]\",:0129-.eE\\ntrufalse \u{0}\u{FF}".utf8)
        for _ in 0..<3_000 {
            var bytes = document.bytes
            for _ in 0..<Int.random(in: 1...3, using: &random) {
                let index = Int.random(in: 0..<bytes.count, using: &random)
                let byte = alphabet[Int.random(in: 0..<alphabet.count, using: &random)]
                switch Int.random(in: 0..<3, using: &random) {
                case 0: bytes[index] = byte
                case 1: bytes.insert(byte, at: index)
                default: bytes.remove(at: index)
                }
            }
            guard let issuers = try? TrustedIssuers(document: bytes) else { continue }
            // Three edits cannot turn `false` into `true`, and to misspell the name refuses the document.
            #expect(
                issuers.jwtIssuers.first?.isEnabled == false, "seed \(seed): \(String(decoding: bytes, as: UTF8.self))")
        }
    }

    @Test("Errors never show what a field holds, and unknown names only without control characters")
    func noSecrets() throws {
        let message = Documents.problem([
            "issuers": [Documents.issuer(jwks: ["authorizationHeader": "Bearer hunter2\r\nX: y"])]
        ])
        #expect(
            message?.hasPrefix("issuers[0].jwks.authorizationHeader ") == true && message?.contains("hunter2") == false)
        let unknown = try #require(Documents.problem(["issuers": [], "\u{1B}[2J\u{202E}x": 1]))
        #expect(unknown.hasPrefix("\\u{1b}[2J\\u{202e}x is not a field"))
    }
}
