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
    /// By the number of segments; those with more fixed segments stand before those with parameters.
    private let bySegments: [Int: [Route]]

    init(_ routes: [Route]) {
        self.routes = routes
        bySegments = Dictionary(grouping: routes, by: \.path.count).mapValues { routes in
            routes.sorted { $0.parameterCount < $1.parameterCount }
        }
    }

    func match(_ method: String, _ segments: [String]) -> Match {
        var others: [String] = []
        var style = ErrorStyle.problem
        var template: String?
        for route in bySegments[segments.count] ?? [] {
            guard let arguments = Self.arguments(of: segments, in: route.path) else { continue }
            // A path that is in the table as it stands is nobody's name: no route with a parameter takes it.
            if let template, route.template != template { continue }
            if route.method == method || method == "HEAD" && route.takesHead {
                return .route(route, arguments: arguments)
            }
            template = route.template
            others += [route.method] + (route.takesHead ? ["HEAD"] : [])
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
