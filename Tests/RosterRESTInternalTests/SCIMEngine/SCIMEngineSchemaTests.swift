import Roster
import RosterText
import ServiceTestSupport
import Testing
import TestSupport

@testable import RosterREST

@Suite("Schemas and discovery")
struct SCIMEngineSchemaTests {
    let discovery = SCIMDiscovery(
        base: "https://x.example/scim/v2/", types: [Sample.users, Sample.groups],
        limits: .init(bulkOperations: 1000, bulkBytes: 1_048_576, filterResults: 200, pageSize: 100))

    @Test("Every attribute of the directory is in a schema, under SCIM's name or the extension's")
    func nothingIsMissing() throws {
        for (entity, type) in [(AttributeDefinition.Entity.user, Sample.users), (.role, Sample.groups)] {
            let urn = entity == .user ? Vocabulary.extensionSchema : SCIMResourceType.groupExtensionURN
            for definition in Sample.vocabulary.definitions(for: entity) where definition.element == nil {
                let path = try SCIMPath(definition.names[.scim] ?? "\(urn):\(definition.name)", in: type)
                #expect(path.attribute != nil, "\(definition.name)")
            }
        }
        #expect(Sample.users.attribute(named: "mobile", in: .directory) == nil)
    }

    @Test("Declared attributes keep their type, their rules and who may read them")
    func declared() throws {
        func attribute(_ name: String) throws -> SCIMAttribute {
            try #require(Sample.users.attribute(named: name, in: .directory))
        }
        #expect(try attribute("TAGS").isMultiValued)
        #expect(try attribute("badge").kind == .integer)
        #expect(try attribute("badge").uniqueness == .server)
        #expect(try attribute("startsAt").kind == .dateTime)
        #expect(try attribute("pin").returned == .never)
        #expect(try attribute("pin").mutability == .writeOnly)
        #expect(try attribute("origin").mutability == .readOnly)
        #expect(try attribute("origin").isCaseExact)
        #expect(try attribute("photo").returned == .request)
        #expect(Sample.users.attribute(named: "x509Certificates")?.returned == .byDefault)
        #expect(Sample.users.attribute(named: "password")?.returned == .never)
        #expect(Sample.groups.attribute(named: "name", in: SCIMResourceType.groupExtensionURN)?.uniqueness == .server)
    }

    @Test("The documents have ids, counts and locations")
    func documents() throws {
        let list = discovery.schemas
        #expect(list["totalResults"] == 5)
        for schema in list["Resources"]?.elements ?? [] {
            let id = try #require(schema["id"]?.text)
            #expect(schema["meta"]?["location"] == .string("https://x.example/scim/v2/Schemas/" + id))
            #expect(discovery.schema(id.uppercased()) == schema)
            for attribute in schema["attributes"]?.elements ?? [] {
                for name in [
                    "name", "type", "multiValued", "description", "required", "mutability", "returned", "uniqueness",
                ] {
                    #expect(attribute[name] != nil, "\(name)")
                }
            }
        }
        #expect(discovery.schema("urn:x") == nil)
        #expect(discovery.resourceTypes["totalResults"] == 2)
        let user = try #require(discovery.resourceType("User"))
        #expect(user["endpoint"] == "/Users")
        #expect(
            user["schemaExtensions"]?.elements.compactMap { $0["schema"] } == [
                .string(.enterprise), .string(.directory),
            ])
        #expect(discovery.resourceType("Users") == nil)
    }

    @Test("The configuration says what the server can do")
    func configuration() {
        let config = discovery.serviceProviderConfig
        for name in ["patch", "bulk", "filter", "changePassword", "sort", "etag"] {
            #expect(config[name]?["supported"] == true, "\(name)")
        }
        #expect(config["bulk"]?["maxPayloadSize"] == 1_048_576)
        #expect(config["filter"]?["maxResults"] == 200)
        #expect(
            config["pagination"]
                == [
                    "cursor": true, "index": true, "defaultPaginationMethod": "index", "defaultPageSize": 100,
                    "maxPageSize": 100,
                ])
        #expect(
            config["authenticationSchemes"]?.elements.compactMap { $0["type"] } == ["oauthbearertoken", "httpbasic"])
    }

    @Test("Every keyword of the standards has its error body", arguments: SCIMErrorType.allCases)
    func errors(type: SCIMErrorType) {
        let body = SCIMError(type, "No.").json
        #expect(body["schemas"] == ["urn:ietf:params:scim:api:messages:2.0:Error"])
        #expect(body["scimType"] == .string(type.rawValue))
        #expect(body["status"] == .string(type == .uniqueness ? "409" : type == .sensitive ? "403" : "400"))
        #expect(SCIMError(status: 404, "None.").json["scimType"] == nil)
    }

    @Test("No error repeats much of what was sent")
    func errorsAreShort() {
        let name = String(repeating: "x", count: 5_000)
        #expect(throws: SCIMError.unknownAttribute(name, inPath: true)) { try SCIMPath(name, in: Sample.users) }
        #expect(SCIMError.unknownAttribute(name, inPath: true).detail.utf8.count < 120)
    }
}
