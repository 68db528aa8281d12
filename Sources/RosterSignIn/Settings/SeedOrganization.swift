import Roster
import RosterText

/// Loads the `organization` of a seed. Each of its members is stored as a policy.
extension AdministratorSettings {
    /// The policies by the names of the members.
    private static let policies: KeyValuePairs<String, ServicePolicy> = [
        "name": .organizationName, "color": .color, "logo": .logo, "views": .peopleViews,
    ]

    /// Stores the members of a seed's `organization` as policies. A policy whose member is missing, or has the stored value, stays
    /// unchanged.
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
                guard try transaction.settings.setting(.policy, policy.rawValue)?.value["value"] != value else {
                    continue
                }
                _ = try store(.policy, policy.rawValue, ["value": value], keys)
            }
            try object.finish()
        } catch let error as DirectoryError where error.code == .invalidInput {
            throw error.inDocument(at: organization.place)
        }
    }
}

extension ServicePolicy {
    /// Checks a value of a policy of the organization.
    ///
    /// - Throws: `DirectoryError` `invalidInput` if the policy cannot have the value.
    fileprivate func checkOrganization(_ value: JSONValue) throws {
        switch self {
        case .organizationName: _ = try organizationName(value)
        case .color: _ = try color(value)
        case .logo: _ = try logo(value)
        default: _ = try SavedView.all(value)
        }
    }
}
