import Foundation
import Roster
import RosterClient
import RosterMobileSDK
import RosterSecrets
import RosterSignIn
import RosterText
import ServiceTestSupport
import TestSupport
import Testing

@Suite("Signing in offline", .timeLimit(.minutes(4)))
struct OfflineSignInTests {
    private typealias Mode = AuthenticationRequest.ConnectivityMode

    private static func code(
        _ service: SecurityService, _ mode: Mode, _ password: String = GuardedApp.password,
        name: String = GuardedApp.name
    ) async throws -> ClientError.Code? {
        do {
            try await service.startAuthentication(GuardedApp.request(mode, password, name: name))
            return nil
        } catch let error as ClientError {
            #expect(!"\(error)".contains(password))
            return error.code
        }
    }

    @Test(
        "Only where the server permits offline sign-ins is a password kept; and when that ends, the password is deleted"
    )
    func permission() async throws {
        try await withGuardedApp {
            $0.allowsOffline = false
        } _: { guarded in
            let service = try guarded.service { $0.allowsOffline = true }
            #expect(try await Self.code(service, .offline) == .offlineNotAllowed)
            #expect(try await Self.code(service, .online) == nil)
            #expect(try await Self.code(service, .offline) == .offlineNotAllowed)
            #expect(try guarded.app.store.names(withPrefix: "security/").filter { $0.contains("/offline/") }.isEmpty)
            try await guarded.changePolicy { $0.allowsOffline = true }
            #expect(try await Self.code(service, .online) == nil)
            #expect(try await Self.code(service, .offline) == nil)
            try await guarded.changePolicy { $0.allowsOffline = false }
            try await service.setup()
            #expect(try await Self.code(service, .offline) == .offlineNotAllowed)
            #expect(try guarded.app.store.names(withPrefix: "security/").filter { $0.contains("/offline/") }.isEmpty)
        }
    }

    @Test("Offline asks nothing of the server, auto asks the device only if the right server does not answer")
    func modes() async throws {
        try await withGuardedApp {
            ($0.allowsOffline, $0.maximumLoginAttempts) = (true, 5)
        } _: { guarded in
            #expect(try await Self.code(guarded.service(), .auto) == nil)
            let service = try guarded.service()
            let before = guarded.app.proxy.bodies(of: "/oauth2/token").count
            let offline = try await service.startAuthentication(GuardedApp.request(.offline))
            #expect(!offline.isOnline && offline.account != nil)
            #expect(try await !offline.validAccessToken().isEmpty, "the tokens of the same user are still there")
            #expect(guarded.app.proxy.bodies(of: "/oauth2/token").count == before)
            let portals = [
                SocketServer.answer("<html>Pay for the network</html>", headers: "Content-Type: text/html\r\n"),
                SocketServer.answer("", "302 Found", headers: "Location: https://portal.example/\r\n"),
                SocketServer.answer("{\"application_id\":\"portal\"}"), SocketServer.answer("<html>", "403 No"),
                SocketServer.answer("<html>", "502 Bad"), SocketServer.answer("{}", "503 Busy"),
                SocketServer.answer("", "511 Sign in"),
            ]
            for portal in portals {
                guarded.app.proxy.decide { _, _ in .answer(portal) }
                let context = try await service.startAuthentication(GuardedApp.request(.auto))
                #expect(!context.isOnline)
                #expect(try await Self.code(service, .online) != nil)
            }
            guarded.cutNetwork()
            #expect(try await service.startAuthentication(GuardedApp.request(.auto)).isOnline == false)
            #expect(try await Self.code(service, .online) == .unreachable)
            guarded.mendNetwork()
            #expect(try await service.startAuthentication(GuardedApp.request(.auto)).isOnline)
        }
    }

