import Foundation
import RosterClient
import RosterMobileSDK
import RosterSignIn
import RosterText
import ServiceTestSupport
import TestSupport
import Testing

@Suite("The times of a session", .timeLimit(.minutes(3)))
struct SessionTimesTests {
    private func times(_ policy: inout AppPolicy) {
        (policy.allowsOffline, policy.maximumLoginAttempts) = (true, 5)
        (policy.sessionTimeout, policy.idleTimeout) = (.seconds(3_600), .seconds(600))
    }

    @Test(
        "A session ends after its time, however it is used, and after its idle time without use, also across starts of the app",
        arguments: [AuthenticationRequest.ConnectivityMode.online, .offline])
    func ends(mode: AuthenticationRequest.ConnectivityMode) async throws {
        try await withGuardedApp(times) { guarded in
            let service = try guarded.service()
            try await service.startAuthentication(GuardedApp.request(.online))
            var context = try await service.startAuthentication(GuardedApp.request(mode))
            #expect(try context.timeLeft() == [.session: .seconds(3_600), .idle: .seconds(600)])
            for _ in 0..<7 {
                guarded.clock.advance(by: 500)
                try context.recordUse()
                context = try #require(try guarded.service().authenticationContext)
            }
            guarded.clock.advance(by: 99)
            #expect(try context.isValid())
            guarded.clock.advance(by: 2)
            #expect(try !context.isValid() && context.timeLeft().isEmpty)
            #expect(throws: ClientError.self) { try context.recordUse() }
            context = try await service.startAuthentication(GuardedApp.request(mode))
            guarded.clock.advance(by: 599)
            #expect(try guarded.service().authenticationContext != nil, "looking is no use")
            guarded.clock.advance(by: 2)
            #expect(try guarded.service().authenticationContext == nil)
            await #expect(throws: ClientError.self) { try await context.validAccessToken() }
        }
    }

    @Test(
        "A timeout of 0 is none, on the server or in the app, and a session ends after a year all the same",
        arguments: [true, false])
    func none(isServers: Bool) async throws {
        try await withGuardedApp {
            if isServers { ($0.sessionTimeout, $0.idleTimeout) = (.zero, .zero) }
        } _: { guarded in
            let service = try guarded.service {
                ($0.sessionTimeout, $0.idleTimeout) = isServers ? (.seconds(60), .seconds(5)) : (.zero, .zero)
            }
            let context = try await service.startAuthentication(GuardedApp.request(.online))
            #expect(try service.applicationProfile?.idleTimeout == (isServers ? .zero : nil))
            #expect(try context.timeLeft() == [.session: .seconds(31_536_000)])
            guarded.clock.advance(by: 86_400)
            #expect(try context.isValid())
            guarded.clock.advance(by: 31_536_000)
            #expect(try !context.isValid())
        }
    }

    @Test("A clock that is set back gives a session no time, and revives none", arguments: [false, true])
    func setBack(reboots: Bool) async throws {
        try await withGuardedApp(times) { guarded in
            let service = try guarded.service()
            try await service.startAuthentication(GuardedApp.request(.online))
            guarded.clock.advance(by: 500)
            #expect(try service.authenticationContext != nil)
            if reboots { guarded.clock.reboot() }
            guarded.clock.setWall(by: -400)
            let context = try guarded.service().authenticationContext
            #expect((context == nil) == reboots)
            if let context {
                #expect(try context.timeLeft()[.idle] == .seconds(100), "the other clock has run on")
                guarded.clock.advance(by: 101)
                #expect(try guarded.service().authenticationContext == nil)
            }
            guarded.clock.setWall(by: -100_000)
            #expect(try guarded.service().authenticationContext == nil)
            guarded.clock.setWall(by: 100_400)
            #expect(try guarded.service().authenticationContext == nil)
        }
    }

