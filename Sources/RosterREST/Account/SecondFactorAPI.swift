import Roster
import RosterSignIn
import RosterText

/// The second factor of the signed-in user: an authenticator app, or challenge questions.
enum SecondFactorAPI {
    static let begin = Endpoint(
        "Begin to set up an authenticator app: the secret, and the address for its QR code."
    ) { call in
        let (user, name) = try call.ownUser()
        let begun = try call.oauth.secondFactors.begin(for: user, account: name)
        return .now(.json(["secret": .string(begun.secret), "otpauth_uri": .string(begun.address)]))
    }

    static let confirm = Endpoint(
        "Set it up with a code that the app shows. The recovery codes are shown this once.", body: .object
    ) { call in
        let user = try call.ownUser().id
        let code = try code(call)
        return .later {
            let codes = try await call.oauth.secondFactors.confirm(code, for: user)
            return .json(["recovery_codes": .texts(codes)])
        }
    }

    static let remove = Endpoint("Remove it with one of its codes.", body: .object, answer: .none) { call in
        let user = try call.ownUser().id
        let code = try code(call)
        return .done { try await call.oauth.secondFactors.remove(with: code, for: user) }
    }

    static let questions = Endpoint("One's challenge questions.") { call in
        let user = try call.ownUser().id
        let texts = try call.oauth.secondFactors.questions(of: user)
        return .now(.json(["questions": .texts(texts)]))
    }

    static let setQuestions = Endpoint(
        "Set up challenge questions: two to five, each an object of 'question' and 'answer'.", body: .object,
        answer: .none
    ) { call in
        let user = try call.ownUser().id
        guard call.context.takesQuestions else {
            throw RequestError(
                .notPermitted, "This server takes no new challenge questions. Set up an authenticator app.")
        }
        let pairs = try call.json()["questions"]?.elements.map { entry in
            guard let question = entry["question"]?.text, let answer = entry["answer"]?.text else {
                throw RequestError(.badRequest, "Each question is an object of 'question' and 'answer'.")
            }
            return (question, answer)
        }
        guard let pairs else { throw RequestError(.badRequest, "The body has no list 'questions'.") }
        return .done { try await call.oauth.secondFactors.setQuestions(pairs, for: user) }
    }

    static let removeQuestions = Endpoint(
        "Remove them with their answers: 'kbaAnswers', by question.", body: .object, answer: .none
    ) { call in
        let user = try call.ownUser().id
        guard let answers = try call.json()["kbaAnswers"].flatMap(SecondFactorProof.answers) else {
            throw RequestError(.badRequest, "'kbaAnswers' takes an object of questions and answers.")
        }
        return .done { try await call.oauth.secondFactors.removeQuestions(with: answers, for: user) }
    }

    private static func code(_ call: Call) throws -> String {
        guard let code = try call.json()["code"]?.text, code.utf8.count <= 64 else {
            throw RequestError(.badRequest, "The body has no text 'code'.")
        }
        return code
    }
}
