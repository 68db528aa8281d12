import Foundation
import Roster
import RosterText
import Testing
import TestSupport

@testable import RosterSignIn

@Suite("Floods of codes")
struct CodeFloodTests {
    private static func owner(_ person: Int, at address: String = "192.0.2.1") -> CodeOwner {
        CodeOwner(.user(UserID(rawValue: Int64(person))), at: address)
    }

    @Test("21,000 codes of one person, from one address or from many, throw nobody else's out")
    func onePerson() throws {
        let clock = SettableClock(Date(timeIntervalSince1970: 1_800_000_000))
        let codes = PendingCodes<String>(capacity: 50_000, clock: { clock.now })
        var numbers = SeededNumbers(seed: randomSeed())
        try codes.insert("", for: "victim", lifetime: 300, of: Self.owner(1))
        for number in 0..<21_000 {
            let address = "192.0.2.\(Int.random(in: 0..<250, using: &numbers))"
            try codes.insert("", for: "code \(number)", lifetime: 300, of: Self.owner(2, at: address))
        }
        #expect(try codes.value("victim") != nil)
        let kept = try (0..<21_000).filter { try codes.value("code \($0)") != nil }
        #expect(kept == Array((21_000 - CodeOwner.mostOfPerson)..<21_000), "the latest ones of the person stay")
    }

    @Test("An office of 2,000 people behind one address signs in at once, and a full address takes its own oldest code")
    func office() throws {
        let clock = SettableClock(Date(timeIntervalSince1970: 1_800_000_000))
        let codes = PendingCodes<String>(capacity: 50_000, clock: { clock.now })
        try codes.insert("", for: "elsewhere", lifetime: 300, of: Self.owner(0, at: "198.51.100.1"))
        for person in 1...2_000 {
            for _ in 0..<2 {
                try codes.insert("", for: "\(person) \(Bool.random())", lifetime: 300, of: Self.owner(person))
            }
        }
        #expect(
            try (1...2_000).allSatisfy { try codes.value("\($0) true") != nil || codes.value("\($0) false") != nil })
        for number in 0..<2_000 {
            try codes.insert("", for: "more \(number)", lifetime: 300, of: Self.owner(3_000 + number))
            try codes.insert("", for: "again \(number)", lifetime: 300, of: Self.owner(3_000 + number))
        }
        #expect(try codes.value("elsewhere") != nil)
        #expect(try codes.value("more 1999") != nil && codes.value("1 true") == nil && codes.value("1 false") == nil)
    }

    @Test("A code that was taken or has expired takes no place in a share")
    func places() throws {
        let clock = SettableClock(Date(timeIntervalSince1970: 1_800_000_000))
        let codes = PendingCodes<String>(capacity: 1_000, clock: { clock.now })
        try codes.insert("", for: "first", lifetime: 300, of: Self.owner(1))
        for number in 0..<500 {
            try codes.insert("", for: "\(number)", lifetime: 300, of: Self.owner(1))
            #expect(try codes.take("\(number)") != nil)
        }
        #expect(try codes.value("first") != nil)
        for number in 0..<10 {
            #expect(
                try codes.insert("", for: "device \(number)", lifetime: 10, of: "shop", atMost: 5)
                    == (number < 5 ? nil : 10))
        }
        clock.advance(by: 10)
        #expect(try codes.insert("", for: "later", lifetime: 10, of: "shop", atMost: 5) == nil)
    }
}
