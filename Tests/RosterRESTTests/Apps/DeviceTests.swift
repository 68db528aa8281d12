import Foundation
import Roster
import RosterREST
import RosterSignIn
import RosterText
import ServiceTestSupport
import Testing
import TestSupport

@Suite("Registered devices and what is kept of them")
struct DeviceTests {
    private let service: ServiceUnderTest
    private let app: App

    init() async throws {
        service = try await ServiceUnderTest()
        app = try await App(
            service,
            [
                "public": true, "scope": "openid profile directory offline_access",
                "grant_types": ["password", "refresh_token"],
            ])
    }

    private func register(_ profile: JSONValue?, _ app: App? = nil) async -> Answer {
        var body = login
        body["clientId"] = .string((app ?? self.app).clientID)
        if let profile { body["deviceProfile"] = profile }
        return await service.request("POST", "/oic_rest/rest/mobilejwtauthentication/register", as: .nobody, body)
    }

    private var login: JSONValue {
        [
            "X-Idaas-Rest-Subject-Type": "USERCREDENTIAL",
            "X-Idaas-Rest-Subject-Username": .string(ServiceUnderTest.engineer),
            "X-Idaas-Rest-Subject-Password": .string(ServiceUnderTest.password),
        ]
    }

    private func value(_ answer: Answer) throws -> String {
        try #require(answer["X-Idaas-Rest-Token-Value"]?.text, "\(answer.text)")
    }

    private func proof(_ handle: String) -> [(String, String)] {
        let text = Data("\(app.clientID):\(handle)".utf8).base64EncodedString()
        return [("X-IDAAS-REST-AUTHORIZATION", "UIDPASSWORD cred=\"\(text)\"")]
    }

    /// An access token that the device with a handle gets.
    private func token(_ handle: String) async throws -> String {
        try value(await authenticate(handle))
    }

    private func authenticate(_ handle: String) async -> Answer {
        await service.request(
            "POST", "/oic_rest/rest/mobilejwtauthentication/authenticate", as: .nobody, login, headers: proof(handle))
    }

    private func devices(as client: Client = .person) async -> [JSONValue] {
        let path =
            client == .person ? "/mobile/platform/users/~/devices" : "/admin/users/\(ServiceUnderTest.engineer)/devices"
        return await service.request("GET", path, as: client)["devices"]?.elements ?? []
    }

    private static let oracle: JSONValue = [
        "oracle:idm:claims:client:ostype": "iOS", "oracle:idm:claims:client:osversion": "18.1",
        "oracle:idm:claims:client:sdkversion": "11.1.2.3", "installation_id": "a1b2",
        "oracle:idm:claims:client:geolocation": "+35.6,+139.7", "oracle:idm:claims:client:phonecarriername": "Carrier",
        "oracle:idm:claims:client:jailbroken": false, "deviceName": "Ren's phone",
        "hardwareIds": [
            "oracle:idm:claims:client:udid": "THE-UDID", "oracle:idm:claims:client:imei": "356938035643809",
            "oracle:idm:claims:client:macaddress": "00:1B:44:11:3A:B7",
        ],
    ]

    @Test("An installation that registers several times at once has one device in the end, and its handle works")
    func atOnce() async throws {
        for round in 0..<5 {
            let profile: JSONValue = ["installation_id": .string("one-\(round)")]
            let handles = try await withThrowingTaskGroup(of: String.self) { group in
                for _ in 0..<8 { group.addTask { try value(await register(profile)) } }
                return try await group.reduce(into: []) { $0.append($1) }
            }
            let left = await devices().filter { $0["installation_id"] == profile["installation_id"] }
            #expect(left.count == 1)
            var working = 0
            for handle in handles where await authenticate(handle).status == 200 { working += 1 }
            #expect(working == 1)
        }
    }

