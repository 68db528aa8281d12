import Roster
import RosterSignIn
import RosterText

/// Lists that a directory gives page by page.
extension Administration {
    /// The latest changes of the roles of a user, newest first.
    func roleChanges(of user: String, last count: Int) async throws -> [JSONValue] {
        try await elements("elements", count) { count, next in
            switch self {
            case .file(let directory):
                let position = next.flatMap { MembershipChange.Position($0) }
                return try await read(directory) {
                    try $0.feed.membershipPage(of: .either(user), before: position, count: count)
                }
            case .server(let server):
                return try await server.ask(
                    "GET", ["admin", "users", user, "role-changes"],
                    query: [("count", "\(count)")] + (next.map { [("before", $0)] } ?? []))
            }
        }
    }

    /// The users who use a backend, latest use first.
    func users(ofBackend id: String, last count: Int) async throws -> [JSONValue] {
        try await elements("users", count) { count, next in
            switch self {
            case .file(let directory):
                let (backend, position) = (try self.id(id), next.flatMap { AppUser.Position($0) })
                return try await read(directory) {
                    try $0.backends.usersPage(of: backend, after: position, count: count)
                }
            case .server(let server):
                return try await server.ask(
                    "GET", ["admin", "backends", id, "users"],
                    query: [("count", "\(count)")] + (next.map { [("after", $0)] } ?? []))
            }
        }
    }

    /// Reads pages until as many elements as asked for were read, or there is no further page.
    ///
    /// - Parameters:
    ///   - name: The member of a page that has the elements.
    ///   - page: Returns the page that begins after the `next` of another one, or the first page.
    private func elements(
        _ name: String, _ count: Int, page: (_ count: Int, _ next: String?) async throws -> JSONValue
    ) async throws -> [JSONValue] {
        var (found, next): ([JSONValue], String?) = ([], nil)
        repeat {
            try Task.checkCancellation()
            let page = try await page(min(count - found.count, 200), next)
            found += page[name]?.elements ?? []
            next = page["next"]?.text
        } while next != nil && found.count < count
        return found
    }
}
