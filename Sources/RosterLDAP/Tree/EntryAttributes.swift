import Foundation
import Roster

/// Collects the attributes of an entry that a search asks for.
struct EntryAttributes {
    private let requested: RequestedAttributes
    private(set) var list: [LDAPAttribute] = []

    init(_ requested: RequestedAttributes) { self.requested = requested }

    /// Adds an attribute that is asked for, unless it has no values.
    mutating func add(_ name: String, _ values: [[UInt8]]) {
        if !values.isEmpty { list.append(LDAPAttribute(requested.shown(name), values)) }
    }

    /// Adds an attribute if it is asked for.
    mutating func add(_ name: String, _ text: @autoclosure () -> String, isOperational: Bool = false) {
        if requested.includes(name, isOperational: isOperational) { add(name, [Array(text().utf8)]) }
    }

    /// Adds the operational attributes that entries of users and roles have.
    mutating func addOperational(
        dn: String, uuid: @autoclosure () -> String, created: Date, modified: Date, structuralClass: String
    ) {
        add("entryUUID", uuid(), isOperational: true)
        add("entryDN", dn, isOperational: true)
        add("createTimestamp", GeneralizedTime.text(created), isOperational: true)
        add("modifyTimestamp", GeneralizedTime.text(modified), isOperational: true)
        add("structuralObjectClass", structuralClass, isOperational: true)
        add("hasSubordinates", "FALSE", isOperational: true)
        add("numSubordinates", "0", isOperational: true)
        add("subschemaSubentry", DirectoryTree.subschema, isOperational: true)
    }
}
