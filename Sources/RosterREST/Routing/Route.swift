import Roster
import RosterSignIn
import RosterText

/// One row of the table that routes requests and that `/openapi.json` describes: a method, a path, who gets in, and the
/// endpoint that answers.
final class Route: Sendable {
    enum Segment: Sendable, Hashable {
        /// The text itself.
        case fixed(String)
        /// Any text; the name is in the description.
        case parameter(String)
    }

    /// The callers whom the endpoint admits. The directory's views alone decide what an admitted caller may do.
    enum Access: Sendable, Hashable {
        /// Everyone, signed in or not. The endpoint checks credentials itself if it needs any.
        case everyone
        /// Everyone who is signed in.
        case signedIn
        /// Everyone who is signed in and may call the API of this name: see `apis` of a backend. A token needs the scope
        /// `directory`, or the one that is named here.
        case api(APIName, orScope: Scope? = nil)
        /// Every user who is signed in and may call the API `mobile`, for the user's own account. An app that the user merely signed in to
        /// needs the scope `directory`.
        case ownAccount
        /// As ``ownAccount``, for a user who was present recently. A stolen session must not change how the user signs in.
        case ownAccountInPerson
    }

    /// The method, in capital letters.
    let method: String
    /// The path as the description and the metrics write it: `/people/{uid}`.
    let template: String
    let path: [Segment]
    let access: Access
    let style: ErrorStyle
    let endpoint: Endpoint
    /// Whether it is a GET that may be asked for its header alone.
    let takesHead: Bool

    init(_ method: String, _ template: String, _ endpoint: Endpoint, style: ErrorStyle, access: Access) {
        self.method = method
        self.template = template
        self.endpoint = endpoint
        self.style = style
        self.access = access
        path = template.split(separator: "/").map { segment in
            segment.hasPrefix("{") ? .parameter(String(segment.dropFirst().dropLast())) : .fixed(String(segment))
        }
        takesHead = method == "GET" && endpoint.takesHead
    }

    /// How many parts of the path are parameters.
    var parameterCount: Int { path.count { if case .parameter = $0 { true } else { false } } }
}

/// An interface in the table of routes: the settings that its routes share.
struct Interface: Sendable {
    /// The beginning of the paths.
    var base = ""
    let style: ErrorStyle
    let access: Route.Access

    func callAsFunction(
        _ method: String, _ path: String, _ endpoint: Endpoint, for access: Route.Access? = nil
    ) -> Route {
        Route(method, base + path, endpoint, style: style, access: access ?? self.access)
    }
}