    @Test("What the server refuses stays refused: auto does not ask the device, and a refused password is deleted")
    func refusal() async throws {
        try await withGuardedApp {
            ($0.allowsOffline, $0.maximumLoginAttempts) = (true, 5)
        } _: { guarded in
            let service = try guarded.service()
            #expect(try await Self.code(service, .auto) == nil)
            let hash = try PasswordHash.make("another password", .forTests).text
            try await guarded.app.directory.unrestricted.awaitWrite {
                _ = try $0.users.modify(.named(GuardedApp.name), [.set("password", .string(hash))], ifVersion: nil)
            }
            #expect(try await Self.code(service, .auto, "not this") == .wrongCredentials)
            #expect(try await Self.code(service, .offline) == nil, "the device does not know yet")
            #expect(try await Self.code(service, .auto) == .wrongCredentials)
            guarded.cutNetwork()
            #expect(try await Self.code(service, .auto) == .wrongCredentials)
        }
    }

    @Test("A network that breaks after the server's refusal does not let the device decide")
    func brokenAfterRefusal() async throws {
        try await withGuardedApp {
            ($0.allowsOffline, $0.maximumLoginAttempts) = (true, 5)
        } _: { guarded in
            let service = try guarded.service()
            #expect(try await Self.code(service, .auto) == nil)
            var request = GuardedApp.request(.auto, "not this")
            request.challenge = { _ in
                guarded.cutNetwork()
                return .userNameAndPassword(GuardedApp.name, GuardedApp.password)
            }
            let error = try await clientError { [request] in _ = try await service.startAuthentication(request) }
            #expect(error.code == .unreachable)
        }
    }

