import Roster
import RosterSignIn
import RosterText

/// A row of the table that routes requests and describes them in `/openapi.json`.
struct Route: Sendable {
    /// A part of a path.
    enum Segment: Sendable, Hashable {
        case fixed(String)
        /// Whatever stands there; the name for the description.
        case parameter(String)
    }

    /// A parameter of the query or a header field.
    struct Parameter: Sendable {
        let name: String
        let summary: String
        /// Its JSON Schema.
        let schema: JSONValue
        var isHeader = false
        /// Whether its value is a list with commas.
        var isList = false
        /// Where any parameter that begins with this name is one: whose attributes follow.
        var prefixOf: ProfileRelation.Owner?
    }

    /// Who gets through to the handler. What they may do there, the directory's views decide.
    enum Access: Sendable {
        case everyone
        case authenticated
    }

    let method: String
    let path: [Segment]
    let access: Access
    /// Whether the handler may look things up in the directory. Where it does not, the answer comes whatever the directory
    /// is busy with.
    let asksDirectory: Bool
    /// Whether it is a GET that may be asked for its header alone: not where the answer uses something up.
    let takesHead: Bool
    let style: ErrorStyle
    /// What it does, in a line.
    let summary: String
    let parameters: [Parameter]
    /// The JSON Schema of the body that it takes; nil for none.
    let body: JSONValue?
    /// The name among the schemas of `/openapi.json` of what it answers.
    let answer: Answer
    let handler: @Sendable (Exchange) throws -> Reply

    /// What is answered when all is well.
    struct Answer: Sendable {
        var status = 200
        var mediaType = "application/json"
        /// A JSON Schema, or nil for no body.
        var schema: JSONValue? = ["type": "object"]
        /// Other statuses that are no errors.
        var others: [Int] = []
    }

    /// Whether `/openapi.json` describes it. What the standards of OAuth describe is told by its own discovery documents.
    var isDescribed: Bool {
        style != .oauth && style != .syncGateway && !template.hasPrefix("/admin/")
            && !template.hasPrefix("/oic_rest/rest/{service}")
    }

    /// How many parts of the path are parameters.
    var parameterCount: Int { path.count { if case .parameter = $0 { true } else { false } } }

    /// The path as the description and the metrics write it: `/people/{uid}`.
    let template: String

    init(
        _ method: String, _ template: String, _ summary: String, style: ErrorStyle, access: Access = .authenticated,
        asksDirectory: Bool = true, takesHead: Bool = true, parameters: [Parameter] = [], body: JSONValue? = nil,
        answer: Answer = Answer(),
        handler: @escaping @Sendable (Exchange) throws -> Reply
    ) {
        self.method = method
        self.template = template
        path = template.split(separator: "/").map { segment in
            segment.hasPrefix("{")
                ? .parameter(String(segment.dropFirst().dropLast())) : .fixed(String(segment))
        }
        self.access = access
        self.asksDirectory = asksDirectory
        self.takesHead = takesHead && method == "GET"
        self.style = style
        self.summary = summary
        self.parameters = parameters
        self.body = body
        self.answer = answer
        self.handler = handler
    }
}

extension Route {
    /// Refuses whoever may not call this interface at all.
    func check(_ identity: Identity, _ oauth: OAuthService) throws {
        guard let api = style.api else { return }
        // To read one's own profile is for whoever may know it; to write it, as all else, takes the directory's scope.
        let isOwnProfile = style == .mobile && method == "GET"
        try identity.check(api, orScope: isOwnProfile ? "profile" : nil, oauth)
    }
}

/// How a handler answers.
enum Reply: Sendable {
    /// At once.
    case now(HTTPResponse)
    /// When the work is done.
    case later(@Sendable () async throws -> HTTPResponse)

    /// The response, waiting for what takes longer.
    func response() async throws -> HTTPResponse {
        switch self {
        case .now(let response): response
        case .later(let work): try await work()
        }
    }
}

/// A request on its way through the service, with what has been found out about it.
struct Exchange: Sendable {
    let request: HTTPRequest
    let target: RequestTarget
    /// What stands in the path where the route has parameters.
    var arguments: [String]
    /// Who asks; nil where everyone may.
    let identity: Identity?
    let context: ServiceContext

    /// The directory as the caller may see it.
    var view: DirectoryView {
        context.directory.acting(as: identity?.caller ?? .nobody, by: identity?.presence ?? .person(nil))
    }

    /// Answers a look-up at once; one of a large record in the caller's turn among the searches.
    func lookingUp(_ answer: @escaping @Sendable (Session) throws -> HTTPResponse) throws -> Reply {
        if let response = try view.lookUp(answer) { return .now(response) }
        return .later { try await view.awaitRead(answer) }
    }

    /// The one value of a parameter; nil where it is not given.
    ///
    /// - Throws: 400 where it is given twice: who reads the first and who reads the last would not agree.
    func parameter(_ name: String) throws -> String? {
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
            return text.split(separator: ",").map { String($0.trimmingPrefix { $0 == " " }) }.filter {
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
        var headers = headers
        headers.add("Content-Type", type)
        return HTTPResponse(status, headers: headers, body: .bytes(value.bytes))
    }
}
