import Foundation
import Roster
import RosterClient
import RosterFixtures
import RosterServer
import RosterSignIn
import RosterTransport
import ServiceTestSupport
import TestSupport
import Testing

/// The small company behind a server and a proxy, and a view through both. The caller is a program with the rights of an
/// administrator.
struct ProxiedDirectory {
    let served: Directory
    let server: DirectoryServer
    let proxy: Proxy
    let view: DirectoryView
    let credentials: ServerCredentials
    let transport: Transport
}

/// Runs a test with a directory behind a proxy, which lets everything pass until the test decides otherwise.
func withProxiedDirectory(
    _ company: CompanyDirectory? = nil, _ body: (ProxiedDirectory) async throws -> Void
) async throws {
    let company = try company ?? CompanyDirectory()
    let served = company.directory
    let token = try await APIToken.create(named: "ops", role: .administrator, expires: nil, in: served.unrestricted)
        .text
    let server = try DirectoryServer(
        served, configuration: .init(listen: "127.0.0.1:0", publicURL: "https://directory.example.com"))
    try server.start()
    let proxy = try Proxy()
    proxy.point(to: try #require(server.port))
    let transport = Transport()
    do {
        let credentials = ServerCredentials.bearer(token)
        let view = try await DirectoryView(server: address(proxy.url), credentials: credentials, transport: transport)
        try await body(
            ProxiedDirectory(
                served: served, server: server, proxy: proxy, view: view, credentials: credentials,
                transport: transport))
    } catch {
        transport.close()
        await server.stop(timeout: .zero)
        throw error
    }
    transport.close()
    await server.stop(timeout: .zero)
    withExtendedLifetime(company) {}
}

/// The code of the error of a call, also of one that is not of the directory.
func outcome<Value>(_ body: () async throws -> Value) async -> String {
    do {
        _ = try await body()
        return "success"
    } catch let error as DirectoryError {
        return "\(error.code)"
    } catch {
        return "\(error)"
    }
}
