import Foundation
import Roster
import RosterOpenID
import RosterREST
import RosterSignIn
import RosterText
import ServiceTestSupport
import Testing
import TestSupport

@Suite("Telling apps that a session has ended (back-channel logout)", .timeLimit(.minutes(3)))
struct SignOutNoticeTests {
    private let service: ServiceUnderTest
    private let receiver: TLSReceiver
    private let app: App

    init() async throws {
        service = try await ServiceUnderTest()
        receiver = try await onThread { try TLSReceiver() }
        app = try await App(
            service,
            [
                "backchannel_logout_uri": .string(receiver.url("/bye")),
                "post_logout_redirect_uris": ["https://shop.example.com/bye"],
            ])
        service.signIn.oauth.registered.use(receiver.transport)
        let set = await service.request("PUT", "/admin/policies/allow_private_addresses", ["value": true])
        #expect(set.status == 201)
    }

    /// The tokens that the receiver got.
    private var received: [JSONWebToken] {
        get throws {
            try receiver.requests.compactMap { $0.split(separator: "logout_token=").last.map(String.init) }
                .map { try JSONWebToken($0) }
        }
    }

    private var state: [JSONValue] {
        get async {
            await service.request("GET", "/admin/backends/\(app.record.id)/sign-outs")["sign_outs"]?.elements ?? []
        }
    }

    private func signOut(_ hint: String) async {
        _ = await app.browse("GET", "/oauth2/logout?id_token_hint=" + hint)
    }

