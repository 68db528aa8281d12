import Foundation
import RosterREST
import RosterServer
import Testing
import TestSupport

@Suite("Random input")
struct RandomInputTests {
    static let seeds = [
        get, "GET /?a=b&c=%20+ HTTP/1.1\r\nHost: a\r\nCookie: a=b; c=\"d\"\r\nAccept: */*\r\n\r\n",
        "POST /x HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\nExpect: 100-continue\r\n\r\nhello",
        "PUT /later HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n5;a=b\r\nhello\r\n0\r\nT: x\r\n\r\n",
        "HEAD /stream HTTP/1.0\r\nConnection: keep-alive\r\n\r\n", "GET /stream HTTP/1.1\r\nHost: a\r\n\r\n",
    ].map { Array($0.utf8) }
    static let words = [
        "\r\n", "\n", "\0", " ", "\t", ":", "\r\n\r\n", "chunked", "Content-Length: 3\r\n", "0\r\n\r\n", "%00", "?",
        "ffffffff\r\n",
    ]
    .map { Array($0.utf8) }

    static func mutated(_ random: inout SeededNumbers) -> [UInt8] {
        var bytes = seeds[Int.random(in: 0..<seeds.count, using: &random)]
        for _ in 0..<Int.random(in: 1...6, using: &random) where !bytes.isEmpty {
            let place = Int.random(in: 0..<bytes.count, using: &random)
            switch Int.random(in: 0..<5, using: &random) {
            case 0: bytes[place] = UInt8.random(in: 0...255, using: &random)
            case 1: bytes.remove(at: place)
            case 2: bytes.insert(contentsOf: words[Int.random(in: 0..<words.count, using: &random)], at: place)
            case 3: bytes += bytes[place...]
            default: bytes.removeSubrange(place..<min(bytes.count, place + Int.random(in: 1...8, using: &random)))
            }
        }
        return bytes
    }

    @Test("Thousands of damaged requests neither end nor hang the server")
    func damaged() async throws {
        let seed = randomSeed()
        var limits = HTTPServer.Limits()
        limits.connections = 4000
        limits.connectionsPerAddress = 4000
        // Shorter than the test waits for the ends of connections whose clients have gone in the middle of a request.
        limits.idle = .seconds(20)
        try await serving(
            limits,
            handler: { request in
                let isStream = request.target.hasPrefix("/stream")
                let response =
                    isStream
                    ? HTTPResponse(
                        200,
                        body: .stream(
                            AsyncStream {
                                $0.yield([1, 2, 3])
                                $0.finish()
                            })) : describe(request)
                return request.target.hasPrefix("/later") ? .later { response } : .now(response)
            }
        ) { served in
            try await onThread {
                var random = SeededNumbers(seed: seed)
                for number in 0..<2000 {
                    let client = try served.client()
                    let bytes = Self.mutated(&random)
                    client.sendNow(bytes)
                    switch number % 3 {
                    case 0: break
                    case 1:
                        client.finishSending()
                        if !client.closesNow() {
                            throw NoResponse(
                                received:
                                    "seed \(seed), request \(number): \(String(decoding: bytes, as: UTF8.self).debugDescription)"
                            )
                        }
                    default: _ = client.closesNow(within: 0.005)
                    }
                }
            }
            #expect(try await served.ask(get).status == 200, "seed \(seed)")
            await served.eventually("all connections are closed, seed \(seed)") {
                served.server.statistics.connections == 0
            }
        }
    }
}
