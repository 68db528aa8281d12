package import RosterText

extension LoadReport {
    /// The numbers for programs.
    package var json: JSONValue { ["users": users.json, "roles": roles.json, "attributes": attributes.json] }
}

extension LoadReport.Counts {
    /// The numbers for programs.
    package var json: JSONValue {
        [
            "created": .integer(Int64(created)), "changed": .integer(Int64(changed)),
            "unchanged": .integer(Int64(unchanged)),
        ]
    }
}
