import Foundation
import Roster
import RosterText

extension [UInt8] {
    /// Appends text that has no character to escape.
    @inline(__always)
    mutating func append(_ text: StaticString) {
        append(contentsOf: UnsafeBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount))
    }

    /// Appends a time in quotation marks.
    mutating func append(time: Date) {
        append(UInt8(ascii: "\""))
        Timestamp.append(time, to: &self)
        append(UInt8(ascii: "\""))
    }

    /// Appends a value of a stored record as SCIM has it.
    ///
    /// - Parameter hasElements: Whether the elements of a list are objects in SCIM. The record may hold the `value` alone.
    mutating func append(stored text: UnsafeBufferPointer<UInt8>, hasElements: Bool) {
        // Times and binary values have a mark with this sign; only they have another form in the record.
        if text.contains(UInt8(ascii: "$")) {
            (JSONValue(stored: text, hasElements: hasElements) ?? .null).write(to: &self)
            return
        }
        guard hasElements, text.first == UInt8(ascii: "[") else { return append(contentsOf: text) }
        let start = count
        do throws(JSONScanner.Failure) {
            try appendElements(text)
        } catch {
            removeLast(count - start)
            append("[]")
        }
    }

    private mutating func appendElements(_ text: UnsafeBufferPointer<UInt8>) throws(JSONScanner.Failure) {
        var scanner = JSONScanner(text)
        try scanner.expect(UInt8(ascii: "["))
        append(UInt8(ascii: "["))
        if scanner.peek() != UInt8(ascii: "]") {
            repeat {
                if last != UInt8(ascii: "[") { append(UInt8(ascii: ",")) }
                let isObject = scanner.peek() == UInt8(ascii: "{")
                let start = scanner.offset
                try scanner.skipValue()
                if !isObject { append(#"{"value":"#) }
                append(contentsOf: text[start..<scanner.offset])
                if !isObject { append(UInt8(ascii: "}")) }
            } while scanner.take(UInt8(ascii: ","))
        }
        append(UInt8(ascii: "]"))
    }
}

extension JSONValue {
    /// A value of a stored record as SCIM has it; nil if the record is damaged.
    init?(stored text: UnsafeBufferPointer<UInt8>, hasElements: Bool) {
        guard let value = AttributeValue(stored: text) else { return nil }
        self.init(value, hasElements: hasElements)
    }

    /// A value of an attribute as SCIM has it: an element of a complex attribute is an object, even if the directory keeps
    /// the `value` alone.
    init(_ value: AttributeValue, hasElements: Bool) {
        guard hasElements, case .list(let elements) = value else {
            self.init(value)
            return
        }
        self = .array(
            elements.map { element in
                if case .complex = element { return JSONValue(element) }
                return ["value": JSONValue(element)]
            })
    }
}
