import Roster
import RosterText

/// The handler of a route's requests, with its description for `/openapi.json`.
struct Endpoint: Sendable {
    struct Parameter: Sendable {
        let name: String
        let summary: String
        let schema: JSONValue
        var isHeader = false
        var isRequired = false
        /// Whether its value is a list with commas.
        var isList = false
        /// Set where any parameter that begins with the name is meant; the attributes of this owner follow the name.
        var prefixOf: AttributeDefinition.Entity?

        static let ifMatch = Parameter(
            name: "If-Match", summary: "The entity tag of the version that the change is based on.",
            schema: ["type": "string", "format": "entity-tag"], isHeader: true)
        static let ifNoneMatch = Parameter(
            name: "If-None-Match", summary: "The entity tag of the version that the client has.",
            schema: ["type": "string", "format": "entity-tag"], isHeader: true)
    }

    struct Body: Sendable, ExpressibleByDictionaryLiteral {
        let schema: JSONValue
        /// Whether a request without a body is refused.
        var isRequired = true
        var mediaType = "application/json"

        init(_ schema: JSONValue, isRequired: Bool = true, mediaType: String = "application/json") {
            self.schema = schema
            self.isRequired = isRequired
            self.mediaType = mediaType
        }

        init(dictionaryLiteral elements: (String, JSONValue)...) {
            schema = .object(elements.map { .init($0.0, $0.1) })
        }

        static let object: Body = ["type": "object"]
        /// The bytes of a file.
        static let file = Body(["type": "string", "format": "binary"], mediaType: "application/octet-stream")
    }

    /// The answer when all is well.
    struct Answer: Sendable {
        var status = 200
        var mediaType = "application/json"
        /// A JSON Schema; nil for no body.
        var schema: JSONValue? = ["type": "object"]
        /// Other statuses that are not errors.
        var others: [Int] = []
        /// Whether the field `Location` says where what was made is.
        var hasLocation = false

        static let object = Answer()
        /// A JSON object that was made, and its address.
        static let created = Answer(status: 201, hasLocation: true)
        static let none = Answer(status: 204, schema: nil)
        static let page = Answer(mediaType: "text/html", schema: ["type": "string"])

        var isPage: Bool { mediaType == "text/html" }
    }

    let summary: String
    let parameters: [Parameter]
    let body: Body?
    let answer: Answer
    /// Whether the handler may look things up in the directory. Where it does not, the answer comes however busy the
    /// directory is.
    let asksDirectory: Bool
    /// Whether a GET may be asked for its header alone: not where the answer uses something up.
    let takesHead: Bool
    /// The action that a caller must be allowed to do to send a body of up to ``largestBody``, by the arguments of the path;
    /// nil where the limit of the server holds for all.
    let largeBodies: (@Sendable (_ arguments: [String]) -> DirectoryAction)?
    /// Whether it answers under any host name, because those who ask know the machine's address only.
    let takesAnyHost: Bool
    /// Returns the reads that the handler is expected to make for a request. A database server answers these reads together with those
    /// of the caller's sign-in.
    let expectations: @Sendable (Call) -> [Expectation]
    let handler: @Sendable (Call) throws -> Reply

    /// The largest body of an endpoint that takes large ones, in bytes.
    static let largestBody = 64 << 20

    init(
        _ summary: String, parameters: [Parameter] = [], body: Body? = nil, answer: Answer = .object,
        asksDirectory: Bool = true, takesHead: Bool = true,
        largeBodies: (@Sendable ([String]) -> DirectoryAction)? = nil,
        takesAnyHost: Bool = false,
        expectations: @escaping @Sendable (Call) -> [Expectation] = { _ in [] },
        handler: @escaping @Sendable (Call) throws -> Reply
    ) {
        self.summary = summary
        self.parameters = parameters
        self.body = body
        self.answer = answer
        self.asksDirectory = asksDirectory
        self.takesHead = takesHead
        self.largeBodies = largeBodies
        self.takesAnyHost = takesAnyHost
        self.expectations = expectations
        self.handler = handler
    }
}
