package import Roster
package import RosterText

/// The handler of a route's requests, with its description for `/openapi.json`.
package struct Endpoint: Sendable {
    package struct Parameter: Sendable {
        package let name: String
        package let summary: String
        package let schema: JSONValue
        package var isHeader = false
        package var isRequired = false
        /// Whether its value is a list with commas.
        package var isList = false
        /// Set where any parameter that begins with the name is meant; the attributes of this owner follow the name.
        package var prefixOf: AttributeDefinition.Entity?

        package init(
            name: String, summary: String, schema: JSONValue, isHeader: Bool = false, isRequired: Bool = false,
            isList: Bool = false, prefixOf: AttributeDefinition.Entity? = nil
        ) {
            self.name = name
            self.summary = summary
            self.schema = schema
            self.isHeader = isHeader
            self.isRequired = isRequired
            self.isList = isList
            self.prefixOf = prefixOf
        }

        package static let ifMatch = Parameter(
            name: "If-Match", summary: "The entity tag of the version that the change is based on.",
            schema: ["type": "string", "format": "entity-tag"], isHeader: true)
        package static let ifNoneMatch = Parameter(
            name: "If-None-Match", summary: "The entity tag of the version that the client has.",
            schema: ["type": "string", "format": "entity-tag"], isHeader: true)
    }

    package struct Body: Sendable, ExpressibleByDictionaryLiteral {
        package let schema: JSONValue
        /// Whether a request without a body is refused.
        package var isRequired = true
        package var mediaType = "application/json"

        package init(_ schema: JSONValue, isRequired: Bool = true, mediaType: String = "application/json") {
            self.schema = schema
            self.isRequired = isRequired
            self.mediaType = mediaType
        }

        package init(dictionaryLiteral elements: (String, JSONValue)...) {
            schema = .object(elements.map { .init($0.0, $0.1) })
        }

        package static let object: Body = ["type": "object"]
        /// The bytes of a file.
        package static let file = Body(["type": "string", "format": "binary"], mediaType: "application/octet-stream")
    }

    /// The answer when all is well.
    package struct Answer: Sendable {
        package var status = 200
        package var mediaType = "application/json"
        /// A JSON Schema; nil for no body.
        package var schema: JSONValue? = ["type": "object"]
        /// Other statuses that are not errors.
        package var others: [Int] = []
        /// Whether the field `Location` says where what was made is.
        package var hasLocation = false

        package init(
            status: Int = 200, mediaType: String = "application/json", schema: JSONValue? = ["type": "object"],
            others: [Int] = [], hasLocation: Bool = false
        ) {
            self.status = status
            self.mediaType = mediaType
            self.schema = schema
            self.others = others
            self.hasLocation = hasLocation
        }

        package static let object = Answer()
        /// A JSON object that was made, and its address.
        package static let created = Answer(status: 201, hasLocation: true)
        package static let none = Answer(status: 204, schema: nil)
        package static let page = Answer(mediaType: "text/html", schema: ["type": "string"])

        var isPage: Bool { mediaType == "text/html" }
    }

    package let summary: String
    package let parameters: [Parameter]
    package let body: Body?
    package let answer: Answer
    /// Whether the handler may look things up in the directory. Where it does not, the answer comes however busy the
    /// directory is.
    package let asksDirectory: Bool
    /// Whether a GET may be asked for its header alone: not where the answer uses something up.
    package let takesHead: Bool
    /// The action that a caller must be allowed to do to send a body of up to ``largestBody``, by the arguments of the path;
    /// nil where the limit of the server holds for all.
    package let largeBodies: (@Sendable (_ arguments: [String]) -> DirectoryAction)?
    /// Whether it answers under any host name, because those who ask know the machine's address only.
    package let takesAnyHost: Bool
    /// Returns the reads that the handler is expected to make for a request. A database server answers these reads together with those
    /// of the caller's sign-in.
    package let expectations: @Sendable (Call) -> [Expectation]
    /// Whether the handler sends requests to another server. The endpoint answers 502 if that server fails.
    package let asksProvider: Bool
    /// Whether the endpoint can answer 404 although its path has no parameters, as `/scim/v2/Me` does to a caller who is not a user.
    package let canBeMissing: Bool
    package let handler: @Sendable (Call) throws -> Reply

    /// The largest body of an endpoint that takes large ones, in bytes.
    package static let largestBody = 64 << 20

    package init(
        _ summary: String, parameters: [Parameter] = [], body: Body? = nil, answer: Answer = .object,
        asksDirectory: Bool = true, takesHead: Bool = true,
        largeBodies: (@Sendable ([String]) -> DirectoryAction)? = nil,
        takesAnyHost: Bool = false, asksProvider: Bool = false, canBeMissing: Bool = false,
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
        self.asksProvider = asksProvider
        self.canBeMissing = canBeMissing
        self.expectations = expectations
        self.handler = handler
    }
}
