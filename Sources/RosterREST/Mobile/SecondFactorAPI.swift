import Roster
import RosterSignIn
import RosterText

/// The second factor of the signed-in user: an authenticator app, or challenge questions.
enum SecondFactorAPI {
    private static let path = "/mobile/platform/users/~/totp"
    private static let questions = "/mobile/platform/users/~/challenge-questions"

    static let routes: [Route] = [
        Route(
            "POST", path, "Begin to set up an authenticator app: the secret, and the address for its QR code.",
            style: .oauth
        ) { exchange in
            let (user, name) = try changingOwn(exchange)
            let begun = try exchange.context.oauth.secondFactors.begin(for: user, account: name)
            return .now(.json(["secret": .string(begun.secret), "otpauth_uri": .string(begun.address)]))
        },
        Route(
            "POST", path + "/confirm",
            "Set it up with a code that the app shows. The recovery codes are shown this once.",
            style: .oauth, body: ["type": "object"]
        ) { exchange in
            let (user, _) = try changingOwn(exchange)
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
            let (user, _) = try changingOwn(exchange)
            let code = try code(exchange)
            return .later {
                try await exchange.context.oauth.secondFactors.remove(with: code, for: user)
                return HTTPResponse(204)
            }
        },
        Route("GET", questions, "One's challenge questions.", style: .oauth) { exchange in
            let (user, _) = try own(exchange)
            let texts = try exchange.context.oauth.secondFactors.questions(of: user)
            return .now(.json(["questions": .array(texts.map { .string($0) })]))
        },
        Route(
            "PUT", questions, "Set up challenge questions: two to five, each an object of 'question' and 'answer'.",
            style: .oauth, body: ["type": "object"], answer: .init(status: 204, schema: nil)
        ) { exchange in
            let (user, _) = try changingOwn(exchange)
            let pairs = try exchange.json()["questions"]?.elements.map { entry in
                guard let question = entry["question"]?.text, let answer = entry["answer"]?.text else {
                    throw RequestError(.badRequest, "Each question is an object of 'question' and 'answer'.")
                }
                return (question, answer)
            }
            guard let pairs else { throw RequestError(.badRequest, "The body has no list 'questions'.") }
            return .later {
                try await exchange.context.oauth.secondFactors.setQuestions(pairs, for: user)
                return HTTPResponse(204)
            }
        },
        Route(
            "POST", questions + "/remove", "Remove them with their answers: 'kbaAnswers', by question.", style: .oauth,
            body: ["type": "object"], answer: .init(status: 204, schema: nil)
        ) { exchange in
            let (user, _) = try changingOwn(exchange)
            guard let answers = try exchange.json()["kbaAnswers"].flatMap(SecondFactorProof.answers) else {
                throw RequestError(.badRequest, "'kbaAnswers' takes an object of questions and answers.")
            }
            return .later {
                try await exchange.context.oauth.secondFactors.removeQuestions(with: answers, for: user)
                return HTTPResponse(204)
            }
        },
        Route(
            "DELETE", "/admin/users/{name}/second-factor", "Remove a user's second factor, who has lost it.",
            style: .problem, answer: .init(status: 204, schema: nil)
        ) { exchange in
            .later {
                let name = exchange.arguments[0]
                guard try await exchange.view.awaitWrite({ try $0.removeSecondFactor(of: .either(name)) }) else {
                    throw RequestError(.notFound, "The user has no second factor.")
                }
                return HTTPResponse(204)
            }
        },
    ]

    /// The user who sends a request. An app that the user only signed in to must not change how the user signs in.
    static func own(_ exchange: Exchange) throws -> (UserID, String) {
        guard case .user(let id)? = exchange.identity?.caller, let identity = exchange.identity else {
            throw RequestError(.notFound, "Whoever asks is no user of the directory.")
        }
        try identity.check("mobile", exchange.context.oauth)
        return (id, identity.name)
    }

    /// The user who sends a request and was present recently. A stolen session must not change how the user signs in.
    private static func changingOwn(_ exchange: Exchange) throws -> (UserID, String) {
        let own = try own(exchange)
        try exchange.view.read { try $0.checkPresence(to: "change a second factor") }
        return own
    }

    private static func code(_ exchange: Exchange) throws -> String {
        guard let code = try exchange.json()["code"]?.text, code.utf8.count <= 64 else {
            throw RequestError(.badRequest, "The body has no text 'code'.")
        }
        return code
    }
}
