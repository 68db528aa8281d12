public import Roster
package import RosterText

/// The administration of sign-in: programs' tokens, app passwords, backends, keys, users' sessions and factors, and settings. The directory
/// itself, its users, roles and attributes, is a `DirectoryView`.
///
/// ```swift
/// let view = try await DirectoryView(server: server, credentials: .bearer(token))
/// let administration = try Administration(view)
/// let (text, token) = try await administration.makeToken(named: "hr", role: .provisioning)
/// ```
///
/// A call that reads is repeated if no answer comes. A call that changes something is not, because the server does not keep the secrets
/// of its answers: the call throws `outcomeUnknown`, and the app can read what is there now.
///
/// All calls throw `DirectoryError`: `notPermitted` for a caller without the right, `appNotPermitted` for an app without the scope
/// `directory.manage`, `recentSignInRequired` for a change by a person who signed in long ago, `notFound`, `overloaded`, `unreachable`,
/// `notSignedIn`, `badAnswer`, `notOffered` for a server of an older version; and `CancellationError`. Times are exact to a second.
public struct Administration: Sendable {
    private let send: @Sendable (any AdministrationOperation) async throws -> JSONValue

    package init(_ send: @escaping @Sendable (any AdministrationOperation) async throws -> JSONValue) {
        self.send = send
    }

    /// Makes the administration of a server. No request is sent.
    ///
    /// - Parameter view: A view of the server, whose caller's rights apply.
    /// - Throws: `DirectoryError` `notOffered` for a view of a directory in this process, whose administration is that of `SignIn`.
    public init(_ view: DirectoryView) throws {
        guard let remote = view.remote else {
            throw DirectoryError(
                .notOffered, "This view is not one of a server.",
                advice: "Use the administration of 'SignIn', which has the keys of the directory.")
        }
        self.init { try await Self.ask(remote, $0) }
    }

    private static func ask(
        _ remote: RemoteView, _ operation: some AdministrationOperation
    ) async throws -> JSONValue { try await remote.ask(operation).value }

    /// Runs an operation, and returns its answer.
    package func run(_ operation: some AdministrationOperation) async throws -> JSONValue {
        try await send(operation)
    }

    /// Runs an operation, and returns its answer as an object that is read by kind.
    func ask(_ operation: some AdministrationOperation) async throws -> AnswerObject {
        AnswerObject(try await run(operation))
    }

    /// Reads pages until as many elements as asked for were read, or there is no further page.
    package func elements(
        _ name: String, _ limit: Int, page: (_ count: Int, _ next: String?) async throws -> JSONValue
    ) async throws -> [JSONValue] {
        var (found, next): ([JSONValue], String?) = ([], nil)
        while found.count < limit {
            try Task.checkCancellation()
            let page = try await page(min(limit - found.count, 200), next)
            found += page[name]?.elements ?? []
            next = page["next"]?.text
            if next == nil { break }
        }
        return found
    }
}
