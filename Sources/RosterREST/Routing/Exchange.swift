import Roster
import RosterSignIn
import RosterText

/// A request with its route, before the caller is known. It is a class, since every step passes it on.
final class Call: Sendable {
    let route: Route
    let request: HTTPRequest
    let target: RequestTarget
    /// The segments of the path where the route has parameters.
    let arguments: [String]
    let arrival: Arrival

    init(_ route: Route, _ request: HTTPRequest, _ target: RequestTarget, _ arguments: [String], _ arrival: Arrival) {
        self.route = route
        self.request = request
        self.target = target
        self.arguments = arguments
        self.arrival = arrival
    }
}

/// A request with its caller: the argument of a handler. It is a class, since handlers capture it.
final class Exchange: Sendable {
    let call: Call
    /// The segments of the path where the route has parameters.
    let arguments: [String]
    /// The caller; nil if the route lets everyone in.
    let identity: Identity?
    let context: ServiceContext

    init(_ call: Call, _ arguments: [String]? = nil, identity: Identity?, context: ServiceContext) {
        self.call = call
        self.arguments = arguments ?? call.arguments
        self.identity = identity
        self.context = context
    }

    var request: HTTPRequest { call.request }
    var target: RequestTarget { call.target }

    /// The same request with other arguments of the path.
    func with(_ arguments: [String]) -> Exchange {
        Exchange(call, arguments, identity: identity, context: context)
    }

    /// The directory as the caller may see it.
    var view: DirectoryView {
        context.directory.acting(as: identity?.caller ?? .nobody, by: identity?.presence ?? .person(nil))
    }

    /// Answers a look-up at once. A look-up of a large record waits for the caller's turn among the searches.
    func lookingUp(_ answer: @escaping @Sendable (Transaction) throws -> HTTPResponse) throws -> Reply {
        if let response = try view.lookUp(answer) { return .now(response) }
        return .later { [view] in try await view.awaitRead(answer) }
    }

    /// The value of a parameter of the query; nil if it is missing.
    ///
    /// - Throws: 400 if the parameter stands there twice, since programs disagree about which value counts.
    func parameter(_ name: String) throws -> String? {
        if target.query.isEmpty { return nil }
        let values = target.query.filter { $0.name == name }
        guard values.count <= 1 else {
            throw RequestError(.badRequest, "The parameter '\(name)' is given \(values.count) times.")
        }
        return values.first?.value
    }

    /// The whole number in a parameter.
    func integer(_ name: String) throws -> Int? {
        guard let text = try parameter(name) else { return nil }
        guard let number = Int(text) else {
            throw RequestError(.badRequest, "The parameter '\(name)' takes a whole number.")
        }
        return number
    }

    /// The elements of a list in a parameter, which commas separate.
    func list(_ name: String) throws -> [String]? {
        try parameter(name).map { text in
            // An element that stands there twice counts once.
            var seen: Set<String> = []
            return text.split(separator: ",").map { String($0.drop { $0 == " " }) }.filter {
                !$0.isEmpty && seen.insert($0).inserted
            }
        }
    }

    /// The body as JSON.
    ///
    /// - Throws: 415 for another media type, 400 if the body is not a JSON object.
    func json() throws -> JSONValue {
        let type = (request.headers["Content-Type"] ?? "").split(separator: ";").first.map { part in
            part.filter { $0 != " " }.lowercased()
        }
        guard let type, ["application/json", "application/scim+json"].contains(type) else {
            throw RequestError(.unsupportedMediaType, "The body must be JSON.", headers: ["Accept": "application/json"])
        }
        guard !request.body.isEmpty else { throw RequestError(.badRequest, "The request has no body.") }
        let value = try JSONValue(parsing: request.body)
        guard case .object = value else { throw RequestError(.badRequest, "The body must be a JSON object.") }
        return value
    }
}

extension HTTPResponse {
    /// A response with JSON.
    static func json(
        _ value: JSONValue, status: Int = 200, type: String = "application/json", headers: HTTPHeaders = [:]
    ) -> HTTPResponse {
        json(value.bytes, status: status, type: type, headers: headers)
    }

    /// A response with the text of JSON.
    static func json(
        _ bytes: [UInt8], status: Int = 200, type: String = "application/json", headers: HTTPHeaders = [:]
    ) -> HTTPResponse {
        var headers = headers
        headers.add("Content-Type", type)
        return HTTPResponse(status, headers: headers, body: .bytes(bytes))
    }
}
