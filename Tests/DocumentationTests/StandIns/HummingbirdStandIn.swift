/// Stands for the module Hummingbird in the examples of "Roster with Hummingbird", because this package depends on no other. The types
/// have the signatures of Hummingbird 2.26, as far as the examples use them.
enum HummingbirdStandIn {
    /// Stands for the type of swift-http-types, which Hummingbird exports.
    struct HTTPFields: Sendable {
        struct Name: Hashable, Sendable {
            let text: String
            static let authorization = Name(text: "authorization")
            static let wwwAuthenticate = Name(text: "www-authenticate")
            static let retryAfter = Name(text: "retry-after")
        }

        private var fields: [Name: [String]] = [:]

        init() {}

        subscript(name: Name) -> String? {
            get { fields[name]?.joined(separator: ", ") }
            set { fields[name] = newValue.map { [$0] } }
        }

        subscript(values name: Name) -> [String] {
            get { fields[name] ?? [] }
            set { fields[name] = newValue }
        }
    }

    struct Status: Sendable {
        let code: Int
        static let ok = Status(code: 200)
        static let unauthorized = Status(code: 401)
    }

    struct HTTPError: Error {
        let status: Status
        init(_ status: Status) { self.status = status }
    }

    struct Response: Sendable {
        var status: Status
        var headers: HTTPFields
        var body: String

        init(status: Status, headers: HTTPFields = .init(), body: String = "") {
            (self.status, self.headers, self.body) = (status, headers, body)
        }
    }

    struct URI: Sendable {
        let path: String
        let query: String?
    }

    struct Request: Sendable {
        let uri: URI
        let headers: HTTPFields
    }

    /// Stands for swift-log's logger.
    struct Logger: Sendable {
        struct Message: ExpressibleByStringInterpolation {
            let text: String
            init(stringLiteral text: String) { self.text = text }
        }

        func info(_ message: @autoclosure () -> Message) { print(message().text) }
    }

    protocol RequestContextSource {
        var logger: Logger { get }
    }

    struct ApplicationRequestContextSource: RequestContextSource {
        let logger = Logger()
    }

    struct CoreRequestContextStorage: Sendable {
        var logger: Logger
        init(source: some RequestContextSource) { logger = source.logger }
    }

    protocol InitializableFromSource<Source> {
        associatedtype Source
        init(source: Source)
    }

    protocol RequestContext: InitializableFromSource, RequestContextSource, SendableMetatype {
        associatedtype Source: RequestContextSource = ApplicationRequestContextSource
        var coreContext: CoreRequestContextStorage { get set }
    }

    protocol MiddlewareProtocol<Input, Output, Context>: Sendable {
        associatedtype Input
        associatedtype Output
        associatedtype Context

        func handle(
            _ input: Input, context: Context, next: (Input, Context) async throws -> Output
        ) async throws -> Output
    }

    protocol RouterMiddleware<Context>: MiddlewareProtocol where Input == Request, Output == Response {}

    protocol ResponseGenerator: SendableMetatype {
        func response() -> Response
    }

    final class Router<Context: RequestContext> {
        typealias Handler = @Sendable (Request, Context) async throws -> Response

        private var middleware: [any MiddlewareProtocol<Request, Response, Context>] = []
        private var routes: [String: Handler] = [:]

        init(context: Context.Type) {}

        @discardableResult
        func add(middleware added: any MiddlewareProtocol<Request, Response, Context>) -> Self {
            middleware.append(added)
            return self
        }

        @discardableResult
        func get(
            _ path: String, use handler: @Sendable @escaping (Request, Context) async throws -> some ResponseGenerator
        ) -> Self {
            var route: Handler = { try await handler($0, $1).response() }
            for middleware in middleware.reversed() {
                let next = route
                route = { try await middleware.handle($0, context: $1) { try await next($0, $1) } }
            }
            routes["/" + path] = route
            return self
        }

        /// The answer to a request for a route that was added.
        func respond(
            to request: Request
        ) async throws -> Response? where Context.Source == ApplicationRequestContextSource {
            try await routes[request.uri.path]?(request, Context(source: .init()))
        }
    }
}

extension HummingbirdStandIn.RequestContext {
    var logger: HummingbirdStandIn.Logger { coreContext.logger }
}

extension String: HummingbirdStandIn.ResponseGenerator {
    func response() -> HummingbirdStandIn.Response { .init(status: .ok, body: self) }
}
