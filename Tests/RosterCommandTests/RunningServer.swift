import Foundation
import Testing

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif
#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// `roster serve`, running as a user runs it.
final class RunningServer {
    let process: Process
    /// Asks it.
    let client: Client
    var url: URL { client.url }
    /// What it had written to standard output when it began to serve.
    let welcome: String
    private let log: URL

    /// Starts it and waits until it serves.
    ///
    /// - Parameter listen: Where; nil to leave that to the server.
    init(_ tool: CommandLineTool, _ arguments: String..., listen: String? = "127.0.0.1:0") throws {
        let files = ["welcome", "log"].map { tool.folder.appendingPathComponent("\($0)-\(UUID())") }
        for file in files { _ = FileManager.default.createFile(atPath: file.path, contents: nil) }
        process = try tool.start(
            ["serve"] + (listen.map { ["--listen", $0] } ?? []) + arguments, try FileHandle(forWritingTo: files[0]),
            try FileHandle(forWritingTo: files[1]))
        log = files[1]
        let end = ContinuousClock.now + .seconds(60)
        var text = ""
        while !text.contains("in a browser"), process.isRunning, ContinuousClock.now < end {
            usleep(10_000)
            text = try String(contentsOf: files[0], encoding: .utf8)
        }
        welcome = text
        let line = try #require(text.split(separator: "\n").first { $0.hasPrefix("Roster serves ") }, "\(text)")
        client = Client(url: try #require(URL(string: String(line.dropFirst("Roster serves ".count)))))
    }

    deinit { if process.isRunning { kill(process.processIdentifier, SIGKILL) } }

    /// The password that it showed.
    var password: String? {
        welcome.split(separator: "\n").first { $0.contains("  password  ") }?.split(separator: " ").last.map(
            String.init)
    }

    /// Starts a server, asks it for the user's own account, and stops it; returns the status.
    static func status(of user: String, _ tool: CommandLineTool, _ database: String) async throws -> Int {
        let server = try RunningServer(tool, "--database", database)
        defer { server.stop() }
        return try await server.client.ask(server.client.request("GET", "/scim/v2/Me", user: user)).status
    }

    func logText() throws -> String { try String(contentsOf: log, encoding: .utf8) }

    /// Ends it with a signal; returns the exit code, or minus the number of the signal that ended it.
    @discardableResult
    func stop(_ signal: Int32 = SIGTERM) -> Int32 {
        kill(process.processIdentifier, signal)
        process.waitUntilExit()
        return process.terminationReason == .uncaughtSignal ? -process.terminationStatus : process.terminationStatus
    }
}

/// Asks a server over HTTP, as any program does.
struct Client: Sendable {
    /// Where the server is.
    let url: URL

    func request(
        _ method: String = "GET", _ path: String, user: String? = nil, token: String? = nil, body: String? = nil
    ) -> URLRequest {
        var request = URLRequest(url: URL(string: path, relativeTo: url) ?? url, timeoutInterval: 60)
        request.httpMethod = method
        if let user {
            request.setValue("Basic " + Data(user.utf8).base64EncodedString(), forHTTPHeaderField: "Authorization")
        }
        if let token { request.setValue("Bearer " + token, forHTTPHeaderField: "Authorization") }
        if let body {
            request.setValue("application/json", forHTTPHeaderField: "Content-Type")
            request.httpBody = Data(body.utf8)
        }
        return request
    }

    /// The status and the body of an answer.
    func ask(_ request: URLRequest, _ session: URLSession = .shared) async throws -> (status: Int, body: [String: Any])
    {
        let (data, response) = try await session.data(for: request)
        let status = try #require(response as? HTTPURLResponse).statusCode
        return (status, (try? JSONSerialization.jsonObject(with: data) as? [String: Any]) ?? [:])
    }
}

/// A folder of its own for what a test makes.
func withTool(_ body: (CommandLineTool) async throws -> Void) async throws {
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent("command-\(UUID())")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    try await body(CommandLineTool(folder: folder))
}
