import Foundation
import Synchronization
import TestSupport
import Testing

import RosterTransport

@Suite("Rules about addresses", .timeLimit(.minutes(2)))
struct AddressRuleTests {
    private let loopback: [UInt8] = [127, 0, 0, 1]

    @Test("The rule is asked about the address that is connected to, each time, and no other connection is used")
    func everyConnection() async throws {
        let server = try SocketServer(answering: SocketServer.answer("ok"))
        let transport = Transport()
        let asked = Mutex<[[UInt8]]>([])
        // A kept connection, about which no rule was asked.
        _ = try await transport.send(TransportRequest("GET", server.url))
        // The name's first address is allowed and its next is not, as when an attacker changes the name's address.
        var request = TransportRequest("GET", server.url)
        request.allowsAddress = { address in
            asked.withLock { asked in
                asked.append(address)
                return asked.count == 1
            }
        }
        #expect(try await transport.send(request).status == 200)
        let rebound = request
        for call in [{ _ = try await transport.send(rebound) }, { _ = try await transport.stream(rebound) }] {
            let error = await #expect(throws: TransportError.self) { try await call() }
            #expect(error?.code == .addressNotAllowed && error?.mayHaveBeenSent == false)
        }
        #expect(asked.withLock { $0 } == [loopback, loopback, loopback])
        #expect(server.connections == 2)
        // Nor does a connection that a rule allowed serve others.
        _ = try await transport.send(TransportRequest("GET", server.url))
        #expect(server.connections == 2)
    }

    @Test("Of several addresses of a name, only the allowed ones are connected to")
    func someAddresses() async throws {
        let server = try SocketServer(answering: SocketServer.answer("ok"))
        var request = TransportRequest("GET", "http://localhost:\(server.port)/")
        let asked = Mutex<[[UInt8]]>([])
        request.allowsAddress = { address in
            asked.withLock { $0.append(address) }
            return address.count == 4
        }
        #expect(try await Transport().send(request).status == 200)
        #expect(asked.withLock { $0 }.contains(loopback))
    }
}
