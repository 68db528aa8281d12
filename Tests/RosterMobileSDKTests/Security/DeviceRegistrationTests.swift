import Foundation
import Roster
import RosterClient
import RosterMobileSDK
import RosterSecrets
import RosterSignIn
import RosterText
import RosterTransport
import ServiceTestSupport
import TestSupport
import Testing

@Suite("Registering a device with the security service", .timeLimit(.minutes(2)))
struct DeviceRegistrationTests {
    private static let path = "/oic_rest/rest/mobilejwtauthentication/register"

    private func devices(_ guarded: GuardedApp) async throws -> [Device] {
        let directory = guarded.app.directory
        return try directory.devices.devices(of: try await directory.unrestricted.users.user(GuardedApp.name).id)
    }

    /// Ends all devices of the engineer, as an administrator does.
    private func endDevices(_ guarded: GuardedApp) async throws {
        let directory = guarded.app.directory
        let id = try await directory.unrestricted.users.user(GuardedApp.name).id
        for device in try await devices(guarded) { #expect(try await directory.devices.end(device.id, of: id)) }
    }

    @Test("The server keeps four facts about the device, and an installation that registers again is one device")
    func registers() async throws {
        try await withGuardedApp { guarded in
            let service = try guarded.service()
            let early = try await clientError { try await service.registerDevice(GuardedApp.request(.online)) }
            #expect(early.code == .badConfiguration && early.advice.contains("setup"))
            try await service.setup()
            #expect(try !service.isDeviceRegistered)
            for _ in 0..<2 { try await service.registerDevice(GuardedApp.request(.online)) }
            #expect(try guarded.service().isDeviceRegistered)
            let body = try JSONValue(parsing: Array(try #require(guarded.app.proxy.bodies(of: Self.path).last).utf8))
            let sent = try #require(body["deviceProfile"])
            #expect(Set(sent.names) == ["platform", "os_version", "sdk_version", "installation_id"])
            let device = try #require(try await devices(guarded).first)
            #expect(try await devices(guarded).count == 1)
            #expect(device.profile.platform == "Linux" && device.profile.sdkVersion == "Roster")
            #expect(device.profile.osVersion?.contains(".") == true && device.profile.installation?.count == 22)
            #expect(guarded.delegate.all.suffix(2).allSatisfy { $0.hasSuffix(": registered") })
            #expect(!"\(guarded.delegate.all)".contains("eyJ"))
        }
    }

    @Test("A device that is ended at the server loses the tokens of its sign-in, and signs in again without a handle")
    func ended() async throws {
        try await withGuardedApp { guarded in
            let service = try guarded.service()
            try await service.setup()
            try await service.registerDevice(GuardedApp.request(.online))
            let context = try await service.startAuthentication(GuardedApp.request(.online))
            let token = try await context.validAccessToken()
            let account = try #require(context.account)
            #expect(try await account.accessToken(replacing: token) != token, "the tokens can be renewed")
            try await endDevices(guarded)
            guarded.clock.advance(by: 700)
            #expect(try await clientError { _ = try await context.validAccessToken() }.code == .notSignedIn)
            let again = try await service.startAuthentication(GuardedApp.request(.online))
            #expect(try await !again.validAccessToken().isEmpty)
            #expect(try !service.isDeviceRegistered)
        }
    }

    @Test("A Webgate's token is fetched with the handle, and without it after the device was ended")
    func webgate() async throws {
        try await withGuardedApp {
            $0.allowsOffline = false
        } change: {
            $0.webgate = WebgateChallenge(name: "gate", level: 3)
        } _: { guarded in
            let service = try guarded.service()
            // The sign-in is older than the registration, so that the tokens do not end with the device.
            try await service.startAuthentication(GuardedApp.request(.online))
            try await service.registerDevice(GuardedApp.request(.online))
            let server = try WebgateRequestTests.gate(guarded.app, Gathered())
            let request = TransportRequest("GET", server.url + "/scim/v2/Me?attributes=userName")
            func status() async throws -> Int {
                try await RESTClient(service, origins: [server.url], transport: guarded.app.transport).send(request)
                    .status
            }
            #expect(try await status() == 200)
            #expect(try service.isDeviceRegistered)
            try await endDevices(guarded)
            #expect(try await status() == 200)
            #expect(try !service.isDeviceRegistered)
        }
    }

    @Test("A logout that clears the registration ends the device at the server, later if the server is away")
    func cleared() async throws {
        try await withGuardedApp { guarded in
            let service = try guarded.service()
            for isAway in [false, true] {
                try await service.startAuthentication(GuardedApp.request(.online))
                try await service.registerDevice(GuardedApp.request(.online))
                try await service.logout()
                #expect(try service.isDeviceRegistered, "a logout keeps the registration")
                #expect(try await devices(guarded).count == 1)
                if isAway { guarded.cutNetwork() }
                try await service.logout(clearRegistration: true)
                #expect(try !service.isDeviceRegistered)
                #expect(try await devices(guarded).count == (isAway ? 1 : 0))
                guarded.mendNetwork()
            }
            let authenticator = try guarded.app.authenticator()
            #expect(try await authenticator.revokePendingTokens() == 0)
            #expect(try await devices(guarded).isEmpty)
            #expect(try guarded.app.store.names().isEmpty)
        }
    }

    @Test("A wrong password and a missing factor are asked for again, and a registration without them is refused")
    func challenges() async throws {
        try await withGuardedApp {
            ($0.maximumLoginAttempts, $0.requiredClaims) = (3, [.platform, .installation])
        } _: { guarded in
            let app = guarded.app
            let id = try await app.directory.unrestricted.users.user(GuardedApp.name).id
            let answers = ["First street?": "Rue de la Paix", "First teacher?": "Aunt Zoë"]
            try await app.signIn.secondFactors.setQuestions(answers.map { ($0.key, $0.value) }, for: id)
            let service = try guarded.service()
            try await service.setup()
            let wrong = try await clientError {
                try await service.registerDevice(GuardedApp.request(.online, "not the secret"))
            }
            #expect(wrong.code == .wrongCredentials && !"\(wrong)".contains("secret"))
            let missing = try await clientError { try await service.registerDevice(GuardedApp.request(.online)) }
            #expect(missing.code == .secondFactorRequired && Set(missing.questions) == Set(answers.keys))
            #expect(try !service.isDeviceRegistered)
            try await service.registerDevice(
                AuthenticationRequest { challenge in
                    switch challenge {
                    case .userNameAndPassword(let attempt, _):
                        return .userNameAndPassword(GuardedApp.name, attempt == 1 ? "a guess" : GuardedApp.password)
                    case .questions: return .secondFactor(SecondFactorAnswer(answers: answers))
                    case .code: return .cancel
                    }
                })
            #expect(try await devices(guarded).count == 1)
        }
    }

    @Test("A registration that ends after a logout is not kept, and a hostile answer is a typed error")
    func late() async throws {
        try await withGuardedApp { guarded in
            let service = try guarded.service()
            try await service.setup()
            let gate = Gate()
            guarded.app.proxy.decide { path, _ in path == Self.path ? .hold(gate) : .pass }
            let slow = Task { try await service.registerDevice(GuardedApp.request(.online)) }
            _ = try await onThread { gate.waitForArrivals() }
            let busy = try await clientError { _ = try await service.startAuthentication(GuardedApp.request(.online)) }
            #expect(busy.code == .signInInProgress)
            try await service.logout()
            gate.open()
            #expect(try await clientError { try await slow.value }.code == .signInCancelled)
            #expect(try !service.isDeviceRegistered)
            for (text, code) in [
                ("{}", ClientError.Code.badAnswer), ("<html>", .badAnswer),
                ("{\"X-Idaas-Rest-Token-Value\":\"a\\r\\nb\"}", .badAnswer),
            ] {
                guarded.app.proxy.decide { path, _ in
                    path == Self.path ? .answer(SocketServer.answer(text)) : .pass
                }
                let error = try await clientError { try await service.registerDevice(GuardedApp.request(.online)) }
                #expect(error.code == code)
            }
            guarded.cutNetwork()
            let away = try await clientError { try await service.registerDevice(GuardedApp.request(.online)) }
            #expect(away.code == .unreachable)
            #expect(try !service.isDeviceRegistered)
        }
    }
}
