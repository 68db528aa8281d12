import Foundation
import Roster
import TestSupport
import Testing

/// The rule of all imports: every value of every row is stored, or the report names it.
@Suite("Nothing that a file says is lost in silence")
struct NothingIsLostTests {
    /// A value that a random file has.
    private struct Value {
        let user: String
        let field: String
        let text: String
        let line: Int
    }

    private static let plainFields = [
        "givenName", "sn", "familyName", "cn", "commonName", "title", "description", "departmentNumber", "o", "ou",
        "initials",
        "displayName", "preferredLanguage", "employeeNumber", "employeeID", "telephoneNumber", "mobile", "homePhone",
        "pager",
        "facsimileTelephoneNumber", "street", "l", "st", "postalCode", "c", "middleName", "hireDate", "mail", "emails",
        "uid",
        "manager", "memberOf", "userPassword", "entryUUID", "createTimestamp", "nsAccountLock", "active", "badge",
        "skills",
    ]
    private static let unknownFields = ["shoeSize", "x-custom", "sshPublicKey", "loginShell", "extensionAttribute1"]

    private func directory() throws -> Directory {
        let directory = try Directory.inMemory()
        try directory.unrestricted.attributes.declare(.init("badge"))
        try directory.unrestricted.attributes.declare(.init("skills", isMultiValued: true))
        return directory
    }

    private func word(_ numbers: inout SeededNumbers) -> String {
        String((0..<6).map { _ in "abcdefghjkmnpqrstuvwxyz".randomElement(using: &numbers) ?? "a" })
    }

    private func text(for field: String, _ numbers: inout SeededNumbers) -> String {
        let isFaulty = Int.random(in: 0..<20, using: &numbers) == 0
        switch field {
        case "hireDate": return isFaulty ? "soon" : "20\(Int.random(in: 10...25, using: &numbers))-01-31"
        case "mail", "emails": return isFaulty ? "nowhere" : word(&numbers) + "@example.com"
        case "nsAccountLock", "active": return isFaulty ? "perhaps" : Bool.random(using: &numbers) ? "TRUE" : "FALSE"
        case "userPassword": return "{SSHA}" + word(&numbers)
        default: return word(&numbers)
        }
    }

    /// All texts that the directory has of a user.
    private func stored(_ name: String, _ directory: Directory) throws -> Set<String> {
        guard let user = try? directory.unrestricted.users.user(.named(name)) else { return [] }
        var texts: Set<String> = [user.uid, user.isActive ? "true" : "false"]
        func add(_ value: AttributeValue) {
            switch value {
            case .list(let elements): elements.forEach(add)
            case .complex(let parts): parts.values.forEach(add)
            default: if let text = value.text { texts.insert(text) }
            }
        }
        for attribute in user.attributes { add(attribute.value) }
        if let manager = try directory.unrestricted.users.manager(of: .named(name)) { texts.insert(manager.uid) }
        return texts
    }

