import Foundation
import Roster
import RosterREST
import RosterSignIn
import RosterText
import ServiceTestSupport
import Testing
import TestSupport

@Suite("What the change feed tells of requests that sign in")
struct AuditTests {
    private func told(_ service: ServiceUnderTest) async throws -> [Change] {
        await service.signIn.oauth.audit.flush()
        return try await service.directory.unrestricted.changes.since(0, limit: 10_000).filter {
            [.signedIn, .refused].contains($0.kind)
        }
    }

    @Test("Whoever signs in with HTTP Basic is told of, and so is who is refused, whatever they bring")
    func basic() async throws {
        let service = try await ServiceUnderTest()
        let before = try await told(service).count
        let path = "/scim/v2/Me"
        let right = ServiceUnderTest.basic(ServiceUnderTest.engineer)
        for _ in 0..<3 { #expect(await service.send("GET", path, right, clientAddress: "192.0.2.9").status == 200) }
        // The password is known to be right, which says nothing of who has it there.
        #expect(await service.send("GET", path, right, clientAddress: "192.0.2.10").status == 200)
        let wrong = ServiceUnderTest.basic(ServiceUnderTest.engineer, "a wrong password")
        for credentials in [wrong, wrong, "Bearer nonsense", "Digest x"] {
            #expect(await service.send("GET", path, credentials, clientAddress: "192.0.2.9").status == 401)
        }
        #expect(
            await service.send("GET", path, nil, clientAddress: "192.0.2.9").status == 401,
            "who brings nothing has not tried")
        let new = try await told(service).dropFirst(before)
        #expect(new.map(\.kind) == [.signedIn, .signedIn, .refused, .refused, .refused], "\(new.map(\.after))")
        #expect(new.map { $0.after["from"]?.text == "192.0.2.10" } == [false, true, false, false, false])
        #expect(new.map { $0.after["means"]?.text } == ["basic", "basic", "basic", "bearer", "digest"])
        #expect(new.prefix(3).allSatisfy { $0.name == ServiceUnderTest.engineer })
        let image = try service.directory.storedBytes()
        #expect(image.range(of: Data("a wrong password".utf8)) == nil && image.range(of: Data("nonsense".utf8)) == nil)
    }

    @Test("What stands in the place of a scheme is not told: it may be a secret, and as long as a header field")
    func otherSchemes() async throws {
        let service = try await ServiceUnderTest()
        let secret = String(repeating: "s", count: 5_000)
        #expect(await service.send("GET", "/scim/v2/Me", "\(secret) x", clientAddress: "192.0.2.9").status == 401)
        let told = try #require(try await told(service).last)
        #expect(told.kind == .refused && told.after["means"]?.text == "other", "\(told.after)")
    }

    @Test("Of a name without end the beginning is told")
    func longNames() async throws {
        let service = try await ServiceUnderTest()
        let app = try await App(service)
        let name = String(repeating: "a" + String(repeating: "\u{301}", count: 200), count: 200)
        _ = await app.token(("grant_type", "password"), ("username", name), ("password", "wrong"))
        let told = try #require(try await told(service).last)
        #expect(told.kind == .refused && (1...260).contains(told.name.utf8.count), "\(told.name.utf8.count) bytes")
    }

    @Test("A backend's anonymous key that is wrong is told of, and so is a backend that is not known")
    func backends() async throws {
        let service = try await ServiceUnderTest()
        let app = try await App(service)
        let before = try await told(service).count
        for id in [app.record.backendID, "unknown"] {
            let answer = await service.send(
                "GET", "/mobile/platform/users/~", "Basic d3Jvbmc=", headers: [("Oracle-Mobile-Backend-ID", id)],
                clientAddress: id == "unknown" ? "192.0.2.8" : "192.0.2.9")
            #expect(answer.status == 401)
        }
        let new = try await told(service).dropFirst(before)
        #expect(new.map(\.kind) == [.refused, .refused] && new.allSatisfy { $0.after["means"]?.text == "basic" })
    }
}
