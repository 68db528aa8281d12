/// The settings that routes of the table share.
package final class RouteGroup: Sendable {
    /// The beginning of the paths.
    let base: String
    /// The beginning of the paths in the links of answers.
    let linkBase: String
    let style: ErrorStyle
    let access: Route.Access
    /// Whether the handlers search and change the directory only, which makes no thread wait.
    let isOfDirectory: Bool

    /// - Parameter linkBase: The beginning of the paths in the links of answers; nil for that of the routes.
    package init(
        base: String = "", linkBase: String? = nil, style: ErrorStyle, access: Route.Access, isOfDirectory: Bool = false
    ) {
        self.base = base
        self.linkBase = linkBase ?? base
        self.style = style
        self.access = access
        self.isOfDirectory = isOfDirectory
    }

    package func callAsFunction(
        _ method: String, _ path: String, _ endpoint: Endpoint, for access: Route.Access? = nil
    ) -> Route {
        Route(method, path, endpoint, in: self, access: access ?? self.access)
    }
}
