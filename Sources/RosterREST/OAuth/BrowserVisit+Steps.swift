import RosterSignIn
import RosterText

/// Signing in on our pages in two steps: the password, then the second factor of a user who has one.
extension BrowserVisit {
    /// Answers the form of a user who proves the second factor, after the password was right.
    func proved(_ form: Form, _ begun: String, _ query: JSONValue, _ page: Page) async throws -> HTTPResponse {
        do {
            let person = try await oauth.signingIn.finish(begun, Self.proof(form), at: .page, from: call.origin)
            return try await continueRequest(as: person, person.amr, at: oauth.clock(), query, page)
        } catch AuthenticationFailure.wrong {
            throw Self.stale
        } catch let failure as AuthenticationFailure {
            guard let questions = try oauth.signingIn.questions(ofBegun: begun) else { throw Self.stale }
            return try secondStep(page, query, begun, questions, problem: failure)
        }
    }

    /// The page that asks for the second factor.
    func secondStep(
        _ page: Page, _ query: JSONValue, _ begun: String, _ questions: [String], problem: AuthenticationFailure
    ) throws -> HTTPResponse {
        let (sealed, cookie) = try seal(page.rawValue, query, session: nil, begun: begun)
        var headers = Self.retryAfter(problem)
        headers.add("Set-Cookie", cookie)
        return try pages.response(
            pages.secondStep(
                to: application(query, page), action: page.rawValue, sealed: sealed, problem: self.problem(problem),
                questions: questions), status: Self.status(problem), headers: headers)
    }

    /// The text for a user whose sign-in is not complete; nil for a user who has done nothing wrong.
    func problem(_ failure: AuthenticationFailure) -> String? {
        if case .secondFactorRequired = failure { return nil }
        if let seconds = Self.seconds(failure) {
            return pages.texts("There were too many attempts. Try again in {{n}} seconds.", ["n": String(seconds)])
        }
        return OAuthError(failure)?.text ?? failure.description
    }

    static func status(_ failure: AuthenticationFailure) -> Int { seconds(failure) == nil ? 401 : 429 }

    static func retryAfter(_ failure: AuthenticationFailure) -> HTTPHeaders {
        seconds(failure).map { ["Retry-After": String($0)] } ?? [:]
    }

    /// The seconds until another attempt is possible; nil if it is possible now.
    private static func seconds(_ failure: AuthenticationFailure) -> Int? {
        switch failure {
        case .tooManyAttempts(let seconds): seconds
        case .overloaded: 1
        case .wrong, .secondFactorRequired, .secondFactorWrong, .secondFactorLost: nil
        }
    }
}
