package import RosterText

extension UndoReport {
    /// The report for programs.
    package var json: JSONValue {
        var json: JSONValue = [
            "undone": .integer(Int64(undone)), "left_out_count": .integer(Int64(leftOutCount)),
            "left_out": .array(
                leftOut.map { one in
                    [
                        "entity": .string("\(one.entity)"), "id": .string(one.subjectID), "name": .string(one.name),
                        "reason": .string(one.reason),
                    ]
                }),
        ]
        if let batch { json["batch"] = .integer(batch) }
        return json
    }
}
