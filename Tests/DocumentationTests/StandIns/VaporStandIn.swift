import Synchronization

/// Stands for the module Vapor in the examples of "Roster with Vapor", because this package depends on no other. The types have
/// the signatures of Vapor 4.122, as far as the examples use them.
enum VaporStandIn {
    protocol Authenticatable: Sendable {}

    struct HTTPHeaders: Sendable {
        struct Name: Sendable {
            let text: String
            static let authorization = Name(text: "authorization")
            static let wwwAuthenticate = Name(text: "www-authenticate")
            static let retryAfter = Name(text: "retry-after")
        }

        private var fields: [String: [String]] = [:]

        init() {}

        subscript(name: Name) -> [String] { fields[name.text] ?? [] }

        mutating func replaceOrAdd(name: Name, value: String) { fields[name.text] = [value] }
    }

    struct HTTPResponseStatus: Sendable {
        let code: Int
        static let ok = HTTPResponseStatus(statusCode: 200)

        init(statusCode: Int, reasonPhrase: String = "") { code = statusCode }
    }

    final class Response: Sendable {
        let status: HTTPResponseStatus
        let headers: HTTPHeaders
        let body: String

        init(status: HTTPResponseStatus = .ok, headers: HTTPHeaders = .init(), body: String = "") {
            (self.status, self.headers, self.body) = (status, headers, body)
        }
    }

    struct URI: Sendable {
        let path: String
        let query: String?
    }

    /// Stands for swift-log's logger, which Vapor exports.
    struct Logger: Sendable {
        struct Message: ExpressibleByStringInterpolation {
            let text: String
            init(stringLiteral text: String) { self.text = text }
        }

        func info(_ message: @autoclosure () -> Message) { print(message().text) }
    }

    final class Request: Sendable {
        final class Authentication: Sendable {
            private let instances = Mutex<[ObjectIdentifier: any Authenticatable]>([:])

            func login<A: Authenticatable>(_ instance: A) {
                instances.withLock { $0[ObjectIdentifier(A.self)] = instance }
            }

            @discardableResult
            func require<A: Authenticatable>(_ type: A.Type = A.self) throws -> A {
                guard let instance = instances.withLock({ $0[ObjectIdentifier(A.self)] as? A }) else {
                    throw Unauthorized()
                }
                return instance
            }
        }

        struct Unauthorized: Error {}

        let url: URI
        let headers: HTTPHeaders
        let auth = Authentication()
        let logger = Logger()

        init(_ url: URI, headers: HTTPHeaders) { (self.url, self.headers) = (url, headers) }
    }

    protocol AsyncResponder: Sendable {
        func respond(to request: Request) async throws -> Response
    }

    protocol Middleware: Sendable {
        func respond(to request: Request, chainingTo next: any AsyncResponder) async throws -> Response
    }

    protocol AsyncMiddleware: Middleware {}

    protocol AsyncResponseEncodable: Sendable {
        func encodeResponse(for request: Request) async throws -> Response
    }

    /// A route, or what comes after a middleware.
    struct Closure: AsyncResponder {
        let respond: @Sendable (Request) async throws -> Response
        func respond(to request: Request) async throws -> Response { try await respond(request) }
    }

    /// Stands for `Application` and for the groups of routes that it makes.
    final class Application: Sendable {
        private let middleware: [any Middleware]
        private let routes: Mutex<[String: Closure]>
        private let parent: Application?

        init(_ middleware: [any Middleware] = [], of parent: Application? = nil) {
            (self.middleware, self.parent) = (middleware, parent)
            routes = Mutex([:])
        }

        func grouped(_ middleware: any Middleware...) -> Application {
            Application(self.middleware + middleware, of: parent ?? self)
        }

        func get<Answer: AsyncResponseEncodable>(
            _ path: String, use closure: @Sendable @escaping (Request) async throws -> Answer
        ) {
            var route = Closure { try await closure($0).encodeResponse(for: $0) }
            for middleware in middleware.reversed() {
                let next = route
                route = Closure { try await middleware.respond(to: $0, chainingTo: next) }
            }
            let outermost = route
            (parent ?? self).routes.withLock { $0["/" + path] = outermost }
        }

        /// The answer to a request for a route that was added.
        func respond(to request: Request) async throws -> Response? {
            try await routes.withLock { $0[request.url.path] }?.respond(to: request)
        }
    }
}

extension String: VaporStandIn.AsyncResponseEncodable {
    func encodeResponse(for request: VaporStandIn.Request) async throws -> VaporStandIn.Response { .init(body: self) }
}
