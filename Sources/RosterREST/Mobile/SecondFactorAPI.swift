import Roster
import RosterSignIn
import RosterWire

/// One's own second factor: an authenticator app.
enum SecondFactorAPI {
    private static let path = "/mobile/platform/users/~/totp"

    static let routes: [Route] = [
        Route(
            "POST", path, "Begin to set up an authenticator app: the secret, and the address for its QR code.",
            style: .oauth
        ) { exchange in
            let (user, name) = try own(exchange)
            let begun = try exchange.context.oauth.secondFactors.begin(for: user, account: name)
            return .now(.json(["secret": .string(begun.secret), "otpauth_uri": .string(begun.address)]))
        },
        Route(
            "POST", path + "/confirm",
            "Set it up with a code that the app shows. The recovery codes are shown this once.",
            style: .oauth, body: ["type": "object"]
        ) { exchange in
            let (user, _) = try own(exchange)
            let code = try code(exchange)
            return .later {
                let codes = try await exchange.context.oauth.secondFactors.confirm(code, for: user)
                return .json(["recovery_codes": .array(codes.map { .string($0) })])
            }
        },
        Route(
            "POST", path + "/remove", "Remove it with one of its codes.", style: .oauth, body: ["type": "object"],
            answer: .init(status: 204, schema: nil)
        ) { exchange in
            let (user, _) = try own(exchange)
            let code = try code(exchange)
            return .later {
                try await exchange.context.oauth.secondFactors.remove(with: code, for: user)
                return HTTPResponse(204)
            }
        },
    ]

    /// An app that somebody only signed in to must not change how they sign in.
    private static func own(_ exchange: Exchange) throws -> (UserID, String) {
        guard case .user(let id)? = exchange.identity?.caller, let identity = exchange.identity else {
            throw RequestError(.notFound, "Whoever asks is no user of the directory.")
        }
        guard identity.mayUseDirectory else {
            throw OAuthError(.insufficientScope, "The access token needs the scope 'directory' here.")
        }
        return (id, identity.name)
    }

    private static func code(_ exchange: Exchange) throws -> String {
        guard let code = try exchange.json()["code"]?.text, code.utf8.count <= 64 else {
            throw RequestError(.badRequest, "The body has no text 'code'.")
        }
        return code
    }
}
