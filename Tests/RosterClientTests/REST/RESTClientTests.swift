import Dispatch
import Foundation
import Roster
import RosterClient
import RosterMobileSDK
import RosterText
import RosterTransport
import ServiceTestSupport
import TestSupport
import Testing

@Suite("Requests to protected APIs", .timeLimit(.minutes(3)))
struct RESTClientTests {
    private struct Orders: Decodable, Equatable {
        let orders: [Int]
    }

    /// An API, an account, and a client of both.
    private func withAPI(_ body: (ServedApp, ProtectedAPI, Account, RESTClient) async throws -> Void) async throws {
        try await withApp { app in
            let api = try ProtectedAPI()
            let account = try await app.account(of: app.authenticator())
            try await body(app, api, account, try RESTClient(account, origins: [api.url], transport: app.transport))
        }
    }

    @Test("A request has the user's token, and its answer comes as bytes or decoded, in all forms")
    func sends() async throws {
        try await withAPI { _, api, account, client in
            api.accept("Bearer " + (try await account.validAccessToken()))
            let request = TransportRequest("GET", api.url + "/orders")
            #expect(try await client.send(request).status == 200)
            #expect(try await client.send(request, scopes: ["directory"], as: Orders.self) == Orders(orders: [1, 2]))
            #expect(try await onThread { try client.sendAndWait(request).status } == 200)
            #expect(try await onThread { try client.sendAndWait(request, as: Orders.self) } == Orders(orders: [1, 2]))
            let results = Gathered<Int>()
            let handle = client.start(request) { results.append((try? $0.get().status) ?? 0) }
            #expect(try await handle.response().status == 200)
            #expect(try await onThread { results.wait(for: 1) } == [200])
            #expect(api.seen.allSatisfy { $0.field != nil })
            let error = try await clientError { _ = try await client.send(request, as: [Int].self) }
            #expect(error.code == .badAnswer)
            #expect(
                try await clientError { _ = try await client.send(request, scopes: ["x"]) }.code == .scopeNotGranted)
        }
    }

    @Test("After a 401 the token is renewed and the request repeated once, and only once, whatever its method")
    func repeatsOnce() async throws {
        try await withAPI { app, api, account, client in
            let old = try await account.validAccessToken()
            for method in ["GET", "POST"] {
                let before = api.seen.count
                let response = try await client.send(
                    TransportRequest(method, api.url + "/orders", body: method == "POST" ? [1] : nil))
                #expect(response.status == 401)
                let fields = api.seen[before...].compactMap(\.field)
                #expect(fields.count == 2 && fields[0] != fields[1])
            }
            #expect(app.proxy.renewals == 2)
            #expect(try await account.validAccessToken() != old)
            let waited = try await onThread { try client.sendAndWait(TransportRequest("GET", api.url + "/orders")) }
            #expect(waited.status == 401 && app.proxy.renewals == 3)
        }
    }

    @Test(
        "An answer other than 401, or a 401 that asks for something else, is final",
        arguments: [
            "Basic realm=\"x\"", "", "Negotiate", "realm=\"Bearer\"", "Basic realm=\"a, Bearer b=\\\"c\"",
            "OAM-Auth realm=\"gate\"",
            "OAM-Auth realm=\"gate:3 /x\"", "OAM-Auth realm=\"gate:x /x\", request-ctx=\"a\"",
            "OAM-Auth realm=\"gate:3 /x\", request-ctx=\"",
        ])
    func isFinal(challenge: String) async throws {
        try await withAPI { app, api, _, client in
            api.challenge(with: challenge)
            let response = try await client.send(TransportRequest("POST", api.url + "/orders", body: [1]))
            #expect(response.status == 401)
            #expect(api.seen.count == 1 && app.proxy.renewals == 0)
        }
    }

    @Test("A file is sent from the disk and an answer is read as it arrives, also after a token that is refused")
    func streams() async throws {
        try await withAPI { app, api, account, _ in
            let (bodies, refused) = (Gathered<Int>(), Locked(true))
            let server = try SocketServer { peer in
                while let request = peer.request() {
                    let isFirst = refused.withLock { refused in
                        defer { refused = false }
                        return refused
                    }
                    if isFirst {
                        peer.send(SocketServer.answer("no", "401 No", headers: "WWW-Authenticate: Bearer\r\n"))
                        continue
                    }
                    bodies.append(request.body.utf8.count)
                    peer.send("HTTP/1.1 200 OK\r\nContent-Length: 40000000\r\n\r\n")
                    for _ in 0..<400 { peer.send([UInt8](repeating: 0x61, count: 100_000)) }
                }
            }
            let file = app.folder.appendingPathComponent("upload")
            try Data(repeating: 0x62, count: 3_000_000).write(to: file)
            var request = TransportRequest("PUT", server.url + "/report")
            request.bodyFile = file
            let client = try RESTClient(account, origins: [server.url], transport: app.transport)
            let answer = try await client.stream(request, scopes: ["directory"])
            var size = 0
            for try await part in answer { size += part.count }
            #expect(answer.status == 200 && size == 40_000_000, "a whole answer would have 16 MiB at most")
            #expect(bodies.all == [3_000_000] && app.proxy.renewals == 1)
            let other = try await clientError { _ = try await client.stream(TransportRequest("GET", api.url)) }
            #expect(other.code == .originNotNamed)
            let scope = try await clientError { _ = try await client.stream(request, scopes: ["x"]) }
            #expect(scope.code == .scopeNotGranted)
        }
    }

    @Test("Requests at once whose token is refused share one renewal")
    func sharesRenewal() async throws {
        try await withAPI { app, api, _, client in
            let gate = Gate()
            app.proxy.decide { path, _ in path == "/oauth2/token" ? .hold(gate) : .pass }
            let tasks = (0..<20).map { _ in Task { try await client.send(TransportRequest("GET", api.url)).status } }
            _ = try await onThread { waitUntil { api.seen.count == 20 } }
            gate.open()
            for task in tasks { #expect(try await task.value == 401) }
            #expect(app.proxy.renewals == 1 && Set(api.seen.compactMap(\.field)).count == 2 && api.seen.count == 40)
        }
    }

    @Test("Tokens go only to the named origin: another scheme, host or port, and a redirect, get none")
    func origins() async throws {
        try await withAPI { _, api, account, client in
            let other = try ProtectedAPI()
            let port = try #require(URL(string: api.url)?.port)
            for url in [
                other.url, "http://localhost:\(port)/", "https://127.0.0.1:\(port)/", "http://127.0.0.2:\(port)/",
                "http://127.0.0.1/",
            ] {
                let error = try await clientError { _ = try await client.send(TransportRequest("GET", url)) }
                #expect(error.code == .originNotNamed, "\(url)")
                #expect(throws: ClientError.self) { try client.sendAndWait(TransportRequest("GET", url)) }
            }
            for url in [
                "http://127.0.0.1:\(port)@evil.example/", "http://127.0.0.1:\(port)\\@evil.example/", "/orders", "",
            ] {
                await #expect(throws: (any Error).self) { try await client.send(TransportRequest("GET", url)) }
            }
            let own = try await clientError {
                _ = try await client.send(TransportRequest("GET", api.url, headers: ["authorization": "Basic x"]))
            }
            #expect(own.code == .invalidInput)
            let target = other.url
            let redirecting = try SocketServer(
                answering: SocketServer.answer("", "307 Go", headers: "Location: \(target)/\r\n"))
            let second = try RESTClient(account, origins: [redirecting.url, "https://api.example.com"])
            #expect(try await second.send(TransportRequest("GET", redirecting.url)).status == 307)
            #expect(other.seen.isEmpty && api.seen.isEmpty)
            for text in [
                "", "api.example.com", "ftp://a.example", "http://a.example", "https://a.example/path",
                "https://u@a.example",
            ] {
                #expect(throws: ClientError.self) { try RESTClient(account, origins: [text]) }
            }
        }
    }

    /// Writes down what a client tells.
    private final class Recorder: RESTClientDelegate {
        let seen = Gathered<String>()

        func restClient(
            _ client: RESTClient, didFinish handle: RESTHandle, _ result: Result<TransportResponse, any Error>
        ) {
            let status = (try? result.get().status).map { "\($0)" } ?? "cancelled: \(handle.isCancelled)"
            seen.append("\(handle.tag ?? "-") \(status)")
        }
    }

    @Test("Results go to the delegate or to the completion, on the queue that is named, with the handle's tag")
    func delegates() async throws {
        try await withAPI { _, api, account, client in
            api.accept("Bearer " + (try await account.validAccessToken()))
            let (recorder, queue) = (Recorder(), DispatchQueue(label: "results"))
            client.delegate = recorder
            let request = TransportRequest("GET", api.url + "/orders")
            client.start(request)
            #expect(try await onThread { recorder.seen.wait(for: 1) } == ["- 200"])
            // What is delivered on a queue that is suspended waits for the queue.
            queue.suspend()
            let completed = Gathered<Int>()
            let first = client.start(request, tag: "first", deliveringOn: queue)
            let second = client.start(request, deliveringOn: queue) { completed.append((try? $0.get().status) ?? 0) }
            let statuses = [try? await first.response().status, try? await second.response().status]
            #expect(statuses == [200, 200] && recorder.seen.all.count == 1 && completed.all.isEmpty)
            first.tag = 2
            queue.resume()
            #expect(try await onThread { recorder.seen.wait(for: 2) } == ["- 200", "2 200"])
            #expect(try await onThread { completed.wait(for: 1) } == [200])
            #expect(recorder.seen.all.count == 2 && client.delegate === recorder)
            client.delegate = nil
            #expect(try await client.start(request).response().status == 200)
        }
    }

    @Test("A request whose answer is lost is not repeated, and a cancelled one tells so once")
    func lost() async throws {
        try await withAPI { _, _, account, _ in
            let (arrived, gate) = (Counter(), Gate())
            let server = try SocketServer { peer in
                while let request = peer.request() {
                    arrived.add()
                    if request.line.contains("/lost") { return }
                    gate.pass()
                }
            }
            let client = try RESTClient(account, origins: [server.url])
            let lost = await #expect(throws: ClientError.self) {
                try await client.send(TransportRequest("POST", server.url + "/lost", body: [1]))
            }
            #expect(lost?.code == .unreachable && lost?.mayHaveBeenSent == true)
            #expect(arrived.value == 1)
            let results = Gathered<Bool>()
            let handle = client.start(TransportRequest("GET", server.url)) { result in
                if case .failure(let error) = result { results.append(error is CancellationError) }
            }
            #expect(await arrived.reaches(2))
            handle.cancel()
            #expect(handle.isCancelled)
            #expect(try await onThread { results.wait(for: 1) } == [true])
            gate.open()
        }
    }

    /// The provider answers on threads of its own.
    @Test("Waiting calls that occupy all threads of Swift's pool get their renewed token")
    func occupiedPool() async throws {
        try await withFolder { folder in
            let slow = HostileProvider.Script(serve: { path, _ in
                if path == "/token" { Thread.sleep(forTimeInterval: 0.2) }
                return false
            })
            let (provider, api, clock) = (try HostileProvider(slow), try ProtectedAPI(), SettableClock(Date()))
            let account = try await provider.signIn(try provider.authenticator(in: folder, clock: { clock.now }))
            api.accept("Bearer " + HostileProvider.accessToken)
            // Another app on the same store, which waits for the lock of the first one's renewal.
            let other = try #require(try provider.authenticator(in: folder, clock: { clock.now }).account())
            let clients = try [account, other].map { try RESTClient($0, origins: [api.url]) }
            clock.advance(by: 299)
            let before = provider.paths.count { $0 == "/token" }
            let statuses = try await withThrowingTaskGroup(of: Int.self) { group in
                for number in 0..<24 {
                    let client = clients[number % 2]
                    group.addTask { try client.sendAndWait(TransportRequest("GET", api.url)).status }
                }
                return try await group.reduce(into: []) { $0.append($1) }
            }
            #expect(statuses == Array(repeating: 200, count: 24))
            #expect(provider.paths.count { $0 == "/token" } == before + 1)
        }
    }

    @Test("A view of a server has the rights of an account, and renews a token that the server refuses once")
    func view() async throws {
        try await withApp { app in
            let account = try await app.account(of: app.authenticator())
            let server = try address(app.proxy.url)
            let view = try await DirectoryView(server: server, credentials: .account(account), transport: app.transport)
            let engineer = try await app.directory.unrestricted.users.user(ServiceUnderTest.engineer).id
            #expect(try await view.users.user(ServiceUnderTest.engineer).id == engineer)
            let old = try await account.validAccessToken()
            let refused = Locked(0)
            app.proxy.decide { path, _ in
                guard path.hasPrefix("/directory/v1/") else { return .pass }
                return refused.withLock { count in
                    count += 1
                    return count % 2 == 1 ? .answer(SocketServer.answer("", "401 No")) : .pass
                }
            }
            _ = try await view.users.user(ServiceUnderTest.lead)
            #expect(try await account.validAccessToken() != old && app.proxy.renewals == 1)
            let (lead, transport) = (try await view.users.user(ServiceUnderTest.lead).id, app.transport)
            app.proxy.decide { _, _ in .pass }
            app.letTokenAge(1.1)
            let before = app.proxy.renewals
            let names = await inParallel(12) { _ in
                try? Self.open(server, account, transport).users.user(ServiceUnderTest.lead).id
            }
            #expect(app.proxy.renewals == before + 1 && names.allSatisfy { $0 == lead })
            _ = try await account.signOut()
            await #expect(throws: DirectoryError.self) { try await view.users.user(ServiceUnderTest.lead) }
        }
    }

    private static func open(_ server: URL, _ account: Account, _ transport: Transport) throws -> DirectoryView {
        try DirectoryView(server: server, credentials: .account(account), transport: transport)
    }
}
