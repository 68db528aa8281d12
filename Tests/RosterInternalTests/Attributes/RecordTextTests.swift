import Foundation
import RosterStore
import TestSupport
import Testing

@testable import Roster

@Suite("The stored form of attributes")
struct RecordTextTests {
    private static let values: [AttributeValue] = [
        "", "x", "Müller", "a \"quoted\" \\ text", "line\nbreak", "zero\u{0}inside", "\u{10FFFD}0",
        .string(String(repeating: "long ", count: 2_000)), 0, -7, .integer(.max), 1.5, true, false,
        .time(Date(timeIntervalSince1970: 1_800_000_000.25)), .binary(Data([0, 1, 255])), [], ["a", "b"],
        ["type": "work", "value": "ada@example.com", "primary": true], [["value": "x\u{0}"], ["value": "y"]], [:],
    ]

    @Test("Each value comes back as it was, under a standard name and under another one")
    func roundTrip() throws {
        for value in Self.values {
            for name: AttributeName in ["title", "badgeNumber", "größe", "x", ":", "{"] {
                let set: AttributeSet = [name: value, "active": true]
                let text = set.record
                #expect(try AttributeSet(stored: text) == set, "\(name)")
                #expect(!text.utf8.contains(0), "PostgreSQL refuses the character zero")
                text.withBytes { bytes in
                    let record = StoredRecord(bytes)
                    #expect(record.value(of: name) == value)
                    #expect(record.value(of: "absent") == nil)
                }
            }
        }
    }

    @Test("Random sets come back as they were")
    func randomSets() throws {
        var random = SeededNumbers(seed: randomSeed())
        let names = RecordText.codes.map { AttributeName("\($0.value)") } + ["a", "zz", "badge number", "ß"]
        for _ in 0..<100 {
            var set = AttributeSet()
            for name in names.shuffled(using: &random).prefix(Int.random(in: 0..<names.count, using: &random)) {
                set[name] = Self.values.randomElement(using: &random)
            }
            #expect(try AttributeSet(stored: set.record) == set, "\(set.map(\.name))")
            #expect(try AttributeSet(stored: set.json) == set, "the JSON form of earlier versions")
        }
    }

    @Test("A record takes half the bytes of the same attributes in JSON")
    func size() {
        let set: AttributeSet = [
            "commonName": "Given77 Sur77", "department": "Dept 77", "emails": ["user0000077@example.com"],
            "employeeNumber": "12345", "familyName": "Sur77", "givenName": "Given77", "locale": "en-US",
            "phoneNumbers": ["+1-555-0000077"], "title": "Title 20",
        ]
        #expect(
            set.record.utf8.count * 20 <= set.json.utf8.count * 11, "\(set.record.utf8.count) of \(set.json.utf8.count)"
        )
    }

    @Test("Each character stands for one name, and each name has one character")
    func codesAreUnique() {
        #expect(Set(RecordText.codes.map(\.key)).count == RecordText.codes.count)
        #expect(Set(RecordText.codes.map { "\($0.value)" }).count == RecordText.codes.count)
        // The files in the field contain these characters.
        #expect(RecordText.codes.map { "\($0.key)" }.joined() == "gfmPScdniMDtuUlLzNCoOvpGbhseBETAIqrRxFkawyjJKQX")
        #expect(RecordText.codes.allSatisfy { $0.key != ":" && $0.key != "{" && $0.key.isASCII && $0.key.value > 0x20 })
    }

    @Test("A damaged record is refused, and never read beyond its end")
    func damage() throws {
        let text = Array((["title": "Countess", "badge": 7, "emails": ["a@b.c"]] as AttributeSet).record.utf8)
        var refused = 0
        for index in text.indices {
            for byte: UInt8 in [0, 0x20, 0x3F, 0x40, 0x7E, 0x7F, 0xFF] {
                var damaged = text
                damaged[index] = byte
                damaged.withUnsafeBufferPointer { bytes in
                    _ = StoredRecord(bytes).entries
                    if (try? AttributeSet(stored: bytes)) == nil { refused += 1 }
                }
            }
            Array(text[..<index]).withUnsafeBufferPointer { bytes in _ = StoredRecord(bytes).value(of: "title") }
        }
        #expect(refused > text.count)
        #expect(throws: DirectoryError.self) { try AttributeSet(stored: "t\u{7F}short") }
        #expect(throws: DirectoryError.self) { try AttributeSet(stored: "t" + String(repeating: "?", count: 60) + "@") }
    }
}
