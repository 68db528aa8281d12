import Roster
package import RosterSignIn

/// One row of the table that routes requests and that `/openapi.json` describes: a method, a path, who gets in, and the
/// endpoint that answers.
package final class Route: Sendable {
    package enum Segment: Sendable, Hashable {
        /// The text itself.
        case fixed(String)
        /// Any text; the name is in the description.
        case parameter(String)
    }

    /// The callers whom the endpoint admits. The directory's views alone decide what an admitted caller may do.
    package enum Access: Sendable, Hashable {
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
    /// The path as the description and the metrics write it: `/profile/v1/people/{uid}`.
    let template: String
    let path: [Segment]
    let access: Access
    let group: RouteGroup
    let endpoint: Endpoint
    /// Whether it is a GET that may be asked for its header alone.
    let takesHead: Bool

    var style: ErrorStyle { group.style }

    init(_ method: String, _ path: String, _ endpoint: Endpoint, in group: RouteGroup, access: Access) {
        self.method = method
        template = group.base + path
        self.endpoint = endpoint
        self.group = group
        self.access = access
        self.path = template.split(separator: "/").map { segment in
            segment.hasPrefix("{") ? .parameter(String(segment.dropFirst().dropLast())) : .fixed(String(segment))
        }
        takesHead = method == "GET" && endpoint.takesHead
    }

    /// How many parts of the path are parameters.
    var parameterCount: Int { path.count { if case .parameter = $0 { true } else { false } } }
}
