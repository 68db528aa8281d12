package import RosterText

/// An interface that a service speaks in addition to its own interfaces. The module `RosterDialects` has the interfaces of older systems.
public struct ServiceInterface: Sendable {
    /// The name with which `/openapi.json` marks the routes.
    package let name: String
    package let routes: [Route]
    /// The forms of errors by the first segment of the path. The service uses them for requests that no route answers.
    package let errorStyles: [String: ErrorStyle]
    /// Reads the credentials of requests; nil if the interface has no credentials of its own kind.
    package let credentials: CredentialReader?
    /// The header fields of the interface that pages of other origins may send (CORS).
    package let fields: [String]
    /// Whether users may set up challenge questions. Without an interface whose clients ask them, a service refuses new questions, because
    /// answers can be guessed. Existing questions stay.
    package let takesQuestions: Bool
    /// Returns the schemas that `/openapi.json` needs, because the descriptions of the routes refer to them.
    package let schemas: @Sendable (OpenAPISchemas) -> [JSONValue.Member]

    package init(
        _ name: String, routes: [Route], errorStyles: [String: ErrorStyle] = [:], credentials: CredentialReader? = nil,
        fields: [String] = [], takesQuestions: Bool = false,
        schemas: @escaping @Sendable (OpenAPISchemas) -> [JSONValue.Member] = { _ in [] }
    ) {
        self.name = name
        self.routes = routes
        self.errorStyles = errorStyles
        self.credentials = credentials
        self.fields = fields
        self.takesQuestions = takesQuestions
        self.schemas = schemas
    }
}
