import Foundation
import Roster
import RosterClient
import RosterFixtures
import RosterSecrets
import RosterServer
import RosterSignIn
import RosterTransport

/// Look-ups through a server on this machine, beside the same requests without a client library, and beside look-ups in this
/// process.
struct RemoteBenchmarks {
    let people: Int
    private static let time = Duration.seconds(2)
    private static let rounds = 3

    func run() async throws {
        let directory = try Directory.inMemory()
        try await directory.unrestricted.users.load(People(count: people))
        let names = try await directory.unrestricted.users.search(Search(pageSize: 1_000)).elements.map(\.uid)
        let token = try await APIToken.create(
            named: "bench", role: .administrator, expires: nil, in: directory.unrestricted
        ).text
        let server = try DirectoryServer(
            directory, configuration: .init(listen: "127.0.0.1:0"))
        let url = try server.start()
        var settings = TransportSettings()
        settings.connectionsPerHost = 32
        let transport = Transport(settings)
        guard let address = URL(string: url) else { throw CocoaError(.coderInvalidValue) }
        let view = try await DirectoryView(server: address, credentials: .bearer(token), transport: transport)
        let embedded = directory.acting(as: view.caller)
        @Sendable func request(_ name: String) -> TransportRequest {
            let body = #"{"user":{"named":{"_0":"\#(name)"}},"attributes":{"usual":{}},"prefetch":0}"#
            return TransportRequest(
                "POST", url + "/directory/v1/user",
                headers: ["Content-Type": "application/json", "Authorization": "Bearer \(token)"],
                body: Array(body.utf8))
        }
        guard try await transport.send(request(names[0])).status == 200 else {
            throw CocoaError(.coderInvalidValue)
        }
        for callers in [1, 32] {
            var rates: [[Double]] = [[], [], []]
            for _ in 0..<Self.rounds {
                rates[0].append(try await rate(callers, names) { _ = try await view.users.user($0) })
                rates[1].append(try await rate(callers, names) { _ = try await transport.send(request($0)) })
                rates[2].append(try await rate(callers, names) { _ = try await embedded.users.user($0) })
            }
            let medians = rates.map { $0.sorted()[Self.rounds / 2] }
            figure("remote.lookups_\(callers)", medians[0], "/s")
            figure("undecoded.lookups_\(callers)", medians[1], "/s")
            figure("embedded.lookups_\(callers)", medians[2], "/s")
            figure("ratio.remote_to_undecoded_\(callers)", medians[0] / medians[1], "x")
        }
        try await tokens(directory, server, url)
        transport.close()
        await server.stop(timeout: .zero)
    }

    /// How long an account takes for a token that need not be renewed.
    private func tokens(_ directory: Directory, _ server: DirectoryServer, _ url: String) async throws {
        guard let signIn = server.signIn else { throw CocoaError(.featureUnsupported) }
        let (view, password) = (directory.unrestricted, "a staple of correct horses")
        try await view.users.create("bench")
        try await signIn.setPassword(password, of: "bench", in: view)
        var settings = BackendSettings(isPublic: true)
        settings.grants = [.password, .refreshToken]
        settings.scopes = [.openID, .offlineAccess]
        let clientID = try await signIn.createBackend(named: "bench", settings: settings, in: view).clientID
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("roster-bench-\(UUID())")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let store = try SecureStore(
            file: folder.appendingPathComponent("secrets"), key: .keyFile(folder.appendingPathComponent("key")))
        let app = AppRegistration(issuer: url, clientID: clientID, scopes: ["openid", "offline_access"])
        let account = try await Authenticator(app, store: store).signIn(userName: "bench", password: password)
        let count = 200_000
        var times: [Double] = []
        for _ in 0..<Self.rounds {
            times.append(
                try await seconds { for _ in 0..<count { _ = try await account.validAccessToken() } })
        }
        figure("tokens.valid", median(times) / Double(count) * 1e6, "us")
    }

    /// The number of look-ups in a second that some callers make together.
    private func rate(
        _ callers: Int, _ names: [String], _ lookUp: @escaping @Sendable (String) async throws -> Void
    ) async throws -> Double {
        let start = ContinuousClock.now
        let count = try await withThrowingTaskGroup(of: Int.self) { group in
            for caller in 0..<callers {
                group.addTask {
                    var count = 0
                    while ContinuousClock.now - start < Self.time {
                        try await lookUp(names[(caller * 31 + count * 7) % names.count])
                        count += 1
                    }
                    return count
                }
            }
            return try await group.reduce(0, +)
        }
        return Double(count) / ((ContinuousClock.now - start) / .seconds(1))
    }
}
