/// The system that programs act for, such as `entra`: external identifiers belong to it, so that its programs share them.
package struct TokenSource: Sendable, Hashable, Codable {
    /// The name.
    package let name: String
    /// Whether a `replace` of SCIM makes the element that it means where there is none. RFC 7644 refuses that, and Entra ID
    /// expects it.
    package let createsOnReplace: Bool

    package init(name: String, createsOnReplace: Bool) {
        self.name = name
        self.createsOnReplace = createsOnReplace
    }

    /// The name of a client, or of a source, as the table of external identifiers has it.
    package static func client(_ name: String) -> String { Caller.provisioning(name).description }
}

extension DirectoryView {
    /// The source that the caller's token names; nil if it names none.
    package var tokenSource: TokenSource? { presence.source }
}
