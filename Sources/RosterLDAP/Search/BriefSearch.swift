import Roster

extension LDAPService {
    /// Whether a request is a search that finds a few users by a look-up: by a name, a mail address or an identifier, as programs do at
    /// each sign-in.
    func isBrief(_ message: LDAPMessage) -> Bool {
        guard case .search(let search) = message.request, message.controls.isEmpty, search.filter.isSelective else {
            return false
        }
        // The list of a role's members can be long.
        if !search.attributes.isEmpty, !search.attributes.contains(where: RequestedAttributes.canBeLong) { return true }
        switch try? tree.place(search.base) {
        case .people, .user: return !search.attributes.contains { AttributeNames.canonical($0) == "directreports" }
        default: return false
        }
    }
}

extension RequestedAttributes {
    private static let long: Set = ["*", "member", "uniquemember", "memberuid", "owner", "directreports"]

    /// Whether an attribute of a search's list can have very many values.
    static func canBeLong(_ text: String) -> Bool {
        long.contains(AttributeNames.canonical(String(text.prefix { $0 != ";" })))
    }
}

extension LDAPFilter {
    private static let selective: Set = ["uid", "mail", "entryuuid", "samaccountname"]
    private static let mostParts = 16

    /// Whether the filter names its users by a value that few users have.
    var isSelective: Bool {
        switch self {
        case .equal(let name, _): Self.selective.contains(AttributeNames.canonical(name))
        case .and(let filters): filters.count <= Self.mostParts && filters.contains(where: \.isSelective)
        case .or(let filters):
            !filters.isEmpty && filters.count <= Self.mostParts && filters.allSatisfy(\.isSelective)
        default: false
        }
    }
}
