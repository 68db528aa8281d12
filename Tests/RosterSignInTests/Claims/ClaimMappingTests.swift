import Roster
import RosterSignIn
import RosterText
import Testing

@Suite("An application is sent the claims that its mapping says")
struct ClaimMappingTests {
    /// The claim that the reference shows, in the order in which it shows the rules.
    static let reference: JSONValue = [
        "claims": [
            ["name": "name", "rules": [["attribute": "displayName"]]],
            [
                "name": "role", "mode": "UseAllRulesMatched",
                "rules": [
                    ["role": "Admin", "value": "create"], ["role": "Users", "value": "read"],
                    ["role": "Users", "value": "update"], ["role": "Admin", "value": "delete"],
                ],
            ], ["name": "preferred_username", "rules": [["attribute": "uid"]]],
        ], "sendRoleClaim": true, "roleClaimName": "urn:cam/sso/role",
    ]

    static func attribute(_ name: String) -> [JSONValue] {
        let attributes: [String: [JSONValue]] = [
            "uid": ["ada"], "displayName": ["Ada Lovelace"], "mail": ["ada@x.example", "ada@y.example"],
            "active": [true], "level": [3], "nothing": [.null], "twice": ["a", "a"],
        ]
        return attributes[name] ?? []
    }

    static func members(_ mapping: JSONValue, roles: [String]) throws -> JSONValue {
        .object(try ClaimMapping(mapping).members(roles: roles, attribute: attribute))
    }

    static func mapping(_ rules: JSONValue, mode: JSONValue? = nil) -> JSONValue {
        var claim: JSONValue = ["name": "c", "rules": rules]
        claim["mode"] = mode
        return ["claims": [claim], "sendRoleClaim": false]
    }

