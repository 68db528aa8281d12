/// Reads server-sent events from bytes, wherever the bytes were split (HTML Standard, section 9.2.6).
package struct ServerSentEventParser: Sendable {
    /// The largest number of bytes of an event.
    package let limit: Int
    private var splitter: LineSplitter
    private var isFirstLine = true
    private var type = ""
    private var data: [UInt8] = []
    private var lastID: String?
    private var retry: Duration?

    package init(limit: Int) {
        self.limit = limit
        splitter = LineSplitter(limit: limit)
    }

    /// The events that further bytes complete; nil if an event is larger than the limit.
    package mutating func append(_ bytes: [UInt8]) -> [ServerSentEvent]? {
        var events: [ServerSentEvent] = []
        // The splitter is part of this value, which the closure changes.
        var splitter = splitter
        let isInLimit = splitter.append(bytes) { line in
            if let event = read(line) { events.append(event) }
            return data.count <= limit
        }
        self.splitter = splitter
        return isInLimit ? events : nil
    }

    /// Reads a line; an empty line completes an event.
    private mutating func read(_ bytes: [UInt8]) -> ServerSentEvent? {
        var line = bytes[...]
        if isFirstLine, line.starts(with: [0xEF, 0xBB, 0xBF]) { line = line.dropFirst(3) }
        isFirstLine = false
        guard !line.isEmpty else { return complete() }
        let colon = line.firstIndex(of: UInt8(ascii: ":")) ?? line.endIndex
        var value = line[colon...].dropFirst()
        if value.first == UInt8(ascii: " ") { value = value.dropFirst() }
        // A comment has an empty name.
        switch String(decoding: line[..<colon], as: UTF8.self) {
        case "event": type = String(decoding: value, as: UTF8.self)
        case "data":
            data += value
            data.append(UInt8(ascii: "\n"))
        case "id" where !value.contains(0): lastID = String(decoding: value, as: UTF8.self)
        case "retry":
            if value.allSatisfy({ (0x30...0x39).contains($0) }),
                let milliseconds = Int64(String(decoding: value, as: UTF8.self))
            {
                retry = .milliseconds(milliseconds)
            }
        default: break
        }
        return nil
    }

    private mutating func complete() -> ServerSentEvent? {
        defer {
            type = ""
            data.removeAll(keepingCapacity: true)
        }
        guard !data.isEmpty else { return nil }
        return ServerSentEvent(
            type: type.isEmpty ? "message" : type, data: String(decoding: data.dropLast(), as: UTF8.self),
            lastID: lastID, retry: retry)
    }
}
