import Roster
import RosterSignIn
import RosterText

/// A request that has a route, before anybody knows who sends it. A class, since each step hands it on.
final class Call: Sendable {
    let route: Route
    let request: HTTPRequest
    let target: RequestTarget
    /// What stands in the path where the route has parameters.
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

/// A request and who sends it: what a handler gets. A class, since handlers hand it on to what they do later.
final class Exchange: Sendable {
    let call: Call
    /// What stands in the path where the route has parameters.
    let arguments: [String]
    /// Who asks; nil where everyone may.
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

    /// Answers a look-up at once; one of a large record in the caller's turn among the searches.
    func lookingUp(_ answer: @escaping @Sendable (Transaction) throws -> HTTPResponse) throws -> Reply {
        if let response = try view.lookUp(answer) { return .now(response) }
        return .later { [view] in try await view.awaitRead(answer) }
    }

    /// The one value of a parameter; nil where it is not given.
    ///
    /// - Throws: 400 where it is given twice: who reads the first and who reads the last would not agree.
    func parameter(_ name: String) throws -> String? {
        if target.query.isEmpty { return nil }
        let values = target.query.filter { $0.name == name }
        guard values.count <= 1 else {
            throw RequestError(.badRequest, "The parameter '\(name)' is given \(values.count) times.")
        }
        return values.first?.value
    }

    /// A whole number.
    func integer(_ name: String) throws -> Int? {
        guard let text = try parameter(name) else { return nil }
        guard let number = Int(text) else {
            throw RequestError(.badRequest, "The parameter '\(name)' takes a whole number.")
        }
        return number
    }

    /// A list with commas between its elements.
    func list(_ name: String) throws -> [String]? {
        try parameter(name).map { text in
            // What is named twice is not returned twice.
            var seen: Set<String> = []
            return text.split(separator: ",").map { String($0.drop { $0 == " " }) }.filter {
                !$0.isEmpty && seen.insert($0).inserted
            }
        }
    }

    /// The body as JSON.
    ///
    /// - Throws: 415 for another media type, 400 for what is not JSON.
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
    /// JSON with its media type.
    static func json(
        _ value: JSONValue, status: Int = 200, type: String = "application/json", headers: HTTPHeaders = [:]
    ) -> HTTPResponse {
        json(value.bytes, status: status, type: type, headers: headers)
    }

    /// JSON that is written already, with its media type.
    static func json(
        _ bytes: [UInt8], status: Int = 200, type: String = "application/json", headers: HTTPHeaders = [:]
    ) -> HTTPResponse {
        var headers = headers
        headers.add("Content-Type", type)
        return HTTPResponse(status, headers: headers, body: .bytes(bytes))
    }
}
