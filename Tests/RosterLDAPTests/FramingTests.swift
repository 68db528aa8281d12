import Foundation
import RosterText
import TestSupport
import Testing

@testable import RosterLDAP

@Suite("The framing and reading of LDAP messages")
struct FramingTests {
    /// One message of each kind, as clients send them.
    static let messages: [[UInt8]] = [
        Message.bytes(1) { Message.bind(&$0, "uid=jane,ou=people,dc=example,dc=com", "secret") },
        Message.bytes(2) { $0.octets([UInt8](), 0x42) },
        Message.bytes(3, controls: [Message.page(100)]) {
            Message.search(
                &$0, "ou=people,dc=example,dc=com", .subtree,
                .and([
                    .present("objectClass"), .not(.equal("sn", "x")),
                    .or([.substrings("cn", first: [0x61], any: [[0x62]], last: [0x63]), .atLeast("title", [0x62])]),
                    .extensible(rule: "caseIgnoreMatch", attribute: "cn", value: [0x61], includesDN: true),
                ]), ["cn", "mail", "*", "+"])
        },
        Message.bytes(4) { writer in
            writer.container(0x66) { writer in
                writer.text("uid=jane,dc=example")
                writer.container { writer in
                    writer.container { writer in
                        writer.enumerated(2)
                        writer.container { writer in
                            writer.text("title")
                            writer.container(0x31) { $0.text("Chief") }
                        }
                    }
                }
            }
        },
        Message.bytes(5) { writer in
            writer.container(0x68) { writer in
                writer.text("uid=jane,dc=example")
                writer.container { writer in
                    writer.container { writer in
                        writer.text("sn")
                        writer.container(0x31) { $0.text("Doe") }
                    }
                }
            }
        },
        Message.bytes(6) { $0.text("uid=jane,dc=example", 0x4A) },
        Message.bytes(7) { writer in
            writer.container(0x6C) { writer in
                writer.text("uid=jane,dc=example")
                writer.text("uid=joan")
                writer.boolean(true)
            }
        },
        Message.bytes(8) { writer in
            writer.container(0x6E) { writer in
                writer.text("uid=jane,dc=example")
                writer.container { writer in
                    writer.text("sn")
                    writer.text("Doe")
                }
            }
        },
        Message.bytes(9) { $0.integer(3, 0x50) },
        Message.bytes(10) { writer in writer.container(0x77) { $0.text(ExtendedOperation.whoAmI, 0x80) } },
    ]

    /// Reads all messages of some bytes that come in pieces.
    static func read(_ pieces: [[UInt8]], largest: Int = 1 << 20) throws -> [LDAPMessage] {
        let framer = try #require(MessageFramer(largest: largest))
        var messages: [LDAPMessage] = []
        for piece in pieces {
            try piece.withUnsafeBytes { bytes in
                try framer.take(bytes) { messages.append(try LDAPMessage(tag: $0, $1)) }
            }
        }
        return messages
    }

    @Test("Messages are the same, whether they come at once or byte by byte")
    func pieces() throws {
        let bytes = Self.messages.flatMap { $0 }
        let whole = try Self.read([bytes])
        #expect(whole.map(\.id) == Array(1...10))
        #expect(try Self.read(bytes.map { [$0] }) == whole)
        guard case .search(let search) = whole[2].request else { throw NoAnswer() }
        #expect(search.attributes == ["cn", "mail", "*", "+"])
        #expect(whole[2].controls.map(\.isCritical) == [true])
    }

    @Test("A message that is larger than the limit is refused before its bytes come")
    func limit() throws {
        let head: [UInt8] = [0x30, 0x84, 0x7F, 0xFF, 0xFF, 0xFF, 0x02, 0x01, 0x01]
        #expect(throws: MessageFramer.Broken.self) { try Self.read([head], largest: 1 << 20) }
    }

    @Test("A filter that is too deep is refused with an answer, and the connection goes on")
    func depth() throws {
        var filter = LDAPFilter.present("cn")
        for _ in 0..<100 { filter = .not(filter) }
        let deep = filter
        #expect {
            try Self.read([Message.bytes(1) { Message.search(&$0, "", .base, deep) }])
        } throws: { error in
            guard case .refused(1, 0x65, let result)? = error as? LDAPMessage.Problem else { return false }
            return result.code == .adminLimitExceeded
        }
    }

    @Test("Very many levels of a hostile filter do not exhaust the stack")
    func bomb() throws {
        // Each level is a header without a body of its own: 200,000 levels of `not`.
        var filter: [UInt8] = []
        for _ in 0..<50_000 { filter += [0xA2, 0x80] }
        let message = Message.bytes(1) { writer in
            writer.container(0x63) { writer in
                writer.text("")
                writer.enumerated(0)
                writer.enumerated(0)
                writer.integer(0)
                writer.integer(0)
                writer.boolean(false)
                writer.octets(filter, 0xA2)
            }
        }
        #expect(throws: (any Error).self) { try Self.read([message]) }
    }

    @Test("Mutated messages are read or refused, and never more than that", arguments: [20_000])
    func mutated(count: Int) throws {
        let seed = randomSeed()
        var random = SeededNumbers(seed: seed)
        let rounds = ProcessInfo.processInfo.environment["ROSTER_LDAP_MUTATIONS"].flatMap { Int($0) } ?? count
        var (read, refused, broken) = (0, 0, 0)
        for _ in 0..<rounds {
            let bytes = Self.mutated(&random)
            do {
                read += try Self.read([bytes], largest: 1 << 16).count
            } catch LDAPMessage.Problem.refused {
                refused += 1
            } catch {
                broken += 1
            }
        }
        // All three must occur, or the mutations test nothing.
        #expect(read > 0 && refused > 0 && broken > 0, "seed \(seed)")
    }

    /// One or two messages with some damage.
    static func mutated(_ random: inout SeededNumbers) -> [UInt8] {
        var bytes = messages[Int.random(in: 0..<messages.count, using: &random)]
        if Bool.random(using: &random) { bytes += messages[Int.random(in: 0..<messages.count, using: &random)] }
        for _ in 0..<Int.random(in: 1...6, using: &random) where !bytes.isEmpty {
            let place = Int.random(in: 0..<bytes.count, using: &random)
            switch Int.random(in: 0..<6, using: &random) {
            case 0: bytes[place] = UInt8.random(in: 0...255, using: &random)
            case 1: bytes.remove(at: place)
            case 2: bytes[place] ^= 1 << UInt8.random(in: 0..<8, using: &random)
            case 3: bytes.insert(contentsOf: bytes[place...].prefix(16), at: place)
            case 4: bytes.insert(contentsOf: [0x84, 0xFF, 0xFF, 0xFF, 0xFF], at: place)
            default: bytes.removeSubrange(place..<min(bytes.count, place + Int.random(in: 1...8, using: &random)))
            }
        }
        return bytes
    }
}
