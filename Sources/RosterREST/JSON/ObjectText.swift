import Foundation
import Roster
import RosterText

/// The text of a JSON object, written member by member into the bytes of a response.
struct ObjectText {
    private(set) var bytes: [UInt8] = []

    /// Begins an object.
    init() {
        bytes.reserveCapacity(1_024)
        bytes.append(UInt8(ascii: "{"))
    }

    /// Ends the object, or the object that was opened last.
    mutating func close() { bytes.append(UInt8(ascii: "}")) }

    /// Begins an object that is the value of a member.
    mutating func open(_ name: String) {
        begin(name)
        bytes.append(UInt8(ascii: "{"))
    }

    /// Adds a text, which may come in parts. The parts after the first one have no character to escape.
    mutating func add(_ name: String, _ text: String, _ more: String...) {
        begin(name)
        JSONText.append(string: text, to: &bytes)
        if more.isEmpty { return }
        bytes.removeLast()
        for part in more { bytes.append(contentsOf: part.utf8) }
        bytes.append(UInt8(ascii: "\""))
    }

    mutating func add(_ name: String, time: Date) { add(name, Timestamp.text(time)) }

    mutating func add(_ name: String, _ value: AttributeValue) {
        begin(name)
        if case .string(let text) = value {
            JSONText.append(string: text, to: &bytes)
        } else {
            JSONValue(value).write(to: &bytes)
        }
    }

    /// Adds a list of values that are written already.
    mutating func add(_ name: String, texts: [[UInt8]]) {
        begin(name)
        bytes.append(UInt8(ascii: "["))
        for (place, text) in texts.enumerated() {
            if place > 0 { bytes.append(UInt8(ascii: ",")) }
            bytes.append(contentsOf: text)
        }
        bytes.append(UInt8(ascii: "]"))
    }

    private mutating func begin(_ name: String) {
        if bytes.last != UInt8(ascii: "{") { bytes.append(UInt8(ascii: ",")) }
        JSONText.append(name: name, to: &bytes)
    }
}