    @Test("A session goes on after a start of the device, and ends if the device was off for too long")
    func reboot() async throws {
        try await withGuardedApp(times) { guarded in
            try await guarded.service().startAuthentication(GuardedApp.request(.online))
            guarded.clock.advance(by: 300)
            guarded.clock.reboot()
            #expect(try guarded.service().authenticationContext?.timeLeft()[.idle] == .seconds(300))
            guarded.clock.advance(by: 301)
            guarded.clock.reboot()
            #expect(try guarded.service().authenticationContext == nil)
        }
    }

    @Test("A wall clock that is set ahead ends a session, and the server's shorter times count at once")
    func ahead() async throws {
        try await withGuardedApp(times) { guarded in
            let service = try guarded.service()
            try await service.startAuthentication(GuardedApp.request(.online))
            guarded.clock.advance(by: 200)
            #expect(try service.authenticationContext != nil)
            try await guarded.changePolicy { $0.idleTimeout = .seconds(100) }
            try await service.setup()
            #expect(try service.authenticationContext == nil)
            try await service.startAuthentication(GuardedApp.request(.offline))
            guarded.clock.setWall(by: 101)
            #expect(try service.authenticationContext == nil)
        }
    }

    @Test(
        "A wall clock that jumps a year ahead and back ends the session for that time only", arguments: [true, false])
    func jump(isLookedAt: Bool) async throws {
        try await withGuardedApp(times) { guarded in
            let service = try guarded.service()
            var context = try await service.startAuthentication(GuardedApp.request(.online))
            guarded.clock.advance(by: 100)
            try context.recordUse()
            guarded.clock.setWall(by: 31_536_000)
            guarded.clock.advance(by: 10)
            if isLookedAt {
                #expect(try service.authenticationContext == nil && guarded.service().authenticationContext == nil)
                #expect(try !context.isValid())
                #expect(throws: ClientError.self) { try context.recordUse() }
            }
            guarded.clock.setWall(by: -31_536_000)
            #expect(try context.isValid())
            context = try #require(try guarded.service().authenticationContext)
            #expect(try context.timeLeft()[.idle] == .seconds(590))
            #expect(try await !context.validAccessToken().isEmpty)
            #expect(!guarded.delegate.all.contains { $0.contains("ends in 0") })
            // The clock that nobody sets ends the session all the same.
            guarded.clock.setWall(by: 31_536_000)
            guarded.clock.advance(by: 601)
            #expect(try service.authenticationContext == nil)
            guarded.clock.setWall(by: -31_536_000)
            guarded.clock.advance(by: -601)
            #expect(try service.authenticationContext == nil)
        }
    }

    @Test("The delegate is told when a tenth of a time is left, and at the end, once each")
    func timers() async throws {
        try await withGuardedApp(times) { guarded in
            try await guarded.service().startAuthentication(GuardedApp.request(.online))
            let clock = guarded.clock
            let service = try guarded.service(sleep: { clock.advance(by: $0 / .seconds(1)) })
            try await service.startAuthentication(GuardedApp.request(.offline))
            _ = try await onThread { waitUntil { guarded.delegate.all.contains { $0.contains("ends in 0") } } }
            let told = guarded.delegate.all.filter { $0.contains("ends in") }
            #expect(
                told.count == 2 && told[0].hasSuffix("idle ends in 60") && told[1].hasSuffix("idle ends in 0"),
                "\(told)")
            #expect(try service.authenticationContext == nil)
        }
    }

    @Test("Uses and looks at once, from several threads and starts of the app, end no session")
    func atOnce() async throws {
        try await withGuardedApp(times) { guarded in
            let services = try (0..<2).map { _ in
                try SecurityService(
                    guarded.properties, store: ServedApp.store(in: guarded.app.folder), transport: guarded.app.transport
                )
            }
            try await services[0].startAuthentication(GuardedApp.request(.online))
            let contexts = try services.map { try #require(try $0.authenticationContext) }
            let failures = await inParallel(4) { number in
                (0..<250).count { round in
                    let context = contexts[(number + round) % 2]
                    do {
                        try context.recordUse()
                        return try !context.isValid()
                    } catch {
                        return true
                    }
                }
            }
            #expect(failures == [0, 0, 0, 0])
        }
    }
}
