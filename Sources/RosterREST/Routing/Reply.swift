import Roster
import RosterText

/// The answer of a handler.
package enum Reply: Sendable {
    case now(HTTPResponse)
    case later(@Sendable () async throws -> HTTPResponse)

    /// When the work is done, with nothing more to tell.
    package static func done(_ work: @escaping @Sendable () async throws -> Void) -> Reply {
        .later {
            try await work()
            return HTTPResponse(204)
        }
    }

    /// The response, waiting for what takes longer.
    func response() async throws -> HTTPResponse {
        switch self {
        case .now(let response): response
        case .later(let work): try await work()
        }
    }
}
