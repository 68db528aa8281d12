import Roster
import RosterText

/// The description of the interfaces (OpenAPI 3.1), made from the table that routes requests.
enum OpenAPI {
    /// The endpoint of the description. Everyone may read it, since it describes every copy of the program alike.
    static let description = Endpoint("This description.") { call in
        .now(.json(call.context.description.bytes { document(call.context).bytes }))
    }

    private static func document(_ context: ServiceContext) -> JSONValue {
        let schemas = OpenAPISchemas(context.directory.unrestricted.attributes.vocabulary())
        var paths: [JSONValue.Member] = []
        var places: [String: Int] = [:]
        let routes =
            RESTService.routes.map { ($0, nil) }
            + context.interfaces.flatMap { one in one.routes.map { ($0, one.name) } }
        var styles: [ErrorStyle] = []
        for (route, interface) in routes {
            if !styles.contains(route.style) { styles.append(route.style) }
            let operation = JSONValue.Member(route.method.lowercased(), operation(route, of: interface, schemas))
            if let place = places[route.template] {
                paths[place].value = .object(paths[place].value.members + [operation])
            } else {
                places[route.template] = paths.count
                paths.append(.init(route.template, .object([operation])))
            }
        }
        return [
            "openapi": "3.1.0",
            "info": ["title": "Roster", "version": "1", "description": "Users, roles and reporting lines."],
            "servers": [["url": .string(context.baseURL)]], "paths": .object(paths),
            "components": [
                "securitySchemes": [
                    "password": ["type": "http", "scheme": "basic"], "token": ["type": "http", "scheme": "bearer"],
                ],
                "schemas": .object(
                    styles.map { .init($0.name, $0.schema) } + schemas.components
                        + context.interfaces.flatMap { $0.schemas(schemas) }),
            ],
        ]
    }

    private static func operation(
        _ route: Route, of interface: String?, _ schemas: OpenAPISchemas
    ) -> JSONValue {
        var parameters: [JSONValue] = route.path.compactMap { segment in
            guard case .parameter(let name) = segment else { return nil }
            return [
                "name": .string(name), "in": "path", "required": true,
                "schema": ["type": "string", "minLength": 1, "pattern": "^[^\\x00-\\x1f\\x7f]+$"],
            ]
        }
        var described = route.endpoint.parameters
        if case .api = route.access, route.method != "GET", !route.template.hasSuffix("/.search") {
            described.append(BatchesAPI.fieldParameter)
        }
        for parameter in described {
            let conditions = parameter.prefixOf.map { schemas.conditions($0) }
            for (name, takesWildcards) in conditions ?? [("", true)] {
                let visible = "[^\\x00-\\x1f\\x7f]"
                let outer = "[^*\\x00-\\x1f\\x7f]"
                let whole: JSONValue = [
                    "type": "string", "pattern": .string("^(\\*{1,2}|(\(outer)(\(visible)*\(outer))?)?)$"),
                ]
                var description: JSONValue = [
                    "name": .string(parameter.name + name), "in": .string(parameter.isHeader ? "header" : "query"),
                    "description": .string(takesWildcards ? parameter.summary : "Whole; * for any."),
                    "schema": takesWildcards ? Self.visible(parameter.schema) : whole,
                ]
                if parameter.isRequired { description["required"] = true }
                if parameter.isList { description["explode"] = false }
                parameters.append(description)
            }
        }
        var operation: JSONValue = [
            "summary": .string(route.endpoint.summary), "operationId": .string(identifier(route)),
            "parameters": .array(parameters), "responses": responses(route),
            "security": route.access == .everyone ? [] : [["password": []], ["token": []]],
        ]
        // The tag marks routes that only clients of older systems need.
        if let interface { operation["tags"] = [.string(interface)] }
        if let body = route.endpoint.body {
            let mediaTypes = (route.style == .scim ? ["application/scim+json"] : []) + [body.mediaType]
            operation["requestBody"] = [
                "required": .boolean(body.isRequired),
                "content": .object(mediaTypes.map { .init($0, ["schema": body.schema]) }),
            ]
        }
        return operation
    }

    /// The schema of a parameter, without control characters. An enumeration, a pattern or a format excludes them
    /// already.
    private static func visible(_ schema: JSONValue) -> JSONValue {
        guard schema["type"] == "string", ["enum", "pattern", "format"].allSatisfy({ schema[$0] == nil }) else {
            return schema
        }
        var schema = schema
        schema["pattern"] = "^[^\\x00-\\x1f\\x7f]*$"
        return schema
    }

    private static func identifier(_ route: Route) -> String {
        let words = route.template.split { !$0.isLetter && !$0.isNumber }
        return ([route.method.lowercased()] + words.map(String.init)).joined(separator: "_")
    }

    /// The error statuses of a route. The transport can refuse any request with 413, 415 or 417, also where the route
    /// takes no body.
    private static func errors(_ route: Route) -> [Int] {
        var errors = [400, 413, 415, 417, 421, 500, 503]
        // Operators' endpoints need no credentials. Other open endpoints check credentials themselves.
        if route.access != .everyone || route.style != .problem { errors += [401, 403, 429] }
        if route.parameterCount > 0 { errors.append(404) }
        let isOfAccount = route.access == .ownAccount || route.access == .ownAccountInPerson
        if isOfAccount || route.endpoint.canBeMissing { errors.append(404) }
        let isSearch = route.template.hasSuffix("/.search")
        if route.method != "GET", !isSearch { errors += [404, 409, 412, 504, 507] }
        if route.template.hasSuffix("/changes") { errors += [404, 410] }
        if route.endpoint.asksProvider { errors.append(502) }
        let own = route.endpoint.answer.others + [route.endpoint.answer.status]
        return Array(Set(errors).subtracting(own)).sorted()
    }

    private static func responses(_ route: Route) -> JSONValue {
        var responses: [JSONValue.Member] = []
        var success: JSONValue = ["description": "Done."]
        let answer = route.endpoint.answer
        if let schema = answer.schema {
            var content: JSONValue = .object([.init(answer.mediaType, ["schema": schema])])
            if route.template.hasSuffix("/changes") { content["text/event-stream"] = ["schema": ["type": "string"]] }
            success["content"] = content
        }
        if answer.hasLocation { success["headers"] = header("Location", "Where it is.") }
        responses.append(.init(String(answer.status), success))
        for status in answer.others {
            var other: JSONValue = ["description": "Nothing to tell."]
            if status == 503 {
                other["content"] = .object([.init(answer.mediaType, ["schema": ["type": "string"]])])
            }
            responses.append(.init(String(status), other))
        }
        for status in errors(route) {
            // A refusal by the transport or the router, before a route is found, has the form of a problem.
            let styles = [route.style] + (route.style == .problem ? [] : [.problem])
            var content: [JSONValue.Member] = []
            // Browsers get the error as a page.
            if answer.isPage { content.append(.init("text/html", ["schema": ["type": "string"]])) }
            for style in styles where !content.contains(where: { $0.name == style.mediaType }) {
                content.append(
                    .init(style.mediaType, ["schema": ["$ref": .string("#/components/schemas/\(style.name)")]]))
            }
            var refusal: JSONValue = ["description": "Refused.", "content": .object(content)]
            if status == 401, route.access != .everyone {
                refusal["headers"] = header("WWW-Authenticate", "How to sign in.")
            }
            responses.append(.init(String(status), refusal))
        }
        return .object(responses)
    }

    private static func header(_ name: String, _ description: String) -> JSONValue {
        .object([.init(name, ["required": true, "description": .string(description), "schema": ["type": "string"]])])
    }
}
