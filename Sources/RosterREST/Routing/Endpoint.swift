import RosterText

/// What answers the requests of a route, with the description of it that `/openapi.json` shows.
struct Endpoint: Sendable {
    /// A parameter of the query or a header field.
    struct Parameter: Sendable {
        /// The name.
        let name: String
        /// What it means, in a line.
        let summary: String
        /// Its JSON Schema.
        let schema: JSONValue
        /// Whether it is a header field.
        var isHeader = false
        /// Whether a request without it is refused.
        var isRequired = false
        /// Whether its value is a list with commas.
        var isList = false
        /// Set where any parameter that begins with the name is meant; the attributes of this owner follow the name.
        var prefixOf: ProfileRelation.Owner?
    }

    /// The body that a request has.
    struct Body: Sendable, ExpressibleByDictionaryLiteral {
        /// The JSON Schema.
        let schema: JSONValue
        /// The media types; empty for those of the interface.
        var mediaTypes: [String] = []
        /// Whether a request without a body is refused.
        var isRequired = true

        init(_ schema: JSONValue, as mediaTypes: [String] = [], isRequired: Bool = true) {
            self.schema = schema
            self.mediaTypes = mediaTypes
            self.isRequired = isRequired
        }

        init(dictionaryLiteral elements: (String, JSONValue)...) {
            schema = .object(elements.map { .init($0.0, $0.1) })
        }

        /// Any JSON object.
        static let object: Body = ["type": "object"]
        /// A form with these fields.
        static func form(required: [String] = [], _ fields: [String] = []) -> Body {
            Body(
                [
                    "type": "object", "required": .array(required.map { .string($0) }),
                    "properties": .object((required + fields).map { .init($0, ["type": "string"]) }),
                ], as: ["application/x-www-form-urlencoded"])
        }
    }

    /// The answer when all is well.
    struct Answer: Sendable {
        /// The status.
        var status = 200
        /// The media type.
        var mediaType = "application/json"
        /// A JSON Schema; nil for no body.
        var schema: JSONValue? = ["type": "object"]
        /// Other statuses that are no errors.
        var others: [Int] = []
        /// Whether the field `Location` says where what was made is.
        var hasLocation = false

        /// A JSON object.
        static let object = Answer()
        /// A JSON object that was made, and its address.
        static let created = Answer(status: 201, hasLocation: true)
        /// No body.
        static let none = Answer(status: 204, schema: nil)
        /// A page for people.
        static let page = Answer(mediaType: "text/html", schema: ["type": "string"], others: [303])
    }

    /// What it does, in a line.
    let summary: String
    /// The parameters of the query and the header fields.
    let parameters: [Parameter]
    /// The body of a request; nil for none.
    let body: Body?
    /// The answer.
    let answer: Answer
    /// Whether the handler may look things up in the directory. Where it does not, the answer comes however busy the
    /// directory is.
    let asksDirectory: Bool
    /// Whether a GET may be asked for its header alone: not where the answer uses something up.
    let takesHead: Bool
    /// Makes the answer.
    let handler: @Sendable (Exchange) throws -> Reply

    init(
        _ summary: String, parameters: [Parameter] = [], body: Body? = nil, answer: Answer = .object,
        asksDirectory: Bool = true, takesHead: Bool = true, handler: @escaping @Sendable (Exchange) throws -> Reply
    ) {
        self.summary = summary
        self.parameters = parameters
        self.body = body
        self.answer = answer
        self.asksDirectory = asksDirectory
        self.takesHead = takesHead
        self.handler = handler
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
