import Foundation
import Roster
import RosterClient
import RosterFixtures
import RosterServer
import RosterSignIn
import RosterTransport
import ServiceTestSupport
import Testing

/// The same directory twice: one is asked in this process, the other through a server.
struct TwoDirectories: Sendable {
    let embedded: DirectoryView
    let remote: DirectoryView
    let served: Directory
    let url: URL
    let credentials: ServerCredentials
    let transport: Transport

    var both: [DirectoryView] { [embedded, remote] }
}

/// Runs a test with the small company twice: in memory, and served from memory or from a database. The caller is a program with the rights of an administrator.
func withTwoDirectories(
    moment: Date = Fixtures.moment, _ body: (TwoDirectories) async throws -> Void
) async throws {
    let first = try Directory.inMemory(image: Fixtures.company().memoryImage(), clock: { moment })
    let token = try await APIToken.create(named: "ops", role: .administrator, expires: nil, in: first.unrestricted).text
    let company = try await CompanyDirectory(copying: first, clock: { moment })
    let second = company.directory
    try await withServer(second) { url in
        let transport = Transport()
        defer { transport.close() }
        let credentials = ServerCredentials.bearer(token)
        let remote = try await DirectoryView(server: url, credentials: credentials, transport: transport)
        try await body(
            TwoDirectories(
                embedded: first.acting(as: remote.caller), remote: remote, served: second, url: url,
                credentials: credentials, transport: transport))
    }
    withExtendedLifetime(company) {}
}

/// The URL in a text.
func address(_ text: String) throws -> URL { try #require(URL(string: text)) }

/// Serves a directory while a test runs.
func withServer(_ directory: Directory, _ body: (URL) async throws -> Void) async throws {
    let server = try DirectoryServer(
        directory, configuration: .init(listen: "127.0.0.1:0", publicURL: "https://directory.example.com"))
    try server.start()
    let port = try #require(server.port)
    do {
        try await body(address("http://127.0.0.1:\(port)"))
    } catch {
        await server.stop(timeout: .zero)
        throw error
    }
    await server.stop(timeout: .zero)
}

/// The complete content of values, so that nothing that was lost passes as equal.
enum Shown {
    static func user(_ user: User) -> String {
        let fetched = (["title", "photo", "memberOf", "emails"] as [AttributeName]).map { user.isFetched($0) }
        var parts = [
            "\(user.id) \(user.uid) \(user.isActive) \(user.managerID?.description ?? "-") \(user.version)",
            "\(user.created.timeIntervalSince1970) \(user.modified.timeIntervalSince1970)", set(user.attributes),
            "\(fetched)", "\(user[.memberOf].map { "\($0)" } ?? "-")", user["lastname"]?.text ?? "-",
        ]
        if let reports = user.reports { parts.append("reports " + list(reports)) }
        return parts.joined(separator: " | ")
    }

    static func role(_ role: Role) -> String {
        "\(role.id) \(role.name) \(role.version) \(role.created.timeIntervalSince1970) "
            + "\(role.modified.timeIntervalSince1970) \(set(role.attributes)) \(role.isFetched(.description))"
    }

    static func set(_ set: AttributeSet) -> String {
        set.map { "\($0.name.rawValue)=\(value($0.value))" }.joined(separator: ", ")
    }

    /// A value with its type, and parts in the order of their names.
    static func value(_ value: AttributeValue) -> String {
        switch value {
        case .list(let elements): "[" + elements.map(Self.value).joined(separator: ", ") + "]"
        case .complex(let parts):
            "{" + parts.sorted { $0.key < $1.key }.map { "\($0.key): \(Self.value($0.value))" }.joined(separator: ", ")
                + "}"
        case .binary(let data): "\(Array(data))"
        default: String(reflecting: value)
        }
    }

    static func list(_ users: [User]) -> String { users.map(user).joined(separator: "\n") }
    static func list(_ roles: [Role]) -> String { roles.map(role).joined(separator: "\n") }

    static func page(_ page: Page<User>) -> String {
        list(page.elements) + "\n\(page.total ?? -1) \(page.next?.description ?? "-")"
    }
    static func page(_ page: Page<Role>) -> String {
        list(page.elements) + "\n\(page.total ?? -1) \(page.next?.description ?? "-")"
    }

    /// A change without its number, because the served directory also tells about sign-ins.
    static func change(_ change: Change) -> String {
        "\(change.time.timeIntervalSince1970) \(change.actor) \(change.kind) \(change.entity) \(change.subjectID) "
            + "\(change.name) \(set(change.before)) -> \(set(change.after))"
    }

    static func error(_ error: any Error) -> String {
        guard let error = error as? DirectoryError else { return "\(error)" }
        return "\(error.code): \(error.problem) \(error.advice ?? "-") \(error.attribute?.rawValue ?? "-") "
            + (error.place?.description ?? "-")
    }

    static func outcome(_ body: () async throws -> String) async -> String {
        do { return try await body() } catch { return Self.error(error) }
    }
}
