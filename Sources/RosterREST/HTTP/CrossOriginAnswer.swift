/// The header fields that let a page of another origin read an answer (Fetch standard, CORS).
enum CrossOriginAnswer {
    /// Answers a request of a page of another origin, and says whether the page may read the answer.
    static func wrapped(
        _ request: HTTPRequest, _ policy: @autoclosure () -> CrossOriginPolicy, _ interfaces: [ServiceInterface],
        isPage: (_ target: String) -> Bool, _ answer: () -> HTTPAnswer
    ) -> HTTPAnswer {
        guard let origin = request.headers["Origin"] else { return answer() }
        let policy = policy()
        guard !policy.allowsNothing, !isPage(request.target) else { return answer() }
        // Every answer says which pages may read it, also an answer to a page that may not.
        let isAllowed = policy.allows(origin: origin)
        if request.method == "OPTIONS", request.headers["Access-Control-Request-Method"] != nil {
            return .now(preflight(origin, isAllowed: isAllowed, interfaces))
        }
        switch answer() {
        case .now(let response): return .now(marked(response, origin, isAllowed: isAllowed))
        case .later(let work): return .later { marked(await work(), origin, isAllowed: isAllowed) }
        }
    }

    /// The answer to a browser's preflight request. Pages of other origins send tokens, so cookies are not allowed.
    private static func preflight(
        _ origin: String, isAllowed: Bool, _ interfaces: [ServiceInterface]
    ) -> HTTPResponse {
        var response = HTTPResponse(isAllowed ? 204 : 403, headers: ["Vary": "Origin"])
        guard isAllowed else { return response }
        response.headers.add("Access-Control-Allow-Origin", origin)
        response.headers.add("Access-Control-Allow-Methods", "GET, HEAD, POST, PUT, PATCH, DELETE")
        response.headers.add(
            "Access-Control-Allow-Headers",
            (["Authorization", "Content-Type", "DPoP", "If-Match", "If-None-Match", "Last-Event-ID"]
                + Set(interfaces.flatMap(\.fields)).sorted()).joined(separator: ", "))
        response.headers.add("Access-Control-Max-Age", "600")
        return response
    }

    /// Adds to an answer whether a page of the origin may read it.
    private static func marked(_ response: HTTPResponse, _ origin: String, isAllowed: Bool) -> HTTPResponse {
        var response = response
        response.headers.add("Vary", "Origin")
        guard isAllowed else { return response }
        response.headers.add("Access-Control-Allow-Origin", origin)
        response.headers.add(
            "Access-Control-Expose-Headers", "ETag, Location, Retry-After, WWW-Authenticate, X-Request-ID")
        return response
    }
}
