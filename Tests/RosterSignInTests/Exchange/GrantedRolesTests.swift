import Roster
import RosterSignIn
import RosterText
import Testing

@Suite("Roles are what the token and the issuer's rules grant")
struct GrantedRolesTests {
    static func roles(_ fields: [String: JSONValue?], _ claims: [String: JSONValue?]) throws -> [String]? {
        try IssuerDocuments.decision(fields, claims).identity?.roles.map(\.name)
    }

    /// The roles that the issuer's entry names itself.
    static func mapped(_ fields: [String: JSONValue?], _ claims: [String: JSONValue?]) throws -> [String]? {
        try IssuerDocuments.decision(fields, claims).identity?.roles.filter(\.isMapped).map(\.name)
    }

    @Test("A text is a role, and so is each text of an array, in order and none twice")
    func attributes() throws {
        let fields: [String: JSONValue?] = ["roleAttributes": ["roles", "groups"]]
        #expect(try Self.roles(fields, ["roles": "admin"]) == ["admin"])
        #expect(try Self.roles(fields, ["roles": "admin, user"]) == ["admin, user"], "one text is one role")
        #expect(try Self.roles(fields, ["roles": ["b", "a", "b"], "groups": ["c", "a"]]) == ["b", "a", "c"])
        #expect(try Self.roles(fields, ["groups": ["c"]]) == ["c"])
        #expect(try Self.roles(fields, ["Roles": ["c"]]) == [])
        #expect(try Self.roles([:], ["roles": ["c"]]) == [], "a token is not searched without role attributes")
    }

    @Test(
        "A claim of another form grants nothing, not even the default roles",
        arguments: [5, true, .decimal(1.5), ["admin": true], ["admin", 5], [["admin"]], [.null, "admin"]] as [JSONValue]
    )
    func wrongTypes(claim: JSONValue) throws {
        let fields: [String: JSONValue?] = ["roleAttributes": ["roles"], "defaultRoles": ["d"], "issuerRoles": ["i"]]
        #expect(try Self.roles(fields, ["roles": claim]) == ["i"])
    }

    @Test(
        "Mapped roles take the place of the token's, and a role that no mapping names is one that only the token names")
    func mappings() throws {
        let fields: [String: JSONValue?] = [
            "roleAttributes": ["roles"],
            "roleMappings": [
                ["tokenRole": "a", "mappedRoles": ["x", "y"]], ["tokenRole": "b", "mappedRoles": ["y"]],
                ["tokenRole": "a", "mappedRoles": ["z"]], ["tokenRole": "x", "mappedRoles": ["never"]],
                ["tokenRole": "*", "mappedRoles": ["never"]],
            ],
        ]
        #expect(try Self.roles(fields, ["roles": ["a", "b", "c", "A"]]) == ["x", "y", "z", "c", "A"])
        #expect(try Self.mapped(fields, ["roles": ["c", "a", "b", "A", "z"]]) == ["x", "y", "z"])
        #expect(try Self.mapped(["roleAttributes": ["roles"], "issuerRoles": ["i"]], ["roles": ["i", "c"]]) == ["i"])
        #expect(try Self.mapped(["roleAttributes": ["roles"], "defaultRoles": ["d"]], [:]) == ["d"])
        #expect(try Self.roles(fields, ["roles": "b"]) == ["y"])
    }

    @Test("Default roles are granted only where role attributes gave none")
    func defaults() throws {
        let bare: [String: JSONValue?] = ["defaultRoles": ["d", "d", "e"]]
        #expect(try Self.roles(bare, ["roles": ["a"]]) == ["d", "e"])
        let fields: [String: JSONValue?] = ["defaultRoles": ["d"], "roleAttributes": ["roles", "groups"]]
        for empty in [nil, .null, "", [], [""]] as [JSONValue?] {
            #expect(try Self.roles(fields, ["roles": empty]) == ["d"])
        }
        #expect(try Self.roles(fields, ["roles": [], "groups": "a"]) == ["a"])
    }

    @Test("The issuer's roles are always added, at the end and once")
    func issuerRoles() throws {
        let fields: [String: JSONValue?] = [
            "issuerRoles": ["i", "a"], "defaultRoles": ["d"], "roleAttributes": ["roles"],
        ]
        #expect(try Self.roles(fields, ["roles": ["a", "b"]]) == ["a", "b", "i"])
        #expect(try Self.roles(fields, [:]) == ["d", "i", "a"])
        #expect(try Self.roles(["issuerRoles": ["i"], "virtualUserEnabled": true], [:]) == ["i"])
    }

    @Test("The explanation says where each role comes from")
    func explanation() throws {
        let decision = try IssuerDocuments.decision(
            ["roleAttributes": ["roles"], "defaultRoles": ["d"], "issuerRoles": ["i"]], [:])
        #expect(
            decision.steps.last?.explanation
                == "\"roles\" is missing and grants nothing; no role attribute gave any, so the defaults are granted: "
                + "\"d\"; every token of the issuer is granted \"i\"")
        #expect(try IssuerDocuments.decision().steps.last?.explanation == "no rule grants any")
    }
}