    @Test("A sign-out tells the app by a token that names the user and the session, and that is no other token")
    func signOut() async throws {
        let answer = await app.redeem(try await app.code())
        let hint = try #require(answer["id_token"]?.text)
        let idToken = try JSONWebToken(hint).claims
        #expect(idToken["sid"]?.text?.isEmpty == false)
        #expect(try await service.signIn.oauth.signOutNotices.sendSignOutNotices() == 0, "the session lives")
        await signOut(hint)
        #expect(await state.count == 1)
        try await service.signIn.oauth.signOutNotices.sendSignOutNotices()
        let token = try #require(try received.first)
        #expect(token.type == "logout+jwt" && token.claims["aud"]?.text == app.clientID)
        #expect(token.claims["sid"] == idToken["sid"] && token.claims["sub"] == idToken["sub"])
        #expect(token.claims["events"]?["http://schemas.openid.net/event/backchannel-logout"] == [:])
        #expect(token.claims["nonce"] == nil && token.claims["jti"] != nil && token.claims["exp"] != nil)
        #expect(
            try service.signIn.oauth.keys.verify(
                receiver.requests[0].split(separator: "=").last.map(String.init) ?? "", type: "logout+jwt") != nil)
        #expect(await state.isEmpty, "the app has taken it")
        let asHint = receiver.requests[0].split(separator: "logout_token=").last.map(String.init) ?? ""
        #expect(try service.signIn.oauth.introspection.idTokenHint(asHint) == nil)
        #expect(await app.status("/scim/v2/Me", asHint) == 401)
    }

    @Test("A session that ends in another way is told as well", arguments: ["disabled", "expired", "everywhere"])
    func otherEnds(how: String) async throws {
        _ = await app.redeem(try await app.code())
        switch how {
        case "disabled":
            try await service.directory.unrestricted.users.modify(
                .named(ServiceUnderTest.engineer), attributes: ["active": false])
        case "expired": service.clock.advance(by: 86_401)
        default:
            let user = try await service.directory.unrestricted.users.user(ServiceUnderTest.engineer)
            try await service.signIn.oauth.introspection.signOutEverywhere(user.id, from: ClientOrigin("192.0.2.1"))
        }
        try await service.signIn.oauth.signOutNotices.noteEndedSessions()
        try await service.signIn.oauth.signOutNotices.sendSignOutNotices()
        #expect(try received.count == 1)
    }

    @Test("A notice that fails is sent again, later each time, and its state is shown until it is given up")
    func retries() async throws {
        try receiver.answer(503)
        let hint = try #require(await app.redeem(try await app.code())["id_token"]?.text)
        await signOut(hint)
        for (attempt, pause) in [10, 60, 300, 1_800, 7_200].enumerated() {
            try await service.signIn.oauth.signOutNotices.sendSignOutNotices()
            #expect(try await service.signIn.oauth.signOutNotices.sendSignOutNotices() == 0, "not before its time")
            let shown = try #require(await state.first)
            #expect(shown["attempts"] == .integer(Int64(attempt + 1)))
            #expect(shown["problem"]?.text?.contains("503") == true && shown["next"]?.isNull == false)
            service.clock.advance(by: Double(pause))
        }
        try await service.signIn.oauth.signOutNotices.sendSignOutNotices()
        #expect(await state.first?["next"]?.isNull == true)
        service.clock.advance(by: 100_000)
        #expect(try await service.signIn.oauth.signOutNotices.sendSignOutNotices() == 0)
        #expect(receiver.requests.count == 6)
        service.clock.advance(by: 604_800)
        try await service.signIn.tidyUp()
        #expect(await state.isEmpty)
    }

    @Test("An app that takes the second attempt is told once more and then no more")
    func recovered() async throws {
        try receiver.answer(500)
        let hint = try #require(await app.redeem(try await app.code())["id_token"]?.text)
        await signOut(hint)
        try await service.signIn.oauth.signOutNotices.sendSignOutNotices()
        try receiver.answer(204)
        service.clock.advance(by: 11)
        try await service.signIn.oauth.signOutNotices.sendSignOutNotices()
        #expect(await state.isEmpty && receiver.requests.count == 2)
    }

    @Test("No private address is called unless an administrator allows it, no redirect followed, no large answer read")
    func limits() async throws {
        let hint = try #require(await app.redeem(try await app.code())["id_token"]?.text)
        _ = await service.request("PUT", "/admin/policies/allow_private_addresses", ["value": false])
        await signOut(hint)
        try await service.signIn.oauth.signOutNotices.sendSignOutNotices()
        #expect(receiver.requests.isEmpty)
        #expect(await state.first?["problem"]?.text?.isEmpty == false)
        _ = await service.request("PUT", "/admin/policies/allow_private_addresses", ["value": true])
        try receiver.answer(302, headers: ["Location": receiver.url("/elsewhere")])
        service.clock.advance(by: 11)
        try await service.signIn.oauth.signOutNotices.sendSignOutNotices()
        #expect(receiver.requests.count == 1 && receiver.requests[0].contains("/bye"))
        try receiver.answer(200, String(repeating: "x", count: 70_000))
        service.clock.advance(by: 61)
        try await service.signIn.oauth.signOutNotices.sendSignOutNotices()
        #expect(await state.first?["attempts"] == 3, "an answer of more than 64 KB is no success")
    }

    @Test(
        "Only https addresses without a fragment or a name can be registered",
        arguments: ["http://a.example.com/x", "https://a.example.com/#x", "https://b@a.example.com/x", "x", "https://"])
    func addresses(address: String) throws {
        #expect(throws: DirectoryError.self) { _ = try BackendSettings(["backchannel_logout_uri": .string(address)]) }
    }

    @Test("An app without an address is not told, and its id tokens name no session")
    func without() async throws {
        let plain = try await App(service, named: "plain")
        let hint = try #require(await plain.redeem(try await plain.code())["id_token"]?.text)
        #expect(try JSONWebToken(hint).claims["sid"] == nil)
        _ = await plain.browse("GET", "/oauth2/logout?id_token_hint=" + hint)
        try await service.signIn.oauth.signOutNotices.noteEndedSessions()
        #expect(try await service.signIn.oauth.signOutNotices.sendSignOutNotices() == 0)
    }
}
