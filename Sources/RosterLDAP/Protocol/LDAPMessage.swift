/// A message of a client (RFC 4511, section 4.1.1).
package struct LDAPMessage: Sendable, Hashable {
    package let id: Int32
    package let request: LDAPRequest
    package let controls: [LDAPControl]

    /// The first control of a kind.
    func control(_ identifier: String) -> LDAPControl? { controls.first { $0.identifier == identifier } }
}

/// A control of a request or of an answer (RFC 4511, section 4.1.11).
package struct LDAPControl: Sendable, Hashable {
    package let identifier: String
    package var isCritical = false
    package var value: [UInt8]?
}

/// An attribute and values of it, as clients send them.
package struct LDAPAttribute: Sendable, Hashable {
    package let name: String
    package var values: [[UInt8]]

    package init(_ name: String, _ values: [[UInt8]]) { (self.name, self.values) = (name, values) }
}

package enum LDAPRequest: Sendable, Hashable {
    case bind(LDAPBind)
    case unbind
    case search(LDAPSearch)
    case modify(dn: String, [LDAPModification])
    case add(dn: String, [LDAPAttribute])
    case delete(dn: String)
    case modifyDN(dn: String, newRDN: String, deletesOld: Bool, newSuperior: String?)
    case compare(dn: String, attribute: String, value: [UInt8])
    case abandon(Int32)
    case extended(String, [UInt8]?)

    /// The tag of the last answer to the request; nil for requests without an answer.
    var answerTag: UInt? {
        switch self {
        case .bind: 0x61
        case .search: 0x65
        case .modify: 0x67
        case .add: 0x69
        case .delete: 0x6B
        case .modifyDN: 0x6D
        case .compare: 0x6F
        case .extended: 0x78
        case .unbind, .abandon: nil
        }
    }

    /// The name of the operation, for the log and the metrics.
    var name: String {
        switch self {
        case .bind: "bind"
        case .unbind: "unbind"
        case .search: "search"
        case .modify: "modify"
        case .add: "add"
        case .delete: "delete"
        case .modifyDN: "modifyDN"
        case .compare: "compare"
        case .abandon: "abandon"
        case .extended: "extended"
        }
    }

    /// Whether no other operation of the connection may run at the same time: changes happen in the order in which they came, and a
    /// bind changes the rights of all later operations.
    var isAlone: Bool {
        switch self {
        case .search, .compare, .abandon: false
        case .extended(let identifier, _): identifier != ExtendedOperation.whoAmI
        default: true
        }
    }
}

/// The identifiers of extended operations.
package enum ExtendedOperation {
    package static let whoAmI = "1.3.6.1.4.1.4203.1.11.3"
    package static let passwordModify = "1.3.6.1.4.1.4203.1.11.1"
    package static let startTLS = "1.3.6.1.4.1.1466.20037"
    package static let cancel = "1.3.6.1.1.8"
    package static let noticeOfDisconnection = "1.3.6.1.4.1.1466.20036"
}

package struct LDAPBind: Sendable, Hashable {
    package enum Method: Sendable, Hashable {
        case simple([UInt8])
        case sasl(mechanism: String, credentials: [UInt8]?)
    }
    package let version: Int32
    package let name: String
    package let method: Method
}

package struct LDAPSearch: Sendable, Hashable {
    package enum Scope: Int32, Sendable {
        case base = 0, one, subtree
        /// All entries below the base, without the base (draft-sermersheim-ldap-subordinate-scope).
        case subordinate
    }
    package let base: String
    package let scope: Scope
    /// The most entries to send; 0 for no limit of the client.
    package let sizeLimit: Int32
    /// The most seconds to spend; 0 for no limit of the client.
    package let timeLimit: Int32
    package let typesOnly: Bool
    package let filter: LDAPFilter
    package let attributes: [String]
}

package struct LDAPModification: Sendable, Hashable {
    package enum Kind: Int32, Sendable {
        case add = 0, delete, replace, increment
    }
    package let kind: Kind
    package let attribute: LDAPAttribute
}

/// A filter as clients send it (RFC 4511, section 4.5.1.7).
package indirect enum LDAPFilter: Sendable, Hashable {
    case and([LDAPFilter])
    case or([LDAPFilter])
    case not(LDAPFilter)
    case equal(String, [UInt8])
    /// The pieces of a value: the first and the last one are nil if the value can begin or end with anything.
    case substrings(String, first: [UInt8]?, any: [[UInt8]], last: [UInt8]?)
    case atLeast(String, [UInt8])
    case atMost(String, [UInt8])
    case present(String)
    case approximate(String, [UInt8])
    case extensible(rule: String?, attribute: String?, value: [UInt8], includesDN: Bool)
}
