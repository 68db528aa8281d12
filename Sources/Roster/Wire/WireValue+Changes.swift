import Foundation
package import RosterText

extension Change: WireValue {
    package func write(to json: inout [UInt8]) throws {
        json.append(contentsOf: #"{"sequence":\#(sequence),"first":\#(first),"time":\#(time.milliseconds)"#.utf8)
        json.append(contentsOf: #","kind":\#(kind.rawValue),"entity":\#(entity.rawValue)"#.utf8)
        for (member, text) in [("actor", actor), ("subject", subjectID), ("name", name)] {
            json.append(contentsOf: #","\#(member)":"#.utf8)
            JSONText.append(string: text, to: &json)
        }
        json.append(contentsOf: #","before":"#.utf8)
        try before.write(to: &json)
        json.append(contentsOf: #","after":"#.utf8)
        try after.write(to: &json)
        if count > 1 { json.append(contentsOf: #","count":\#(count),"last":\#(lastTime.milliseconds)"#.utf8) }
        if let batch { json.append(contentsOf: #","batch":\#(batch)"#.utf8) }
        json.append(UInt8(ascii: "}"))
    }

    package static func read(_ json: inout JSONScanner, for view: DirectoryView) throws -> Change {
        var (sequence, first, time): (Int64?, Int64?, Int64?)
        var (count, last, batch): (Int64, Int64?, Int64?) = (1, nil, nil)
        var kind: Kind?
        var entity: Entity?
        var (actor, subjectID, name) = ("", "", "")
        var (before, after) = (AttributeSet(), AttributeSet())
        try json.object { member, json in
            switch member {
            case "sequence": sequence = try json.integer()
            case "first": first = try json.integer()
            case "time": time = try json.integer()
            case "kind": kind = Kind(rawValue: try json.integer())
            case "entity": entity = Entity(rawValue: try json.integer())
            case "actor": actor = try json.string()
            case "subject": subjectID = try json.string()
            case "name": name = try json.string()
            case "before": before = try AttributeSet.read(&json, for: view)
            case "after": after = try AttributeSet.read(&json, for: view)
            case "count": count = try json.integer()
            case "last": last = try json.integer()
            case "batch": batch = try json.integer()
            default: try json.skipValue()
            }
        }
        guard let sequence, let first, let time, let kind, let entity else { throw json.failure("not a change") }
        return Change(
            sequence: sequence, first: first, time: Date(milliseconds: time), actor: actor, kind: kind, entity: entity,
            subjectID: subjectID, name: name, before: before, after: after, count: count,
            lastTime: last.map { Date(milliseconds: $0) }, batch: batch)
    }
}

extension ChangePage: WireValue {
    package func write(to json: inout [UInt8]) throws {
        json.append(contentsOf: #"{"through":\#(through),"isLast":\#(isLast),"changes":"#.utf8)
        try changes.write(to: &json)
        json.append(UInt8(ascii: "}"))
    }

    package static func read(_ json: inout JSONScanner, for view: DirectoryView) throws -> ChangePage {
        var changes: [Change]?
        var through: Int64?
        var isLast = true
        try json.object { name, json in
            switch name {
            case "changes": changes = try [Change].read(&json, for: view)
            case "through": through = try json.integer()
            case "isLast": isLast = try Bool.read(&json, for: view)
            default: try json.skipValue()
            }
        }
        guard let changes, let through else { throw json.failure("not a page of changes") }
        return ChangePage(changes: changes, through: through, isLast: isLast)
    }
}

/// The parts of which a vocabulary is made.
private struct VocabularyParts: Codable {
    var revision: Int64
    var declared: [AttributeDefinition]
    var rights: [AttributeRights]
    /// The built-in attributes that have rules, or were given an index.
    var ruled: [AttributeDefinition]
}

extension Vocabulary: WireValue {
    package func write(to json: inout [UInt8]) throws {
        let indexed = indexedBuiltIn.filter { definition in !builtInRules.contains { $0.name == definition.name } }
        let parts = VocabularyParts(
            revision: revision, declared: declared, rights: rights, ruled: builtInRules + indexed)
        json.append(contentsOf: try JSONEncoder().encode(parts))
    }

    package static func read(_ json: inout JSONScanner, for view: DirectoryView) throws -> Vocabulary {
        let parts: VocabularyParts = try json.decoded()
        let rules = Dictionary(parts.ruled.map { ($0.name, $0.rules) }) { $1 }
        let indexed = Set(parts.ruled.filter { $0.isIndexed && !$0.isIndexedFromTheStart }.map(\.name))
        return Vocabulary(
            declared: parts.declared, rights: parts.rights, rules: rules, indexed: indexed, revision: parts.revision)
    }
}
