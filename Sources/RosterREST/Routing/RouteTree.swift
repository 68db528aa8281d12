/// The routes by the segments of their paths, prepared so that a request's route is found without going through all.
struct RouteTree: Sendable {
    /// What was found.
    enum Match: Sendable {
        case route(Route, arguments: [String])
        /// The path is known, but not with this method. The methods that it takes, in their order.
        case otherMethods([String], style: ErrorStyle)
        case none
    }

    /// A point in a path, and what can follow there.
    private final class Node: Sendable {
        let fixed: [String: Node]
        let parameter: Node?
        /// The routes whose path ends here, one for each method.
        let routes: [Route]

        /// - Parameter depth: How many segments of the routes' paths lead here.
        init(_ routes: [Route], depth: Int) {
            self.routes = routes.filter { $0.path.count == depth }
            let following = Dictionary(grouping: routes.filter { $0.path.count > depth }) { $0.path[depth] }
            var fixed: [String: Node] = [:]
            for case (.fixed(let text), let routes) in following { fixed[text] = Node(routes, depth: depth + 1) }
            self.fixed = fixed
            // Parameters of any name are one way on.
            let others = routes.filter { route in
                guard route.path.count > depth, case .parameter = route.path[depth] else { return false }
                return true
            }
            parameter = others.isEmpty ? nil : Node(others, depth: depth + 1)
        }
    }

    /// All of them, in the order of the table.
    let routes: [Route]
    private let root: Node

    init(_ routes: [Route]) {
        self.routes = routes
        root = Node(routes, depth: 0)
    }

    func match(_ method: String, _ segments: [String]) -> Match {
        var arguments: [String] = []
        guard let node = Self.node(from: root, segments[...], &arguments) else { return .none }
        for route in node.routes where route.method == method || method == "HEAD" && route.takesHead {
            return .route(route, arguments: arguments)
        }
        let methods = node.routes.flatMap { [$0.method] + ($0.takesHead ? ["HEAD"] : []) }
        return .otherMethods(Set(methods).sorted(), style: node.routes.first?.style ?? .problem)
    }

    /// Where a path leads. A path that is in the table as it stands names nobody: a fixed segment goes before a parameter.
    private static func node(from node: Node, _ segments: ArraySlice<String>, _ arguments: inout [String]) -> Node? {
        guard let first = segments.first else { return node.routes.isEmpty ? nil : node }
        if let next = node.fixed[first], let found = Self.node(from: next, segments.dropFirst(), &arguments) {
            return found
        }
        // A path that climbs names nobody.
        guard let next = node.parameter, !first.isEmpty, first != ".", first != ".." else { return nil }
        arguments.append(first)
        if let found = Self.node(from: next, segments.dropFirst(), &arguments) { return found }
        arguments.removeLast()
        return nil
    }
}
