import Roster
import RosterSignIn
import RosterText

/// The consents of a user: which apps may know and do what. A user can list and withdraw them.
enum ConsentAPI {
    private static let path = "/mobile/platform/users/~/consents"

    static let routes: [Route] = [
        Route("GET", path, "The apps that one allows something, each with its scopes.", style: .oauth) { exchange in
            let (user, _) = try SecondFactorAPI.own(exchange)
            let consents = try exchange.context.directory.consents(of: user)
            return .now(
                .json([
                    "consents": .array(
                        consents.map { consent in
                            [
                                "client_id": .string(consent.clientID), "name": .string(consent.name),
                                "version": .string(consent.version),
                                "scope": .string(consent.scopes.joined(separator: " ")),
                            ]
                        })
                ]))
        },
        Route(
            "DELETE", path + "/{client_id}",
            "Take back what one allows an app. The app's tokens for oneself end at once.", style: .oauth,
            answer: .init(status: 204, schema: nil)
        ) { exchange in
            let (user, _) = try SecondFactorAPI.own(exchange)
            return .later {
                guard
                    try await exchange.context.oauth.withdrawConsent(
                        of: user, clientID: exchange.arguments[0], from: exchange.request.peer)
                else { throw RequestError(.notFound, "This app is allowed nothing.") }
                return HTTPResponse(204)
            }
        },
    ]
}
