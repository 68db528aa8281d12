/// A tree of the routes by the segments of their paths, which finds the route of a request without comparing all of them.
struct RouteTree: Sendable {
    enum Match: Sendable {
        case route(Route, arguments: [String])
        /// The path exists with other methods only. They are sorted.
        case otherMethods([String], style: ErrorStyle)
        case none

        /// Whether the path exists.
        var isKnown: Bool { if case .none = self { false } else { true } }

        var takesAnyHost: Bool { if case .route(let route, _) = self { route.endpoint.takesAnyHost } else { false } }
    }

    /// A place in a path, with the segments that can follow.
    private final class Node: Sendable {
        let fixed: [String: Node]
        let parameter: Node?
        /// The routes whose path ends here, one for each method.
        let routes: [Route]

        /// Makes the node of routes that share their first segments.
        ///
        /// - Parameter depth: The number of shared segments.
        init(_ routes: [Route], depth: Int) {
            self.routes = routes.filter { $0.path.count == depth }
            let following = Dictionary(grouping: routes.filter { $0.path.count > depth }) { $0.path[depth] }
            var fixed: [String: Node] = [:]
            for case (.fixed(let text), let routes) in following { fixed[text] = Node(routes, depth: depth + 1) }
            self.fixed = fixed
            // Parameters with different names share a node.
            let others = routes.filter { route in
                guard route.path.count > depth, case .parameter = route.path[depth] else { return false }
                return true
            }
            parameter = others.isEmpty ? nil : Node(others, depth: depth + 1)
        }
    }

    /// All routes, in the order of the table.
    let routes: [Route]
    private let root: Node

    init(_ routes: [Route]) {
        self.routes = routes
        root = Node(routes, depth: 0)
    }

    /// Finds the route of a request.
    func match(_ method: String, _ segments: [String]) -> Match {
        var arguments: [String] = []
        guard let node = Self.node(from: root, segments[...], &arguments) else { return .none }
        for route in node.routes where route.method == method || method == "HEAD" && route.takesHead {
            return .route(route, arguments: arguments)
        }
        let methods = node.routes.flatMap { [$0.method] + ($0.takesHead ? ["HEAD"] : []) }
        return .otherMethods(Set(methods).sorted(), style: node.routes.first?.style ?? .problem)
    }

    /// Finds the node of a path. A fixed segment is preferred to a parameter, so that a path of the table never counts as a
    /// name.
    private static func node(from node: Node, _ segments: ArraySlice<String>, _ arguments: inout [String]) -> Node? {
        guard let first = segments.first else { return node.routes.isEmpty ? nil : node }
        if let next = node.fixed[first], let found = Self.node(from: next, segments.dropFirst(), &arguments) {
            return found
        }
        // Clients and proxies resolve dots in a path, so that they are not names.
        guard let next = node.parameter, !first.isEmpty, first != ".", first != ".." else { return nil }
        arguments.append(first)
        if let found = Self.node(from: next, segments.dropFirst(), &arguments) { return found }
        arguments.removeLast()
        return nil
    }
}