    /// Expects that each value is in the directory or in the report.
    private func check(_ values: [Value], _ report: ImportReport, _ directory: Directory, _ comment: String) throws {
        let named = report.ignored + report.skipped + report.notGranted
        var counts: [String: Int] = [:]
        for value in values {
            let field = value.field.split(separator: ";")[0].lowercased()
            if named.contains(where: { $0.name.lowercased() == field }) {
                counts[field, default: 0] += 1
                continue
            }
            if report.problems.contains(where: { $0.isRowLeftOut && $0.uid == value.user || $0.line == value.line }) {
                continue
            }
            // No caller can read a password.
            if field == "userpassword" { continue }
            let texts = try stored(value.user, directory)
            let isLock = field == "nsaccountlock"
            if isLock || field == "active" {
                // A disabled account stays disabled, whatever other fields say.
                let isActive = isLock ? value.text == "FALSE" : value.text == "TRUE"
                #expect(texts.contains(isActive ? "true" : "false") || isActive, "\(comment): \(value)")
                continue
            }
            #expect(
                texts.contains(value.text) || texts.contains(value.text.lowercased()),
                "\(comment): '\(value.text)' of '\(value.field)' in line \(value.line) is lost; \(texts); \(report.problems)"
            )
        }
        for field in named where counts[field.name.lowercased()] != nil {
            #expect(field.count <= counts[field.name.lowercased()] ?? 0, "\(comment): \(field)")
            #expect(values.contains { $0.line == field.line }, "\(comment): \(field)")
        }
        let isAnythingLeftOut = !report.problems.isEmpty || !report.ignored.isEmpty || !report.notGranted.isEmpty
        #expect(report.isComplete != isAnythingLeftOut)
    }

    @Test(
        "A list is stored whole where a part of it stands beside it, and the part is named", arguments: [true, false])
    func listsAndParts(isListFirst: Bool) throws {
        let directory = try directory()
        let parts = [#""emails": "work@example.com""#, #""mail": "other@example.com""#]
        let members = (isListFirst ? parts : parts.reversed()).joined(separator: ",\n")
        let data = Data("{\"people\": [{\"uid\": \"ada\",\n\(members)}]}".utf8)
        let report = try directory.unrestricted.importPeople(
            from: data, named: "people.json", options: .init(format: .json, onBadRow: .skip))
        #expect(try stored("ada", directory).contains("work@example.com"))
        #expect(report.problems.map(\.field) == ["mail"] && report.problems.first?.line == (isListFirst ? 3 : 2))
    }

    @Test("Of random LDIF, each value is stored or named with its line")
    func ldif() throws {
        let seed = randomSeed()
        var numbers = SeededNumbers(seed: seed)
        for round in 0..<60 {
            let directory = try directory()
            var lines = ["version: 1", ""]
            var values: [Value] = []
            for person in 0..<Int.random(in: 1...4, using: &numbers) {
                let name = "p\(round)x\(person)"
                lines += ["dn: uid=\(name),ou=people,dc=example,dc=com", "objectClass: inetOrgPerson"]
                let fields = (0..<Int.random(in: 0...14, using: &numbers)).map { _ -> String in
                    let known = (Self.plainFields + Self.unknownFields).randomElement(using: &numbers) ?? "cn"
                    return known != "uid" && Int.random(in: 0..<8, using: &numbers) == 0 ? known + ";lang-de" : known
                }
                for field in fields + ["uid"] {
                    let text = field == "uid" && !fields.contains("uid") ? name : text(for: field, &numbers)
                    lines.append("\(field): \(text)")
                    values.append(Value(user: name, field: field, text: text, line: lines.count))
                }
                // Names that the record has before its own decide how the user is called.
                if let first = values.first(where: { $0.user == name && $0.field == "uid" })?.text {
                    values = values.map {
                        $0.user == name ? Value(user: first, field: $0.field, text: $0.text, line: $0.line) : $0
                    }
                }
                lines.append("")
            }
            let data = Data(lines.joined(separator: "\n").utf8)
            let report = try directory.unrestricted.importPeople(
                from: data, named: "random.ldif", options: .init(format: .ldif, onBadRow: .skip))
            try check(values, report, directory, "seed \(seed), round \(round)\n\(lines.joined(separator: "\n"))")
        }
    }

    @Test("Of random CSV, each cell is stored or named with its line")
    func csv() throws {
        let seed = randomSeed()
        var numbers = SeededNumbers(seed: seed)
        for round in 0..<60 {
            let directory = try directory()
            var fields = ["Login"]
            for field in (Self.plainFields + Self.unknownFields).shuffled(using: &numbers).prefix(12)
            where !["sn", "cn", "uid", "emails", "o"].contains(field) { fields.append(field) }
            var lines = [fields.joined(separator: ";")]
            var values: [Value] = []
            for person in 0..<Int.random(in: 1...6, using: &numbers) {
                let name = "p\(round)x\(person)"
                let cells = fields.map { field -> String in
                    if field == "Login" { return name }
                    return Bool.random(using: &numbers) ? text(for: field, &numbers) : ""
                }
                lines.append(cells.joined(separator: ";"))
                for (field, cell) in zip(fields, cells) where !cell.isEmpty {
                    values.append(Value(user: name, field: field, text: cell, line: lines.count))
                }
            }
            let data = Data(lines.joined(separator: "\n").utf8)
            var options = ImportOptions(format: .csv, columns: ["uid": "Login"], onBadRow: .skip)
            options.skips = Bool.random(using: &numbers) ? ["badge"] : []
            let report = try directory.unrestricted.importPeople(from: data, named: "random.csv", options: options)
            try check(values, report, directory, "seed \(seed), round \(round)\n\(lines.joined(separator: "\n"))")
        }
    }

    @Test("Of random seeds, each value is stored or named with its line")
    func json() throws {
        let seed = randomSeed()
        var numbers = SeededNumbers(seed: seed)
        for round in 0..<60 {
            let directory = try directory()
            var lines = ["{\"people\": ["]
            var values: [Value] = []
            let count = Int.random(in: 1...5, using: &numbers)
            for person in 0..<count {
                let name = "p\(round)x\(person)"
                lines.append("{\"uid\": \"\(name)\"")
                for field in (Self.plainFields + Self.unknownFields).shuffled(using: &numbers).prefix(8)
                where !["uid", "memberOf", "nsAccountLock", "active", "entryUUID", "createTimestamp"].contains(field) {
                    let text = text(for: field, &numbers)
                    lines.append(", \"\(field)\": \"\(text)\"")
                    values.append(Value(user: name, field: field, text: text, line: lines.count))
                }
                lines.append(person == count - 1 ? "}" : "},")
            }
            lines.append("]}")
            let data = Data(lines.joined(separator: "\n").utf8)
            let report = try directory.unrestricted.importPeople(
                from: data, named: "random.json", options: .init(format: .json, onBadRow: .skip))
            try check(values, report, directory, "seed \(seed), round \(round)\n\(lines.joined(separator: "\n"))")
        }
    }
}
