/// The kind of entry that a record of another directory describes.
enum LDAPEntryKind: Sendable, Hashable {
    case user, role
    /// Neither a user nor a role: a container such as `ou=people`, a computer, or the server's own account.
    ///
    /// - Parameter kind: The name of such entries, for the report.
    case other(_ kind: String)

    private static let containers: Set<String> = [
        "organizationalunit", "organization", "dcobject", "domain", "domaindns", "country", "locality", "container",
        "builtindomain",
    ]
    private static let people: Set<String> = [
        "person", "organizationalperson", "inetorgperson", "account", "posixaccount", "user",
    ]

    /// Tells the kind by the object classes.
    ///
    /// - Parameters:
    ///   - classes: The object classes in lower case; empty if the record has none.
    ///   - accountName: The `sAMAccountName`, which ends in `$` for machines.
    ///   - hasUID: Whether the record has a `uid`.
    init(classes: [String], accountName: String?, hasUID: Bool) {
        let has = { (name: String) in classes.contains(name) }
        if classes.contains(where: { $0.hasPrefix("msds-") && $0.hasSuffix("managedserviceaccount") }) {
            self = .other("service accounts")
        } else if has("computer") {
            self = .other("computers")
        } else if accountName?.hasSuffix("$") == true {
            self = .other("machine accounts")
        } else if has("contact") {
            self = .other("contacts")
        } else if has("simplesecurityobject"), !has("inetorgperson") {
            self = .other("accounts of programs")
        } else if classes.contains(where: { $0.hasPrefix("group") || $0 == "posixgroup" || $0 == "organizationalrole" })
        {
            self = .role
        } else if classes.contains(where: Self.containers.contains) {
            self = .other("containers")
        } else if classes.isEmpty || hasUID || classes.contains(where: Self.people.contains) {
            self = .user
        } else {
            self = .other("other entries")
        }
    }
}
