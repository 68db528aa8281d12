import Foundation
import Roster
import TestSupport

/// Random names, values and filters from a small world, so that things meet.
struct RandomChoices {
    var numbers: SeededNumbers

    static let uids = (0..<14).map { "u\($0)" } + ["Äda", "Bob", "50%", "a_b", "x\"y", "o'b"]
    static let roles = ["staff", "Köche", "all", "r*"]
    static let texts = [
        "ab", "abc", "ABCD", "Bcd", "äöx", "ÄÖXÜ", "x y", "50%", "_a", "a*b", "a\"b", "a\\b", "'; DROP", "漢字かな", "é",
        "b",
        "abcabcabd", "NEAR(a)", "AND", "-x", "a:b", "(", "^ab",
    ]
    /// Attributes of text that have one value, some with an index and some without.
    static let single: [AttributeName] = [
        "givenName", "familyName", "title", "displayName", "description", "costCenter",
    ]
    static let multiple: [AttributeName] = ["emails", "tags", "notes"]
    static let declared = [
        AttributeDefinition("tags", isMultiValued: true), AttributeDefinition("level", kind: .integer),
        AttributeDefinition("notes", isMultiValued: true, isSearchable: false),
    ]

    mutating func number(_ range: Range<Int>) -> Int { Int.random(in: range, using: &numbers) }
    mutating func chance(_ percent: Int) -> Bool { number(0..<100) < percent }
    mutating func pick<Element>(_ elements: [Element]) -> Element { elements[number(0..<elements.count)] }
    mutating func text() -> String { pick(Self.texts) }
    mutating func values(of name: AttributeName) -> [AttributeValue] {
        var values: [AttributeValue] = []
        for _ in 0..<number(1..<4) {
            let value = AttributeValue.string(name == "emails" ? Self.address(text()) : text())
            if !values.contains(value) { values.append(value) }
        }
        return values
    }

    /// An address whose local part is the text in quotes.
    static func address(_ text: String) -> String {
        let quoted = text.replacing("\\", with: "\\\\").replacing("\"", with: "\\\"")
        return "\"\(quoted)\"@x.org"
    }

    /// A part of some text, with its case changed now and then.
    mutating func part() -> String {
        let scalars = Array(text().unicodeScalars)
        let start = number(0..<scalars.count)
        let length = number(0..<scalars.count - start + 1)
        var view = String.UnicodeScalarView()
        view.append(contentsOf: scalars[start..<start + length])
        let part = String(view)
        return chance(30) ? part.uppercased() : part
    }

    mutating func filter(depth: Int = 0) -> Filter {
        if depth < 3, chance(40) {
            let count = number(0..<4)
            switch number(0..<3) {
            case 0: return .and((0..<count).map { _ in filter(depth: depth + 1) })
            case 1: return .or((0..<count).map { _ in filter(depth: depth + 1) })
            default: return .not(filter(depth: depth + 1))
            }
        }
        switch number(0..<12) {
        case 0: return .everything
        case 1: return .active
        case 2: return .compare(AttributePath("level"), comparison(ofText: false), .integer(Int64(number(0..<5))))
        case 3: return Filter.memberOf.equals(.string(pick(Self.roles)))
        case 4: return Filter.manager.equals(.string(pick(Self.uids)))
        case 5:
            return .present(
                AttributePath(pick(Self.single + Self.multiple + ["level", "manager", "memberOf", "mail"])))
        case 6:
            return .compare(
                AttributePath("uid"), comparison(ofText: true), .string(chance(50) ? pick(Self.uids) : part()))
        case 7: return .compare(AttributePath("version"), comparison(ofText: false), .integer(Int64(number(0..<6))))
        default:
            let operand = AttributeValue.string(chance(50) ? text() : part())
            return .compare(
                AttributePath(pick(Self.single + Self.multiple + ["mail"])), comparison(ofText: true), operand)
        }
    }

    mutating func comparison(ofText isText: Bool) -> Filter.Comparison {
        isText
            ? pick(Filter.Comparison.allCases)
            : pick([.equal, .notEqual, .greater, .greaterOrEqual, .less, .lessOrEqual])
    }
}
