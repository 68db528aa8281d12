/// What a browser wants to know before a page of another origin reads an answer (Fetch standard, CORS).
enum CrossOriginAnswer {
    /// The answer to a browser that asks first. Cookies stay out of it: pages of others bring tokens.
    static func preflight(_ origin: String, isAllowed: Bool) -> HTTPResponse {
        var response = HTTPResponse(isAllowed ? 204 : 403, headers: ["Vary": "Origin"])
        guard isAllowed else { return response }
        response.headers.add("Access-Control-Allow-Origin", origin)
        response.headers.add("Access-Control-Allow-Methods", "GET, HEAD, POST, PUT, PATCH, DELETE")
        response.headers.add(
            "Access-Control-Allow-Headers",
            "Authorization, Content-Type, If-Match, If-None-Match, Last-Event-ID, Oracle-Mobile-Backend-ID, "
                + "Oracle-Mobile-Social-Identity-Provider, Oracle-Mobile-Social-Access-Token, "
                + "X-IDAAS-REST-AUTHORIZATION, X-IDAAS-SERVICEDOMAIN, X-IDAAS-REST-VERSION")
        response.headers.add("Access-Control-Max-Age", "600")
        return response
    }

    /// An answer that a page of the origin may read, where it may.
    static func marked(_ response: HTTPResponse, _ origin: String, isAllowed: Bool) -> HTTPResponse {
        var response = response
        response.headers.add("Vary", "Origin")
        guard isAllowed else { return response }
        response.headers.add("Access-Control-Allow-Origin", origin)
        response.headers.add(
            "Access-Control-Expose-Headers", "ETag, Location, Retry-After, WWW-Authenticate, X-Request-ID")
        return response
    }
}