    @Test("A registration keeps platform, versions and installation, and nothing that identifies the device")
    func kept() async throws {
        _ = try value(await register(Self.oracle))
        for client in [Client.person, .administrator] {
            let device = try #require(await devices(as: client).first)
            #expect(
                device["platform"] == "iOS" && device["os_version"] == "18.1" && device["installation_id"] == "a1b2")
            #expect(device["sdk_version"] == "11.1.2.3" && device["client_id"]?.text == app.clientID)
            #expect(
                device.names == [
                    "id", "client_id", "name", "version", "created", "expires", "platform", "os_version", "sdk_version",
                    "installation_id",
                ])
        }
        try await service.directory.unrestricted.awaitWrite { _ in }
        let image = String(decoding: try service.directory.storedBytes(), as: UTF8.self)
        #expect(image.contains("a1b2"), "the image shows what is stored")
        for word in ["THE-UDID", "356938035643809", "00:1B:44", "Carrier", "+35.6", "Ren's phone"] {
            #expect(!image.contains(word), "\(word) is stored")
        }
    }

    @Test("Ending a device ends its handle and the tokens that it got, and no others", arguments: [false, true])
    func ends(byAdministrator: Bool) async throws {
        let (first, second) = (
            try value(await register(["installation_id": "1"])), try value(await register(["installation_id": "2"]))
        )
        let (ended, other) = (try await token(first), try await token(second))
        let me = "/mobile/platform/users/~"
        #expect(await app.status(me, ended) == 200)
        let id = try #require(await devices().first { $0["installation_id"] == "1" }?["id"]?.text)
        let path = byAdministrator ? "/admin/users/\(ServiceUnderTest.engineer)/devices/" : me + "/devices/"
        let client = byAdministrator ? Client.administrator : .person
        #expect(await service.request("DELETE", path + id, as: client).status == 204)
        #expect(await service.request("DELETE", path + id, as: client).status == 404)
        #expect(await app.status(me, ended) == 401)
        #expect(await app.status(me, other) == 200)
        let again = await service.request(
            "POST", "/oic_rest/rest/mobilejwtauthentication/authenticate", as: .nobody, login, headers: proof(first))
        #expect(again.status == 401)
        #expect(await devices().count == 1)
    }

    @Test("Nobody sees or ends the devices of others but administrators")
    func others() async throws {
        _ = try value(await register(Self.oracle))
        let id = try #require(await devices().first?["id"]?.text)
        #expect(await service.request("GET", "/mobile/platform/users/~/devices", as: .manager)["devices"] == [])
        #expect(await service.request("DELETE", "/mobile/platform/users/~/devices/\(id)", as: .manager).status == 404)
        for client in [Client.person, .manager, .provisioning] {
            let path = "/admin/users/\(ServiceUnderTest.engineer)/devices"
            #expect(await service.request("GET", path, as: client).status == 403, "\(client)")
            #expect(await service.request("DELETE", path + "/" + id, as: client).status == 403, "\(client)")
        }
        #expect(await devices().count == 1)
    }

    @Test("An installation that registers again ends its older registration; a deleted user has no devices")
    func replaced() async throws {
        let other = try await App(service, named: "other", ["public": true, "grant_types": ["password"]])
        let old = try value(await register(Self.oracle))
        let token = try await token(old)
        _ = try value(await register(Self.oracle, other))
        _ = try value(await register(Self.oracle))
        #expect(await devices().count == 2, "one for each app")
        #expect(await app.status("/mobile/platform/users/~", token) == 401)
        _ = try value(await register(nil))
        _ = try value(await register(.null))
        #expect(await devices().count == 4, "devices that tell nothing are told apart by nothing")
        try await service.directory.unrestricted.users.delete(.named(ServiceUnderTest.engineer))
        let image = String(decoding: try service.directory.storedBytes(), as: UTF8.self)
        #expect(!image.contains("installation_id"))
    }

    @Test("An app that ends its handle ends the tokens that it got")
    func handleEnds() async throws {
        let handle = try value(await register(Self.oracle))
        let token = try await token(handle)
        let path = "/oic_rest/rest/mobilejwtauthentication/tokens?X-Idaas-Rest-Subject-Value=\(handle)"
        #expect(await service.request("DELETE", path, as: .nobody, headers: proof(handle)).status == 204)
        #expect(await app.status("/mobile/platform/users/~", token) == 401)
        #expect(await devices().isEmpty)
    }

    @Test("At the OAuth endpoints a handle gets tokens of its user, which end with the device, and nothing else")
    func oauth() async throws {
        let handle = try value(await register(Self.oracle))
        let basic = [("Authorization", "Basic " + Data("\(app.clientID):\(handle)".utf8).base64EncodedString())]
        func ask(_ path: String, _ form: [(String, String)], _ headers: [(String, String)]) async -> Answer {
            await service.send(
                "POST", path, nil, Array(App.encoded(form).utf8),
                headers: headers + [("Content-Type", "application/x-www-form-urlencoded")])
        }
        let answer = await ask(
            "/oauth2/token",
            [
                ("grant_type", "password"), ("username", ServiceUnderTest.engineer),
                ("password", ServiceUnderTest.password), ("scope", "openid profile offline_access"),
            ], basic)
        let token = try #require(answer["access_token"]?.text, "\(answer.text)")
        let refresh = try #require(answer["refresh_token"]?.text)
        #expect(await app.status("/mobile/platform/users/~", token) == 200)
        let renewal = [("grant_type", "refresh_token"), ("refresh_token", refresh)]
        #expect(await ask("/oauth2/token", renewal, basic).status == 400, "a handle renews nothing")
        let named = renewal + [("client_id", app.clientID)]
        let renewed = await ask("/oauth2/token", named, [])
        let newer = try #require(renewed["access_token"]?.text, "\(renewed.text)")
        #expect(await ask("/oauth2/revoke", [("token", handle), ("client_id", app.clientID)], []).status == 200)
        #expect(await app.status("/mobile/platform/users/~", newer) == 401)
        #expect(await devices().isEmpty)
        let again = await ask("/oauth2/token", [("grant_type", "password")], basic)
        #expect(again.status == 401 && again["error"] == "invalid_client")
    }

    @Test("An app must tell what its policy requires, and facts are short texts")
    func required() async throws {
        let strict = try await App(
            service, named: "strict",
            [
                "public": true, "grant_types": ["password"],
                "app": ["required_claims": ["oracle:idm:claims:client:ostype", "installation_id"]],
            ])
        let answer = await register(["platform": "iOS"], strict)
        #expect(answer.status == 400 && answer.text.contains("'installation_id'"), "\(answer.text)")
        #expect(await register(["platform": "iOS", "installation_id": "x"], strict).status == 200)
        for profile in [
            ["platform": 5], ["platform": ""], ["os_version": .string(String(repeating: "1", count: 65))],
            ["installation_id": "a\nb"], [], "iOS",
        ] as [JSONValue] { #expect(await register(profile).status == 400, "\(profile)") }
    }
}
