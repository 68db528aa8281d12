import Foundation
import RosterText
import Testing
import TestSupport

import RosterSignIn

@Suite("Documents from elsewhere", .timeLimit(.minutes(2)))
struct FetcherTests {
    private static func answer(_ body: String, _ status: String = "200 OK", headers: String = "") -> String {
        "HTTP/1.1 \(status)\r\nContent-Length: \(body.utf8.count)\r\nConnection: close\r\n\(headers)\r\n\(body)"
    }

    @Test("A small JSON object is taken")
    func works() async throws {
        let server = try CannedServer(Self.answer(#"{"keys":[]}"#))
        #expect(try await DocumentFetcher().object(server.request) == ["keys": []])
    }

    @Test(
        "Whatever else comes is refused, however often, and nothing crashes",
        arguments: [
            answer("{}", "302 Found", headers: "Location: http://169.254.169.254/\r\n"),
            answer("{}", "301 Moved Permanently", headers: "Location: /keys\r\n"), answer("{}", "500 Oops"),
            answer("{}", "401 No", headers: "WWW-Authenticate: Basic realm=\"x\"\r\n"), answer("{}", "404 Not Found"),
            answer("no json"), answer("[]"), answer(#"{"a":1,"a":2}"#), answer(""), "nonsense", "",
            answer(#"{"a":""# + String(repeating: "x", count: 2_000_000) + "\"}"),
            "HTTP/1.1 200 OK\r\nConnection: close\r\n\r\n{\"a\":\"" + String(repeating: "x", count: 3_000_000) + "\"}",
        ])
    func refused(answer: String) async throws {
        let server = try CannedServer(answer)
        for _ in 0..<10 {
            await #expect(throws: DocumentFetcher.Problem.self) { try await DocumentFetcher().object(server.request) }
        }
    }

    @Test("One that never ends is given up in time, and at once when the task is cancelled")
    func hangs() async throws {
        let server = try CannedServer("HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n{", hangs: true)
        // The suite's time limit fails a fetcher that waits for ever.
        await #expect(throws: DocumentFetcher.Problem.self) { try await DocumentFetcher().object(server.request) }
        let before = server.requests.count
        var patient = server.request
        patient.readTimeoutSeconds = 60
        let request = patient
        let task = Task { try await DocumentFetcher().object(request) }
        #expect(try await onThread { waitUntil { server.requests.count > before } })
        task.cancel()
        let cancelled = ContinuousClock.now
        _ = await task.result
        #expect(ContinuousClock.now - cancelled < .seconds(30))
    }

    @Test(
        "http is refused unless it is allowed, and so are other schemes, names that nobody has, and addresses of clouds"
    )
    func addresses() async throws {
        for url in [
            "http://127.0.0.1:1/", "ftp://example.com/", "file:///etc/passwd", "https://", "x",
            "https://a@example.com/",
            "https://169.254.169.254/latest/meta-data", "https://[fe80::1]/", "https://[::ffff:169.254.169.254]/",
            "https://no-such-host.invalid/", "https://127.0.0.1:1/",
        ] {
            await #expect(throws: DocumentFetcher.Problem.self, "\(url)") {
                try await DocumentFetcher().object(DocumentFetcher.Request(url))
            }
        }
    }

    @Test("What somebody else chose must be a public address")
    func publicAddresses() {
        for text in [
            "10.0.0.1", "127.0.0.1", "192.168.1.1", "172.16.0.1", "100.64.0.1", "0.0.0.0", "224.0.0.1", "198.18.0.1",
        ] {
            let address = text.split(separator: ".").compactMap { UInt8($0) }
            #expect(!HostAddress.isPublic(address), "\(text)")
            let mapped = [UInt8](repeating: 0, count: 10) + [255, 255] + address
            #expect(!HostAddress.isPublic(mapped), "::ffff:\(text)")
            #expect(!HostAddress.isPublic([0, 0x64, 0xFF, 0x9B] + [UInt8](repeating: 0, count: 8) + address))
        }
        #expect(HostAddress.isPublic([93, 184, 216, 34]) && HostAddress.isPublic([8, 8, 8, 8]))
        #expect(!HostAddress.isPublic([0xFC] + [UInt8](repeating: 0, count: 15)))
        #expect(!HostAddress.isPublic([UInt8](repeating: 0, count: 15) + [1]))
        #expect(HostAddress.isPublic([0x26, 0x06] + [UInt8](repeating: 1, count: 14)))
    }
}

@Suite("Addresses of documents from elsewhere", .timeLimit(.minutes(2)))
struct FetcherAddressTests {
    @Test("A name of this machine is not asked for what must be public, and nothing connects to it")
    func privateName() async throws {
        let server = try CannedServer("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}")
        for host in ["localhost", "127.0.0.1", "127.1", "0x7f000001", "2130706433", "0", "[::ffff:127.0.0.1]"] {
            var request = DocumentFetcher.Request("http://\(host):\(server.port)/keys")
            request.allowsHTTP = true
            #expect(try await DocumentFetcher().object(request) == [:], "\(host) is this machine")
            let before = server.requests.count
            request.mustBePublic = true
            let strict = request
            let problem = await #expect(throws: DocumentFetcher.Problem.self) {
                try await DocumentFetcher().object(strict)
            }
            #expect(problem?.description.contains("must not be asked") == true, "\(host)")
            #expect(server.requests.count == before)
        }
    }

    @Test("A connection of a request that may ask anybody does not serve one that must be public")
    func keptConnection() async throws {
        let server = try CannedServer("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}", hangs: true)
        var request = server.request
        #expect(try await DocumentFetcher().object(request) == [:])
        request.mustBePublic = true
        let strict = request
        await #expect(throws: DocumentFetcher.Problem.self) { try await DocumentFetcher().object(strict) }
        #expect(server.requests.count == 1)
    }
}
