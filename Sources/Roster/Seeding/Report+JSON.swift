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

extension ImportReport {
    /// The report for programs.
    package var json: JSONValue {
        [
            "users": users.json, "disabled": .integer(Int64(disabled)), "rows_left_out": .integer(Int64(leftOut)),
            "problems": .array(
                problems.map { problem in
                    [
                        "line": .integer(Int64(problem.line)), "user": .string(problem.uid),
                        "field": .string(problem.field), "message": .string(problem.message),
                        "left_out": .boolean(problem.isRowLeftOut),
                    ]
                }),
            "ignored": .array(ignored.map(\.json)), "not_granted": .array(notGranted.map(\.json)),
            "skipped": .array(skipped.map(\.json)), "other_entries": .array(otherEntries.map(\.json)),
            "cleared": .array(cleared.map(\.json)), "complete": .boolean(isComplete),
            "kept_administrators": .texts(keptAdministrators),
        ]
    }
}

extension ImportReport.Field {
    fileprivate var json: JSONValue {
        ["name": .string(name), "values": .integer(Int64(count)), "line": .integer(Int64(line))]
    }
}

extension ImportPreview {
    /// The report for programs, with the difference that the import would make.
    package var json: JSONValue {
        var json = report.json
        json["dry_run"] = true
        json["changes"] = .array(changes.map(\.difference))
        json["more_changes"] = .boolean(isCut)
        return json
    }
}

extension Change {
    /// The change without its time and its actor.
    fileprivate var difference: JSONValue {
        [
            "kind": .string("\(kind)"), "entity": .string("\(entity)"), "name": .string(name),
            "before": before.jsonObject, "after": after.jsonObject,
        ]
    }
}
