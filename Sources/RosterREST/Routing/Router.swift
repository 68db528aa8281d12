/// Finds the route of a request.
struct Router: Sendable {
    /// What was found.
    enum Match: Sendable {
        case route(Route, arguments: [String])
        /// The path is known, but not with this method; those that it takes.
        case otherMethods([String], style: ErrorStyle)
        case none
    }

    let routes: [Route]
    /// By the number of segments, in the order of the table: fixed segments stand before parameters.
    private let bySegments: [Int: [Route]]

    init(_ routes: [Route]) {
        self.routes = routes
        bySegments = Dictionary(grouping: routes, by: \.path.count)
    }

    func match(_ method: String, _ segments: [String]) -> Match {
        let method = method == "HEAD" ? "GET" : method
        var others: [String] = []
        var style = ErrorStyle.problem
        for route in bySegments[segments.count] ?? [] {
            guard let arguments = Self.arguments(of: segments, in: route.path) else { continue }
            if route.method == method { return .route(route, arguments: arguments) }
            others.append(route.method)
            style = route.style
        }
        return others.isEmpty ? .none : .otherMethods(others, style: style)
    }

    private static func arguments(of segments: [String], in path: [Route.Segment]) -> [String]? {
        for (segment, expected) in zip(segments, path) {
            if case .fixed(let text) = expected, text != segment { return nil }
        }
        var arguments: [String] = []
        for (segment, expected) in zip(segments, path) {
            guard case .parameter = expected else { continue }
            // A path that climbs is nobody's name.
            if segment.isEmpty || segment == "." || segment == ".." { return nil }
            arguments.append(segment)
        }
        return arguments
    }
}