    @Test("The reference's example gives each user what their roles allow")
    func example() throws {
        #expect(
            try Self.members(Self.reference, roles: ["Users", "Admin"]) == [
                "name": "Ada Lovelace", "role": ["create", "read", "update", "delete"], "preferred_username": "ada",
                "urn:cam/sso/role": ["Users", "Admin"],
            ])
        #expect(
            try Self.members(Self.reference, roles: ["Users"])
                == [
                    "name": "Ada Lovelace", "role": ["read", "update"], "preferred_username": "ada",
                    "urn:cam/sso/role": ["Users"],
                ])
        #expect(
            try Self.members(Self.reference, roles: []) == ["name": "Ada Lovelace", "preferred_username": "ada"])
    }

    @Test("Without any fields, the roles are sent as role")
    func defaults() throws {
        let mapping = try ClaimMapping([:])
        #expect(mapping == .allRoles && mapping.roleClaimName == "role")
        #expect(try Self.members([:], roles: ["a", "b", "a"]) == ["role": ["a", "b"]])
        #expect(try Self.members([:], roles: []) == [:])
        #expect(try Self.members(["sendRoleClaim": false], roles: ["a"]) == [:])
    }

    @Test("All matching rules are used, or the first one alone")
    func modes() throws {
        let rules: JSONValue = [
            ["role": "A", "value": "1"], ["role": "B", "value": "2"], ["value": "3"], ["role": "B", "value": "1"],
        ]
        for (roles, all, first) in [
            (["A", "B"], ["1", "2", "3"], "1"), (["B"], ["2", "3", "1"], "2"), ([], "3", "3"), (["b"], "3", "3"),
        ] as [([String], JSONValue, JSONValue)] {
            #expect(try Self.members(Self.mapping(rules), roles: roles)["c"] == all)
            #expect(try Self.members(Self.mapping(rules, mode: "UseAllRulesMatched"), roles: roles)["c"] == all)
            #expect(try Self.members(Self.mapping(rules, mode: "UseFirstRuleMatched"), roles: roles)["c"] == first)
        }
        let empty: JSONValue = [["attribute": "missing"], ["value": "x"]]
        #expect(try Self.members(Self.mapping(empty, mode: "UseFirstRuleMatched"), roles: []) == [:])
        #expect(try Self.members(Self.mapping(empty), roles: []) == ["c": "x"])
    }

    @Test(
        "One value stands alone, several make an array, none leave the claim out",
        arguments: [
            ("uid", "ada"), ("mail", ["ada@x.example", "ada@y.example"]), ("active", true), ("level", 3),
            ("twice", "a"), ("nothing", nil), ("missing", nil),
        ] as [(String, JSONValue?)])
    func values(attribute: String, value: JSONValue?) throws {
        #expect(try Self.members(Self.mapping([["attribute": .string(attribute)]]), roles: [])["c"] == value)
    }

    @Test("What is stored reads as the same mapping")
    func roundTrip() throws {
        for json in [Self.reference, [:], ["sendRoleClaim": false]] as [JSONValue] {
            let mapping = try ClaimMapping(json)
            #expect(try ClaimMapping(JSONValue(strictly: mapping.json.bytes)) == mapping)
        }
    }

    @Test(
        "Claims that say what the token is cannot be mapped",
        arguments: [
            "iss", "sub", "aud", "exp", "iat", "nbf", "jti", "azp", "client_id", "scope", "nonce", "at_hash",
            "auth_time",
            "acr", "amr", "cnf", "act",
        ])
    func reserved(name: String) {
        for (json, path) in [
            (["claims": [["name": .string(name), "rules": [["value": "x"]]]]], "claims[0].name"),
            (["roleClaimName": .string(name)], "roleClaimName"),
        ] as [(JSONValue, String)] {
            #expect {
                try ClaimMapping(json)
            } throws: { "\($0)".hasPrefix("\(path) is \"\(name)\"") }
        }
    }

    @Test(
        "A wrong field is refused by its path",
        arguments: [
            ([], "The document must be an object"), (["claim": []], "claim is not a field"),
            (["claims": [:]], "claims must be an array"), (["claims": ["x"]], "claims[0] must be an object"),
            (["claims": [["rules": [["value": "x"]]]]], "claims[0].name is missing"),
            (["claims": [["name": "", "rules": [["value": "x"]]]]], "claims[0].name must not be empty"),
            (["claims": [["name": "c"]]], "claims[0].rules is missing"),
            (["claims": [["name": "c", "rules": []]]], "claims[0].rules is empty"),
            (["claims": [["name": "c", "rules": [["value": "x"]], "mode": "all"]]], "claims[0].mode is none"),
            (["claims": [["name": "c", "rules": [[:]]]]], "claims[0].rules[0] must have either"),
            (
                ["claims": [["name": "c", "rules": [["attribute": "a", "value": "x"]]]]],
                "claims[0].rules[0] must have either"
            ), (["claims": [["name": "c", "rules": [["value": 5]]]]], "claims[0].rules[0].value must be a text"),
            (
                ["claims": [["name": "c", "rules": [["value": "x"], ["value": "x", "roles": "a"]]]]],
                "claims[0].rules[1].roles is not a field"
            ),
            (["claims": [["name": "c", "rules": [["value": "x", "role": ""]]]]], "claims[0].rules[0].role must not"),
            (
                ["claims": [["name": "c", "rules": [["value": "x"]]], ["name": "c", "rules": [["value": "y"]]]]],
                "claims[1].name is the name of another claim"
            ),
            (
                ["claims": [["name": "role", "rules": [["value": "x"]]]], "roleClaimName": "role"],
                "claims[0].name is the name of another claim"
            ),
            (["sendRoleClaim": "no"], "sendRoleClaim must be"), (["roleClaimName": 5], "roleClaimName must be a text"),
            (["oidc_claims_availability": "ClaimsInIdToken"], "oidc_claims_availability is not a field"),
        ] as [(JSONValue, String)])
    func wrongFields(json: JSONValue, problem: String) {
        do {
            _ = try ClaimMapping(json)
            Issue.record("\(json) was taken")
        } catch let error as DirectoryError {
            #expect(error.code == .invalidInput && error.message.hasPrefix(problem), "\(error.message)")
            guard !problem.hasPrefix("The document") else { return }
            #expect { try ClaimMapping(json, at: "claims") } throws: { "\($0)".hasPrefix("claims." + problem) }
        } catch {
            Issue.record(error)
        }
    }
}
