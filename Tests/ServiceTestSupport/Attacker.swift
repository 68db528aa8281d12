import Foundation
import Roster
import RosterREST
package import RosterSignIn
import RosterText
import Testing
import TestSupport

extension App {
    /// The request for a code as the fields of a form: unlike an address, a form may hold line breaks.
    package func authorizeForm(_ changes: [String: String?] = [:]) throws -> [(String, String)] {
        let kept = changes.mapValues { $0.map { _ in "" } }
        let fields = parameters(of: try authorizePath(kept))
        return fields.map { name, value in (name, changes[name].flatMap { $0 } ?? value) }
    }

    /// Brings what a page kept to an address, as its form would.
    package func bring(_ page: Answer, to path: String, _ more: [(String, String)] = []) async throws -> Answer {
        await browse("POST", path, form: [("request", try Self.sealed(page))] + more)
    }

    /// Gives the engineer another password, as an administrator would.
    package func changePassword(to password: String = "another good password") async throws {
        let hash = try PasswordHash.make(password, .forTests)
        try await service.directory.unrestricted.users.modify(
            .named(ServiceUnderTest.engineer), [.set("password", .string(hash.text))])
    }

    /// Changes the backend's settings, all others staying as they are.
    package func change(_ change: (inout BackendSettings) -> Void) async throws {
        let view = service.directory.unrestricted
        let now = try #require(try view.read { try $0.backends.all() }.first { $0.id == record.id })
        var settings = now.settings
        change(&settings)
        _ = try await Backend.change(
            record.id, to: .init(name: now.name, settings: settings), keys: service.signIn.oauth.keys, in: view
        )
    }

    /// What ends whatever the engineer has signed in to.
    package func end(_ what: Ending) async throws {
        let users = service.directory.unrestricted.users
        switch what {
        case .passwordChange: try await changePassword()
        case .disabling: try await users.modify(.named(ServiceUnderTest.engineer), [.set("active", .boolean(false))])
        case .deletion: try await users.delete(.named(ServiceUnderTest.engineer))
        case .signOutEverywhere:
            let id = try await users.user(.named(ServiceUnderTest.engineer)).id
            try await service.signIn.oauth.introspection.signOutEverywhere(id, from: "here")
        }
    }
}

/// What ends whatever somebody has signed in to.
package enum Ending: String, CaseIterable, Sendable {
    case passwordChange, disabling, deletion, signOutEverywhere
}

extension Answer {
    /// Whether it holds nothing that anybody could use.
    package var givesNothing: Bool {
        status >= 400 && header("Location") == nil && self["access_token"] == nil && self["refresh_token"] == nil
            && self["id_token"] == nil
    }
}
