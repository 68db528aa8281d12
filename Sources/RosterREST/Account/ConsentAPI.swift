import Roster
import RosterSignIn
import RosterText

/// The consents of a user to the scopes of apps. A user can list and withdraw them.
enum ConsentAPI {
    static let list = Endpoint("The apps that one allows something, each with its scopes.") { call in
        let user = try call.ownUser().id
        let consents = try call.context.directory.consents.consents(of: user).map { consent -> JSONValue in
            [
                "client_id": .string(consent.clientID), "name": .string(consent.name),
                "version": .string(consent.version), "scope": .string(consent.scopes.text),
            ]
        }
        return .now(.json(["consents": .array(consents)]))
    }

    static let withdraw = Endpoint(
        "Take back what one allows an app. The app's tokens for oneself end at once.", answer: .none
    ) { call in
        let user = try call.ownUser().id
        return .done {
            guard
                try await call.oauth.introspection.withdrawConsent(
                    of: user, clientID: call.arguments[0], from: call.origin)
            else { throw RequestError(.notFound, "This app is allowed nothing.") }
        }
    }
}
