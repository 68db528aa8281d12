import Roster
import RosterText

/// The organization of a seed: what pages and mails show of it, and the views of the people for everybody. Each member is a policy.
extension TransactionSettings {
    private static let policies: KeyValuePairs<String, ServicePolicy> = [
        "name": .organizationName, "color": .color, "logo": .logo, "views": .peopleViews,
    ]

    /// Stores what a seed says of the organization. What the seed leaves out stays, and so does what has the same value already.
    ///
    /// - Throws: `DirectoryError` `invalidInput`, which names the line and the member; `notPermitted`, `recentSignInRequired`.
    func load(_ organization: Seed.Entry?, _ keys: KeyRing) throws {
        guard let organization else { return }
        do {
            var object = try DocumentObject(try JSONValue(strictly: Array(organization.json)), at: "")
            for (name, policy) in Self.policies {
                guard let value = object.value(name) else { continue }
                do {
                    try policy.checkOrganization(value)
                } catch let error as DirectoryError where error.code == .invalidInput {
                    throw DirectoryError(.invalidInput, "\(name): \(error.message)", advice: error.advice)
                }
                guard try setting(.policy, policy.rawValue)?.value["value"] != value else { continue }
                _ = try store(.policy, policy.rawValue, ["value": value], keys)
            }
            try object.finish()
        } catch let error as DirectoryError where error.code == .invalidInput {
            throw error.inDocument(at: organization.place)
        }
    }
}

extension ServicePolicy {
    /// - Throws: `DirectoryError` `invalidInput` for a value that the policy does not take.
    fileprivate func checkOrganization(_ value: JSONValue) throws {
        switch self {
        case .organizationName: _ = try organizationName(value)
        case .color: _ = try color(value)
        case .logo: _ = try logo(value)
        default: _ = try SavedView.all(value)
        }
    }
}
