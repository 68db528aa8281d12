import Foundation
import TestSupport

@testable import RosterLDAP

#if canImport(Glibc)
    import Glibc
#endif

struct NoAnswer: Error {}

/// A message of the server, as far as the tests look at it.
struct Answer: Sendable {
    var id: Int32 = 0
    var tag: UInt = 0
    var code: Int32 = -1
    var dn = ""
    var text = ""
    var attributes: [String: [String]] = [:]
    var value: [UInt8]?
    var controls: [String: [UInt8]] = [:]

    var result: ResultCode? { ResultCode(rawValue: code) }

    init(_ reader: BERReader) throws {
        var reader = reader
        id = try reader.integer()
        guard let tag = reader.next else { throw NoAnswer() }
        self.tag = tag
        if tag == 0x64 {
            (dn, attributes) = try reader.container(tag) { reader in
                let dn = try reader.text()
                var attributes: [String: [String]] = [:]
                try reader.container(BERReader.Tag.sequence) { reader in
                    while !reader.isAtEnd {
                        var count = 0
                        let attribute = try LDAPAttribute(&reader, &count)
                        // An attribute that came twice would be two here.
                        attributes[attribute.name, default: []] += attribute.values.map {
                            String(decoding: $0, as: UTF8.self)
                        }
                    }
                }
                return (dn, attributes)
            }
        } else {
            (code, dn, text, value) = try reader.container(tag) { reader in
                let code = try reader.integer(BERReader.Tag.enumerated)
                let (dn, text) = (try reader.text(), try reader.text())
                if reader.next == 0x8A { _ = try reader.text(0x8A) }
                return (code, dn, text, try reader.optionalOctets(0x8B))
            }
        }
        guard reader.next == 0xA0 else { return }
        controls = try reader.container(0xA0) { reader in
            var controls: [String: [UInt8]] = [:]
            while !reader.isAtEnd {
                try reader.container(BERReader.Tag.sequence) { reader in
                    let name = try reader.text()
                    if reader.next == BERReader.Tag.boolean { _ = try reader.boolean() }
                    controls[name] = try reader.optionalOctets(BERReader.Tag.octets) ?? []
                }
            }
            return controls
        }
    }
}

/// A client that sends exactly the messages it is told to. A test uses a client from one thread at a time.
final class LDAPClient: @unchecked Sendable {
    // Unchecked: see above.
    private let descriptor: Int32
    private let framer: MessageFramer
    private var waiting: [Answer] = []
    private var last: Int32 = 0

    init(port: UInt16) throws {
        descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        guard let framer = MessageFramer(largest: 1 << 28) else { throw NoAnswer() }
        self.framer = framer
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        inet_pton(AF_INET, "127.0.0.1", &address.sin_addr)
        let result = withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
        guard result == 0 else { throw NoAnswer() }
    }

    deinit { close(descriptor) }

    @discardableResult
    func send(_ bytes: [UInt8]) -> Bool {
        var rest = bytes[...]
        while !rest.isEmpty {
            let sent = rest.withUnsafeBytes {
                Glibc.send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
            }
            if sent <= 0 { return false }
            rest = rest.dropFirst(sent)
        }
        return true
    }

    /// The next message; nil at the end of the connection.
    func next(within seconds: Double = 20) throws -> Answer? {
        var bytes = [UInt8](repeating: 0, count: 65_536)
        while waiting.isEmpty {
            var polled = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
            guard poll(&polled, 1, Int32(seconds * 1000)) > 0 else { throw NoAnswer() }
            let count = recv(descriptor, &bytes, bytes.count, 0)
            if count <= 0 { return nil }
            var answers: [Answer] = []
            try bytes.withUnsafeBytes { buffer in
                try framer.take(UnsafeRawBufferPointer(rebasing: buffer[..<count])) { answers.append(try Answer($1)) }
            }
            waiting += answers
        }
        return waiting.removeFirst()
    }

    /// Sends a request.
    ///
    /// - Returns: The number of the message.
    @discardableResult
    func request(controls: [LDAPControl] = [], _ body: (inout BERWriter) -> Void) -> Int32 {
        last += 1
        send(Message.bytes(last, controls: controls, body))
        return last
    }

    /// The answers to a request, up to the last one.
    func answers(to id: Int32) throws -> [Answer] {
        var answers: [Answer] = []
        while let answer = try next() {
            guard answer.id == id else { throw NoAnswer() }
            answers.append(answer)
            if answer.tag != 0x64 { return answers }
        }
        throw NoAnswer()
    }

    func ask(controls: [LDAPControl] = [], _ body: (inout BERWriter) -> Void) throws -> Answer {
        guard let answer = try answers(to: request(controls: controls, body)).last else { throw NoAnswer() }
        return answer
    }

    func bind(_ name: String, _ password: String) throws -> Answer { try ask { Message.bind(&$0, name, password) } }

    func search(
        _ base: String, _ scope: LDAPSearch.Scope = .subtree, _ filter: LDAPFilter = .present("objectClass"),
        _ attributes: [String] = [], sizeLimit: Int32 = 0, typesOnly: Bool = false, controls: [LDAPControl] = []
    ) throws -> (entries: [Answer], end: Answer) {
        var answers = try answers(
            to: request(controls: controls) {
                Message.search(&$0, base, scope, filter, attributes, sizeLimit: sizeLimit, typesOnly: typesOnly)
            })
        let end = answers.removeLast()
        return (answers, end)
    }
}
