import Testing

import RosterTransport

@Suite("Reading server-sent events")
struct ServerSentEventParserTests {
    private static let text = """
        \u{FEFF}: a comment
        data: one

        event: add\r
        data: first\r
        data:second\r
        data\r
        id: 7\r
        retry: 1500\r
        \r
        id\rdata:  two spaces\revent\r\r
        unknown: x\nid: a\0b\nretry: 1x\ndata: last é 🎈\n\nid: 9\n\ndata: after\n\ndata: cut
        """

    private static let events: [ServerSentEvent] = [
        event("one", id: nil), event("first\nsecond\n", "add", id: "7", retry: .milliseconds(1_500)),
        event(" two spaces", id: "", retry: .milliseconds(1_500)),
        event("last é 🎈", id: "", retry: .milliseconds(1_500)), event("after", id: "9", retry: .milliseconds(1_500)),
    ]

    private static func event(
        _ data: String, _ type: String = "message", id: String?, retry: Duration? = nil
    ) -> ServerSentEvent {
        ServerSentEvent(type: type, data: data, lastID: id, retry: retry)
    }

    @Test("Comments, types, several lines, identifiers, retry times, a byte order mark and all ends of lines are read")
    func whole() {
        var parser = ServerSentEventParser(limit: 1_000)
        #expect(parser.append(Array(Self.text.utf8)) == Self.events)
    }

    @Test("The events are the same wherever the bytes are split")
    func split() {
        let bytes = Array(Self.text.utf8)
        for position in 0...bytes.count {
            var parser = ServerSentEventParser(limit: 1_000)
            let parts = [parser.append(Array(bytes[..<position])), parser.append(Array(bytes[position...]))]
            #expect(parts.compactMap { $0 }.flatMap { $0 } == Self.events, "\(position)")
        }
        var parser = ServerSentEventParser(limit: 1_000)
        #expect(bytes.flatMap { parser.append([$0]) ?? [] } == Self.events)
    }

    @Test("A line or an event beyond the limit is refused")
    func limits() {
        var line = ServerSentEventParser(limit: 10)
        #expect(line.append(Array("data: 12345".utf8)) == nil)
        var event = ServerSentEventParser(limit: 10)
        #expect(event.append(Array("data: 1234\ndata: 5678\ndata: 9\n".utf8)) == nil)
        var retry = ServerSentEventParser(limit: 100)
        #expect(retry.append(Array("retry: 99999999999999999999999\ndata: a\n\n".utf8))?.first?.retry == nil)
    }

    @Test("No bytes crash the reader")
    func random() {
        let pieces: [[UInt8]] = [
            [0xEF, 0xBB, 0xBF], [0x0A], [0x0D], [0x0D, 0x0A], [0x3A], [0x20], [0], [0xFF], Array("data".utf8),
            Array("id".utf8),
            Array("retry:9".utf8), Array("event: ".utf8),
        ]
        for _ in 0..<2_000 {
            var parser = ServerSentEventParser(limit: 64)
            for _ in 0..<20 { _ = parser.append(pieces.randomElement() ?? []) }
        }
    }
}