    @Test(
        "At the maximum of wrong passwords the hash is deleted, also for a new start of the app, until an online sign-in"
    )
    func maximum() async throws {
        try await withGuardedApp {
            ($0.allowsOffline, $0.maximumLoginAttempts) = (true, 3)
        } _: { guarded in
            #expect(try await Self.code(guarded.service(), .online) == nil)
            for start in 1...2 {
                #expect(try await Self.code(guarded.service(), .offline, "not this \(start)") == .wrongCredentials)
            }
            #expect(try await Self.code(guarded.service(), .offline) == nil, "a right password begins the count anew")
            for start in 1...2 {
                #expect(try await Self.code(guarded.service(), .offline, "not this \(start)") == .wrongCredentials)
            }
            #expect(try await Self.code(guarded.service(), .offline, "not this") == .onlineSignInRequired)
            #expect(try await Self.code(guarded.service(), .offline) == .onlineSignInRequired)
            for key in try guarded.app.store.names().filter({ $0.contains("/offline/") }) {
                #expect(
                    try !String(decoding: guarded.app.store.bytes(named: key) ?? [], as: UTF8.self).contains("hash"))
            }
            #expect(try await Self.code(guarded.service(), .online) == nil)
            #expect(try await Self.code(guarded.service(), .offline) == nil)
        }
    }

    @Test("Names without a password get the same answers as others, and use up nobody else's attempts")
    func unknown() async throws {
        try await withGuardedApp {
            ($0.allowsOffline, $0.maximumLoginAttempts) = (true, 3)
        } _: { guarded in
            let service = try guarded.service()
            #expect(try await Self.code(service, .online) == nil)
            var answers: [[ClientError.Code?]] = []
            for name in [GuardedApp.name, "nobody.here"] {
                var codes: [ClientError.Code?] = []
                for _ in 0..<5 { codes.append(try await Self.code(service, .offline, "not this", name: name)) }
                answers.append(codes)
            }
            #expect(answers[0] == answers[1] && answers[0].last == .onlineSignInRequired)
        }
    }

    @Test("Users of the same name in two identity domains have passwords and tokens of their own")
    func domains() async throws {
        try await withGuardedApp {
            ($0.allowsOffline, $0.maximumLoginAttempts) = (true, 3)
        } _: { guarded in
            let service = try guarded.service()
            var request = GuardedApp.request(.online)
            request.identityDomain = "north"
            try await service.startAuthentication(request)
            request.identityDomain = "south"
            try await service.startAuthentication(request)
            request.connectivityMode = .offline
            #expect(try await service.startAuthentication(request).account != nil)
            request.identityDomain = "north"
            let north = try await service.startAuthentication(request)
            #expect(north.account == nil && north.identityDomain == "north")
            await #expect(throws: ClientError.self) { try await north.validAccessToken() }
            request.identityDomain = nil
            let error = try await clientError { [request] in _ = try await service.startAuthentication(request) }
            #expect(error.code == .wrongCredentials)
        }
    }

    @Test("Wrong passwords at once, from several starts of the app, are no more than the maximum")
    func together() async throws {
        try await withGuardedApp {
            ($0.allowsOffline, $0.maximumLoginAttempts) = (true, 4)
        } _: { guarded in
            #expect(try await Self.code(guarded.service(), .online) == nil)
            let services = try (0..<12).map { _ in try guarded.service() }
            let codes = try await withThrowingTaskGroup(of: ClientError.Code?.self) { group in
                for service in services { group.addTask { try await Self.code(service, .offline, "not this") } }
                return try await group.reduce(into: []) { $0.append($1) }
            }
            #expect(codes.count { $0 == .wrongCredentials } == 3 && codes.count { $0 == .onlineSignInRequired } == 9)
        }
    }

    @Test("An app that is killed while it checks a wrong password has no attempt more")
    func killed() async throws {
        try await withGuardedApp {
            ($0.allowsOffline, $0.maximumLoginAttempts) = (true, 5)
        } _: { guarded in
            #expect(try await Self.code(guarded.service(), .online) == nil)
            var numbers = SeededNumbers(seed: randomSeed())
            var attempts = 0
            for _ in 0..<40 where attempts < 5 {
                let pause = Double.random(in: 0.04...0.12, using: &numbers)
                let before = try Self.failures(guarded)
                _ = try await onThread { try OfflineProcess(guarded).kill(after: pause) }
                attempts = try Self.failures(guarded)
                #expect(attempts - before <= 1)
            }
            #expect(attempts == 5)
            #expect(try await Self.code(guarded.service(), .offline) == .onlineSignInRequired)
        }
    }

    private static func failures(_ guarded: GuardedApp) throws -> Int {
        let store = try ServedApp.store(in: guarded.app.folder)
        let key = try #require(try store.names().first { $0.contains("/offline/") })
        let json = try JSONValue(parsing: try #require(try store.bytes(named: key)))
        return Int(json["failures"]?.seconds ?? -1)
    }

    @Test(
        "A credential of an app with the mirrored SDK signs in, and is hashed with scrypt then",
        arguments: ["SHA-1", "SHA-256", "SaltedSHA-1", "SaltedSHA-512", "PlainText"])
    func imported(scheme: String) async throws {
        try await withGuardedApp { guarded in
            let service = try guarded.service {
                $0.cryptoScheme = SecurityProperties.CryptoScheme(rawValue: scheme) ?? .scrypt
            }
            let refused = try await clientError { try await service.importOfflineCredential("x", for: "ada") }
            #expect(refused.code == .offlineNotAllowed)
            try await service.setup()
            try await service.importOfflineCredential(try Self.stored(scheme), for: "ada")
            func kept() throws -> String {
                let key = try #require(try guarded.app.store.names().first { $0.contains("/offline/") })
                return String(decoding: try guarded.app.store.bytes(named: key) ?? [], as: UTF8.self)
            }
            #expect(try kept().contains("$scrypt$") == (scheme == "PlainText"))
            #expect(try await Self.code(service, .offline, "old secret", name: "ada") == nil)
            #expect(try kept().contains("$scrypt$") && !kept().contains("secret"))
            #expect(try await Self.code(service, .offline, "old secret", name: "Ada") == nil)
            #expect(try await Self.code(service, .offline, "not this", name: "ada") == .onlineSignInRequired)
            await #expect(throws: ClientError.self) {
                _ = try await guarded.service().importOfflineCredential("plain", for: "ada")
            }
        }
    }

    /// `printf 'old secret' | openssl enc -aes-128-cbc -K 000102030405060708090a0b0c0d0e0f -iv 0 -base64`, and the same with 24 and 32
    /// bytes of key, as Oracle's SDK encrypted with its `symmetricEncryptionKey`.
    private static let encryptedCredentials = [
        (16, "FQ4u6O/QqJACdG/Na4aM/g=="),
        (24, "NnN0PVx8H3WethjFKL+FpQ=="),
        (32, "iUHv/I2qo0JfDgVnxZ3k4g=="),
    ]

    @Test(
        "A credential that the mirrored SDK encrypted signs in with its key, and is hashed at once",
        arguments: encryptedCredentials)
    func encrypted(length: Int, text: String) async throws {
        try await withGuardedApp { guarded in
            let service = try guarded.service()
            try await service.setup()
            let key = Data((0..<length).map { UInt8($0) })
            for (credential, other) in [("{AES}" + text, nil), ("{AES}" + text, Data(count: 5)), ("{AES}x", key)]
                as [(String, Data?)]
            {
                let error = try await clientError {
                    try await service.importOfflineCredential(credential, for: "ada", key: other)
                }
                #expect(error.code == .invalidInput, "\(error)")
            }
            let wrong = try await clientError {
                try await service.importOfflineCredential("{AES}" + text, for: "ada", key: Data(count: length))
            }
            #expect(wrong.code == .decryptionFailed)
            #expect(try guarded.app.store.names().allSatisfy { !$0.contains("/offline/") })
            let unnamed = try guarded.service { $0.cryptoScheme = .aes }
            for (service, credential) in [(service, "{AES}" + text), (unnamed, text)] {
                try await service.importOfflineCredential(credential, for: "ada", key: key)
                let name = try #require(try guarded.app.store.names().first { $0.contains("/offline/") })
                let kept = String(decoding: try guarded.app.store.bytes(named: name) ?? [], as: UTF8.self)
                #expect(kept.contains("$scrypt$") && !kept.contains("AES"))
                #expect(try await Self.code(service, .offline, "old secret", name: "ada") == nil)
                try await service.logout()
            }
        }
    }

    private static func stored(_ scheme: String) throws -> String {
        let password = Array("old secret".utf8)
        switch scheme {
        case "SHA-1": return try weak.hashText(password, insecure: .sha1, saltBits: 0, isPrefixed: true)
        case "SaltedSHA-1":
            return try weak.hashText(password, insecure: .sha1, saltBits: 64, isPrefixed: true)
                .replacing("{SSHA}", with: "{SaltedSHA-1}")
        case "SHA-256": return try CryptoService.hashText(password, with: .sha256, saltBits: 0, isPrefixed: false)
        case "PlainText": return "old secret"
        default: return try CryptoService.hashText(password, with: .sha512, isPrefixed: false)
        }
    }

    @Test("Hashes with absurd costs are refused before they cost anything")
    func absurdCosts() {
        let end = "$AAAAAAAAAAAAAAAAAAAAAA$AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA"
        for costs in ["ln=24,r=8,p=5", "ln=14,r=99,p=99", "ln=0,r=8,p=5", "ln=14,r=0,p=1", "ln=14", "ln=14,r=8,p=555"] {
            #expect(throws: ClientError.self) {
                try CryptoService.verify(password: "x", hash: "$scrypt$\(costs)\(end)")
            }
        }
        #expect(throws: ClientError.self) { try CryptoService.verify(password: "x", hash: "plain") }
        #expect(throws: ClientError.self) { try CryptoService.passwordHash(String(repeating: "x", count: 5_000)) }
    }
}

/// An app in a process of its own that signs in offline with a wrong password.
private struct OfflineProcess {
    let process = Process()
    let pipe = Pipe()

    init(_ guarded: GuardedApp) throws {
        process.executableURL = try builtProgram("roster-token-holder")
        process.arguments = [
            guarded.app.folder.path, guarded.app.proxy.url, "shop", GuardedApp.name, "the wrong password",
        ]
        process.standardOutput = pipe
    }

    /// Kills the process some time after it has begun to sign in, and waits for its end.
    func kill(after pause: Double) throws {
        try process.run()
        _ = pipe.fileHandleForReading.availableData
        Thread.sleep(forTimeInterval: pause)
        Foundation.kill(process.processIdentifier, SIGKILL)
        process.waitUntilExit()
    }
}
