import Foundation
import Roster
import RosterClient
import RosterMobileSDK
import RosterSignIn
import RosterText
import RosterTransport
import ServiceTestSupport
import TestSupport
import Testing

/// The two clocks of a device, which a test sets. The wall clock is also the server's.
final class DeviceClock: Sendable {
    private let wall: SettableClock
    private let rest = Locked((monotonic: 1_000.0, boot: "first", correction: 0.0))

    init(_ wall: SettableClock) { self.wall = wall }

    var now: Moment {
        let wall = wall.now.timeIntervalSince1970
        return rest.withLock { Moment(wall: wall + $0.correction, monotonic: $0.monotonic, boot: $0.boot) }
    }

    /// Lets time pass.
    func advance(by seconds: Double) {
        wall.advance(by: seconds)
        rest.withLock { $0.monotonic += seconds }
    }

    /// Sets the device's wall clock.
    func setWall(by seconds: Double) { rest.withLock { $0.correction += seconds } }

    /// Starts the device anew.
    func reboot() { rest.withLock { ($0.monotonic, $0.boot) = (5, $0.boot + "+") } }
}

/// A served app, and the security service on a device.
struct GuardedApp: Sendable {
    let app: ServedApp
    let clock: DeviceClock
    let delegate = RecordingDelegate()

    static let name = ServiceUnderTest.engineer
    static let password = ServiceUnderTest.password

    var properties: SecurityProperties {
        get throws {
            var properties = SecurityProperties(server: try url(app.proxy.url), applicationName: "shop")
            properties.scopes = app.registration.scopes
            return properties
        }
    }

    /// The service after a start of the app.
    func service(
        change: (inout SecurityProperties) -> Void = { _ in },
        sleep: @escaping @Sendable (Duration) async throws -> Void = { _ in try await Task.sleep(for: .seconds(600)) }
    ) throws -> SecurityService {
        var properties = try properties
        change(&properties)
        let clock = clock
        return try SecurityService(
            properties, store: ServedApp.store(in: app.folder), transport: app.transport, delegate: delegate,
            now: { clock.now }, sleep: sleep)
    }

    static func request(
        _ mode: AuthenticationRequest.ConnectivityMode, _ password: String = Self.password, name: String = Self.name
    ) -> AuthenticationRequest { AuthenticationRequest(mode, userName: name, password: password) }

    /// Takes the network away.
    func cutNetwork() { app.proxy.decide { _, _ in .cut } }
    func mendNetwork() { app.proxy.decide { _, _ in .pass } }

    func changePolicy(_ change: (inout AppPolicy) -> Void) async throws {
        let view = app.directory.unrestricted
        let old = try await app.signIn.backends(in: view).first { $0.clientID == app.backend.clientID }
        var settings = try #require(old).settings
        change(&settings.app)
        _ = try await app.signIn.changeBackend(app.backend.clientID, settings: settings, in: view)
    }
}

/// Runs a test with a served app of a policy.
func withGuardedApp(
    lifetime: Int = 600, _ policy: (inout AppPolicy) -> Void = { $0.allowsOffline = true },
    change: (inout BackendSettings) -> Void = { _ in }, _ body: (GuardedApp) async throws -> Void
) async throws {
    try await withFolder { folder in
        let app = try await ServedApp(in: folder, lifetime: lifetime) { settings in
            policy(&settings.app)
            change(&settings)
        }
        try await body(GuardedApp(app: app, clock: DeviceClock(app.clock)))
    }
}

/// Writes down what a service tells.
final class RecordingDelegate: SecurityServiceDelegate {
    private let seen = Gathered<String>()
    var all: [String] { seen.all }

    private func note(_ service: SecurityService, _ text: String) { seen.append("\(service.properties): \(text)") }

    func securityService(_ service: SecurityService, didReceive profile: Result<ApplicationProfile, any Error>) {
        note(service, (try? profile.get()).map { "profile \($0.name)" } ?? "no profile")
    }
    func securityService(
        _ service: SecurityService, didFinishAuthentication result: Result<AuthenticationContext, any Error>
    ) {
        note(service, (try? result.get()).map { "\($0)" } ?? "no session")
    }
    func securityService(_ service: SecurityService, didFinishRegistration result: Result<Void, any Error>) {
        note(service, (try? result.get()) != nil ? "registered" : "not registered")
    }
    func securityService(_ service: SecurityService, didFinishLogout result: Result<SignOutReport?, any Error>) {
        note(service, "logout")
    }
    func securityService(_ service: SecurityService, timer: SessionTimer, endsIn remaining: Duration) {
        note(service, "\(timer) ends in \(remaining.components.seconds)")
    }
}
