import Roster
import RosterText

/// Loads the `organization` of a seed. Each of its members is stored as a policy.
extension TransactionSettings {
    /// The policies by the names of the members.
    private static let policies: KeyValuePairs<String, ServicePolicy> = [
        "name": .organizationName, "color": .color, "logo": .logo, "views": .peopleViews,
    ]

    /// The policies that a seed's `organization` changes. A policy whose member is missing, or has the stored value, stays unchanged.
    ///
    /// - Throws: `DirectoryError` `invalidInput`, which names the line and the member.
    func changes(by organization: Seed.Entry?) throws -> [(policy: ServicePolicy, value: JSONValue)] {
        guard let organization else { return [] }
        do {
            var object = try DocumentObject(try JSONValue(strictly: Array(organization.json)), at: "")
            var changes: [(policy: ServicePolicy, value: JSONValue)] = []
            for (name, policy) in Self.policies {
                guard let value = object.value(name) else { continue }
                do {
                    try policy.checkOrganization(value)
                } catch let error as DirectoryError where error.code == .invalidInput {
                    throw DirectoryError(.invalidInput, "\(name): \(error.message)", advice: error.advice)
                }
                guard try setting(.policy, policy.rawValue)?.value["value"] != value else { continue }
                changes.append((policy, value))
            }
            try object.finish()
            return changes
        } catch let error as DirectoryError where error.code == .invalidInput {
            throw error.inDocument(at: organization.place)
        }
    }
}

extension AdministratorSettings {
    /// Stores policies that a seed changes.
    func store(_ changes: [(policy: ServicePolicy, value: JSONValue)], _ keys: KeyRing) throws {
        for (policy, value) in changes { _ = try store(.policy, policy.rawValue, ["value": value], keys) }
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
